"""Trainings by PyPI's skillrl in the simulated world, in its own environment; the argument is a file with the runs.

What came of each run is one line on stdout. A call beyond the run's budget ends the run, with the best skill so far.
"""

import contextlib
import importlib
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from skillrl import SkillOptConfig, SkillOptTrainer  # pyright: ignore[reportMissingImports]
from skillrl.envs.base import SkillEnv  # pyright: ignore[reportMissingImports]
from skillrl.llm.base import BaseLLMClient  # pyright: ignore[reportMissingImports]
from skillrl.types import RolloutResult  # pyright: ignore[reportMissingImports]

from bench.peers_edits import Edit, written

WORLDS = {"dates": "bench.peers_world", "fresh": "bench.peers_world_fresh"}


class Spent(BaseException):
    """The budget of calls is spent."""


class Client(BaseLLMClient):
    """Answers both roles as the world does, and counts the calls."""

    model = "simulated"

    def __init__(self, run: dict[str, Any]) -> None:
        self.calls = self.chars = 0
        self._run = run
        self._world = importlib.import_module(WORLDS[run["world"]])
        self._model = self._world.Model(*run["model"])
        self._asked: Counter[tuple[str, str]] = Counter()

    def chat(self, *, system: str, user: str, stage: str = "", **_: Any) -> tuple[str, dict[str, int]]:
        """Answer one call."""
        if self.calls >= self._run["budget"]:
            raise Spent
        self.calls += 1
        self._asked[system, user] += 1
        answer = self._answer(stage, system, user, self._asked[system, user])
        self.chars += len(system) + len(user) + len(answer)
        return answer, {}

    def _answer(self, stage: str, system: str, user: str, time: int) -> str:
        skill, _, rest = user.partition("\n\n## Edit Budget")
        match stage:
            case "rollout":
                return self._model.attempt(system, user, time)
            case "analyst":
                shown = self._world.shown(rest)
                failed, done = (shown, []) if "Failed Trajectories" in rest else ([], shown)
                return _patch(self._model.propose(skill, failed, done, time, most=self._run["edits"]))
            case "merge":
                patches = json.loads(user[user.index("\n[\n") :])
                return _patch(self._model.merged(_edits(patches), time))
            case _:
                lines = re.findall(r"^\[\d+\] .*$", user.partition("\n\n## ")[2], re.MULTILINE)
                return json.dumps({"reasoning": "", "selected_indices": self._model.ranked(lines, time)})


class WorldEnv(SkillEnv):
    """The world as skillrl's own environments are written."""

    name = "simulated"

    def __init__(self, run: dict[str, Any]) -> None:
        world = importlib.import_module(WORLDS[run["world"]])
        seed = run["model"][-1]
        self._initial = world.INITIAL
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
        return self._initial

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
            trainer = SkillOptTrainer(config=config, env=WorldEnv(run), optimizer_client=client, target_client=client)
            with contextlib.suppress(Spent):
                trainer.train()
        done = {"skill": trainer.best_skill, "reported": trainer.best_score}
        done |= {"calls": client.calls, "chars": client.chars}
        print(json.dumps(done), flush=True)


def _edits(patches: list[dict[str, Any]]) -> list[Edit]:
    return [
        Edit(edit["content"], (), edit["op"], edit.get("target", "")) for patch in patches for edit in patch["edits"]
    ]


def _patch(edits: list[Edit]) -> str:
    return json.dumps({"reasoning": "", "edits": written(edits)})


if __name__ == "__main__":
    main()
