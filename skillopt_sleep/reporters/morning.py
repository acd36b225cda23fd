"""Write report.md, which a person reads over coffee: first what to decide, on what proof and at what cost."""

import re
from pathlib import Path
from typing import Any

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    CUT_SHORT,
    DONE,
    Decision,
    Deed,
    Edit,
    EditEffect,
    EditOp,
    Effect,
    NightReport,
    Note,
    Outcome,
    Proof,
    Proposal,
    Spend,
    StepOutcome,
    effect_of,
    in_words,
    said_of_changes,
)

SMALL = 0.1  # dollars; smaller amounts are shown to a hundredth of a cent
_BLANKS = re.compile(r"\n{3,}")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")


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
        "change": _change,
        "proof": _proof,
        "verdict": _verdict,
        "numbers": _numbers,
        "interval": _interval,
        "effect": _effect,
        "waiting": _waiting,
        "proposed": _proposed,
        "did": _did,
    }
    environment.filters.update(filters)
    text = environment.get_template("morning.md.j2").render(
        report=report,
        sections=_sections(report),
        to_decide=[proposal for proposal in report.proposals if proposal.proof is not Proof.EARLY],
        early=[proposal for proposal in report.proposals if proposal.proof is Proof.EARLY],
        sentence=show(_sentence(report), 600),
        accepted=[o for o in report.documents if o.verdict.decision is Decision.ACCEPT and not o.sessions.unfinished],
        doubts=list(dict.fromkeys(proposal.doubt for proposal in report.proposals if proposal.doubt)),
        text_only=next((outcome for outcome in report.documents if outcome.tasks.text_only), None),
        cut_short=report.verdict in CUT_SHORT,
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
        Proof.EARLY: "Early: proven on one session; one more would prove it",
        Proof.ELSEWHERE: "Tried with an agent that doesn't read the file: not proven for those that do",
    }
    sections: list[tuple[str, list[Proposal]]] = []
    for proof, title in titles.items():
        proposals = [proposal for proposal in report.proposals if proposal.proof is proof]
        if proposals:
            sections.append((title, proposals))
    return sections


def _proposed(proposal: Proposal) -> str:
    """Return the numbers of a proposal's own lessons, and those of other lessons' tasks."""
    if proposal.before is None or proposal.after is None:
        return ""
    numbers = f"{proposal.before:.2f} → {proposal.after:.2f} (n={proposal.n})"
    if proposal.interval is not None:
        numbers += f", gain {_gain(proposal.before, proposal.after, proposal.interval)}"
    if proposal.others:
        numbers += f"; {proposal.others}"
    if proposal.text_changed:
        numbers += f"; {said_of_changes(proposal.text_changed)}"
    return numbers


def _did(deed: Deed) -> str:
    what = f": «{show(deed.what, 160)}»" if deed.what else ""
    return f"You {DONE[deed.kind]} in {code(deed.session)}, turn {deed.turn}{what}"


def show(text: str, limit: int = 100) -> str:
    """Return text from elsewhere on one line, redacted, cut to `limit` characters and escaped for Markdown."""
    return _SPECIAL.sub(r"\\\1", one_line(redact(text), limit=limit))


def code(text: str) -> str:
    """Return a name as a Markdown code span."""
    return f"`{one_line(redact(text), limit=200).replace('`', '').replace('|', '¦')}`"


def _sentence(report: NightReport) -> str:
    if report.verdict in CUT_SHORT:
        return "The night was cut short; its sessions stay unread, and completed calls are kept."
    because = report.because.rstrip(".")
    for outcome in report.documents:
        if because.startswith(f"{outcome.document.id}: "):
            return f"{because}."  # a path keeps its lower case
    return f"{because[:1].upper()}{because[1:]}."


def _change(edit: Edit) -> str:
    content = show(edit.content, 300)
    match edit.op:
        case EditOp.APPEND:
            return f"add: {content}"
        case EditOp.INSERT_AFTER:
            return f"add after «{show(edit.target)}»: {content}"
        case EditOp.REPLACE:
            return f"replace «{show(edit.target)}» with: {content}"
        case EditOp.DELETE:
            return f"remove: {show(edit.target)}"


def _numbers(outcome: StepOutcome) -> str:
    trial = outcome.trial
    if trial.before is None or trial.after is None:
        return "not tried"
    return f"{trial.before:.2f} → {trial.after:.2f} ({trial.counted})"


def _interval(outcome: StepOutcome) -> str:
    trial = outcome.trial
    if trial.before is None or trial.after is None or trial.interval is None:
        return "–"
    return _gain(trial.before, trial.after, trial.interval)


def _gain(before: float, after: float, interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{after - before:+.2f} (90 % interval {low:+.2f} to {high:+.2f})"


def _effect(effect: EditEffect) -> str:
    """Say how the effect of an edit is known and how many attempts that took."""
    because = show(effect.because, 300)
    if effect.before is None or effect.after is None or effect.interval is None:
        return because
    means = f"{effect.before:.2f} → {effect.after:.2f} (n={effect.n})"
    gain = _gain(effect.before, effect.after, effect.interval)
    numbers = f"{means}, {gain}, {effect.calls} attempts"
    if effect.because:
        return f"{numbers}; {because}"
    return numbers


def _proof(outcome: StepOutcome) -> str:
    """Say how good the evidence for an accepted change is."""
    trial = outcome.trial
    error_rate = outcome.verdict.error_rate
    if trial.interval is None:
        return f"{_numbers(outcome)}, {error_rate}"
    proof = f"{_numbers(outcome)} on unseen tasks, gain {_interval(outcome)}"
    if trial.gain is not None:
        proof += f", {trial.gain:+.2f} after correcting for selection"
    if trial.bystanders and trial.unharmed == trial.bystanders:
        proof += f"; nothing else got worse: {trial.unharmed} of {trial.bystanders}"
    elif trial.bystanders:
        proof += f"; {trial.bystanders - trial.unharmed} of {trial.bystanders} other tasks got worse"
    if trial.interval[0] <= -trial.margin:
        proof += "; too few tasks to rule out luck"
    return f"{proof}; {error_rate}"


def _verdict(outcome: StepOutcome) -> str:
    """Return the gate's verdict, or the outcome of the step if there was no trial."""
    words = {Decision.ACCEPT: "accepted", Decision.REJECT: "rejected", Decision.UNDECIDED: "undecided"}
    decision = outcome.verdict.decision
    word = words.get(decision, outcome.outcome.value)
    trial = outcome.trial
    if decision is not Decision.REJECT or trial.before is None or trial.after is None:
        return word
    effect = effect_of(trial.interval, min_effect=trial.min_effect)
    if effect is Effect.HELPED:
        return word
    return f"{word}: {in_words(effect, n=trial.n, gain=trial.after - trial.before)}"


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
