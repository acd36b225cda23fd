"""Provide a toy dataset whose items want a word that the skill must name, and a scripted model that reads the skill."""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt, Purpose, Split, Usage
from skillopt_sleep.trainer import Item, Result, Trainer, TrainerConfig

WORDS = ("alpha", "beta", "gamma", "delta")
# How a configuration file names the toy dataset.
TOY_ENV = {"name": f"{__file__}:Toy", "words": list(WORDS)}
SIZES = {Split.TRAIN: 16, Split.VAL: 8, Split.TEST: 8}


class Toy(msgspec.Struct, frozen=True):
    """An answer is right if it contains the item's word."""

    sizes: dict[str, int] = {}
    name: str = "toy"
    words: tuple[str, ...] = WORDS

    def items(self, split: Split) -> Sequence[Item]:
        count = self.sizes.get(split, SIZES[split])
        return [self._item(split, n) for n in range(count)]

    def _item(self, split: Split, n: int) -> Item:
        word = self.words[n % len(self.words)]
        return Item(id=f"{split}-{n}", text=f"{split} request {n} for {word}", kind=word, data={"word": word})

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        text = f"SKILL:\n{skill}\nREQUEST:\n{item.text}"
        said = target.complete(Prompt(purpose=Purpose.ROLLOUT, text=text, sample=sample)).text
        right = item.data["word"] in said
        why = "" if right else f"it says nothing of {item.data['word']}"
        return Result(hard=float(right), soft=1.0 if right else 0.5, response=said, why=why)

    def initial_skill(self) -> str:
        return "# Skill\n"


class Scripted:
    """Answers by rules: the target says the words in the skill, reflection adds a word that an attempt lacked."""

    name = "scripted"
    version = "1"

    def __init__(self, stop: Callable[[Prompt, int], None] = lambda prompt, number: None, delay: Any = None) -> None:
        self.prompts: list[Prompt] = []
        self._stop, self._delay = stop, delay

    def complete(self, prompt: Prompt) -> Completion:
        self.prompts.append(prompt)
        self._stop(prompt, len(self.prompts))
        if self._delay:
            time.sleep(self._delay(prompt))
        text = self._answer(prompt)
        usage = Usage(input_tokens=len(prompt.text) // 4, output_tokens=len(text) // 4)
        return decoded(prompt, Completion(text=text, usage=usage, usd=0.001, model=self.name))

    def counts(self) -> Counter[str]:
        return Counter(prompt.purpose.value for prompt in self.prompts)

    def keys(self) -> list[tuple[str, str, int, str]]:
        """Return the question and asker of each call."""
        return [(prompt.purpose, str(prompt.text), prompt.sample, prompt.asker) for prompt in self.prompts]

    def _answer(self, prompt: Prompt) -> str:
        attempts = re.sub(r"^- step \d+: \d+ of .*$", "", prompt.text, flags=re.MULTILINE)  # not of earlier steps
        lacking = sorted(set(re.findall(r"it says nothing of (\w+)", attempts)))
        match prompt.purpose:
            case Purpose.ROLLOUT:
                skill, request = prompt.text.split("\nREQUEST:\n")
                return f"{request.split(' for ')[0]}: " + " ".join(re.findall(r"Say (\w+)\.", skill))
            case Purpose.PREFLIGHT:
                return "ready"
            case Purpose.REFLECT | Purpose.REFLECT_DEEP:
                return json.dumps({"edits": [_edit(word) for word in lacking]})
            case Purpose.AGGREGATE:
                found = dict.fromkeys(re.findall(r"append '': - (Say \w+\.)", prompt.text))
                return json.dumps({"edits": [_edit(rule[4:-1]) for rule in found]})
            case Purpose.SELECT:
                return json.dumps({"selected_indices": [0]})
            case Purpose.BUDGET:
                return json.dumps({"edit_budget": 1})
            case Purpose.DIAGNOSE:
                return json.dumps({"causes": []})
            case Purpose.REWRITE | Purpose.REWRITE_FULL:
                body = re.search(r"# Editable part of the instructions\n`+\n(.*?)\n`+\n", prompt.text, re.DOTALL)
                rules = [*re.findall(r"- (Say \w+\.)", prompt.text), *(f"Say {word}." for word in lacking)]
                lines = dict.fromkeys([*(body[1] if body else "").splitlines(), *(f"- {rule}" for rule in rules)])
                return json.dumps({"body": "\n".join(lines)})
            case Purpose.SLOW_UPDATE:
                return json.dumps({"guidance": f"Mind {' '.join(lacking) or 'the words'}."})
            case Purpose.META_SKILL:
                return json.dumps({"notes": "Words help."})
            case _:
                raise AssertionError(prompt.purpose)


class Late(Scripted):
    """Only the guidance at the end of the last epoch helps."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.SLOW_UPDATE:
            return '{"guidance": "Say beta. Say gamma. Say delta."}'
        if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE}:
            return '{"edits": [{"op": "append", "content": "- Say alpha."}]}'
        return super()._answer(prompt)


def _edit(word: str) -> dict[str, str]:
    return {"op": "append", "content": f"- Say {word}."}


def a_config(preset: str = "skillopt", **sections: dict[str, Any]) -> TrainerConfig:
    """Configure two epochs of two steps, with one edit per step, in SkillOpt's own loop."""
    raw: dict[str, dict[str, Any]] = {
        "train": {"epochs": 2, "batch_size": 8, "seed": 7},
        "gradient": {"minibatch": 4},
        "optimizer": {"edit_budget": 1, "min_edit_budget": 1, "schedule": "constant"},
    }
    for name, keys in sections.items():
        raw[name] = raw.get(name, {}) | keys
    return msgspec.convert({"preset": preset, **raw}, TrainerConfig)


def a_trainer(folder: Path, model: Scripted | None = None, *, workers: int = 4, **fields: Any) -> Trainer:
    """Create a trainer for the toy, whose notices are told elsewhere unless `wired` is False."""
    given: dict[str, Any] = {
        "config": fields.pop("config", None) or a_config(),
        "env": fields.pop("env", None) or Toy(),
        "optimizer": model or Scripted(),
        "pool": ThreadPool(workers, lambda label, done, total: None),
        "folder": folder,
        "wired": True,
    }
    return Trainer(**(given | fields))


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Read all files of a run that mustn't depend on timing."""
    own = {"calls.db", "calls.db-wal", "calls.db-shm", "run.lock", "answers.db"}
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and p.name not in own
    }
