"""What a night asks of the open night and remembers for the next one, in memory."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

from msgspec.structs import replace

from skillopt_sleep.night.error_rate import error_rate
from skillopt_sleep.proposals.changes import ProposedChange, changes
from skillopt_sleep.protocols.crew import NightPlan
from skillopt_sleep.records import (
    Earlier,
    EditOp,
    EditStatus,
    Past,
    Proof,
    ProposedEdit,
    SpentErrorRate,
    StepOutcome,
    Task,
)

Result = TypeVar("Result")
REMEMBERED = 100


class Rates:
    """What the nights of a chain spent of the error rate, and when something that stays was adopted."""

    def __init__(self) -> None:
        self._spent: list[tuple[datetime, float]] = []
        self._adopted: list[datetime] = []

    def spent(self, since: datetime) -> SpentErrorRate:
        """Return what was spent and adopted since then."""
        rates = [rate for at, rate in self._spent if at >= since]
        return SpentErrorRate(rates=math.fsum(rates), adopted=sum(at >= since for at in self._adopted))

    def close(
        self, plan: NightPlan, outcomes: Sequence[StepOutcome], *, at: datetime, adopted: ProposedChange | None
    ) -> None:
        """Remember what a night spent, and whether a change that teaches something was adopted after it."""
        rate = error_rate(plan, list(outcomes))
        self._spent.append((at, rate.spent if rate else 0.0))
        if adopted is not None and any(edit.op is not EditOp.DELETE for edit in adopted.edits):
            self._adopted.append(at)


class MemoryPage:
    """The open night of a store that is never resumed: `known` are the tasks of all nights."""

    folder = Path("/nowhere")
    resumed = False

    def __init__(
        self, night: str, past: Mapping[str, Past], known: Sequence[Task], *, started: datetime, rates: Rates
    ) -> None:
        self.night, self.started, self.horizon = night, started, started - timedelta(days=30)
        self.history = SimpleNamespace(
            past=past.__getitem__, scores=lambda _tasks: {}, named=tuple, spent=rates.spent
        )
        self.bank = SimpleNamespace(tasks=lambda _projects: tuple(known))
        self.lessons = SimpleNamespace(of=lambda _projects: ())

    def keep(self, stage: str, kind: type[Result], compute: Callable[[], Result]) -> Result:
        """Compute it."""
        return compute()

    def write(self, stage: str, rows: Sequence[object]) -> None:
        """Keep nothing."""


def proven(outcome: StepOutcome) -> ProposedChange | None:
    """Return the change that the step stages as proven by a trial, if any."""
    return next((change for change in changes(outcome) if change.proof is Proof.TRIAL), None)


def remembered(past: Past, outcome: StepOutcome, night: str, *, adopted: ProposedChange | None = None) -> Past:
    """Return what the next night knows of a document; `adopted` was put live in the morning."""
    waits = {edit.key for wait in outcome.tried.undecided for edit in wait.tested.edits}
    tried = [each for each in outcome.tried.effects if each.edit.key not in waits]
    live = () if adopted is None else adopted.edits
    proposed = [ProposedEdit(edit=edit, status=EditStatus.LIVE, since=night) for edit in live]
    return replace(
        past,
        waiting=outcome.tried.undecided,
        tried=(*tried, *past.tried)[:REMEMBERED],
        proposed=(*proposed, *past.proposed),
        notes=past.notes if outcome.later.notebook is None else outcome.later.notebook,
        snapshot=_snapshot(past, outcome, night),
        nights=(night, *past.nights),
    )


def _snapshot(past: Past, outcome: StepOutcome, night: str) -> Earlier:
    """Return the body that the next look back compares with."""
    if past.snapshot is None or outcome.later.compared:
        return Earlier(night=night, body=outcome.document.body, nights=1)
    return replace(past.snapshot, nights=past.snapshot.nights + 1)
