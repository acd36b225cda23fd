"""A finished run that is gone through again says so if its result isn't the same any more."""

from pathlib import Path

from skillopt_sleep.protocols import Backend
from skillopt_sleep.trainer import Item, Result
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


class Graded(Toy, frozen=True):
    """Grades as it is told when it is made, which no code shows."""

    strict: bool = False

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        result = super().rollout_one(item, skill, target, sample=sample)
        return Result(hard=0.0, soft=0.0, response=result.response, why="strictly") if self.strict else result


def test_a_run_that_has_another_result_than_before_says_so(tmp_path: Path) -> None:
    def said(*, strict: bool) -> list[str]:
        summary = a_trainer(tmp_path, env=Graded(strict=strict)).train(resume=(tmp_path / "config.json").exists())
        return [note.summary for note in summary.notes if note.stage == "resume"]

    assert said(strict=False) == []
    assert said(strict=False) == []
    (note,) = said(strict=True)
    assert note.startswith("this run had another result before, with the same settings")
    assert said(strict=True) == []


def test_more_epochs_or_an_early_end_are_no_other_result(tmp_path: Path) -> None:
    a_trainer(tmp_path, on_step=lambda step: step.step == 2).train()
    assert a_trainer(tmp_path).train(resume=True).notes == ()
    longer = a_config(train={"epochs": 3})
    summary = a_trainer(tmp_path, Scripted(), config=longer).train(resume=True)
    assert not any(note.stage == "resume" for note in summary.notes)
