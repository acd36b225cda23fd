"""A toy world on which two trainers can be compared: items, target and optimizer as pure functions of what is asked.

It is imported by our side and, in the peer's own environment, by `peer_trainer.py`: the standard library only. An
item asks for a report on a topic; the target knows only what the skill's rules say; the optimizer knows the rule of
each topic, so that what it answers depends on which items it is shown and on the skill, never on the order in which it
is shown them. One topic's rule is harmful, rules learned from successes are useless, and some attempts go wrong by bad
luck, which is drawn from the item and the rules.
"""

import hashlib
import json
import random
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

SIMPLE = {"alfa": "kilo", "bravo": "lima", "charlie": "mike", "delta": "oscar"}
HARMFUL = {"golf": "nothing"}  # this rule silences the target on HARMED topics
HARMED = ("alfa", "bravo", "golf")
DOUBLE = {"echo": ("papa", "metre"), "foxtrot": ("quebec", "litre")}  # topics that need two rules
TOPICS = (*SIMPLE, *HARMFUL, *DOUBLE)
BAD_LUCK = 0.12

_ITEM = re.compile(r"\[(\w+)-(\d+)\] Report on (\w+)\.")
_RULE = re.compile(r"- (?:For|With) \w+, (?:say|add|keep) \w+\.")
_NUMBERED = re.compile(r"^\[?(\d+)[\].] .*?(- (?:For|With) \w+, (?:say|add|keep) \w+\.)", re.MULTILINE)


class Toy(NamedTuple):
    """One item: `text` is all that the target is asked."""

    id: str
    topic: str
    text: str


def items(split: str, count: int, *, seed: int) -> list[Toy]:
    """So many items of a split; their topics are drawn by the seed."""
    made: list[Toy] = []
    for number in range(count):
        topic = TOPICS[_draw("topic", str(seed), split, str(number)) % len(TOPICS)]
        name = f"{split}-{number:02}"
        made.append(Toy(name, topic, f"[{name}] Report on {topic}."))
    return made


def shown(text: str) -> list[Toy]:
    """The items that stand in a text, each once."""
    found = dict.fromkeys(_ITEM.findall(text))
    return [Toy(f"{a}-{n}", topic, f"[{a}-{n}] Report on {topic}.") for a, n, topic in found]


def rules(text: str) -> tuple[str, ...]:
    """The rules that stand in a text, each once, in one fixed order."""
    return tuple(sorted(set(_RULE.findall(text)), key=_weight))


def attempt(skill: str, text: str) -> str:
    """What the target answers to an item under a skill."""
    (item,) = shown(text)
    known = rules(skill)
    silenced = any(_say(topic, word) in known for topic, word in HARMFUL.items()) and item.topic in HARMED
    if silenced or _unlucky(item, known):
        return "I could not say."
    said = [word for word, rule in _wanted(item.topic) if rule in known]
    return " ".join(["Report:", *said]) if said else "I do not know."


def grade(topic: str, answer: str) -> tuple[int, float]:
    """Hard and soft: whether all words that the topic needs are in the answer, and which share of them."""
    have = answer.split()
    found = [word in have for word, _ in _wanted(topic)]
    return int(all(found)), sum(found) / len(found)


def learned(skill: str, evidence: str, *, failed: bool) -> str:
    """The analyst's reply: for each topic it is shown, the first rule that the skill lacks."""
    known = rules(skill)
    topics = dict.fromkeys(item.topic for item in shown(evidence))
    if failed:
        lacking = [[rule for _, rule in _wanted(topic) if rule not in known][:1] for topic in topics]
    else:
        lacking = [[rule] for topic in topics if (rule := f"- With {topic}, keep calm.") not in known]
    return _patch({rule for some in lacking for rule in some})


def merged(evidence: str) -> str:
    """The merger's reply: every rule that was proposed, once."""
    return _patch(rules(evidence))


def ranked(evidence: str) -> str:
    """The ranker's reply: the numbers of the proposed rules, weightiest first; useless ones last."""
    found = sorted(_NUMBERED.findall(evidence), key=lambda pair: _weight(pair[1]))
    return json.dumps({"reasoning": "toy", "selected_indices": [int(number) for number, _ in found]})


def sections(text: str, mark: str) -> dict[str, str]:
    """What stands under each heading of a prompt; headings begin with this mark."""
    parts = re.split(rf"^{mark} (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def under(text: str, mark: str, *beginnings: str) -> str:
    """What stands under the headings that begin like one of these."""
    return "\n".join(body for name, body in sections(text, mark).items() if name.startswith(beginnings))


def seconds(median: float, sigma: float, *asked: str) -> float:
    """How long a call takes: lognormal, the same for the same question."""
    return median * random.Random("\0".join(asked)).lognormvariate(0, sigma)


def _wanted(topic: str) -> Sequence[tuple[str, str]]:
    """The words a report on the topic needs, each with its rule."""
    if topic in DOUBLE:
        word, unit = DOUBLE[topic]
        return ((word, _say(topic, word)), (unit, f"- For {topic}, add {unit}."))
    word = (SIMPLE | HARMFUL)[topic]
    return ((word, _say(topic, word)),)


def _say(topic: str, word: str) -> str:
    return f"- For {topic}, say {word}."


def _unlucky(item: Toy, known: Collection[str]) -> bool:
    return _draw("luck", item.id, *sorted(known)) % 1000 < 1000 * BAD_LUCK


def _weight(rule: str) -> tuple[bool, str]:
    return rule.startswith("- With"), hashlib.sha256(rule.encode()).hexdigest()


def _draw(*parts: str) -> int:
    return int.from_bytes(hashlib.sha256("\0".join(parts).encode()).digest()[:6], "big")


def _patch(found: Collection[str]) -> str:
    edits = [{"op": "append", "content": rule} for rule in sorted(found, key=_weight)]
    return json.dumps({"reasoning": "toy", "edits": edits})
