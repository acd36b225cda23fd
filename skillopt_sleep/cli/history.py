"""The command `history`: past nights, what came of them, and what they cost."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, Column, Part, say, say_json, say_table
from skillopt_sleep.daemon.shown import first_step
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import when
from skillopt_sleep.records import (
    CUT_SHORT,
    OUTCOMES,
    NightReport,
    Outcome,
    StepOutcome,
    solved,
    unknown_rate,
)
from skillopt_sleep.reporters.past_nights import dollars, gain, past_nights, proposed, tokens
from skillopt_sleep.reporters.tried import arms, verdict
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.stores.sqlite import NightLine

LAST = 14
COLUMNS = (
    Column("night"),
    Column("what came of it", wrapped=True),
    Column("sessions", right=True, from_width=80),
    Column("calls", right=True),
    Column("tokens", right=True, from_width=100),
    Column("cost", right=True),
    Column("id", from_width=100),
)


def history(
    *,
    last: Annotated[int, typer.Option("--last", min=0, help="How many nights, newest first; 0 for all.")] = LAST,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="With the statistics of each trial.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """List past nights: outcome, documents, gains and cost."""
    now = utc_now()
    with opened_to_read() as store:
        past = past_nights(store, now=now, last=last)
    if as_json:
        told = [_data(night, report, past.states) for night, report in past.nights]
        say_json({"schema_version": 1, "nights": told, "all": past.all})
        return
    if not past.nights:
        _say_no_night()
        return
    table: list[Sequence[Part]] = []
    for night, report in past.nights:
        table += rows(night, report, past.told, now=now, running=past.running, verbose=verbose)
    say_table(COLUMNS, table)
    earlier = past.all - len(past.nights)
    if earlier:
        say(f"{earlier} earlier: skillopt-sleep history --last 0")


def _say_no_night() -> None:
    say("No night has run yet.")
    paths = find_paths()
    step = first_step(paths, load(paths))
    if step:
        say(f"Begin with: {step}")


def rows(
    night: NightLine,
    report: NightReport | None,
    told: Mapping[str, str],
    *,
    now: datetime,
    running: bool = False,
    verbose: bool = False,
) -> Iterator[Sequence[Part]]:
    """Yield a night's row, then one for each document that was worked on; `told` says what became of proposals."""
    moment, name = (when(night.started, now), BOLD), (night.id, DIM)
    if report is None:
        yield moment, _without_report(night, running=running), "", "", "", "", name
        return
    spend = report.spend
    sessions, calls = f"{report.sessions.used:,}", f"{spend.calls:,}"
    yield moment, _outcome(report.verdict), sessions, calls, tokens(spend), dollars(spend), name
    for step in report.documents:
        text = f"{one_line(step.document.id, limit=200)}: {verdict(step)}"
        if step.trial.n:
            what = "solved" if solved(step.trial.own) else "grade"
            text += f", {what} {arms(step.trial)}"
        text += proposed(report, step, told)
        label, _, _ = unknown_rate(step.verdict.error_rate).partition(":")
        if label:
            text += f"; {label}"
        yield "", text, "", "", "", "", ""
        numbers = gain(step) if verbose else ""
        if numbers:
            yield "", (numbers, DIM), "", "", "", "", ""
    if not report.documents:
        yield "", one_line(report.because, limit=400), "", "", "", "", ""


def _outcome(outcome: Outcome) -> Part:
    style = GOOD if outcome is Outcome.IMPROVED else ""
    style = BAD if outcome in CUT_SHORT else style
    return OUTCOMES[outcome], style


def _without_report(night: NightLine, *, running: bool) -> Part:
    if night.outcome:
        return _outcome(night.outcome)
    if running:
        return "running now"
    return "not over; the next run goes on with it", CAREFUL


def _data(night: NightLine, report: NightReport | None, states: Mapping[str, str]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "night": night.id,
        "started": night.started,
        "closed": night.closed,
        "verdict": night.outcome,
        "because": "",
        "sessions": None,
        "spend": None,
        "documents": [],
        "proposals": [],
    }
    if report is None:
        return data
    spend = report.spend
    data["because"] = report.because
    data["sessions"] = report.sessions.used
    data["spend"] = {"calls": spend.calls, "tokens": spend.tokens, "usd": spend.usd}
    data["documents"] = [_document(step) for step in report.documents]
    for proposal in report.proposals:
        row = {"id": proposal.id, "document": proposal.document, "state": states.get(proposal.id)}
        data["proposals"].append(row)
    return data


def _document(step: StepOutcome) -> dict[str, Any]:
    trial = step.trial
    difference: float | None = None
    if trial.before is not None and trial.after is not None:
        difference = trial.after - trial.before
    return {
        "id": step.document.id,
        "path": step.document.path,
        "outcome": step.outcome,
        "verdict": step.verdict.decision,
        "before": trial.before,
        "after": trial.after,
        "gain": difference,
        "interval": trial.interval,
        "n": trial.n,
        "fresh": step.fresh,
        "error_rate": step.verdict.error_rate,
    }
