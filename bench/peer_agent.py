"""The same money in one coding agent, scripted: it has the data, the model and an editor, and no method but its own.

The protocol: the agent may read all of train and val with their answers, attempt any item with the skill as it is, and
edit the skill. Each attempt and each edit counts as one call, and both together may not pass the budget. Here it goes
over train in batches, edits the skill after each from what failed, tries the same batch again, and takes the edit back
if fewer are right. With a kept edit it looks at val, and ships the skill that did best there, with that score. The
argument is a file with the runs; what came of each is one line on stdout.
"""

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.peers_edits import rewritten
from bench.peers_lab import WORLDS

BATCH = 8


class Agent:
    """One run of the agent."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.calls = self.chars = 0
        self._world = WORLDS[run["world"]]
        self._model = self._world.Model(*run["model"])
        self._edits, self._budget = run["edits"], run["budget"]
        seed = run["model"][-1]
        self._chance = random.Random(seed)
        self._train, self._val = (self._world.items(name, run["sizes"][name], seed=seed) for name in ("train", "val"))

    def work(self) -> dict[str, Any]:
        """Edit the skill until the money is spent; return what is shipped and said of it."""
        skill = best = self._world.INITIAL
        reported = self._score(skill, self._val)
        while self.calls + 2 * BATCH + 1 + len(self._val) <= self._budget:
            batch = self._chance.sample(self._train, min(BATCH, len(self._train)))
            right = [self._is_right(skill, item) for item in batch]
            failed = [item for item, is_right in zip(batch, right, strict=True) if not is_right]
            done = [item for item, is_right in zip(batch, right, strict=True) if is_right]
            self.calls += 1
            found = self._model.propose(skill, failed, done, self.calls, most=self._edits)
            changed = rewritten(skill, found)
            if changed == skill or self._score(changed, batch) < fmean(right):
                continue
            skill, score = changed, self._score(changed, self._val)
            if score > reported:
                best, reported = changed, score
        return {"skill": best, "reported": reported, "calls": self.calls, "chars": self.chars}

    def _is_right(self, skill: str, item: Any) -> bool:
        self.calls += 1
        answer = self._model.attempt(skill, item.text, self.calls)
        self.chars += len(skill) + len(item.text) + len(answer)
        return answer == item.answer

    def _score(self, skill: str, items: Sequence[Any]) -> float:
        return fmean(self._is_right(skill, item) for item in items)


if __name__ == "__main__":
    for one in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        print(json.dumps(Agent(one).work()), flush=True)
