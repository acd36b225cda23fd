"""A training tells each step as it ends, and can be ended by what is told, by patience, or by a score."""

from pathlib import Path

import pytest

from skillopt_sleep.errors import blamed
from skillopt_sleep.trainer import StepRecord
from tests.trainer.toy import a_config, a_trainer


def test_on_step_gets_every_record_and_ends_the_training_by_returning_true(tmp_path: Path) -> None:
    told: list[StepRecord] = []
    whole = a_trainer(tmp_path / "whole", on_step=told.append).train()
    assert [record.step for record in told] == list(range(1, whole.steps + 1))
    cut = a_trainer(tmp_path / "cut", on_step=lambda record: record.step == 2).train()
    assert (cut.steps, cut.stopped) == (2, "on_step ended it")
    assert cut.best.val.hard is not None
    again = a_trainer(tmp_path / "cut").train(resume=True)
    assert again == whole


def test_a_training_ends_when_the_best_is_good_enough(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path, config=a_config(train={"target": 0.5})).train()
    assert summary.steps < 4
    assert summary.best.val.hard is not None
    assert summary.best.val.hard >= 0.5
    assert "train.target is 0.5" in summary.stopped


def test_a_training_ends_when_nothing_better_comes(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path, config=a_config(train={"epochs": 6, "patience": 2})).train()
    assert summary.steps < 12
    assert "no new best in 2 steps" in summary.stopped


def test_a_fault_of_on_step_is_said_to_be_its_own(tmp_path: Path) -> None:
    def fails(_record: StepRecord) -> bool:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as failed:
        a_trainer(tmp_path, on_step=fails).train()
    assert blamed(failed.value) == "on_step"
