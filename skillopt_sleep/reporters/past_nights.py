"""Read the nights that are over, and say what each gained, proposed and cost."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.records import (
    CUT_SHORT,
    OUTCOMES,
    NightReport,
    Outcome,
    Spend,
    StepOutcome,
    solved,
    unknown_rate,
)
from skillopt_sleep.reporters.costs import amount
from skillopt_sleep.reporters.status import status
from skillopt_sleep.reporters.tried import arms, verdict
from skillopt_sleep.stores.sqlite import NightLine, SqliteStore


class PastNight(NamedTuple):
    """A night and its report, None if it has none yet."""

    line: NightLine
    report: NightReport | None


class PastNights(NamedTuple):
    """Some nights, newest first, of how many there are in `all`.

    `states` are those of proposals by their id, `told` is the same in words; `running` says whether a night runs now.
    """

    nights: tuple[PastNight, ...]
    all: int
    states: Mapping[str, str]
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
        states={decided.proposal.id: decided.state for decided in known},
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


def gain(step: StepOutcome) -> str:
    """Return the candidate's gain in its trial, on unseen tasks, with n and interval."""
    trial = step.trial
    if trial.before is None or trial.after is None:
        return ""
    details = ["no interval"]
    if trial.interval is not None:
        low, high = trial.interval
        details = [f"90 % interval {low:+.2f} to {high:+.2f}"]
    details.append(trial.counted)
    change = f"{trial.before:.2f} → {trial.after:.2f}, gain {trial.after - trial.before:+.2f}"
    return f"{change} ({', '.join(details)})"


def tokens(spend: Spend) -> str:
    """Return the tokens of a night, as far as they are known."""
    if spend.tokens is None:
        return "unknown" if spend.calls else "0"
    return f"{'≥ ' if spend.unnamed else ''}{spend.tokens:,}"


def dollars(spend: Spend) -> str:
    """Return the dollars of a night, as far as they are known."""
    if spend.usd is None:
        return "unknown" if spend.calls else amount(0)
    return amount(spend.usd)


def proposed(report: NightReport, step: StepOutcome, told: Mapping[str, str]) -> str:
    """Return the proposals for this document, and what the person decided on each; one that isn't `told` is gone."""
    text = ""
    for proposal in report.proposals:
        if proposal.document == step.document.id:
            parts = [name for name in told if name.startswith(f"{proposal.id}.")]
            for name in parts or [proposal.id]:
                text += f", {told.get(name, f'{name} is gone')}"
    return text
