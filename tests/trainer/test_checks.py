"""A configuration and arguments made in Python are checked as a file is, before anything is asked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError, blamed
from skillopt_sleep.records import Metric, Prompt, Split
from skillopt_sleep.settings import BackendSettings
from skillopt_sleep.trainer import Item, Result, Trainer, TrainerConfig
from skillopt_sleep.trainer.checks import checked_config
from skillopt_sleep.trainer.config import (
    EvaluationSection,
    GradientSection,
    LimitsSection,
    OptimizerSection,
    TrainSection,
)
from skillopt_sleep.trainer.evaluate import evaluate
from tests.fakes import SerialPool
from tests.trainer.toy import Scripted, Toy, a_trainer


def odd(value: object) -> Any:
    """Return a value that the type checker would refuse."""
    return value


@pytest.mark.parametrize(
    ("config", "said", "remedy"),
    [
        (
            lambda: TrainerConfig(optimizer=OptimizerSection(schedule=odd("constnt"))),
            "optimizer.schedule",
            "constant",
        ),
        (lambda: TrainerConfig(optimizer=OptimizerSection(mode=odd("rewite"))), "optimizer.mode", "rewrite"),
        (lambda: TrainerConfig(gradient=GradientSection(reflection=odd("depp"))), "gradient.reflection", "deep"),
        (lambda: TrainerConfig(preset=odd("evidnce")), "preset", "evidence"),
        (lambda: TrainerConfig(evaluation=EvaluationSection(metric=odd("hrad"))), "evaluation.metric", "hard"),
        (lambda: TrainerConfig(evaluation=EvaluationSection(mixed_weight=7)), "evaluation.mixed_weight", "0.5"),
        (lambda: TrainerConfig(evaluation=EvaluationSection(mixed_weight=float("nan"))), "mixed_weight", ""),
        (lambda: TrainerConfig(train=TrainSection(epochs=-3)), "train.epochs", ""),
        (lambda: TrainerConfig(train=TrainSection(epochs=odd("3"))), "train.epochs", ""),
        (lambda: TrainerConfig(train=TrainSection(epochs=odd(True))), "train.epochs", ""),
        (lambda: TrainerConfig(optimizer=OptimizerSection(edit_budget=odd("3"))), "optimizer.edit_budget", "4"),
        (lambda: TrainerConfig(train=TrainSection(batch_size=0)), "train.batch_size", ""),
        (lambda: TrainerConfig(train=TrainSection(folder=odd(Path("run")))), "train.folder must be a text", ""),
        (lambda: TrainerConfig(gradient=GradientSection(minibatch=0)), "gradient.minibatch", ""),
        (lambda: TrainerConfig(gradient=GradientSection(merge_batch=1)), "gradient.merge_batch", "8"),
        (lambda: TrainerConfig(limits=LimitsSection(usd=float("inf"))), "limits.usd", ""),
        (lambda: TrainerConfig(skill=odd(b"x")), "skill must be a text", ""),
        (lambda: TrainerConfig(optimizer=odd(None)), "'optimizer' is a section", "[optimizer]"),
        (lambda: TrainerConfig(backend=BackendSettings(name=odd("opnai"))), "backend.name", "openai"),
        (lambda: TrainerConfig(env=odd("toy")), "env", ""),
        (lambda: TrainerConfig(train=odd({"epoch": 3})), "train.epoch", "train.epochs"),
        (lambda: odd({"train": {"epochs": 3}}), "not a TrainerConfig", "TrainerConfig("),
        (lambda: odd(None), "not a TrainerConfig", "load_config"),
        (
            lambda: TrainerConfig(optimizer=OptimizerSection(edit_budget=1, min_edit_budget=2)),
            "optimizer.min_edit_budget is 2, above",
            "",
        ),
        (
            lambda: TrainerConfig(preset="evidence", train=TrainSection(patience=2)),
            "train.patience does nothing with the preset evidence",
            "",
        ),
    ],
)
def test_a_configuration_made_in_python_is_refused_as_a_file_is(
    config: Callable[[], Any], said: str, remedy: str, tmp_path: Path
) -> None:
    model = Scripted()
    with pytest.raises(ConfigError) as refused:
        a_trainer(tmp_path, model, config=config() or _Nothing()).train()
    assert said in refused.value.message
    assert remedy in refused.value.remedy
    assert (model.prompts, list(tmp_path.iterdir())) == ([], [])


class _Nothing:
    """Something that isn't a configuration, as None is."""


def test_plain_values_mean_what_they_mean_in_a_file() -> None:
    sections = {"epochs": 3}
    config = checked_config(
        TrainerConfig(train=odd(sections), evaluation=EvaluationSection(metric=odd("soft"), mixed_weight=odd(1)))
    )
    assert config.train == TrainSection(epochs=3)
    assert config.evaluation.metric is Metric.SOFT
    assert config.rule().metric is Metric.SOFT
    assert checked_config(config) == config


def test_a_skill_is_scored_with_a_checked_configuration_too(tmp_path: Path) -> None:
    given: dict[str, Any] = {"target": Scripted(), "pool": SerialPool(), "folder": tmp_path / "run"}
    soft = TrainerConfig(evaluation=EvaluationSection(metric=odd("soft")))
    scores = evaluate(soft, Toy(), "", Split.VAL, **given)
    assert scores.metric == scores.soft == 0.5
    with pytest.raises(ConfigError, match=r"evaluation\.metric"):
        evaluate(TrainerConfig(evaluation=EvaluationSection(metric=odd("hrad"))), Toy(), "", Split.VAL, **given)
    with pytest.raises(ConfigError, match="no split 'dev'"):
        evaluate(soft, Toy(), "", odd("dev"), **given)
    assert evaluate(soft, Toy(), "", odd("val"), **given).metric == 0.5


class _Bare:
    name = "bare"

    def items(self, split: Split) -> Sequence[Item]:
        return []


@pytest.mark.parametrize(
    ("fields", "said", "remedy"),
    [
        ({"env": _Bare()}, "environment bare has no rollout_one and no initial_skill", "inherit from"),
        ({"env": Toy}, "Toy is a class, not an environment", "Toy("),
        ({"optimizer": None}, "no optimizer is given", "openai"),
        ({"target": "gpt"}, "the target is named 'gpt'", "complete"),
        ({"initial_skill": Path("skill.md")}, "the skill is a PosixPath", "read_text"),
        ({"pool": 8}, "the pool is an int", "train.workers"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named_at_once(
    fields: dict[str, Any], said: str, remedy: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as refused:
        a_trainer(tmp_path, **fields)
    assert said in refused.value.message
    assert remedy in refused.value.remedy


def test_a_folder_may_be_named_in_words(tmp_path: Path) -> None:
    a_trainer(odd(str(tmp_path / "run"))).train()
    assert (tmp_path / "run" / "best_skill.md").exists()


class _Wordy:
    """A model of a user that returns a text, or fails by itself."""

    name = "wordy"

    def __init__(self, *, fails: bool) -> None:
        self._fails = fails

    def complete(self, prompt: Prompt) -> Any:
        if self._fails:
            raise KeyError(prompt.purpose)
        return "a text"


def test_what_a_model_does_wrong_is_said_of_the_model_not_of_the_environment(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        a_trainer(tmp_path / "one", target=_Wordy(fails=False)).train()
    assert "the model wordy returned a str, not a Completion" in refused.value.message
    with pytest.raises(KeyError) as failed:
        a_trainer(tmp_path / "two", target=_Wordy(fails=True)).train()
    assert blamed(failed.value).startswith("model wordy (test_checks.py, line ")


def test_what_an_environment_returns_instead_of_a_result_is_still_said_of_it(tmp_path: Path) -> None:
    class Odd(Toy, frozen=True):
        def rollout_one(self, item: Item, skill: str, target: object, *, sample: int) -> Result:
            return odd(1.0)

    with pytest.raises(ConfigError, match=r"environment toy, item .* returned a float, not a Result"):
        a_trainer(tmp_path, env=Odd()).train()


def test_what_cannot_be_told_of_a_step_is_refused_before_the_first_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="on_step is a str, not a function"):
        Trainer(TrainerConfig(), Toy(), optimizer=Scripted(), folder=tmp_path / "one", on_step=odd("x"))
