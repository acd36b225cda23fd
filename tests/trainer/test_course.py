"""A training tells each step as it ends, and can be ended by what is told, or by patience."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, ConfigError, blamed
from skillopt_sleep.records import Prompt, Spend
from skillopt_sleep.trainer import LiveProgress, StepRecord
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


def test_on_step_gets_every_record_and_ends_the_training_by_returning_true(tmp_path: Path) -> None:
    told: list[StepRecord] = []
    whole = a_trainer(tmp_path / "whole", on_step=told.append).train()
    assert [record.step for record in told] == list(range(1, whole.steps + 1))
    cut = a_trainer(tmp_path / "cut", on_step=lambda record: record.step == 2).train()
    assert (cut.steps, cut.stopped) == (2, "on_step ended it")
    assert cut.best.val.hard is not None
    again = a_trainer(tmp_path / "cut").train()
    assert again == whole


@pytest.mark.parametrize("step", [2, 3])
def test_a_training_that_is_ended_early_asks_val_about_what_it_learned(tmp_path: Path, step: int) -> None:
    config = a_config("evidence", train={"epochs": 3})
    sizes = {"train": 16, "val": 48, "test": 8}
    env = Toy(sizes=sizes)
    cut = a_trainer(tmp_path / "cut", config=config, env=env, on_step=lambda record: record.step == step).train()
    assert (cut.steps, cut.stopped) == (step, "on_step ended it")
    assert cut.best.val.hard == cut.final.val.hard
    assert cut.best.val.hard == 0.25 * step
    assert cut.best_skill.count("- Say") == step
    again = a_trainer(tmp_path / "cut", config=config, env=env).train()
    assert again == a_trainer(tmp_path / "whole", config=config, env=env).train()
    assert again.best_skill.count("- Say") == 4


@pytest.mark.parametrize("ends", [True, False])
def test_a_numpy_bool_is_true_or_false(tmp_path: Path, *, ends: bool) -> None:
    class Bool:
        """What comparing two of numpy's numbers gives."""

        dtype = "bool"

        def __bool__(self) -> bool:
            return ends

    odd: Any = lambda _record: Bool()  # noqa: E731
    summary = a_trainer(tmp_path, on_step=odd).train()
    assert summary.stopped == ("on_step ended it" if ends else "")


@pytest.mark.parametrize("answer", [1, "yes", 0.0])
def test_only_true_ends_a_training_and_what_is_neither_true_nor_false_is_refused(
    tmp_path: Path, answer: object
) -> None:
    odd: Any = lambda _record: answer  # noqa: E731
    with pytest.raises(ConfigError, match=r"on_step returned an? \w+, not True or False"):
        a_trainer(tmp_path, on_step=odd).train()
    assert not a_trainer(tmp_path, on_step=lambda _record: False).train().stopped


def test_what_ended_a_training_is_said_without_secrets(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "Zx9" * 30

    def out_of_money(_prompt: Prompt, number: int) -> None:
        if number == 60:
            raise BudgetExhausted(f"{secret} has no credit")

    stopped = a_trainer(tmp_path, Scripted(out_of_money)).train().stopped
    assert secret not in stopped
    assert "has no credit" in stopped


def test_a_training_ends_when_nothing_better_comes(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path, config=a_config(train={"epochs": 6, "patience": 2})).train()
    assert summary.steps < 12
    assert "no new best in 2 steps" in summary.stopped


def test_a_fault_of_on_step_is_said_to_be_its_own(tmp_path: Path) -> None:
    def fails(_record: StepRecord) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as failed:
        a_trainer(tmp_path, on_step=fails).train()
    assert blamed(failed.value).startswith("on_step (test_course.py, line ")


def test_a_training_says_how_far_it_is_while_it_runs_and_only_then(tmp_path: Path) -> None:
    seen: list[LiveProgress] = []

    def look(_prompt: Prompt, _number: int) -> None:
        live = trainer.progress()
        assert live
        seen.append(live)

    minutes = itertools.count()
    clock = lambda: datetime(2026, 3, 2, tzinfo=UTC) + timedelta(minutes=next(minutes))  # noqa: E731
    trainer = a_trainer(tmp_path / "run", Scripted(look), config=a_config(limits={"calls": 500}), clock=clock)
    assert trainer.progress() is None
    trainer.train()
    assert trainer.progress() is None
    steps = [live.step for live in seen]
    assert steps == sorted(steps)
    assert set(steps) == {0, 1, 2, 3, 4}
    last = seen[-1]
    assert (last.folder, last.steps, last.most_calls) == ("run", 4, 500)
    assert 0 < last.spend.calls <= len(seen)
    assert [live.each is None for live in seen] == [live.step < 2 for live in seen]


def test_another_thread_may_ask_how_far_a_training_is_as_it_ends(tmp_path: Path) -> None:
    trainer, has_ended = a_trainer(tmp_path), Event()

    def ask() -> None:
        while not has_ended.is_set():
            trainer.progress()

    with ThreadPoolExecutor(3) as threads:
        asking = [threads.submit(ask) for _ in range(3)]
        try:
            for _ in range(5):
                trainer.train()
        finally:
            has_ended.set()
    for one in asking:
        one.result()


def test_a_training_is_said_to_take_no_longer_than_its_limit_of_minutes_leaves(tmp_path: Path) -> None:
    seen: list[LiveProgress | None] = []
    config = a_config(limits={"minutes": 30})
    trainer = a_trainer(tmp_path, config=config, on_step=lambda _: seen.append(trainer.progress()))
    trainer.train()
    live = seen[-1]
    assert live
    over = live.started + timedelta(minutes=30)
    assert replace(live, each=None).left(over - timedelta(minutes=9)) == timedelta(minutes=9)
    slow = replace(live, step=1, since=over, each=timedelta(hours=1))
    assert slow.left(over - timedelta(minutes=2)) == timedelta(minutes=2)
    assert slow.left(over + timedelta(minutes=2)) == timedelta()


def test_the_steps_that_are_left_take_as_long_as_the_last_one() -> None:
    start = datetime(2026, 3, 2, tzinfo=UTC)
    live = LiveProgress(
        folder="run", started=start, since=start, steps=4, step=2, spend=Spend(), each=timedelta(minutes=5)
    )
    assert live.left(start) == timedelta(minutes=10)
    assert live.left(start + timedelta(minutes=3)) == timedelta(minutes=7)
    assert live.left(start + timedelta(minutes=30)) == timedelta()
    assert replace(live, each=None).left(start) is None
