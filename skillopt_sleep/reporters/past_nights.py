"""Read the nights that are over, and say what each gained, proposed and cost."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Block, Sentence
from skillopt_sleep.records import (
    CUT_SHORT,
    OUTCOMES,
    NightReport,
    Outcome,
    StepOutcome,
    solved,
    unknown_rate,
)
from skillopt_sleep.reporters.costs import dollars, tokens
from skillopt_sleep.reporters.gains import in_grades
from skillopt_sleep.reporters.status import status
from skillopt_sleep.reporters.tried import arms, verdict
from skillopt_sleep.stores.sqlite import NightLine, SqliteStore


class PastNight(NamedTuple):
    """A night and its report, None if it has none yet."""

    line: NightLine
    report: NightReport | None


class PastNights(NamedTuple):
    """Some nights, newest first, of how many there are in `all`.

    `told` says of proposals what was decided, by their id; `running` says whether a night runs now.
    """

    nights: tuple[PastNight, ...]
    all: int
    told: Mapping[str, str]
    running: bool


def past_nights(store: SqliteStore, *, now: datetime, last: int, skipped: int = 0) -> PastNights:
    """Read the last nights, all if `last` is 0; so many newer ones are `skipped`."""
    lines = store.nights()
    end = skipped + last if last else None
    nights = tuple(PastNight(line, store.report(line.id)) for line in lines[skipped:end])
    known = store.bank.proposals()
    is_open = any(night.line.closed is None for night in nights)
    return PastNights(
        nights=nights,
        all=len(lines),
        told={decided.proposal.id: status(decided, now=now, name=decided.proposal.id) for decided in known},
        running=is_open and store.is_running(),
    )


def outcome(line: NightLine, *, running: bool) -> tuple[str, str]:
    """Say what came of a night, or that it isn't over, and in which tone."""
    if line.outcome is None:
        return ("running now", "") if running else ("not over; the next run goes on with it", "careful")
    tone = "good" if line.outcome is Outcome.IMPROVED else ""
    return OUTCOMES[line.outcome], "bad" if line.outcome in CUT_SHORT else tone


def of_document(report: NightReport, step: StepOutcome, told: Mapping[str, str]) -> str:
    """Say what a night did to a document, and what the person decided on it."""
    text = f"{step.document.id}: {verdict(step)}"
    if step.trial.n:
        text += f", {'solved' if solved(step.trial.own) else 'grade'} {arms(step.trial)}"
    text += proposed(report, step, told)
    label, _, _ = unknown_rate(step.verdict.error_rate).partition(":")
    return f"{text}; {label}" if label else text


def in_short(report: NightReport | None, told: Mapping[str, str]) -> Iterator[Block]:
    """Yield what a night did to each document, or why it did nothing, and what it cost."""
    if report is None:
        return
    for step in report.documents:
        yield Sentence(of_document(report, step, told))
        if in_grades(step.trial):
            yield Sentence(in_grades(step.trial), "where")
    if not report.documents:
        yield Sentence(report.because)
    spend = report.spend
    cost = f"{counted(spend.calls, 'call')}, {tokens(spend)}, {dollars(spend)}"
    yield Sentence(f"{counted(report.found.sessions.used, 'session')}, {cost}", "where")


def proposed(report: NightReport, step: StepOutcome, told: Mapping[str, str]) -> str:
    """Return the proposals for this document, and what the person decided on each; one that isn't `told` is gone."""
    text = ""
    for proposal in report.proposals:
        if proposal.document == step.document.id:
            parts = [name for name in told if name.startswith(f"{proposal.id}.")]
            for name in parts or [proposal.id]:
                text += f", {told.get(name, f'{name} is gone')}"
    return text
