from pathlib import Path

import pytest

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.trainer.summary import History
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

LESSONS = tuple(f"word{letter}" for letter in "abcdefghijkl")


def budgets(folder: Path, **optimizer: object) -> list[int | None]:
    config = a_config(train={"epochs": 2, "batch_size": 8}, optimizer=optimizer)
    a_trainer(folder, config=config, env=Toy(words=LESSONS)).train()
    return [step.edit_budget for step in from_json((folder / "history.json").read_bytes(), History).steps]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [("constant", [4, 4, 4, 4]), ("linear", [4, 3, 2, 2]), ("cosine", [4, 3, 2, 2]), ("autonomous", [2, 2, 2, 2])],
)
def test_the_budget_follows_the_number_of_the_step(tmp_path: Path, schedule: str, expected: list[int]) -> None:
    found = budgets(tmp_path, schedule=schedule, edit_budget=4, min_edit_budget=2)
    assert found[:2] == expected[:2]
    assert len(found) == 4


def test_without_a_schedule_all_edits_are_applied_and_nobody_is_asked(tmp_path: Path) -> None:
    model = Scripted()
    config = a_config(train={"epochs": 1, "batch_size": 16}, optimizer={"schedule": "none"})
    summary = a_trainer(tmp_path, model, config=config).train()
    assert summary.best.val.hard == 1
    assert model.counts()["select"] == model.counts()["budget"] == 0


@pytest.mark.parametrize("mode", ["rewrite", "full_rewrite"])
def test_a_text_may_be_rewritten_instead(tmp_path: Path, mode: str) -> None:
    model = Scripted()
    summary = a_trainer(tmp_path, model, config=a_config(optimizer={"mode": mode, "edit_budget": 4})).train()
    assert model.counts()["rewrite"] + model.counts()["rewrite_full"] > 0
    assert summary.best.val.hard == 1


@pytest.mark.parametrize(("reflection", "purpose"), [("deep", "reflect_deep"), ("shallow", "reflect")])
def test_failures_are_looked_at_as_the_configuration_says(tmp_path: Path, reflection: str, purpose: str) -> None:
    model = Scripted()
    a_trainer(tmp_path, model, config=a_config(gradient={"reflection": reflection})).train()
    assert model.counts()[purpose] > 0
    # Two steps without a lesson learned have 8 failures each at first.
    assert reflection == "deep" or model.counts()["reflect"] >= 16


def test_successes_teach_only_where_they_may(tmp_path: Path) -> None:
    model = Scripted()
    a_trainer(tmp_path, model, config=a_config(gradient={"failure_only": True})).train()
    assert not any("that succeeded." in prompt.text for prompt in model.prompts)
