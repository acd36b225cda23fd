"""A training is shown with how it ended, what came of each epoch, and why."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.cli.runs_shown import training_lines
from skillopt_sleep.errors import BudgetExhausted, CallFailed, ConfigError, FailureKind
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer.fork import fork
from skillopt_sleep.trainer.found import read
from skillopt_sleep.trainer.plot.page import page
from tests.fakes import FakeClock
from tests.trainer.toy import Late, Scripted, a_config, a_trainer


def shown(folder: Path, model: Scripted | None = None, **sections: dict[str, Any]) -> list[str]:
    a_trainer(folder, model, config=a_config(**sections)).train()
    return list(training_lines(read(folder)))


def test_what_ended_an_unfinished_training_and_what_it_paid_is_shown(tmp_path: Path) -> None:
    with pytest.raises(BudgetExhausted):
        shown(tmp_path, limits={"calls": 60})
    first, second, *_ = training_lines(read(tmp_path))
    assert first == "toy: not finished: the limit of 60 calls is reached. To go on: train --resume"
    assert second.startswith("paid so far: 60 calls, ")
    a_trainer(tmp_path, config=a_config(limits={"calls": 600})).train(resume=True)
    assert not [line for line in training_lines(read(tmp_path)) if "limit" in line]


def test_a_training_that_was_stopped_or_killed_is_shown_as_that(tmp_path: Path) -> None:
    def stop(prompt: Prompt, number: int) -> None:
        if number == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shown(tmp_path, Scripted(stop))
    stopped, paid, *_ = training_lines(read(tmp_path))
    assert stopped == "toy: not finished: it was stopped. To go on: train --resume"
    assert paid.startswith("paid so far: ")
    spend = tmp_path / "spend.json"
    spend.write_text(spend.read_text(encoding="utf-8").replace("it was stopped", ""), encoding="utf-8")
    killed, paid, *_ = training_lines(read(tmp_path))
    assert killed == "toy: not finished. To go on: train --resume"
    assert paid.startswith("paid until its last step: ")
    (tmp_path / "spend.json").unlink()
    assert next(training_lines(read(tmp_path))) == "toy: not finished. To go on: train --resume"


def failing(prompt: Prompt, number: int) -> None:
    if prompt.purpose is Purpose.SLOW_UPDATE:
        raise CallFailed(FailureKind.REFUSED, "not this")


@pytest.mark.parametrize(
    ("sections", "model", "said"),
    [
        ({"optimizer": {"slow_update": False}}, Scripted(), "no guidance, as optimizer.slow_update is off"),
        ({}, Scripted(), "no guidance, as none of the compared items fails"),
        ({"train": {"batch_size": 16}}, Scripted(), "guidance accepted whatever val says: put in without a trial"),
        ({"train": {"batch_size": 16}}, Scripted(failing), "no guidance: skill: not this"),
        (
            {"optimizer": {"max_chars": 40}, "train": {"batch_size": 16}},
            Scripted(),
            "no guidance: ",
        ),
    ],
)
def test_why_there_is_no_guidance_is_shown(
    tmp_path: Path, sections: dict[str, dict[str, Any]], model: Scripted, said: str
) -> None:
    lines = shown(tmp_path, model, **sections)
    assert next(line.partition(": ")[2] for line in lines if "end of epoch 2" in line).startswith(said)
    assert not [line for line in lines if "end of epoch 1" in line]


def test_why_edits_were_refused_is_shown_with_their_step(tmp_path: Path) -> None:
    first = next(line for line in shown(tmp_path, optimizer={"edit_chars": 5}) if "step    1" in line)
    assert first.startswith("  step    1 (epoch 1), whose edits change nothing or were refused: train hard 0.000")
    assert "; refused: it has 12 characters, more than 5 (optimizer.edit_chars)" in first


def test_an_epoch_stands_behind_its_steps_with_its_verdict(tmp_path: Path) -> None:
    lines = shown(tmp_path, optimizer={"screen": 1}, evaluation={"judge": "epoch"})
    kinds = [line.split(":")[0].split(",")[0].strip() for line in lines if line.startswith("  ")]
    assert kinds[:7] == [
        "step    1 (epoch 1)",
        "step    2 (epoch 1)",
        "epoch 1",
        "step    3 (epoch 2)",
        "step    4 (epoch 2)",
        "end of epoch 2",
        "epoch 2",
    ]
    assert "epoch 1, accepted as the best; val 0.000 → 0.500 (n=8): " in "\n".join(lines)


def test_a_trial_says_how_many_answers_its_means_are_of(tmp_path: Path) -> None:
    lines = shown(tmp_path, evaluation={"samples": 3})
    assert any("(n=8, 24 answers)" in line for line in lines if line.startswith("  step"))


def test_the_trial_of_the_final_skill_is_shown_and_drawn(tmp_path: Path) -> None:
    lines = shown(tmp_path, Late())
    trial = next(line for line in lines if line.startswith("  final skill, accepted as the best; val "))
    assert "→ 1.000 (n=" in trial
    assert '<th scope="row" class="moment">final skill</th>' in page(tmp_path)


@pytest.mark.parametrize("name", ["calls.db", ""])
def test_a_training_of_an_older_version_is_not_said_to_go_on(tmp_path: Path, name: str) -> None:
    with pytest.raises(BudgetExhausted):
        shown(tmp_path, limits={"calls": 60})
    config = tmp_path / "config.json"
    began = json.loads(config.read_bytes())
    began["config"]["target"]["max_output_tokens"] = 0
    config.write_text(json.dumps(began), encoding="utf-8")
    if name:
        (tmp_path / name).unlink()

    assert next(training_lines(read(tmp_path))).endswith("An older version began it, so it can't go on")
    for asked in (
        lambda: a_trainer(tmp_path).train(resume=True),
        a_trainer(tmp_path).train,
        lambda: forked(tmp_path),
    ):
        with pytest.raises(ConfigError, match="older version") as refused:
            asked()
        assert refused.value.remedy == "name another train.folder to start anew"


def forked(run: Path) -> None:
    fork(run, "new", (), clock=FakeClock())
