"""Write report.md, which a person reads over coffee: first what to decide, on what proof and at what cost."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.records import (
    CUT_SHORT,
    Became,
    Decision,
    EditEffect,
    EditOp,
    Effect,
    JudgeReading,
    NightReport,
    Outcome,
    Proof,
    Proposal,
    StepOutcome,
    in_words,
    is_of,
    model_names,
    told,
    tries,
    unknown_rate,
)
from skillopt_sleep.reporters.cards import waiting_first
from skillopt_sleep.reporters.escaping import change, code, command, show
from skillopt_sleep.reporters.gains import rules_out, sentence, tested, with_interval
from skillopt_sleep.reporters.judging import judge_in_words
from skillopt_sleep.reporters.noise import in_words as noise_in_words, noise_floor
from skillopt_sleep.reporters.noted import ERRORS, noted, trouble
from skillopt_sleep.reporters.proposed import each_edit, headline, proof, said
from skillopt_sleep.reporters.rate import of_night
from skillopt_sleep.reporters.sessions import sessions_in_words
from skillopt_sleep.reporters.side_by_side import did
from skillopt_sleep.reporters.spending import calls, dollars, tokens
from skillopt_sleep.reporters.tried import (
    Row,
    arms,
    every_trial,
    has_more_trials,
    in_short,
    interval,
    numbers,
    remarks,
    said_above,
    says_nothing_more,
    text_only,
    verdict,
    without_the_rule,
)

FEW_NOTES = 3  # on what was left out
TAKEN = "Taken untested: no trial was run, error rate unknown"
KINDS = {
    Proof.WORDS: "Taken back: your own words, no trial",
    Proof.EARLY: "Early: proven on one of the two sessions it takes",
    Proof.ELSEWHERE: "Tried with an agent that doesn't read the file: not proven for those that do",
    Proof.UNTESTED: "Untested by itself: a rule of a change that was taken rule by rule",
    Proof.EDITED: "Untested: your own words in place of a rule",
}
_BLANKS = re.compile(r"\n{3,}")
_NUMBERS = re.compile(r"(?:no )?(?:better|worse|lower): (?:solved|grade)(?:(?!, but )[^;])*(?:; |$)")


class MorningReporter:
    """Write the report as Markdown that reads well as plain text."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.md and return its path."""
        path = folder / "report.md"
        write_atomic(path, render(report, folder=folder).encode())
        return path


def render(
    report: NightReport,
    waiting: Collection[str] | None = None,
    *,
    folder: Path | None = None,
    decided: Mapping[str, str] = MappingProxyType({}),
    verbose: bool = False,
) -> str:
    """Return the report as Markdown, with all text from elsewhere escaped and redacted.

    `waiting` are the proposals that wait now, of whatever night; if they aren't known, it is the report of when the
    night ended. `folder` has what the night's stages left, None if it is gone. `decided` says by its id what was
    decided on each proposal that doesn't wait. Statistics are only in the `verbose` one.
    """
    import jinja2

    from skillopt_sleep.pages.compiled import compiled

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__ or "", "."),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown, not HTML; `show` escapes it
        keep_trailing_newline=True,
        bytecode_cache=compiled("morning"),
    )
    night = told(report, waiting)
    head = said_above(report, night)
    filters: dict[str, Any] = {
        "show": show,
        "code": code,
        "command": command,
        "change": change,
        "verdict": verdict,
        "arms": arms,
        "in_short": partial(_in_short, report=report),
        "numbers": numbers,
        "interval": interval,
        "headline": headline,
        "proof": partial(proof, verbose=verbose),
        "did": partial(_did, report=report, folder=folder),
        "each": partial(each_edit, verbose=verbose),
        "said": partial(said, verbose=verbose),
        "effect": partial(_effect, verbose=verbose),
        "effect_word": _effect_word,
        "worth_telling": partial(_worth_telling, report=report, verbose=verbose),
        "remarked": partial(_remarked, head=head, verbose=verbose),
        "capitalized": _capitalized,
        "kind": _kind,
        "sentence": sentence,
        "is_of": is_of,
        "sessions": sessions_in_words,
        "judge": partial(_judge, verbose=verbose),
    }
    environment.filters.update(filters)
    accepted = [o for o in report.documents if o.verdict.decision is Decision.ACCEPT and not o.sessions.unfinished]
    text = environment.get_template("morning.md.j2").render(
        report=report,
        told=night,
        verbose=verbose,
        because=f"{show(night.because, 600)}.",
        to_do=show(night.to_do, 400),
        proposals=waiting_first(report.proposals, night.waits),
        rate=of_night(accepted) or _unknown_rate(accepted),
        doubts=[*_doubts(report, verbose=verbose), *_standing(report)],
        text_only=text_only(report),
        cut_short=report.verdict in CUT_SHORT,
        trials=_trials(report),
        noise=noise_in_words(noise_floor(report.documents)) if verbose else "",
        cost=_cost(report, verbose=verbose),
        problems=_problems(report, verbose=verbose),
        noted=noted(report),
        errors=ERRORS,
        few=FEW_NOTES,
        decided=decided,
        unfinished=_unfinished(report),
        documents=[one for one in report.documents if not says_nothing_more(one, head) or _waiting(one)],
    )
    return _BLANKS.sub("\n\n", text).strip() + "\n"


def _doubts(report: NightReport, *, verbose: bool) -> list[str]:
    """Return the caveats to the proofs of a night, each once."""
    doubts = (proposal.doubted(in_full=verbose) for proposal in report.proposals)
    return [doubt for doubt in dict.fromkeys(doubts) if doubt]


def _standing(report: NightReport) -> list[str]:
    """Say of each lesson whose rule stands already what the person asked for, and where it stands."""
    lessons = {one.lesson: one for one in report.corrections.listed if one.became is Became.STANDS}
    return [f"you asked for «{one.quote}», and {one.because}" for one in lessons.values()]


def _trials(report: NightReport) -> list[tuple[StepOutcome, list[Row]]]:
    """Return every trial of the night, by document; none if the documents' own lines tell them all."""
    if not any(has_more_trials(outcome) for outcome in report.documents):
        return []
    return [(outcome, every_trial(outcome)) for outcome in report.documents if outcome.tried.tested]


def _in_short(outcome: StepOutcome, *, report: NightReport) -> str:
    """Return the verdict on a step, and what is proposed for that."""
    said = in_short(outcome)
    path = outcome.document.path
    names = [proposal.id for proposal in report.proposals if path in proposal.paths and proposal.proof is Proof.TRIAL]
    if outcome.verdict.decision is Decision.ACCEPT and names:
        said = f"{said}, see {' and '.join(names)}"
    return said


def _did(proposal: Proposal, *, report: NightReport, folder: Path | None) -> str:
    return did(proposal, report, folder) if folder else ""


def _capitalized(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _unknown_rate(accepted: Sequence[StepOutcome]) -> str:
    """Say that the error rate of what was accepted isn't known, if so."""
    for outcome in accepted:
        if unknown_rate(outcome.verdict.error_rate):
            return f"Error rate: unknown, with the gate's rule {code(outcome.verdict.rule)}"
    return ""


def _kind(proposal: Proposal) -> str:
    """Say what speaks for a proposal unless it is a trial that it won."""
    if proposal.proof is Proof.TRIAL:
        return "" if proposal.is_proven else TAKEN
    return KINDS[proposal.proof]


def _judge(reading: JudgeReading, *, verbose: bool) -> str:
    return show(judge_in_words(reading, verbose=verbose), 800)


def _effect(effect: EditEffect, *, verbose: bool) -> str:
    """Say how the effect of an edit is known; if `verbose`, with its numbers."""
    because = f" ({show(effect.because, 300)})" if effect.because else ""
    if not verbose or effect.before is None or effect.after is None or effect.interval is None:
        return because
    gain = with_interval(effect.after - effect.before, effect.interval)
    numbers = f"{effect.before:.2f} → {effect.after:.2f} ({tries(effect.n)}), {gain}"
    if effect.effect is Effect.UNDECIDED:
        numbers = f"{numbers}; {rules_out(effect.interval)}"
    return f"{because}: {numbers}"


def _worth_telling(effects: Sequence[EditEffect], *, report: NightReport, verbose: bool) -> list[EditEffect]:
    """Return the effects of edits without those whose rule is proposed, which stands above with its proof."""
    if verbose:
        return list(effects)
    proposed = [edit for proposal in report.proposals for edit in proposal.edits]
    known = [effect for effect in effects if effect.effect is Effect.HELPED and effect.edit in proposed]
    return [effect for effect in effects if effect.because or effect not in known]


def _effect_word(effect: EditEffect) -> str:
    """Return the effect of an edit in words."""
    gain = None
    if effect.before is not None and effect.after is not None:
        if effect.edit.op is EditOp.DELETE:
            stays = effect.effect is not Effect.NEUTRAL
            return without_the_rule(effect.solved, (effect.before, effect.after), stays=stays)
        gain = effect.after - effect.before
    return in_words(effect.effect, n=effect.n, gain=gain)


def _remarked(outcome: StepOutcome, *, head: str, verbose: bool) -> str:
    """Return what is to be said of a step beside its verdict, numbers and the head of the report.

    There is a colon or semicolon in front.
    """
    because = "" if outcome.because.rstrip(".") in head else outcome.because
    if not verbose and outcome.trial.n:
        because = _NUMBERS.sub("", because, count=1).removesuffix("; ")
    if outcome.tried.tested and because == "no edit was proposed":
        because = "no new edit was proposed"
    parts = [show(because, 400)] if because else []
    test = tested(outcome.test)
    if test and verbose:
        parts.append(f"on requests that were kept back, which never decide anything: {test}")
    text = "; ".join(parts) + remarks(outcome.trial) + _waiting(outcome)
    before = ": " if verbose else "; "
    return f"{before}{text.removeprefix('; ')}" if text else ""


def _waiting(outcome: StepOutcome) -> str:
    """Count the lessons that wait for a second session, unless the reason of the outcome already says so."""
    if not outcome.tasks.untestable or (outcome.outcome is Outcome.UNVERIFIED and not outcome.tasks.train):
        return ""
    if outcome.tasks.untestable == 1:
        return "; 1 other lesson waits for a second session"
    return f"; {outcome.tasks.untestable} other lessons wait for a second session"


def _cost(report: NightReport, *, verbose: bool) -> str:
    spend = report.spend
    parts = [calls(report)]
    if spend.repairs:
        parts.append(f"{spend.repairs} to repair replies")
    if spend.odd_events:
        parts.append(f"{spend.odd_events} unknown events from the agent program")
    parts += [tokens(spend), dollars(spend)]
    if not report.resumed:  # else the time that it lay still would count
        parts.append(f"{(report.ended - report.started).total_seconds():.0f} s")
    model = report.model if verbose else model_names(report.model)
    return f"{', '.join(parts)}; model {code(model)}"


def _problems(report: NightReport, *, verbose: bool) -> str:
    """Return the first problem in a few words, and how many more there are."""
    problems: list[str] = []
    for note in trouble(report):
        stage = f"{note.stage}: " if verbose else ""
        problems.append(f"{stage}{show(note.summary, 200).rstrip('.')}")
    if not problems:
        return "No other problems." if report.verdict in CUT_SHORT else "Problems: none."
    more = f", and {len(problems) - 1} more below" if len(problems) > 1 else ""
    return f"Problems: {problems[0]}{more}."


def _unfinished(report: NightReport) -> list[str]:
    """Return the documents with requests of the night that has no result of them."""
    ended = {outcome.document.id for outcome in report.documents}
    begun = [one.document for one in report.corrections.listed if one.became is Became.NOT_REACHED and one.document]
    return [name for name in dict.fromkeys(begun) if name not in ended]
