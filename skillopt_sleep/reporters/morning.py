"""report.md: what a person reads over coffee. Its first lines say what to decide, on what proof, at what cost."""

import re
from pathlib import Path
from typing import Any

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import (
    CUT_SHORT,
    Decision,
    Edit,
    EditEffect,
    EditOp,
    NightReport,
    Note,
    Outcome,
    StepOutcome,
)

SMALL = 0.1  # dollars; less is told in hundredths of a cent
_BLANKS = re.compile(r"\n{3,}")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")


class MorningReporter:
    """The report as Markdown that reads well as plain text."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.md and return its path."""
        path = folder / "report.md"
        write_atomic(path, render(report).encode())
        return path


def render(report: NightReport) -> str:
    """The report as Markdown; all text of others is escaped and redacted."""
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
        "proven": _proven,
        "others": _others,
    }
    environment.filters.update(filters)
    text = environment.get_template("morning.md.j2").render(
        report=report,
        sentence=show(_sentence(report), 600),
        accepted=[o for o in report.documents if o.verdict.decision is Decision.ACCEPT and not o.sessions.unfinished],
        doubts=list(dict.fromkeys(proposal.doubt for proposal in report.proposals if proposal.doubt)),
        text_only=next((outcome for outcome in report.documents if outcome.tasks.text_only), None),
        cut_short=report.verdict in CUT_SHORT,
        cost=_cost(report),
        trouble=_trouble(report),
        told=_told(report),
    )
    return _BLANKS.sub("\n\n", text).strip() + "\n"


def show(text: str, limit: int = 100) -> str:
    """Text of others on one line, redacted and cut, with nothing left that Markdown would act on."""
    return _SPECIAL.sub(r"\\\1", one_line(redact(text), limit=limit))


def code(text: str) -> str:
    """A name of ours or the agents', as a code span."""
    return f"`{one_line(redact(text), limit=200).replace('`', '').replace('|', '¦')}`"


def _sentence(report: NightReport) -> str:
    if report.verdict in CUT_SHORT:
        return "The night was cut short; its sessions stay unread, and what was paid for is kept."
    because = report.because.rstrip(".")
    if any(because.startswith(f"{outcome.document.id}: ") for outcome in report.documents):
        return f"{because}."  # a path is written as it is
    return f"{because[:1].upper()}{because[1:]}."


def _change(edit: Edit) -> str:
    said = show(edit.content, 300)
    match edit.op:
        case EditOp.APPEND:
            return f"add: {said}"
        case EditOp.INSERT_AFTER:
            return f"add after «{show(edit.target)}»: {said}"
        case EditOp.REPLACE:
            return f"replace «{show(edit.target)}» by: {said}"
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
    low, high = trial.interval
    return f"{trial.after - trial.before:+.2f} (90 % interval {low:+.2f} to {high:+.2f})"


def _proven(told: EditEffect) -> str:
    """What the effect of an edit rests on, and what it cost."""
    if told.before is None or told.after is None or told.interval is None:
        return show(told.because, 300)
    low, high = told.interval
    gain = f"{told.after - told.before:+.2f} (90 % interval {low:+.2f} to {high:+.2f})"
    numbers = f"{told.before:.2f} → {told.after:.2f} (n={told.n}), {gain}, {told.calls} attempts"
    return f"{numbers}; {show(told.because, 300)}" if told.because else numbers


def _proof(outcome: StepOutcome) -> str:
    trial, rate = outcome.trial, outcome.verdict.error_rate
    if trial.interval is None:
        return f"{_numbers(outcome)}, {rate}"
    luck = "; too few to exclude luck" if trial.interval[0] <= -trial.margin else ""
    fair = "" if trial.gain is None else f"; {trial.gain:+.2f} without the luck of the chosen"
    return f"{_numbers(outcome)} on unseen tasks, gain {_interval(outcome)}{fair}{luck}, {rate}"


def _verdict(outcome: StepOutcome) -> str:
    """The gate's word where there was a trial, else what the step ended as."""
    words = {Decision.ACCEPT: "accepted", Decision.REJECT: "rejected", Decision.UNDECIDED: "undecided"}
    verdict = words.get(outcome.verdict.decision, outcome.outcome.value)
    if (
        outcome.verdict.decision is Decision.REJECT
        and outcome.trial.before is not None
        and outcome.trial.after is not None
    ):
        gain = outcome.trial.after - outcome.trial.before
        verdict += ": harmful" if gain < 0 else ": useless" if not gain else ""
    return verdict


def _others(outcome: StepOutcome) -> str:
    """The lessons that wait; where there was none to learn, `because` has told of them already."""
    if not outcome.tasks.untestable or (outcome.outcome is Outcome.UNVERIFIED and not outcome.tasks.train):
        return ""
    count = outcome.tasks.untestable
    which = "1 other lesson waits" if count == 1 else f"{count} other lessons wait"
    return f"; {which} for a second session"


def _cost(report: NightReport) -> str:
    spend = report.spend
    least = "at least " if spend.unnamed else ""
    cached = f" ({spend.cached_tokens:,} of them cached)" if spend.cached_tokens else ""
    tokens = "an unknown number of tokens" if spend.tokens is None else f"{least}{spend.tokens:,} tokens{cached}"
    usd = (
        "dollars unknown"
        if spend.usd is None
        else f"${spend.usd:.{2 if not spend.usd or spend.usd >= SMALL else 4}f}"
    )
    seconds = (report.ended - report.started).total_seconds()
    most = f" (limit {report.limits['calls']:.0f})" if "calls" in report.limits else ""
    calls = "1 call" if spend.calls == 1 else f"{spend.calls} calls"
    odd = {"to mend replies": spend.repairs, "events of the program unknown to us": spend.odd_events}
    more = "".join(f", {count} {what}" for what, count in odd.items() if count)
    return f"{calls}{most}{more}, {tokens}, {usd}, {seconds:.0f} s; model {code(report.model)}"


def _told(report: NightReport) -> list[tuple[str, tuple[Note, ...]]]:
    """What went wrong, and what was left out by a rule, each under its title."""
    left_out = tuple(note for note in report.errors if note.expected)
    return [(title, notes) for title, notes in (("Errors", report.trouble), ("Left out", left_out)) if notes]


def _trouble(report: NightReport) -> str:
    said = [show(report.because, 300).rstrip(".")] if report.verdict in CUT_SHORT else []
    said += [f"{one.stage}: {show(one.summary, 200).rstrip('.')}" for one in report.trouble]
    if not said:
        return "nothing"
    return f"{said[0]}, and {len(said) - 1} more below" if len(said) > 1 else said[0]
