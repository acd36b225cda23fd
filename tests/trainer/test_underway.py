from datetime import UTC, datetime, timedelta
from pathlib import Path

from skillopt_sleep.records import Prompt, Spend
from skillopt_sleep.trainer.config import LimitsSection
from skillopt_sleep.trainer.underway import Underway, Watch
from tests.trainer.toy import Scripted, a_config, a_trainer

STARTED = datetime(2026, 3, 2, 3, tzinfo=UTC)
NO_LIMITS = LimitsSection()


class Told:
    """A watch over four steps, and the calls and minutes that it is told of."""

    def __init__(self, limits: LimitsSection = NO_LIMITS) -> None:
        self.calls, self.minutes = 0, 0
        self.watch = Watch("run", steps=4, limits=limits, spent=self.spent, clock=self.clock)

    def spent(self) -> Spend:
        return Spend(calls=self.calls)

    def clock(self) -> datetime:
        return STARTED + timedelta(minutes=self.minutes)

    def step(self, number: int, *, calls: int, minutes: int) -> None:
        self.calls += calls
        self.minutes += minutes
        self.watch.stepped(number)

    @property
    def left(self) -> timedelta | None:
        return self.watch.now().left


def test_the_time_left_is_known_after_a_step_without_the_baseline() -> None:
    told = Told()
    told.step(1, calls=30, minutes=20)
    assert told.left is None
    told.step(2, calls=10, minutes=5)
    assert told.left == timedelta(minutes=10)
    told.minutes += 3
    assert told.left == timedelta(minutes=7)


def test_steps_that_a_resumed_run_went_through_again_tell_nothing() -> None:
    told = Told()
    for number in (1, 2):
        told.step(number, calls=0, minutes=0)
    told.step(3, calls=4, minutes=1)
    assert told.left is None


def test_the_time_left_is_never_more_than_the_limit_leaves() -> None:
    told = Told(LimitsSection(minutes=30))
    assert told.left == timedelta(minutes=30)
    told.step(1, calls=30, minutes=20)
    told.step(2, calls=10, minutes=8)
    assert told.left == timedelta(minutes=2)
    told.minutes += 9
    assert told.left == timedelta()


def test_a_training_says_how_far_it_is_while_it_runs_and_only_then(tmp_path: Path) -> None:
    seen: list[Underway | None] = []

    def look(_prompt: Prompt, _number: int) -> None:
        seen.append(trainer.underway())

    trainer = a_trainer(tmp_path / "run", Scripted(look), config=a_config(limits={"calls": 500}))
    assert trainer.underway() is None
    trainer.train()
    assert trainer.underway() is None
    steps = [underway.step for underway in seen if underway]
    assert steps == sorted(steps)
    assert set(steps) == {0, 1, 2, 3, 4}
    last = seen[-1]
    assert last is not None
    assert (last.folder, last.steps, last.most_calls) == ("run", 4, 500)
    assert 0 < last.spend.calls <= len(seen)
