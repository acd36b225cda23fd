"""Our own trainings in the simulated world; as a program it makes the runs of a JSON file, as the peers' do."""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Split, Usage
from skillopt_sleep.trainer import Env, Item, Result, Trainer, TrainerConfig
from tests.benchmarks import peers_world as world
from tests.benchmarks.trainer_world import sections, under

_REQUEST = "\n# Item\n"
_REFLECTING = frozenset({Purpose.REFLECT, Purpose.REFLECT_DEEP})


class Dates(Env):
    """The world as an environment; without `kinds` the items don't say which format they want."""

    def __init__(self, sizes: Mapping[str, int], *, seed: int, kinds: bool) -> None:
        self._items: dict[str, list[Item]] = {}
        for split in Split:
            self._items[split] = [
                Item(id=item.id, text=item.text, kind=item.kind if kinds else "", data={"answer": item.answer})
                for item in world.items(split, sizes.get(split, 0), seed=seed)
            ]

    @property
    def name(self) -> str:
        """Return the name to show."""
        return "dates"

    def items(self, split: Split) -> Sequence[Item]:
        """Return a split's items."""
        return self._items[split]

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Attempt one item."""
        prompt = Prompt(purpose=Purpose.ROLLOUT, text=f"{skill}{_REQUEST}{item.text}", sample=sample)
        answer = target.complete(prompt).text
        right = float(answer == item.data["answer"])
        return Result(hard=right, soft=right, response=answer, why="" if right else "Not the format that was wanted.")

    def initial_skill(self) -> str:
        """Return the skill to start from."""
        return world.INITIAL


class Simulated:
    """Answers both roles as the world does, and counts the calls."""

    name = "simulated"
    version = ""

    def __init__(self, run: Mapping[str, Any]) -> None:
        self.calls = 0
        self._most = run["edits"]
        self._model = world.Model(*run["model"])

    def complete(self, prompt: Prompt) -> Completion:
        """Answer one call."""
        self.calls += 1
        text = self._answer(prompt)
        return decoded(prompt, Completion(text=text, usage=Usage(input_tokens=1, output_tokens=1), usd=0.0))

    def _answer(self, prompt: Prompt) -> str:
        text, draw = prompt.text, (prompt.sample, prompt.asker)
        if prompt.purpose is Purpose.ROLLOUT:
            skill, _, item = text.partition(_REQUEST)
            return self._model.attempt(skill, item, *draw)
        skill = under(text, "#", "Instructions", "Skill")
        if prompt.purpose in _REFLECTING:
            return self._reflected(skill, under(text, "#", "Attempts"), draw)
        if prompt.purpose is Purpose.AGGREGATE:
            return _edits([(rule, ()) for rule in world.rules(under(text, "#", "Proposals"))])
        if prompt.purpose is Purpose.SELECT:
            pool = sections(text, "#")["Edits"]
            found = sorted(world.rules(pool), key=pool.index)
            return json.dumps({"selected_indices": self._model.ranked(found, *draw)})
        raise ValueError(f"the simulated model has no answer for {prompt.purpose}")

    def _reflected(self, skill: str, attempts: str, draw: tuple[object, ...]) -> str:
        shown = [item.kind for item in world.shown(attempts)]
        failed, done = ([], shown)
        if "### What went wrong" in attempts:
            failed, done = (shown, [])
        found = self._model.propose(skill, failed, done, *draw, most=self._most)
        named = {kind: [place for place, one in enumerate(shown, start=1) if one == kind] for kind in shown}
        return _edits([(edit.rule, named[edit.kind]) for edit in found])


def train(run: Mapping[str, Any]) -> dict[str, Any]:
    """Make one run, and return the skill it ships, what it reports of it, and its calls."""
    model = Simulated(run)
    config = msgspec.convert(run["config"], TrainerConfig)
    env = Dates(run["sizes"], seed=run["model"][2], kinds=run["kinds"])
    with tempfile.TemporaryDirectory() as folder:
        summary = Trainer(config, env, optimizer=model, folder=Path(folder) / "run").train()
    actions = dict(summary.actions)
    return {
        "skill": summary.best_skill,
        "reported": summary.best.val.metric,
        "calls": model.calls,
        "actions": actions,
    }


def _edits(found: Sequence[tuple[str, Sequence[int]]]) -> str:
    edits = [{"op": "append", "content": rule, "attempts": list(attempts)} for rule, attempts in found]
    return json.dumps({"edits": edits})


if __name__ == "__main__":
    for one in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        print(json.dumps(train(one)), flush=True)
