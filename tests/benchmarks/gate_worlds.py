"""Worlds whose truth is known: what an edit does to each task, how the target answers, how the judge sees it.

Written from the promise of the gate, without its code. A world knows nothing of trials: it answers prompts.
"""

import hashlib
import math
import random
import re
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Literal, NamedTuple

from skillopt_sleep.errors import CallFailed, FailureKind, ItemError
from skillopt_sleep.prompts.grading import PASSES_FROM
from skillopt_sleep.protocols import Pool
from skillopt_sleep.records import Completion, Prompt, Score, Split, Task, Trajectory

Kind = Literal["own", "other", "learned"]
# What a rule adds to the chance that a task of this kind succeeds, which is so good without it.
Effect = Callable[[random.Random, Kind, float], float]
BATCH = 4
SAID = "I looked at the request, did what it asks for in the way the project does it, and left everything else alone."
_NORMAL = NormalDist()
_WORTH = re.compile(r"Worth ([\d.]+)")


class Rule(NamedTuple):
    """A rule that the optimizer may propose: its words, which no other rule resembles, and what it does.

    Every answer under it ends with what it `adds`.
    """

    name: str
    words: str
    effect: Effect
    adds: str = ""


class Target(NamedTuple):
    """How attempts are drawn.

    `repeats` says what an answer is a pure function of: of nothing (each sample is a draw), of the whole prompt, or of
    document and request alone; then an edit changes the answers of the share `rerolled` of the tasks. `shared` is the
    correlation of the luck of a session's tasks within one sample. A failing attempt times out with the chance `lost`,
    without and with the edit, and any attempt meets an outage with the chance `outage`. The target gets better by
    `jump` in the course of the night: at any time, or when a part of the bundle is first asked.
    """

    repeats: Literal["", "prompt", "request"] = ""
    rerolled: float = 1.0
    shared: float = 0.0
    lost: tuple[float, float] = (0.0, 0.0)
    outage: float = 0.0
    jump: float = 0.0
    jumps: Literal["any time", "at the parts"] = "any time"
    graded: bool = False


class Sight(NamedTuple):
    """How a judge errs: the noise that the answers of one call share, and what the last place in it is worth."""

    batch: float = 0.0
    place: float = 0.0


class Asked(NamedTuple):
    """A task with its kind and its chance of success under the document as it is."""

    task: Task
    kind: Kind
    base: float


class World:
    """The target of one chain of nights: a backend that answers attempts, the same question once a night."""

    def __init__(self, seed: str, rules: Sequence[Rule], target: Target, *, jump_within: int = 1) -> None:
        self.draw = random.Random(seed)
        self._seed, self._rules, self._target = seed, rules, target
        self._jump_at = self.draw.randrange(1, jump_within + 1)
        self._asked: dict[str, Asked] = {}
        self._effects: dict[str, dict[str, float]] = {}
        self._rerolled: dict[str, bool] = {}
        self._luck: dict[tuple[str, ...], float] = {}
        self._kept: dict[tuple[str, str, int], str | CallFailed] = {}
        self._failed_first: set[str] = set()
        self.val_calls = 0
        self.calls = 0

    def know(self, asked: Sequence[Asked]) -> None:
        """Draw what each rule does to these tasks, once."""
        for each in asked:
            if each.task.id in self._asked:
                continue
            self._asked[each.task.id] = each
            effects = {rule.name: rule.effect(self.draw, each.kind, each.base) for rule in self._rules}
            self._effects[each.task.id] = effects
            self._rerolled[each.task.id] = self.draw.random() < self._target.rerolled

    def begin_night(self) -> None:
        """Forget the answers of the night before: they are asked anew."""
        self._kept.clear()
        self._luck.clear()
        self._failed_first.clear()

    def complete(self, prompt: Prompt) -> Completion:
        """Answer an attempt; one that was made tonight isn't made again, as with the store's own calls."""
        key = (prompt.text, prompt.asker, prompt.sample)
        if key not in self._kept:
            self._kept[key] = self._answer(prompt)
        answer = self._kept[key]
        if isinstance(answer, CallFailed):
            raise answer
        return Completion(text=answer, model="world")

    def rules_in(self, text: str) -> tuple[str, ...]:
        """Return the names of the rules whose words stand in this text."""
        return tuple(rule.name for rule in self._rules if rule.words in text)

    def _answer(self, prompt: Prompt) -> str | CallFailed:
        asked = self._asked[prompt.asker]
        under = self.rules_in(prompt.text)
        self.calls += 1
        if asked.task.split is Split.VAL:
            self.val_calls += 1
            self._maybe_jump(under)
        chance = self._chance(asked, under)
        luck, nonce = self._drawn(asked, prompt, under)
        worth = self._worth(luck, chance)
        if asked.task.split is Split.TRAIN and not under and asked.task.id not in self._failed_first:
            # The day's request went wrong: that is why it is a task.
            self._failed_first.add(asked.task.id)
            worth = 0.0
        if self._target.outage and self.draw.random() < self._target.outage:
            return CallFailed(FailureKind.OVERLOADED, "the model is overloaded")
        if worth < 1 and self.draw.random() < self._target.lost[bool(under)]:
            return CallFailed(FailureKind.TIMED_OUT, "no answer in time")
        ends = "".join(rule.adds for rule in self._rules if rule.name in under)
        return f"Worth {worth:.3f}: {nonce}. {SAID}{ends}"

    def _maybe_jump(self, under: tuple[str, ...]) -> None:
        if self._target.jumps == "at the parts" and 0 < len(under) < len(self._rules):
            self._jump_at = min(self._jump_at, self.val_calls)

    def _chance(self, asked: Asked, under: tuple[str, ...]) -> float:
        chance = asked.base + math.fsum(self._effects[asked.task.id][name] for name in under)
        if self.val_calls >= self._jump_at:
            chance += self._target.jump
        return min(1.0, max(0.0, chance))

    def _drawn(self, asked: Asked, prompt: Prompt, under: tuple[str, ...]) -> tuple[float, str]:
        """Return a number in [0, 1) that decides the attempt, and what tells its words from others'."""
        if self._target.repeats:
            what = prompt.text
            if self._target.repeats == "request":
                what = " ".join(under) if self._rerolled[asked.task.id] else ""
            digest = hashlib.blake2b(f"{self._seed}\0{asked.task.id}\0{what}".encode(), digest_size=8).digest()
            return int.from_bytes(digest) / 2**64, digest.hex()
        nonce = f"{self.draw.getrandbits(64):x}"
        if not self._target.shared:
            return self.draw.random(), nonce
        key = (asked.task.session, str(prompt.sample), *under)
        if key not in self._luck:
            self._luck[key] = self.draw.gauss(0, 1)
        shared = self._target.shared
        both = math.sqrt(shared) * self._luck[key] + math.sqrt(1 - shared) * self.draw.gauss(0, 1)
        return _NORMAL.cdf(both), nonce

    def _worth(self, luck: float, chance: float) -> float:
        if self._target.graded:
            # A grade between 0 and 1 whose mean is the chance.
            return self.draw.betavariate(2 * chance + 0.01, 2 * (1 - chance) + 0.01)
        return float(luck < chance)


class WorldJudge:
    """Sees what an answer is worth, but for the noise of its sight; equal answers of one call are graded once."""

    def __init__(self, sight: Sight, draw: random.Random) -> None:
        self._sight, self._draw = sight, draw

    def score(self, task: Task, trajectory: Trajectory) -> Score:
        """Grade one answer."""
        return self._graded([(task, trajectory)])[0]

    def scores(
        self, answers: Sequence[tuple[Task, Trajectory]], *, pool: Pool, label: str
    ) -> Sequence[Score | ItemError]:
        """Grade in calls of a few answers, those to one task together."""
        if not self._sight.batch and not self._sight.place:
            return [_score(worth(trajectory.response)) for _, trajectory in answers]
        order = sorted(range(len(answers)), key=lambda n: answers[n][0].id)
        grades: dict[int, Score] = {}
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            self._draw.shuffle(batch)
            grades |= dict(zip(batch, self._graded([answers[n] for n in batch]), strict=True))
        return [grades[n] for n in range(len(answers))]

    def _graded(self, batch: Sequence[tuple[Task, Trajectory]]) -> list[Score]:
        noise = self._draw.gauss(0, self._sight.batch) if self._sight.batch else 0.0
        scores: list[Score] = []
        for place, (_, trajectory) in enumerate(batch):
            shift = self._sight.place * place / BATCH
            scores.append(_score(min(1.0, max(0.0, worth(trajectory.response) + noise + shift))))
        return scores


def worth(response: str) -> float:
    """Return what the world says an answer is worth; an answer of anybody else is worth nothing."""
    found = _WORTH.search(response)
    return float(found[1]) if found else 0.0


def _score(value: float) -> Score:
    return Score(
        hard=float(value >= PASSES_FROM),
        soft=value,
        why="" if value >= PASSES_FROM else "it isn't what was asked for",
    )
