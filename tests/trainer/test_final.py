"""What a training says of a skill at its end is one number for one text."""

import json
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.parts import CONFIRMING
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


class Unsteady(Toy, frozen=True):
    """Half of the answers that are right in the passes that choose are wrong in those that report."""

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        result = super().rollout_one(item, skill, target, sample=sample)
        if sample >= CONFIRMING and int(item.id.rpartition("-")[2]) < 4:
            return replace(result, hard=0.0, soft=0.0)
        return result


class Wavering(Scripted):
    """Proposes a rule in one step and takes it out in the next."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
            rule, step = "- Say alpha.", int(prompt.asker.rpartition(" ")[2])
            edit = {"op": "append", "content": rule} if step % 2 else {"op": "delete", "target": rule}
            return json.dumps({"edits": [edit]})
        return super()._answer(prompt)


def test_a_skill_that_is_best_and_final_has_one_score(tmp_path: Path) -> None:
    config = a_config(
        train={"epochs": 3, "batch_size": 16},
        optimizer={"slow_update": False, "meta_skill": False},
        evaluation={"gate": "greedy", "confirm": True},
    )
    summary = a_trainer(tmp_path, Wavering(), env=Unsteady(), config=config).train()
    best, final = summary.best, summary.final
    assert (best.standing.step, final.standing.step) == (1, 3)
    assert best.standing.sha == final.standing.sha
    assert (best.val, best.test) == (final.val, final.test)
    assert best.standing.val == final.standing.val == best.val.metric
    assert final.file == "skills/skill_v0003.md"
    assert summary.reported is not None
    assert summary.reported.mean + summary.reported.luck == final.val.metric
