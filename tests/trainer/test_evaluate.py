from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import (
    BackendUnavailable,
    BudgetExhausted,
    CallFailed,
    ConfigError,
    FailureKind,
    NightLocked,
)
from skillopt_sleep.records import Prompt, Split
from skillopt_sleep.trainer import Item
from skillopt_sleep.trainer.evaluate import evaluate
from skillopt_sleep.trainer.run import lock_folder, read_paid
from tests.fakes import SerialPool
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


def test_a_skill_tested_in_its_run_is_scored_without_new_calls(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path).train()
    again = Scripted()
    found = evaluate(
        a_config(), Toy(), summary.best_skill, Split.TEST, target=again, pool=SerialPool(), folder=tmp_path
    )
    assert (found.hard, found.soft, found.n) == (1.0, 1.0, 8)
    assert summary.best.test
    assert summary.best.test.hard == found.hard
    assert again.prompts == []


def test_nothing_is_scored_while_a_training_uses_the_folder(tmp_path: Path) -> None:
    asked = Scripted()
    with lock_folder(tmp_path), pytest.raises(NightLocked, match="another training"):
        evaluate(a_config(), Toy(), "Say alpha.", Split.VAL, target=asked, pool=SerialPool(), folder=tmp_path)
    assert asked.prompts == []


def test_each_split_is_scored_by_itself(tmp_path: Path) -> None:
    found = evaluate(
        a_config(), Toy(), "Say alpha.", Split.TRAIN, target=Scripted(), pool=SerialPool(), folder=tmp_path
    )
    assert (found.hard, found.n) == (0.25, 16)
    assert found.kinds["alpha"] == (4, 1.0, 1.0)


def test_a_split_is_scored_as_far_as_the_configuration_uses_it(tmp_path: Path) -> None:
    config = a_config(evaluation={"val_items": 5, "test_items": 6})
    for split, n in ((Split.VAL, 5), (Split.TEST, 6)):
        folder = tmp_path / split
        found = evaluate(config, Toy(), "", split, target=Scripted(), pool=SerialPool(), folder=folder)
        assert (found.n, found.items) == (n, n)


def test_an_empty_split_and_an_outage_are_no_score(tmp_path: Path) -> None:
    def gone(prompt: Prompt, number: int) -> None:
        raise CallFailed(FailureKind.REFUSED, "no")

    with pytest.raises(ConfigError, match="no test items"):
        evaluate(
            a_config(), Toy(sizes={"test": 0}), "", Split.TEST, target=Scripted(), pool=SerialPool(), folder=tmp_path
        )
    with pytest.raises(BackendUnavailable, match="could be scored"):
        evaluate(a_config(), Toy(), "", Split.TEST, target=Scripted(gone), pool=SerialPool(), folder=tmp_path)


def test_an_item_that_is_there_twice_is_no_score(tmp_path: Path) -> None:
    class Twice(Toy, frozen=True):
        def items(self, split: Split) -> list[Item]:
            return [*super().items(split), *super().items(split)]

    target = Scripted()
    with pytest.raises(ConfigError, match="'test-0' more than once"):
        evaluate(a_config(), Twice(), "", Split.TEST, target=target, pool=SerialPool(), folder=tmp_path)
    assert target.prompts == []


def test_at_a_limit_the_key_of_the_training_is_named(tmp_path: Path) -> None:
    config = a_config(limits={"calls": 3})
    with pytest.raises(BudgetExhausted) as stopped:
        evaluate(config, Toy(), "", Split.TEST, target=Scripted(), pool=SerialPool(), folder=tmp_path)
    assert "[limits]" in stopped.value.remedy
    assert "night" not in stopped.value.remedy


@pytest.mark.parametrize("skill", [None, Path("skill.md")])
def test_a_skill_that_is_no_text_is_refused(tmp_path: Path, skill: Any) -> None:
    with pytest.raises(ConfigError, match=r"the skill is .*, not a text"):
        evaluate(a_config(), Toy(), skill, Split.TEST, target=Scripted(), pool=SerialPool(), folder=tmp_path)


def _paid(folder: Path) -> int:
    paid = read_paid(folder)
    return paid.calls if paid else 0


def test_what_is_paid_to_score_a_skill_counts_in_its_folder_before_and_after_a_training(tmp_path: Path) -> None:
    model, config = Scripted(), a_config(evaluation={"test": False})

    def score(skill: str) -> None:
        evaluate(config, Toy(), skill, Split.TEST, target=model, pool=SerialPool(), folder=tmp_path)

    score("Say beta.")
    summary = a_trainer(tmp_path, model, config=config).train()
    assert _paid(tmp_path) == len(model.prompts) == summary.total.calls + 8
    score("Say gamma.")
    assert _paid(tmp_path) == len(model.prompts) == summary.total.calls + 16
    a_trainer(tmp_path, model, config=config).train()
    assert _paid(tmp_path) == len(model.prompts) == summary.total.calls + 16


def test_a_limit_counts_what_was_paid_to_score_a_skill_before(tmp_path: Path) -> None:
    model = Scripted()
    config = a_config(limits={"calls": 20})
    evaluate(config, Toy(), "Say beta.", Split.TEST, target=model, pool=SerialPool(), folder=tmp_path)
    with pytest.raises(BudgetExhausted):
        a_trainer(tmp_path, model, config=config).train()
    assert len(model.prompts) == _paid(tmp_path) == 20


def test_what_was_paid_is_written_if_a_limit_ends_the_scoring(tmp_path: Path) -> None:
    paid = a_trainer(tmp_path).train().total.calls
    config = a_config(limits={"calls": paid + 3})
    with pytest.raises(BudgetExhausted):
        evaluate(config, Toy(), "Say beta.", Split.TEST, target=Scripted(), pool=SerialPool(), folder=tmp_path)
    assert _paid(tmp_path) == paid + 3


def test_what_was_paid_for_one_scoring_is_what_was_not_there_yet(tmp_path: Path) -> None:
    paid: list[int] = []
    for _ in range(2):
        found = evaluate(
            a_config(), Toy(), "Say beta.", Split.TEST, target=Scripted(), pool=SerialPool(), folder=tmp_path
        )
        paid.append(found.paid.calls)
    assert paid == [8, 0]


def test_that_the_items_are_not_those_of_the_training_is_warned_of(tmp_path: Path) -> None:
    a_trainer(tmp_path, config=a_config(evaluation={"test": False})).train()

    def score(env: Toy, split: Split) -> None:
        evaluate(a_config(), env, "Say beta.", split, target=Scripted(), pool=SerialPool(), folder=tmp_path)

    with pytest.warns(UserWarning, match="the val items aren't those that the training in"):
        score(Toy(words=("alpha", "beta", "gamma", "omega")), Split.VAL)
    for split in Split:  # it had no test items
        score(Toy(), split)
