"""Write report.md, which a person reads over coffee: first what to decide, on what proof and at what cost."""

import re
from pathlib import Path
from typing import Any

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.records import (
    CUT_SHORT,
    DONE,
    Decision,
    Deed,
    Edit,
    EditEffect,
    Effect,
    JudgeReading,
    NightReport,
    Note,
    Outcome,
    Proof,
    Proposal,
    Spend,
    StepOutcome,
    in_words,
    others_in_words,
    said_of_changes,
)
from skillopt_sleep.reporters.escaping import change, code, show
from skillopt_sleep.reporters.gains import gained, measured, own_part, rules_out, sentence, tested, with_interval
from skillopt_sleep.reporters.noise import in_words as noise_in_words, noise_floor
from skillopt_sleep.reporters.rate import of_night
from skillopt_sleep.reporters.tried import every_trial, has_more_trials, interval, numbers, remarks, verdict

SMALL = 0.1  # dollars; smaller amounts are shown to a hundredth of a cent
_BLANKS = re.compile(r"\n{3,}")


class MorningReporter:
    """Write the report as Markdown that reads well as plain text."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.md and return its path."""
        path = folder / "report.md"
        write_atomic(path, render(report).encode())
        return path


def render(report: NightReport) -> str:
    """Return the report as Markdown, with all text from elsewhere escaped and redacted."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__ or "", "."),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - Markdown, not HTML; `show` escapes it
        keep_trailing_newline=True,
    )
    filters: dict[str, Any] = {
        "show": show,
        "code": code,
        "change": change,
        "proof": _proof,
        "verdict": verdict,
        "numbers": numbers,
        "interval": interval,
        "effect": _effect,
        "effect_word": _effect_word,
        "tested": tested,
        "remarks": remarks,
        "measured": _measured,
        "each": _each,
        "sentence": sentence,
        "waiting": _waiting,
        "proposed": _proposed,
        "did": _did,
        "judge": _judge,
    }
    environment.filters.update(filters)
    accepted = [o for o in report.documents if o.verdict.decision is Decision.ACCEPT and not o.sessions.unfinished]
    text = environment.get_template("morning.md.j2").render(
        report=report,
        sections=_sections(report),
        to_decide=[proposal for proposal in report.proposals if proposal.proof is not Proof.EARLY],
        early=[proposal for proposal in report.proposals if proposal.proof is Proof.EARLY],
        sentence=show(_sentence(report), 600),
        accepted=accepted,
        rate=of_night(accepted),
        doubts=list(dict.fromkeys(proposal.doubt for proposal in report.proposals if proposal.doubt)),
        text_only=next((outcome for outcome in report.documents if outcome.tasks.text_only), None),
        cut_short=report.verdict in CUT_SHORT,
        trials=[(outcome, every_trial(outcome)) for outcome in report.documents if has_more_trials(outcome)],
        noise=noise_in_words(noise_floor(report.documents)),
        cost=_cost(report),
        problems=_problems(report),
        noted=_noted(report),
    )
    return _BLANKS.sub("\n\n", text).strip() + "\n"


def _sections(report: NightReport) -> list[tuple[str, list[Proposal]]]:
    """Return the proposals by what speaks for them, each group under its title."""
    titles = {
        Proof.TRIAL: "Proposals",
        Proof.WORDS: "Taken back: your own words, no trial",
        Proof.EARLY: "Early: proven on one of the two sessions it takes",
        Proof.ELSEWHERE: "Tried with an agent that doesn't read the file: not proven for those that do",
        Proof.UNTESTED: "Untested by themselves: rules of a change that was taken rule by rule",
        Proof.EDITED: "Untested: your own words in place of a rule",
    }
    sections: list[tuple[str, list[Proposal]]] = []
    for proof, title in titles.items():
        proposals = [proposal for proposal in report.proposals if proposal.proof is proof]
        if proposals:
            sections.append((title, proposals))
    return sections


def _proposed(proposal: Proposal) -> str:
    """Return what the proposal's trial showed of its own lessons, and of other lessons' tasks."""
    if proposal.before is None or proposal.after is None:
        return ""
    figures = f"{proposal.before:.2f} → {proposal.after:.2f} (n={proposal.n})"
    if proposal.interval is not None:
        figures += f", gain {with_interval(proposal.after - proposal.before, proposal.interval)}"
    if proposal.others:
        figures += f"; {proposal.others}"
    if proposal.text_changed:
        figures += f"; {said_of_changes(proposal.text_changed)}"
    return figures


def _measured(proposal: Proposal) -> str:
    """Say what the proposal gains."""
    return measured(proposal.fresh, shrunk=proposal.gain, n=proposal.n)


def _each(proposal: Proposal) -> list[tuple[Edit, str]]:
    """Return the proposal's edits, each with its own numbers."""
    effects = {effect.edit: effect for effect in proposal.effects}
    alone = len(proposal.edits) == 1
    each: list[tuple[Edit, str]] = []
    for edit in proposal.edits:
        own = ""
        if edit in effects and not alone:
            own = own_part(effects[edit], proposal.fresh, alone=alone)
        each.append((edit, own))
    return each


def _judge(reading: JudgeReading) -> str:
    """Say how often the judge was right on answers of known worth, and what follows if that is too seldom."""
    said = f"The judge was right on {reading.right} of {reading.n} answers of known worth, mixed in with the others"
    if reading.kinds:
        said += f": {reading.by_kind}"
    if reading.because:
        return f"{said}. It decides nothing tonight: {show(reading.because, 300)}."
    return f"{said}."


def _did(deed: Deed) -> str:
    what = f": «{show(deed.what, 160)}»" if deed.what else ""
    return f"You {DONE[deed.kind]} in {code(deed.session)}, turn {deed.turn}{what}"


def _sentence(report: NightReport) -> str:
    if report.verdict in CUT_SHORT:
        return "The night was cut short; its sessions stay unread, and completed calls are kept."
    because = report.because.rstrip(".")
    for outcome in report.documents:
        if because.startswith(f"{outcome.document.id}: "):
            return f"{because}."  # a path keeps its lower case
    return f"{because[:1].upper()}{because[1:]}."


def _effect(effect: EditEffect) -> str:
    """Say how the effect of an edit is known and how many attempts that took."""
    because = show(effect.because, 300)
    if effect.before is None or effect.after is None or effect.interval is None:
        return because
    means = f"{effect.before:.2f} → {effect.after:.2f} (n={effect.n})"
    numbers = f"{means}, {with_interval(effect.after - effect.before, effect.interval)}, {effect.calls} attempts"
    if effect.effect is Effect.UNDECIDED:
        numbers = f"{numbers}; {rules_out(effect.interval)}"
    if effect.because:
        return f"{numbers}; {because}"
    return numbers


def _effect_word(effect: EditEffect) -> str:
    """Return the effect of an edit in words."""
    gain = None
    if effect.before is not None and effect.after is not None:
        gain = effect.after - effect.before
    return in_words(effect.effect, n=effect.n, gain=gain)


def _proof(outcome: StepOutcome) -> str:
    """Say how good the evidence for an accepted change is."""
    trial = outcome.trial
    if trial.interval is None:
        return f"{numbers(trial)}, {outcome.verdict.error_rate}"
    proof = gained(outcome) or f"{numbers(trial)} on unseen tasks, gain {interval(trial)}"
    others = others_in_words(trial.bystanders, trial.unharmed)
    if others:
        proof += f"; {others}"
    if trial.interval[0] <= -trial.margin:
        proof += "; too few tasks to rule out luck"
    if not outcome.verdict.rule.startswith("sequential"):
        proof += f"; {outcome.verdict.error_rate}"
    return proof


def _waiting(outcome: StepOutcome) -> str:
    """Count the lessons that wait for a second session, unless the reason of the outcome already says so."""
    if not outcome.tasks.untestable or (outcome.outcome is Outcome.UNVERIFIED and not outcome.tasks.train):
        return ""
    if outcome.tasks.untestable == 1:
        return "; 1 other lesson waits for a second session"
    return f"; {outcome.tasks.untestable} other lessons wait for a second session"


def _cost(report: NightReport) -> str:
    spend = report.spend
    seconds = (report.ended - report.started).total_seconds()
    parts = [_calls(report)]
    if spend.repairs:
        parts.append(f"{spend.repairs} to repair replies")
    if spend.odd_events:
        parts.append(f"{spend.odd_events} unknown events from the agent program")
    parts += [_tokens(spend), _dollars(spend), f"{seconds:.0f} s"]
    return f"{', '.join(parts)}; model {code(report.model)}"


def _calls(report: NightReport) -> str:
    calls = "1 call" if report.spend.calls == 1 else f"{report.spend.calls} calls"
    if "calls" in report.limits:
        return f"{calls} (limit {report.limits['calls']:.0f})"
    return calls


def _tokens(spend: Spend) -> str:
    if spend.tokens is None:
        return "an unknown number of tokens"
    tokens = f"{spend.tokens:,} tokens"
    if spend.unnamed:
        tokens = f"at least {tokens}"
    if spend.cached_tokens:
        tokens += f" ({spend.cached_tokens:,} of them cached)"
    return tokens


def _dollars(spend: Spend) -> str:
    if spend.usd is None:
        return "dollars unknown"
    if 0 < spend.usd < SMALL:
        return f"${spend.usd:.4f}"
    return f"${spend.usd:.2f}"


def _noted(report: NightReport) -> list[tuple[str, tuple[Note, ...]]]:
    """Return the errors, and the notes on what a rule left out, each under its title."""
    left_out = tuple(note for note in report.errors if note.expected)
    sections = [("Errors", report.trouble), ("Left out", left_out)]
    return [(title, notes) for title, notes in sections if notes]


def _problems(report: NightReport) -> str:
    """Return the first problem in a few words, and how many more there are."""
    problems: list[str] = []
    if report.verdict in CUT_SHORT:
        problems.append(show(report.because, 300).rstrip("."))
    problems += [f"{note.stage}: {show(note.summary, 200).rstrip('.')}" for note in report.trouble]
    if not problems:
        return "none"
    if len(problems) == 1:
        return problems[0]
    return f"{problems[0]}, and {len(problems) - 1} more below"
