"""A training is shown with how it ended, and what came of each step."""

from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.cli.runs import training_lines
from skillopt_sleep.records import Prompt
from skillopt_sleep.trainer.plot import page
from skillopt_sleep.trainer.runs import read
from tests.trainer.toy import Late, Scripted, a_config, a_trainer


def shown(folder: Path, model: Scripted | None = None, **sections: Any) -> list[str]:
    a_trainer(folder / "run", model, config=a_config(**sections)).train()
    return list(training_lines(read(folder / "run")))


def test_a_training_that_a_limit_ended_is_shown_with_its_result_and_how_far_it_came(tmp_path: Path) -> None:
    lines = shown(tmp_path, limits={"calls": 60})
    assert lines[0].startswith("toy: 1 of 4 steps: ")
    assert any(line.startswith("ended early: ") for line in lines)
    assert any(line.startswith("best on items like val: ") for line in lines)
    assert not [line for line in shown(tmp_path, limits={"calls": 600}) if "ended early" in line]


def test_a_training_that_was_killed_is_shown_as_that(tmp_path: Path) -> None:
    class Killed(BaseException):
        """What ends a process wherever it is."""

    def stop(prompt: Prompt, number: int) -> None:
        if number == 20:
            raise Killed

    with pytest.raises(Killed):
        shown(tmp_path, Scripted(stop))
    killed, paid, *_ = training_lines(read(tmp_path / "run"))
    assert killed.startswith("toy: no step so far")
    assert killed.endswith("To go on: train with its configuration again")
    assert paid.startswith("paid so far: ")


def test_why_edits_were_refused_is_shown_with_their_step(tmp_path: Path) -> None:
    first = next(line for line in shown(tmp_path, optimizer={"max_chars": 10}) if "step    1" in line)
    assert first.startswith("  step    1 (epoch 1), whose edits change nothing or were refused: train hard 0.000")


def test_each_step_has_a_line(tmp_path: Path) -> None:
    lines = shown(tmp_path)
    kinds = [line.split(":")[0].split(",")[0].strip() for line in lines if line.startswith("  ")]
    assert kinds[:4] == [
        "step    1 (epoch 1)",
        "step    2 (epoch 1)",
        "step    3 (epoch 2)",
        "step    4 (epoch 2)",
    ]


def test_the_trial_of_the_final_skill_is_shown_and_drawn(tmp_path: Path) -> None:
    lines = shown(tmp_path, Late())
    trial = next(line for line in lines if line.startswith("  at the end, accepted as the best; val "))
    assert "→ 1.000 (n=" in trial
    assert '<th scope="row" class="moment">final skill</th>' in page(tmp_path / "run")
