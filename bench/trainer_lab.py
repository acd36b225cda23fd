"""Our side of the toy world: its environment, the model that answers both roles and writes down each call, runs of it.

As a program it makes the runs of a JSON file, as `peer_trainer.py` does in the peer's environment.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from bench import trainer_world as world
from bench.trainer_peer import KILLED, Called, calls_of
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Split, Usage
from skillopt_sleep.trainer import Env, Item, Result, Summary, Trainer, TrainerConfig
from skillopt_sleep.trainer.config import PRESETS, Preset
from skillopt_sleep.trainer.run import HISTORY
from skillopt_sleep.trainer.summary import History

CHECKOUT = Path(__file__).parents[1]
INITIAL = "Reports are asked for by topic.\n"
# skillrl's names of what both trainers can be told, by our section.
KEYS = {
    "train": {"num_epochs": "epochs", "batch_size": "batch_size", "workers": "workers", "seed": "seed"},
    "gradient": {"minibatch_size": "minibatch", "merge_batch_size": "merge_batch", "failure_only": "failure_only"},
    "optimizer": {"edit_budget": "edit_budget", "min_edit_budget": "min_edit_budget", "lr_scheduler": "schedule"},
    "evaluation": {"gate_metric": "metric", "gate_mixed_weight": "mixed_weight", "eval_test": "test"},
}
REFLECTING = frozenset({Purpose.REFLECT, Purpose.REFLECT_DEEP})
_REQUEST = "\n# Item\n"


class ToyEnv(Env):
    """The toy world as an environment."""

    def __init__(self, sizes: Mapping[str, int], *, seed: int) -> None:
        self._items = {
            split: [
                Item(id=toy.id, text=toy.text, kind=toy.topic)
                for toy in world.items(split, sizes.get(split, 0), seed=seed)
            ]
            for split in Split
        }

    @property
    def name(self) -> str:
        return "toy"

    def items(self, split: Split) -> Sequence[Item]:
        return self._items[split]

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        prompt = Prompt(purpose=Purpose.ROLLOUT, text=f"{skill}{_REQUEST}{item.text}", sample=sample)
        answer = target.complete(prompt).text
        hard, soft = world.grade(item.kind, answer)
        why = "" if hard else "Something that the report needs is missing."
        return Result(hard=hard, soft=soft, response=answer, why=why)

    def initial_skill(self) -> str:
        return INITIAL


class ToyModel:
    """Answers as the toy world does, after a lognormal time; `before` sees each call first and may raise.

    Each answered call is a line in the folder's `calls.jsonl`, at once, so that it outlives the process.
    """

    name = "toy"
    version = ""

    def __init__(
        self,
        folder: Path,
        *,
        median: float = 0.0,
        sigma: float = 0.0,
        before: Callable[[str, int, Prompt], None] = lambda _kind, _number, _prompt: None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.prompts: list[Prompt] = []
        self._median, self._sigma, self._before = median, sigma, before
        self._begun: Counter[str] = Counter()
        self._lock = threading.Lock()

    def ready(self, _until: datetime) -> bool:
        """It is always there."""
        return True

    def price(self, _model: str, _usage: Usage) -> float | None:
        """It costs nothing."""
        return 0.0

    def complete(self, prompt: Prompt) -> Completion:
        """The same answer to the same question, always."""
        begun = time.perf_counter()
        kind = kind_of(prompt)
        with self._lock:
            self._begun[kind] += 1
            self.prompts.append(prompt)
            self._before(kind, self._begun[kind], prompt)
        if self._median:
            time.sleep(world.seconds(self._median, self._sigma, prompt.text, str(prompt.sample)))
        text = answer(kind, prompt)
        line: dict[str, object] = {"kind": kind, "level": 0, "begun": begun, "seconds": time.perf_counter() - begun}
        if prompt.purpose is Purpose.ROLLOUT:
            skill, _, item = prompt.text.partition(_REQUEST)
            line |= {"item": world.shown(item)[0].id, "rules": world.rules(skill)}
        with self._lock, (self.folder / "calls.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        usage = Usage(input_tokens=len(prompt.text) // 4, output_tokens=len(text) // 4)
        return decoded(prompt, Completion(text=text, usage=usage, usd=0.0, model=self.name))

    @property
    def calls(self) -> tuple[Called, ...]:
        """What was answered in this folder, by all lives."""
        return calls_of(self.folder)

    @property
    def kinds(self) -> Counter[str]:
        """How many calls of which kind were answered in this folder."""
        return Counter(call.kind for call in self.calls)


def kind_of(prompt: Prompt) -> str:
    """The split of an attempt, else what the call is for."""
    if prompt.purpose is Purpose.ROLLOUT:
        return world.shown(prompt.text.partition(_REQUEST)[2])[0].id.partition("-")[0]
    return "reflect" if prompt.purpose in REFLECTING else prompt.purpose.value


def answer(kind: str, prompt: Prompt) -> str:
    """What the toy world says to one of our prompts."""
    if prompt.purpose is Purpose.PREFLIGHT:
        return "ready"
    text = prompt.text
    skill = world.under(text, "#", "Instructions", "Skill")
    match kind:
        case "reflect":
            attempts = world.under(text, "#", "Attempts")
            return world.learned(skill, attempts, failed="### What went wrong" in attempts)
        case "aggregate":
            return world.merged(world.under(text, "#", "Proposals"))
        case "select":
            return world.ranked(world.sections(text, "#")["Edits"])
        case "slow_update":
            return json.dumps({"reasoning": "toy", "guidance": "Reports are short."})
        case "meta_skill":
            return json.dumps({"reasoning": "toy", "notes": "Say what the topic needs."})
        case "budget":
            return json.dumps({"reasoning": "toy", "edit_budget": 2})
        case _:
            head, _, item = text.partition(_REQUEST)
            return world.attempt(head, item)


class OurRun(NamedTuple):
    """What came of one run, and every call that was answered for it, by all its lives."""

    wall: float
    summary: Summary
    history: History
    calls: tuple[Called, ...]
    folder: Path

    @property
    def best(self) -> tuple[str, ...]:
        """The rules of the best skill."""
        return world.rules(self.summary.best_skill)

    @property
    def kinds(self) -> Counter[str]:
        """How many calls of which kind were answered."""
        return Counter(call.kind for call in self.calls)


class AsSkillrl(TrainerConfig, frozen=True, kw_only=True):
    """A configuration without anything that skillrl doesn't have."""

    @property
    def of_preset(self) -> Preset:
        """SkillOpt's loop, without looking back."""
        return replace(PRESETS["skillopt"], look_back=False)


class AsSkillOpt(TrainerConfig, frozen=True, kw_only=True):
    """SkillOpt's loop."""

    @property
    def of_preset(self) -> Preset:
        """The preset."""
        return PRESETS["skillopt"]


def config_of(
    theirs: Mapping[str, Any], kind: type[TrainerConfig] = AsSkillrl, **sections: Mapping[str, Any]
) -> TrainerConfig:
    """Our configuration of what skillrl is told; what it doesn't have is off, unless `kind` says otherwise."""
    raw: dict[str, dict[str, Any]] = {
        section: {ours: theirs[name] for name, ours in names.items() if name in theirs}
        for section, names in KEYS.items()
    }
    for section, values in sections.items():
        raw.setdefault(section, {}).update(values)
    return msgspec.convert(raw, kind)


def train(run: Mapping[str, Any], model: ToyModel | None = None) -> OurRun:
    """One run, or what is left of it where its folder holds one."""
    folder = Path(run["folder"])
    model = model or ToyModel(folder, median=run["median"], sigma=run["sigma"], before=_killer(run))
    config = config_of(run["config"])
    env = ToyEnv(run["sizes"], seed=run["seed"])
    trainer = Trainer(config, env, optimizer=model, folder=folder / "run", wired=True)
    begun = time.perf_counter()
    summary = trainer.train()
    wall = time.perf_counter() - begun
    history = msgspec.json.decode((folder / "run" / HISTORY).read_bytes(), type=History)
    return OurRun(wall, summary, history, model.calls, folder)


def our_runs(runs: Sequence[Mapping[str, Any]], home: Path) -> list[float]:
    """The seconds of these runs, made in one process; one that is to be killed ends the process, and has none."""
    home.mkdir(parents=True, exist_ok=True)
    job = home / "runs.json"
    job.write_text(json.dumps(list(runs)), encoding="utf-8")
    command = [sys.executable, "-m", "bench.trainer_lab", str(job)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if done.returncode not in {0, KILLED}:
        raise RuntimeError(f"the training failed:\n{done.stderr}")
    return [float(line) for line in done.stdout.splitlines()]


def _killer(run: Mapping[str, Any]) -> Callable[[str, int, Prompt], None]:
    """Ends the process before the call that the run names is answered."""

    def before(kind: str, number: int, _prompt: Prompt) -> None:
        if run.get("kill") == [kind, number]:
            os._exit(KILLED)

    return before


if __name__ == "__main__":
    for one in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")):
        print(train(one).wall, flush=True)
