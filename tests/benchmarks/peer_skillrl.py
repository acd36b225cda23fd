"""Trainings by PyPI's skillrl in the simulated world, in its own environment; the argument is a file with the runs.

What came of each run is one line on stdout. A call beyond the run's budget ends the run, with the best skill so far.
"""

import contextlib
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import peers_world as world  # pyright: ignore[reportMissingImports]
from skillrl import SkillOptConfig, SkillOptTrainer  # pyright: ignore[reportMissingImports]
from skillrl.envs.base import SkillEnv  # pyright: ignore[reportMissingImports]
from skillrl.llm.base import BaseLLMClient  # pyright: ignore[reportMissingImports]
from skillrl.types import RolloutResult  # pyright: ignore[reportMissingImports]


class Spent(BaseException):
    """The budget of calls is spent."""


class Client(BaseLLMClient):
    """Answers both roles as the world does, and counts the calls."""

    model = "simulated"

    def __init__(self, run: dict[str, Any]) -> None:
        self.calls = 0
        self._run = run
        self._model = world.Model(*run["model"])
        self._asked: Counter[tuple[str, str]] = Counter()

    def chat(self, *, system: str, user: str, stage: str = "", **_: Any) -> tuple[str, dict[str, int]]:
        """Answer one call."""
        if self.calls >= self._run["budget"]:
            raise Spent
        self.calls += 1
        self._asked[system, user] += 1
        return self._answer(stage, system, user, self._asked[system, user]), {}

    def _answer(self, stage: str, system: str, user: str, time: int) -> str:
        skill, _, rest = user.partition("\n\n## Edit Budget")
        match stage:
            case "rollout":
                return self._model.attempt(system, user, time)
            case "analyst":
                kinds = [item.kind for item in world.shown(rest)]
                failed, done = (kinds, []) if "Failed Trajectories" in rest else ([], kinds)
                found = self._model.propose(skill, failed, done, time, most=self._run["edits"])
                return _patch([edit.rule for edit in found])
            case "merge":
                return _patch(world.rules(user.partition("\n\n## ")[2]))
            case _:
                pool = user.partition("\n\n## ")[2]
                found = sorted(world.rules(pool), key=pool.index)
                return json.dumps({"reasoning": "", "selected_indices": self._model.ranked(found, time)})


class Dates(SkillEnv):
    """The world as skillrl's own environments are written."""

    name = "dates"

    def __init__(self, run: dict[str, Any]) -> None:
        seed = run["model"][2]
        self._items = {
            split: [{"id": item.id, "text": item.text, "answer": item.answer, "kind": item.kind} for item in some]
            for split, count in run["sizes"].items()
            for some in [world.items(split, count, seed=seed)]
        }

    def get_items(self, split: str) -> list[dict[str, Any]]:
        """Return a split's items."""
        return self._items[split]

    def get_initial_skill(self) -> str:
        """Return the skill to start from."""
        return world.INITIAL

    def rollout_one(self, *, item: dict[str, Any], skill: str, target_client: BaseLLMClient) -> RolloutResult:
        """Attempt one item."""
        answer, _ = target_client.chat(system=skill, user=item["text"], stage="rollout")
        right = int(answer == item["answer"])
        return RolloutResult(
            id=item["id"],
            hard=right,
            soft=right,
            question=item["text"],
            predicted_answer=answer,
            task_type=item["kind"],
        )


def main() -> None:
    """Make the runs, one after the other."""
    for run in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        client = Client(run)
        with tempfile.TemporaryDirectory() as folder:
            config = SkillOptConfig(out_root=folder, verbose=False, eval_test=False, workers=1, **run["config"])
            trainer = SkillOptTrainer(config=config, env=Dates(run), optimizer_client=client, target_client=client)
            with contextlib.suppress(Spent):
                trainer.train()
        done = {"skill": trainer.best_skill, "reported": trainer.best_score, "calls": client.calls}
        print(json.dumps(done), flush=True)


def _patch(rules: Any) -> str:
    edits = [{"op": "append", "content": rule} for rule in rules]
    return json.dumps({"reasoning": "", "edits": edits})


if __name__ == "__main__":
    main()
