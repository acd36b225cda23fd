"""A simulated world on which three trainers are compared: private date formats, a noisy target, a fallible optimizer.

It is imported by our side and, in the peers' own environments, by `peer_skillrl.py` and `peer_gepa.py`: the standard
library only. `peers_world_fresh.py` is another one, with the same functions. An item asks for a date in one of eight private formats. The target knows a format only if the skill has
its rule, obeys each rule with the probability `obeys`, and answers wrongly all the same with the probability `noise`.
A harmful rule spoils two formats if it is obeyed. The optimizer proposes an edit for each format that it sees fail:
the right rule 45 %, a harmful one 20 %, a useless one 35 % of the time. Each answer is a draw of its own, which
depends on nothing but the seed, the question, and how often it was asked before.
"""

import random
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from bench.peers_edits import Edit

PLACES = {"clean": (1.0, 0.0), "noisy": (0.85, 0.05)}
FORMATS = {
    "amber": ("day, month and year with dots between them", "{d:02}.{m:02}.{y}"),
    "birch": ("the year first and slashes as separators", "{y}/{m:02}/{d:02}"),
    "cedar": ("two digits of the year behind an apostrophe", "{d}-{m}-'{y2:02}"),
    "dune": ("an underscore wherever others have a hyphen", "{y}_{m:02}_{d:02}"),
    "elm": ("everything run together without any separator", "{y}{m:02}{d:02}"),
    "fern": ("a capital D, M and Y before its number", "D{d}M{m}Y{y}"),
    "grove": ("colons, and the month ahead of the day", "{m:02}:{d:02}:{y}"),
    "heath": ("round brackets around the whole of it", "({d} {m} {y})"),
}
RIGHT = {name: f"- In {name}, write {how}." for name, (how, _) in FORMATS.items()}
HARMFUL = {
    "- Spell out each month in full, whoever asks.": ("amber", "grove"),
    "- Round to the nearest week before you answer.": ("birch", "heath"),
    "- Answer with a whole sentence and a greeting.": ("cedar", "elm"),
    "- Count years from the founding of the archive.": ("dune", "fern"),
    "- Leave out whatever looks redundant to you.": ("amber", "elm"),
    "- Swap the first two numbers for safety.": ("birch", "fern"),
}
USELESS = (
    "- Read the request twice before answering.",
    "- Keep a calm and friendly tone throughout.",
    "- Remember that February is a short month.",
    "- Consider who might be going to use this.",
    "- Double-check the spelling of proper names.",
    "- Never be afraid of asking for more context.",
    "- Prefer well-known sources over obscure ones.",
    "- Think about leap years where they matter.",
    "- Note that archives are closed on Mondays.",
    "- Treat every inquiry with the same attention.",
    "- Mention nothing about the weather.",
    "- Be mindful of other calendars, too.",
)
KNOWN = (*RIGHT.values(), *HARMFUL, *USELESS)
INITIAL = "Dates are asked for by the name of a format.\n"
WRONG = "I do not know this format."
_ITEM = re.compile(r"\[(train|val|test)-(\d+)\] Write (\d+)-(\d+)-(\d+) in (\w+)\.")


class Asked(NamedTuple):
    """One item: its id, its format, all that the target is asked, and the right answer."""

    id: str
    kind: str
    text: str
    answer: str


class Model(NamedTuple):
    """The model of one run: how often the target obeys a rule, how often it errs anyway, and the run's seed."""

    obeys: float
    noise: float
    seed: int

    def attempt(self, skill: str, text: str, *draw: object) -> str:
        """Answer the item in the text under this skill."""
        (item,) = shown(text)
        chance = self._chance("attempt", skill, item.text, *draw)
        known = rules(skill)
        obeyed = [rule for rule in known if chance.random() < self.obeys]
        spoiled = any(item.kind in HARMFUL.get(rule, ()) for rule in obeyed)
        if RIGHT[item.kind] not in obeyed or spoiled or chance.random() < self.noise:
            return WRONG
        return item.answer

    def propose(
        self, skill: str, failed: Sequence[Asked], done: Sequence[Asked], *draw: object, most: int, tried: str = ""
    ) -> list[Edit]:
        """Return at most so many rules to add, from the formats of the failed and of the successful items shown."""
        del tried  # it never learns
        bad, good = ([item.kind for item in some] for some in (failed, done))
        chance = self._chance("propose", skill, sorted(bad), sorted(good), *draw)
        known = set(rules(skill))
        found: dict[str, str] = {}
        for kind in _shuffled(set(bad), chance):
            rule = self._rule(chance, known, right=RIGHT[kind])
            if rule:
                found.setdefault(rule, kind)
        if not bad:
            for kind in _shuffled(set(good), chance)[:1]:
                rule = self._rule(chance, known, right="")
                if rule:
                    found.setdefault(rule, kind)
        named = {rule: tuple(item.id for item in (*failed, *done) if item.kind == found[rule]) for rule in found}
        return [Edit(rule, named[rule]) for rule in found][:most]

    def merged(self, edits: Sequence[Edit], *draw: object) -> list[Edit]:
        """Return each proposed rule once, in a fixed order."""
        del draw
        rules_once = {edit.content for edit in edits}
        return [Edit(rule) for rule in KNOWN if rule in rules_once]

    def ranked(self, found: Sequence[str], *draw: object) -> list[int]:
        """Return the places of the proposals, each a line with one rule, in an order of its own."""
        proposed = sorted(rule for line in found for rule in rules(line))
        return _shuffled(range(len(found)), self._chance("rank", proposed, *draw))

    def quality(self, skill: str) -> float:
        """Return the exact expected accuracy of a skill, over formats that are asked for alike."""
        known = rules(skill)
        total = 0.0
        for kind, right in RIGHT.items():
            if right in known:
                spoilers = [rule for rule in known if kind in HARMFUL.get(rule, ())]
                total += self.obeys * (1 - self.obeys) ** len(spoilers) * (1 - self.noise)
        return total / len(RIGHT)

    def counted(self, skill: str) -> dict[str, int]:
        """Count the right, harmful and useless rules in a skill."""
        known = rules(skill)
        return {
            "right": sum(rule in RIGHT.values() for rule in known),
            "harmful": sum(rule in HARMFUL for rule in known),
            "useless": sum(rule in USELESS for rule in known),
        }

    def _rule(self, chance: random.Random, known: Collection[str], *, right: str) -> str:
        """Draw one rule that the skill doesn't have yet, or "": there is no right one to be drawn twice."""
        kind = chance.random()
        if kind < 0.45:
            return "" if right in known else right
        pool = list(HARMFUL) if kind < 0.65 else list(USELESS)
        unknown = [rule for rule in pool if rule not in known]
        return chance.choice(unknown) if unknown else ""

    def _chance(self, *draw: object) -> random.Random:
        return random.Random(repr((self.seed, *draw)))


def items(split: str, count: int, *, seed: int) -> list[Asked]:
    """Return so many items of a split; their dates and formats are drawn by the seed."""
    chance = random.Random(repr((seed, split)))
    made: list[Asked] = []
    for number in range(count):
        year, month, day = chance.randint(1900, 2099), chance.randint(1, 12), chance.randint(1, 28)
        kind = chance.choice(list(FORMATS))
        made += shown(f"[{split}-{number:02}] Write {year}-{month}-{day} in {kind}.")
    return made


def shown(text: str) -> list[Asked]:
    """Return the items that stand in a text, each once."""
    found: list[Asked] = []
    for match in dict.fromkeys(match.group(0) for match in _ITEM.finditer(text)):
        parts = _ITEM.fullmatch(match)
        assert parts is not None
        split, number, year, month, day, kind = parts.groups()
        filled = FORMATS[kind][1].format(y=int(year), y2=int(year) % 100, m=int(month), d=int(day))
        found.append(Asked(f"{split}-{number}", kind, match, filled))
    return found


def rules(text: str) -> tuple[str, ...]:
    """Return the rules that stand in a text, each once, in one fixed order."""
    return tuple(rule for rule in KNOWN if rule in text)


def sizes(seed: int) -> dict[str, int]:
    """Return the sizes of a training, the same for all seeds, and about what SkillOpt's loop takes for it in calls."""
    del seed
    return {"train": 32, "val": 24, "batch": 8, "epochs": 3, "more": 0, "budget": 480}


def _shuffled(values: Collection[int] | Collection[str], chance: random.Random) -> list:
    order = sorted(values)
    chance.shuffle(order)
    return order
