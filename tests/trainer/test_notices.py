"""What should be known of a training is said before anything is spent, in Python through logging."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Env, TrainerConfig
from skillopt_sleep.trainer.extension import Extension
from skillopt_sleep.trainer.notices import data_lines, extension_lines
from skillopt_sleep.trainer.plan import plan
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

MADE = plan(a_config(), Toy(), optimizer=Scripted(), target=Scripted())
EXTENDS = Extension(folder="run", before=2, epochs=4, answers=402, paid=29)


def test_a_plan_of_a_new_training_says_nothing_of_another() -> None:
    assert extension_lines(MADE) == []


def test_an_extension_that_pays_nothing_again_says_so() -> None:
    lines = extension_lines(replace(MADE, extends=EXTENDS, added=1_390))
    most = "at most 1,390 new calls, with one for each attempt"
    assert f"from 2 to 4 epochs: {most}, after 402 answers so far, 29 calls paid in this folder." in lines[0]
    assert "None" in lines[1]
    unknown = extension_lines(replace(MADE, extends=replace(EXTENDS, paid=None), added=1))
    assert unknown[0].endswith("at most 1 new calls, with one for each attempt, after 402 answers so far.")


def test_an_extension_that_pays_again_says_how_much_why_and_what_keeps_it() -> None:
    extends = replace(EXTENDS, again=212, usd=0.5, why="step 3 may apply 4 instead of 2 edits", kept_by=2)
    last = extension_lines(replace(MADE, extends=extends))[-1]
    for words in ("212", "$0.50", "step 3 may apply 4 instead of 2 edits", "optimizer.horizon = 2"):
        assert words in last
    assert "$" not in extension_lines(replace(MADE, extends=replace(extends, usd=None)))[-1]


def test_a_run_that_ended_early_is_said_to_end_there_again() -> None:
    lines = extension_lines(replace(MADE, extends=replace(EXTENDS, stopped="no new best in 4 steps")))
    assert "no new best in 4 steps" in lines[-1]


class Remarking(Toy, frozen=True):
    """An environment that leaves something out."""

    @property
    def remarks(self) -> tuple[str, ...]:
        return ("columns that are not used: notes",)


def told(
    folder: Path, config: TrainerConfig | None = None, *, env: Env | None = None, resume: bool = False
) -> list[str]:
    """Return what a training warns of."""
    trainer = a_trainer(folder, config=config, env=env, wired=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        trainer.train(resume=resume)
    assert {Path(warning.filename).name for warning in said} <= {"test_notices.py"}
    return [str(warning.message) for warning in said]


def test_in_python_the_price_of_more_epochs_is_warned_of_before_they_are_paid_for(tmp_path: Path) -> None:
    assert told(tmp_path) == []
    assert told(tmp_path, resume=True) == []

    def stop(prompt: Any, number: int) -> None:
        raise KeyboardInterrupt

    more = a_trainer(tmp_path, Scripted(stop), config=a_config(train={"epochs": 3}), wired=False)
    with pytest.warns(UserWarning, match="goes on from 2 to 3 epochs: at most"), pytest.raises(KeyboardInterrupt):
        more.train(resume=True)


def test_in_python_what_is_left_out_and_what_the_gate_can_not_prove_is_warned_of(tmp_path: Path) -> None:
    config = a_config(train={"epochs": 1}, evaluation={"gate": "sequential", "rounds": 1, "confirm": True})
    said = told(tmp_path, config, env=Remarking())
    assert said[0] == "Data: columns that are not used: notes."
    assert said[1].startswith("Gate: 8 val items in")
    assert len(said) == 2


def test_a_second_look_at_val_after_an_early_end_is_warned_of(tmp_path: Path) -> None:
    config = a_config(
        optimizer={"screen": 1, "slow_update": False}, evaluation={"gate": "sequential", "judge": "end"}
    )
    env = Toy(sizes={"val": 48})
    a_trainer(tmp_path, config=config, env=env, on_step=lambda record: record.step == 2).train()
    said = told(tmp_path, config, env=env, resume=True)
    assert [line for line in said if line.startswith("Gate: val was asked when this training ended early.")]
    assert not [line for line in told(tmp_path, config, env=env, resume=True) if "ended early" in line]


def test_in_python_keys_that_only_the_command_looks_at_are_warned_of(tmp_path: Path) -> None:
    config = a_config(train={"epochs": 1}, env={"limit": 4}, backend={"name": "openai"}, target={"model": "small"})
    assert told(tmp_path / "one", config) == [
        "Config: the environment is the one that Trainer is given, so env isn't looked at.",
        "Config: the models are those that Trainer is given, so backend and target aren't looked at.",
    ]
    only_target = a_config(train={"epochs": 1}, target={"model": "small"})
    assert told(tmp_path / "two", only_target) == [
        "Config: the models are those that Trainer is given, so target isn't looked at."
    ]


@pytest.mark.parametrize(("judge", "epochs", "is_said"), [("step", 3, True), ("step", 2, False), ("end", 3, False)])
def test_that_trials_after_the_horizon_prove_nothing_is_said(judge: str, epochs: int, *, is_said: bool) -> None:
    config = a_config(
        train={"epochs": epochs},
        optimizer={"horizon": 2, "screen": 2},
        evaluation={"gate": "sequential", "judge": judge},
    )
    lines = list(data_lines(config, Toy(), {split: Toy().items(split) for split in Split}))
    assert any("laid over 2 epochs (optimizer.horizon)" in line for line in lines) is is_said
