"""A second simulated world for the comparison of trainers, written before anything was seen of their results in it.

The standard library only, as `peers_world.py`. Cases are to be filed by the private customs of a help desk. Each seed
draws a data set of its own: how often each custom matters (few often, many seldom), how much a case suffers without
its rule, how many cases are easy or hopeless, and how able the optimizer is.

What is otherwise than in the first world: the target starts at about half; a case needs up to three rules at once, and
luck belongs mostly to the case, not to the attempt; each rule has three wordings of unlike strength; some rules work
only beside another one, some cost other cases something; what is learned by heart helps one case of train only; a long
skill distracts. The optimizer may blame the wrong custom, say again what the skill says, replace a wording, delete a
rule, and forget or mistake which cases it learned from. In the noisy place the judge errs to both sides.
"""

import random
import re
from collections.abc import Sequence
from functools import lru_cache
from math import erf, sqrt
from typing import NamedTuple

from bench.peers_edits import Edit
from bench.peers_fresh_data import DOMAINS, HARMFUL, RULES, USELESS, case, data, spoilers, strengths
from bench.peers_fresh_optimizer import BY_HEART, Shown, Writer

PLACES = {"clean": ("clean",), "noisy": ("noisy",)}
INITIAL = "Cases come to the help desk. Name the shelf where a case is filed.\n"
WRONG = "I can't tell the shelf."
ROOM = 8  # so many rules are read with full attention, each one more costs a share of all
DISTRACTS = 0.99
COSTS = 0.01  # a rule is harmful if the skill would be better by more without it, right if it would be so much worse
MERGES = 0.6
POPULATION = 2000
_ITEM = re.compile(r"\[(train|val|test|people)-(\d+)\] Case (\d+) \((\w+)\): which shelf\?")
_HEART = re.compile(r"- The shelf of case \d+ is \d+\.")


class Asked(NamedTuple):
    """One item: its id, its domain, all that the target is asked, and the right answer."""

    id: str
    kind: str
    text: str
    answer: str


class Noise(NamedTuple):
    """How much chance there is: obedience, the judge's errors, and the shares of luck of case, skill and attempt."""

    obeys: float
    fails_right: float
    passes_wrong: float
    luck: tuple[float, float, float]


NOISE = {
    "clean": Noise(1.0, 0.0, 0.0, (0.9, 0.1, 0.0)),  # asked the same once more, the target answers the same
    "noisy": Noise(0.85, 0.05, 0.03, (0.6, 0.1, 0.3)),
}


class Model(NamedTuple):
    """Target, judge and optimizer of one run."""

    place: str
    seed: int

    def attempt(self, skill: str, text: str, *draw: object) -> str:
        """Answer the item in the text; what the judge takes for right is the right answer."""
        (item,) = shown(text)
        noise, known = NOISE[self.place], rules(skill)
        own = self._chance("attempt", known, item.text, *draw)
        hidden = case(self.seed, item.id, item.kind)
        parts = (hidden.luck, self._chance("skill", known, item.text).gauss(0, 1), own.gauss(0, 1))
        luck = sum(sqrt(share) * part for share, part in zip(noise.luck, parts, strict=True))
        right = (1 + erf(luck / sqrt(2))) / 2 < self._able(known, item)
        err = own.random()
        passes = err >= noise.fails_right if right else err < noise.passes_wrong
        return item.answer if passes else WRONG

    def propose(
        self, skill: str, failed: Sequence[Asked], done: Sequence[Asked], *draw: object, most: int, tried: str = ""
    ) -> list[Edit]:
        """Return at most so many edits, from the failed and the successful items shown."""
        bad, good = (sorted(_seen(item) for item in some) for some in (failed, done))
        chance = self._chance("propose", rules(skill), bad, good, *draw)
        writer = Writer(self.seed, rules(skill), rules(tried), chance)
        return writer.from_failures(bad, most) if bad else writer.from_successes(good)

    def merged(self, edits: Sequence[Edit], *draw: object) -> list[Edit]:
        """Merge edits: what is the same once, and mostly one wording of each custom."""
        chance = self._chance("merge", edits, *draw)
        kept: dict[tuple[str, str], Edit] = {}
        for edit in edits:
            about = {RULES.get(each.content) for each in kept.values()}
            again = edit.content in RULES and RULES[edit.content] in about
            if not (again and chance.random() < MERGES):
                kept.setdefault((edit.target, edit.content), edit)
        return list(kept.values())

    def ranked(self, found: Sequence[str], *draw: object) -> list[int]:
        """Return the places of the proposals in an order that mildly prefers what is specific."""
        chance = self._chance("rank", found, *draw)
        weight = [chance.random() + 0.3 * (not any(rule in line for rule in USELESS)) for line in found]
        return sorted(range(len(found)), key=lambda place: -weight[place])

    def quality(self, skill: str) -> float:
        """Return the expected share of right verdicts on cases like these."""
        return self._quality(rules(skill))

    def counted(self, skill: str) -> dict[str, int]:
        """Count the rules that the skill would be worse without, better without, or much the same."""
        known = rules(skill)
        full = self._quality(known)
        lost = [full - self._quality(tuple(each for each in known if each != rule)) for rule in known]
        right, harmful = sum(one > COSTS for one in lost), sum(one < -COSTS for one in lost)
        return {"right": right, "harmful": harmful, "useless": len(lost) - right - harmful}

    def _quality(self, known: tuple[str, ...]) -> float:
        noise = NOISE[self.place]
        able = sum(self._able(known, item) for item in _people(self.seed)) / POPULATION
        return able * (1 - noise.fails_right) + (1 - able) * noise.passes_wrong

    def _able(self, known: tuple[str, ...], item: Asked) -> float:
        """Return the chance that the target files this item rightly."""
        its, hidden, obeys = data(self.seed), case(self.seed, item.id, item.kind), NOISE[self.place].obeys
        able = hidden.chance * DISTRACTS ** max(0, len(known) - ROOM)
        strong = strengths(its, known)
        for topic in hidden.needs:
            able *= 1 - (1 - its.without[topic]) * (1 - obeys * strong.get(topic, 0.0))
        for factor in spoilers(its, known, hidden.needs, item.kind).values():
            able *= 1 - obeys * (1 - factor)
        seen = _seen(item)
        if BY_HEART.format(number=seen.number, shelf=seen.shelf) in known:
            able = max(able, obeys)
        return able

    def _chance(self, *draw: object) -> random.Random:
        return random.Random(repr((self.place, self.seed, *draw)))


def items(split: str, count: int, *, seed: int) -> list[Asked]:
    """Return so many items of a split."""
    chance = random.Random(repr((seed, split)))
    made: list[Asked] = []
    for number in range(count):
        name, kind = chance.randint(1000, 9999), chance.choice(DOMAINS)
        made += shown(f"[{split}-{number:02}] Case {name} ({kind}): which shelf?")
    return made


def shown(text: str) -> list[Asked]:
    """Return the items that stand in a text, each once."""
    found: dict[str, Asked] = {}
    for match in _ITEM.finditer(text):
        split, number, name, kind = match.groups()
        answer = str(int(name) * 7919 % 997)
        found[match.group(0)] = Asked(f"{split}-{number}", kind, match.group(0), answer)
    return list(found.values())


def rules(text: str) -> tuple[str, ...]:
    """Return the rules that stand in a text, each once, in their order there."""
    known = [rule for rule in (*RULES, *HARMFUL, *USELESS) if rule in text]
    return tuple(sorted({*known, *_HEART.findall(text)}, key=text.index))


def sizes(seed: int) -> dict[str, int]:
    """Return the sizes of a seed's training, and about what SkillOpt's loop takes for it in calls of both roles."""
    train, val, batch, epochs = ((32, 24, 8, 3), (48, 36, 8, 3), (60, 50, 10, 5))[seed % 3]
    budget = train // batch * epochs * (batch + val + 6) + val
    return {"train": train, "val": val, "batch": batch, "epochs": epochs, "more": 1, "budget": budget}


@lru_cache(maxsize=4)
def _people(seed: int) -> list[Asked]:
    return items("people", POPULATION, seed=seed)


def _seen(item: Asked) -> Shown:
    match = _ITEM.fullmatch(item.text)
    assert match is not None
    return Shown(item.id, item.kind, match.group(3), item.answer)
