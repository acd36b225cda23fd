"""skillopt-sleep history: the nights, what came of them, and what they spent."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.daemon_shown import first_step
from skillopt_sleep.cli.stored import opened
from skillopt_sleep.records import Decision, NightReport, Outcome, Spend, StepOutcome
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.sqlite import NightLine

LAST = 14
_CENT = 0.01


def history(
    *,
    last: Annotated[int, typer.Option("--last", min=0, help="How many nights, the newest; 0 is all.")] = LAST,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """List the nights: outcome, documents, gains, and what they spent."""
    with opened() as store:
        nights = store.nights()
        shown = nights[: last or None]
        reports = {night.id: store.report(night.id) for night in shown}
        states = {found.proposal.id: found.state for found in store.bank.proposals()}
        running = store.is_running() if any(night.closed is None for night in shown) else False
    if as_json:
        told = [_data(night, reports[night.id], states) for night in shown]
        say_json({"schema_version": 1, "nights": told, "all": len(nights)})
        return
    if not nights:
        paths = find_paths()
        step = first_step(paths, load(paths))
        say(f"No night has run yet.{f' Begin with: {step}' if step else ''}")
    for night in shown:
        for line in lines(night, reports[night.id], states, running=running):
            say(line)
    if len(shown) < len(nights):
        say(f"{len(nights) - len(shown)} earlier: skillopt-sleep history --last 0")


def lines(
    night: NightLine, report: NightReport | None, states: Mapping[str, str], *, running: bool = False
) -> Iterator[str]:
    """A night: its outcome and cost, then every document that was tried."""
    if report is None:
        words = night.outcome.value if night.outcome else "runs now" if running else "cut off; the next run goes on"
        yield f"{night.id:12}  {words}"
        return
    yield f"{night.id:12}  {report.verdict:14}  {_sessions(report)}, {spent(report.spend)}"
    for done in report.documents:
        yield f"  {_one_line(done.document.id)}: {verdict(done)}{_fate(report, done, states)}"
        if numbers := gain(done):
            yield f"      {numbers}"
    if not report.documents and report.verdict is not Outcome.NOTHING_NEW:
        yield f"      {_one_line(report.because)}"


def gain(done: StepOutcome) -> str:
    """What the candidate gained on unseen tasks, with n and interval, and where the error rate is unknown, that."""
    trial = done.trial
    if trial.before is None or trial.after is None:
        return ""
    if trial.interval is None:
        within = "no interval"
    else:
        low, high = trial.interval
        within = f"90 % interval {low:+.2f} to {high:+.2f}"
    rate = f", {done.verdict.error_rate}" if "unknown" in done.verdict.error_rate else ""
    change = f"{trial.before:.2f} → {trial.after:.2f}, gain {trial.after - trial.before:+.2f}"
    return f"{change} ({within}, {trial.counted}{rate})"


def verdict(done: StepOutcome) -> str:
    """The gate's word where there was a trial, else what the step ended as."""
    words = {Decision.ACCEPT: "accepted", Decision.REJECT: "rejected", Decision.UNDECIDED: "undecided"}
    return words.get(done.verdict.decision, done.outcome.value.replace("_", " "))


def spent(spend: Spend) -> str:
    """Calls, tokens and dollars; what isn't known is said to be unknown."""
    calls = f"{spend.calls:,} {'call' if spend.calls == 1 else 'calls'}"
    if not spend.calls:
        return "no calls"
    least = "at least " if spend.unnamed else ""
    tokens = "tokens unknown" if spend.tokens is None else f"{least}{spend.tokens:,} tokens"
    if spend.usd is None:
        return f"{calls}, {tokens}, dollars unknown"
    return f"{calls}, {tokens}, ${spend.usd:.{4 if 0 < spend.usd < _CENT else 2}f}"


def _sessions(report: NightReport) -> str:
    used = report.sessions.used
    return f"{used} {'session' if used == 1 else 'sessions'}"


def _fate(report: NightReport, done: StepOutcome, states: Mapping[str, str]) -> str:
    """What became of the proposals for this document."""
    own = [proposal.id for proposal in report.proposals if proposal.document == done.document.id]
    return "".join(f"; {name} {states.get(name, 'gone')}" for name in own)


def _data(night: NightLine, report: NightReport | None, states: Mapping[str, str]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "night": night.id,
        "started": night.started,
        "closed": night.closed,
        "verdict": night.outcome,
        "because": report.because if report else "",
        "sessions": report.sessions.used if report else None,
        "spend": {"calls": report.spend.calls, "tokens": report.spend.tokens, "usd": report.spend.usd}
        if report
        else None,
    }
    documents = report.documents if report else ()
    told["documents"] = [_document(done) for done in documents]
    proposals = report.proposals if report else ()
    told["proposals"] = [{"id": p.id, "document": p.document, "state": states.get(p.id)} for p in proposals]
    return told


def _document(done: StepOutcome) -> dict[str, Any]:
    trial = done.trial
    return {
        "id": done.document.id,
        "path": done.document.path,
        "outcome": done.outcome,
        "verdict": done.verdict.decision,
        "before": trial.before,
        "after": trial.after,
        "gain": None if trial.before is None or trial.after is None else trial.after - trial.before,
        "interval": trial.interval,
        "n": trial.n,
        "error_rate": done.verdict.error_rate,
    }


def _one_line(text: str) -> str:
    from skillopt_sleep.kit.markdown import one_line

    return one_line(text, limit=200)
