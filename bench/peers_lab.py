"""Our own trainings in the simulated world; as a program it makes the runs of a JSON file, as the peers' do."""

import ast
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from bench import peers_world, peers_world_fresh
from bench.peers_edits import Edit
from bench.trainer_world import sections, under
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Split, Usage
from skillopt_sleep.trainer import Env, Item, Result, Trainer, TrainerConfig

WORLDS = {"dates": peers_world, "fresh": peers_world_fresh}
_REQUEST = "\n# Item\n"
_PROPOSED = re.compile(r"^\([^)]*\) (\w+) ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"): ?(.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^\d+\. .*$", re.MULTILINE)
_REFLECTING = frozenset({Purpose.REFLECT, Purpose.REFLECT_DEEP})


class WorldEnv(Env):
    """A world as an environment; without `kinds` the items don't say what kind they are of."""

    def __init__(self, world: ModuleType, sizes: Mapping[str, int], *, seed: int, kinds: bool) -> None:
        self._initial: str = world.INITIAL
        self._items: dict[str, list[Item]] = {}
        for split in Split:
            self._items[split] = [
                Item(id=item.id, text=item.text, kind=item.kind if kinds else "", data={"answer": item.answer})
                for item in world.items(split, sizes.get(split, 0), seed=seed)
            ]

    @property
    def name(self) -> str:
        """Return the name to show."""
        return "simulated"

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
        return self._initial


class Simulated:
    """Answers both roles as the world does, and counts the calls."""

    name = "simulated"
    version = ""

    def __init__(self, run: Mapping[str, Any]) -> None:
        self.calls = self.chars = 0
        self._most = run["edits"]
        self._world = WORLDS[run["world"]]
        self._model = self._world.Model(*run["model"])

    def complete(self, prompt: Prompt) -> Completion:
        """Answer one call."""
        self.calls += 1
        text = self._answer(prompt)
        self.chars += len(prompt.text) + len(text)
        return decoded(prompt, Completion(text=text, usage=Usage(input_tokens=1, output_tokens=1), usd=0.0))

    def _answer(self, prompt: Prompt) -> str:
        text, draw = prompt.text, (prompt.sample, prompt.asker)
        if prompt.purpose is Purpose.ROLLOUT:
            skill, _, item = text.partition(_REQUEST)
            return self._model.attempt(skill, item, *draw)
        skill = under(text, "#", "Instructions", "Skill")
        if prompt.purpose in _REFLECTING:
            return self._reflected(skill, text, draw)
        if prompt.purpose is Purpose.AGGREGATE:
            return _answered(self._model.merged(_proposed(under(text, "#", "Proposals")), *draw), ())
        if prompt.purpose is Purpose.SELECT:
            lines = _NUMBERED.findall(sections(text, "#")["Edits"])
            return json.dumps({"selected_indices": self._model.ranked(lines, *draw)})
        raise ValueError(f"the simulated model has no answer for {prompt.purpose}")

    def _reflected(self, skill: str, text: str, draw: tuple[object, ...]) -> str:
        attempts = under(text, "#", "Attempts")
        shown = self._world.shown(attempts)
        failed, done = ([], shown)
        if "### What went wrong" in attempts:
            failed, done = (shown, [])
        tried = under(text, "#", "Edits that earlier steps tried")
        found = self._model.propose(skill, failed, done, *draw, most=self._most, tried=tried)
        return _answered(found, [item.id for item in shown])


def train(run: Mapping[str, Any]) -> dict[str, Any]:
    """Make one run, and return the skill it ships and its final one, what it reports, and what it took."""
    model = Simulated(run)
    config = msgspec.convert(run["config"], TrainerConfig)
    env = WorldEnv(WORLDS[run["world"]], run["sizes"], seed=run["model"][-1], kinds=run["kinds"])
    with tempfile.TemporaryDirectory() as folder:
        summary = Trainer(config, env, optimizer=model, folder=Path(folder) / "run", wired=True).train()
        final = (Path(folder) / "run" / summary.final.file).read_text(encoding="utf-8")
    actions = dict(summary.actions)
    assert summary.reported is not None
    return {
        "skill": summary.best_skill,
        "final": final,
        "reported": summary.reported.mean,
        "calls": model.calls,
        "chars": model.chars,
        "actions": actions,
    }


def _proposed(text: str) -> list[Edit]:
    """Return the edits that a prompt lists, in its order."""
    return [Edit(content, (), op, ast.literal_eval(target)) for op, target, content in _PROPOSED.findall(text)]


def _answered(found: Sequence[Edit], shown: Sequence[str]) -> str:
    edits: list[dict[str, Any]] = []
    for edit in found:
        attempts = [place for place, item in enumerate(shown, start=1) if item in edit.items]
        edits.append({"op": edit.op, "content": edit.content, "target": edit.target, "attempts": attempts})
    return json.dumps({"edits": edits})


if __name__ == "__main__":
    for one in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        print(json.dumps(train(one)), flush=True)
