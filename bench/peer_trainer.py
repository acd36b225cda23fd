"""Runs of PyPI's skillrl on the toy world, in its own environment.

The argument is a file with a JSON list of runs: `folder`, `config`, `seed` and `sizes` of the world, `median` and
`sigma` of a call's seconds, and `kill`, the kind of call and which one of it ends the process before it is answered.
Each call that was answered is a line in the folder's `calls.jsonl`, at once. What came of each run is one line on
stdout.
"""

import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import trainer_world as world  # pyright: ignore[reportMissingImports]
from skillrl import SkillOptConfig, SkillOptTrainer  # pyright: ignore[reportMissingImports]
from skillrl.envs.base import SkillEnv  # pyright: ignore[reportMissingImports]
from skillrl.llm.base import BaseLLMClient  # pyright: ignore[reportMissingImports]
from skillrl.types import RolloutResult  # pyright: ignore[reportMissingImports]

KINDS = {"analyst": "reflect", "merge": "aggregate", "ranking": "select"}


class Client(BaseLLMClient):
    """Answers both roles as the toy world does, and writes down each call."""

    model = "toy"

    def __init__(self, run: dict[str, Any]) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._begun: Counter[str] = Counter()

    def chat(self, *, system: str, user: str, stage: str = "", **_: Any) -> tuple[str, dict[str, int]]:
        begun = time.perf_counter()
        kind = KINDS.get(stage) or world.shown(user)[0].id.partition("-")[0]
        with self._lock:
            self._begun[kind] += 1
            if self._run.get("kill") == [kind, self._begun[kind]]:
                os._exit(9)
        if self._run["median"]:
            time.sleep(world.seconds(self._run["median"], self._run["sigma"], system, user))
        text = self._answer(kind, system, user)
        level = _level(user) if kind == "aggregate" else 0
        line = {"kind": kind, "level": level, "begun": begun, "seconds": time.perf_counter() - begun}
        if kind in {"train", "val", "test"}:
            line |= {"item": world.shown(user)[0].id, "rules": world.rules(system)}
        with self._lock, (Path(self._run["folder"]) / "calls.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return text, {}

    def _answer(self, kind: str, system: str, user: str) -> str:
        skill = world.under(user, "##", "Current Skill")
        match kind:
            case "reflect":
                failed = world.under(user, "##", "Failed")
                return world.learned(skill, failed or world.under(user, "##", "Successful"), failed=bool(failed))
            case "aggregate":
                return world.merged(world.under(user, "##", "Patches", "Two pre-merged"))
            case "select":
                return world.ranked(world.under(user, "##", "Edit Pool"))
            case _:
                return world.attempt(system, user)


class ToyEnv(SkillEnv):
    """The toy world as skillrl's own environments are written."""

    name = "toy"

    def __init__(self, run: dict[str, Any]) -> None:
        self._items = {
            split: [toy._asdict() for toy in world.items(split, count, seed=run["seed"])]
            for split, count in run["sizes"].items()
        }

    def get_items(self, split: str) -> list[dict[str, Any]]:
        return self._items[split]

    def get_initial_skill(self) -> str:
        return "Reports are asked for by topic.\n"

    def rollout_one(self, *, item: dict[str, Any], skill: str, target_client: BaseLLMClient) -> RolloutResult:
        answer, _ = target_client.chat(system=skill, user=item["text"], stage="rollout")
        hard, soft = world.grade(item["topic"], answer)
        return RolloutResult(
            id=item["id"],
            hard=hard,
            soft=soft,
            question=item["text"],
            predicted_answer=answer,
            task_type=item["topic"],
        )


def main() -> None:
    """Make the runs, one after the other."""
    for run in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        Path(run["folder"]).mkdir(parents=True, exist_ok=True)
        client = Client(run)
        config = SkillOptConfig(out_root=run["folder"], verbose=False, **run["config"])
        trainer = SkillOptTrainer(config=config, env=ToyEnv(run), optimizer_client=client, target_client=client)
        begun = time.perf_counter()
        summary = trainer.train()
        wall = time.perf_counter() - begun
        done = {
            "wall": wall,
            "summary": summary,
            "history": trainer.history,
            "best": world.rules(trainer.best_skill),
        }
        print(json.dumps(done), flush=True)


def _level(user: str) -> int:
    """Which round of merges a call is of; the two trees are merged last."""
    if "## Two pre-merged" in user:
        return 99
    return int(user.partition("merge level ")[2].partition(")")[0])


if __name__ == "__main__":
    main()
