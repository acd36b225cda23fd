from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.kit.protected import BEGIN
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer.summary import Action, EpochRecord, History
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

FEW = {"epochs": 3, "batch_size": 16}


def trained(folder: Path, model: Scripted | None = None, **optimizer: Any) -> tuple[EpochRecord, ...]:
    config = a_config(train=FEW, optimizer={"slow_samples": 4} | optimizer)
    a_trainer(folder, model, config=config).train()
    return from_json((folder / "history.json").read_bytes(), History).epochs


def test_from_the_second_epoch_on_train_items_are_compared_under_both_skills(tmp_path: Path) -> None:
    model = Scripted()
    epochs = trained(tmp_path, model)
    assert [epoch.epoch for epoch in epochs] == [2, 3]
    assert sum(epochs[0].compared.values()) == 4
    slow = [prompt for prompt in model.prompts if prompt.purpose is Purpose.ROLLOUT and prompt.sample >= 1_000_000]
    assert all("train request" in prompt.text for prompt in slow)
    assert len(slow) == 2 * 2 * 4


def test_gated_guidance_is_tried_on_val_and_stays_out_where_it_is_no_better(tmp_path: Path) -> None:
    epochs = trained(tmp_path, slow_gated=True)
    gated = epochs[0].gated
    assert gated is not None
    assert gated.action is Action.REJECT
    assert gated.n == 8
    assert BEGIN not in (tmp_path / "best_skill.md").read_text()


def test_forced_guidance_never_enters_the_best_by_itself(tmp_path: Path) -> None:
    epochs = trained(tmp_path)
    assert epochs[0].gated is not None
    assert epochs[0].gated.before is epochs[0].gated.after is None
    assert epochs[0].current.origin == "slow_update"
    assert epochs[0].best.origin == "step"


class Stuck(Scripted):
    """An optimizer that has nothing to propose: the skill stays as it is."""

    def _answer(self, prompt: Prompt) -> str:
        return '{"edits": []}' if prompt.purpose is Purpose.REFLECT else super()._answer(prompt)


@pytest.mark.parametrize(("pairs", "rollouts"), [("changed", 0), ("mixed", 4), ("unchanged", 4)])
def test_a_skill_that_did_not_change_is_compared_at_no_more_than_it_takes(
    tmp_path: Path, pairs: str, rollouts: int
) -> None:
    model = Stuck()
    trained(tmp_path, model, slow_pairs=pairs, slow_update=False)
    slow = [prompt for prompt in model.prompts if prompt.purpose is Purpose.ROLLOUT and prompt.sample >= 1_000_000]
    assert len(slow) == rollouts


def test_notes_are_written_for_epochs_to_come_only_and_shown_there(tmp_path: Path) -> None:
    model = Scripted()
    epochs = trained(tmp_path, model)
    assert model.counts()["meta_skill"] == 1
    assert epochs[0].notebook == "Words help."
    later = [prompt.text for prompt in model.prompts if "Words help." in prompt.text]
    assert later


def test_a_failed_call_keeps_the_notes_and_is_told(tmp_path: Path) -> None:
    class Failing(Scripted):
        asked = 0

        def _answer(self, prompt: Prompt) -> str:
            if prompt.purpose is Purpose.META_SKILL:
                self.asked += 1
                return "no json" if self.asked > 1 else super()._answer(prompt)
            return super()._answer(prompt)

    config = a_config(train=FEW | {"epochs": 4}, optimizer={"slow_samples": 4})
    a_trainer(tmp_path, Failing(), config=config).train()
    epochs = from_json((tmp_path / "history.json").read_bytes(), History).epochs
    assert [epoch.notebook for epoch in epochs] == ["Words help."] * 3
    assert [note.stage for note in epochs[1].notes] == ["meta_skill"]


def test_where_neither_is_wanted_nothing_is_asked(tmp_path: Path) -> None:
    model = Scripted()
    trained(tmp_path, model, slow_update=False, meta_skill=False)
    assert not [prompt for prompt in model.prompts if prompt.sample >= 1_000_000]


@pytest.mark.parametrize(
    ("pairs", "kinds"),
    [("changed", {"improved", "regressed"}), ("unchanged", {"persistent_fail", "stable_success"})],
)
def test_only_the_wanted_pairs_are_shown_and_more_are_looked_for(tmp_path: Path, pairs: str, kinds: set[str]) -> None:
    epochs = trained(tmp_path, slow_pairs=pairs, slow_samples=3)
    assert set(epochs[0].compared) <= kinds
    # Of 16 items a quarter changed in the second epoch.
    assert sum(epochs[0].compared.values()) == 3


def test_an_item_that_could_not_be_scored_is_no_failure(tmp_path: Path) -> None:
    class Silent(Toy, frozen=True):
        def rollout_one(self, item: Any, skill: str, target: Any, *, sample: int) -> Any:
            from skillopt_sleep.trainer import Result

            if sample >= 1_000_000:
                return Result(failure="gone")
            return Toy.rollout_one(self, item, skill, target, sample=sample)

    model = Scripted()
    a_trainer(tmp_path, model, env=Silent(), config=a_config(train=FEW)).train()
    assert model.counts()["slow_update"] == model.counts()["meta_skill"] == 0
