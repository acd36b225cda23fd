"""Read the nights that are over, and say what each gained, proposed and cost."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from skillopt_sleep.records import NightReport, Spend, StepOutcome
from skillopt_sleep.reporters.decided import in_few_words
from skillopt_sleep.reporters.spending import amount
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
        told={decided.proposal.id: in_few_words(decided, now=now) for decided in known},
        running=is_open and store.is_running(),
    )


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
