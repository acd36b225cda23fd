from pathlib import Path
from typing import Any

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer.summary import EpochRecord, History
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

FEW = {"epochs": 3, "batch_size": 16}


def trained(folder: Path, model: Scripted | None = None, **optimizer: Any) -> tuple[EpochRecord, ...]:
    config = a_config(train=FEW, optimizer=optimizer)
    a_trainer(folder, model, config=config).train()
    return from_json((folder / "history.json").read_bytes(), History).epochs


def test_from_the_second_epoch_on_train_items_are_compared_under_both_skills(tmp_path: Path) -> None:
    model = Scripted()
    epochs = trained(tmp_path, model)
    assert [epoch.epoch for epoch in epochs] == [2, 3]
    assert sum(epochs[0].compared.values()) == 16
    slow = [prompt for prompt in model.prompts if prompt.purpose is Purpose.ROLLOUT and prompt.sample >= 1_000_000]
    assert all("train request" in prompt.text for prompt in slow)
    assert len(slow) == 2 * 2 * 16


def test_forced_guidance_never_enters_the_best_by_itself(tmp_path: Path) -> None:
    epochs = trained(tmp_path)
    assert epochs[0].gated is not None
    assert epochs[0].gated.before is epochs[0].gated.after is None
    assert epochs[0].current.origin == "slow_update"
    assert epochs[0].best.origin == "step"


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

    config = a_config(train=FEW | {"epochs": 4})
    a_trainer(tmp_path, Failing(), config=config).train()
    epochs = from_json((tmp_path / "history.json").read_bytes(), History).epochs
    assert [epoch.notebook for epoch in epochs] == ["Words help."] * 3
    assert [note.stage for note in epochs[1].notes] == ["meta_skill"]


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
