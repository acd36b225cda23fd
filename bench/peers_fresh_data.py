"""The data sets of the second simulated world of trainers: what a seed's cases are like, and what each rule does there.

The standard library only, as `peers_world_fresh.py`, which says what the world is about.
"""

import random
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

TOPICS = {
    "refunds": "attach the ledger page",
    "parcels lost at sea": "quote the bill of lading",
    "expired passwords": "leave the old one in the margin",
    "broken hinges": "count them from the left",
    "gift vouchers": "halve the face value",
    "night shifts": "use the moon calendar",
    "twins with one account": "file under the elder",
    "untranslated letters": "keep the original spelling",
    "warranty of batteries": "start at the day of charging",
    "anonymous praise": "stamp it green",
    "duplicate invoices": "strike the lower number",
    "visitors from abroad": "write the surname last",
}
WORDINGS = (
    "- For {topic}, {action}.",
    "- Remember to {action} if a case mentions {topic}.",
    "- As to {topic}: it may be best to {action}.",
)
POTENCIES = (0.97, 0.75, 0.45)
RULES = {
    wording.format(topic=topic, action=action): topic for topic, action in TOPICS.items() for wording in WORDINGS
}
HARMFUL = (
    "- File first and read the case afterwards.",
    "- Shorten every reply to a single word.",
    "- Use last year's shelf plan throughout.",
    "- Ignore whatever stands in brackets.",
    "- Assume that all customers are companies.",
    "- Convert each amount into dollars.",
    "- Skip cases that look like repetitions.",
    "- Put the date of today on everything.",
    "- Ask a colleague before you decide.",
    "- Answer in the language of the sender's country.",
)
USELESS = (
    "- Be careful and work step by step.",
    "- Double-check the result before replying.",
    "- Keep the customer's point of view in mind.",
    "- Pay close attention to every detail.",
    "- Make sure that nothing was overlooked.",
    "- Stay polite, even under pressure.",
    "- Consider edge cases and exceptions.",
    "- Use consistent terms in all replies.",
    "- Think about what the case is really asking.",
    "- Follow the instructions as closely as possible.",
    "- Aim for clarity and precision.",
    "- Re-read these guidelines from time to time.",
    "- Treat similar cases in a similar way.",
    "- Be thorough without being slow.",
)
DOMAINS = ("billing", "shipping", "accounts", "repairs")


class Data(NamedTuple):
    """What a seed's data set is like."""

    able: float  # the chance that the optimizer, seeing a cause, writes a rule that mends it
    easy: float  # the share of cases that need no rule
    hopeless: float  # the share of cases that hardly anything helps
    often: Mapping[str, float]
    without: Mapping[str, float]  # the factor of a case's chance if the rule of this custom is missing
    potency: Mapping[str, float]  # how much of that a rule makes good
    beside: Mapping[str, str]  # customs whose rule works only beside the rule of another
    spoils: Mapping[str, Mapping[str, float]]  # by custom or harmful rule: the factor for cases of a custom or domain


class Case(NamedTuple):
    """What nobody is shown of an item: the customs it needs, its chance with all of them, and its own luck."""

    needs: tuple[str, ...]
    chance: float
    luck: float


@lru_cache(maxsize=64)
def data(seed: int) -> Data:
    """Draw the data set of a seed."""
    chance = random.Random(repr((seed, "data")))
    topics = list(TOPICS)
    chance.shuffle(topics)
    steep = chance.uniform(0.8, 1.6)
    potency: dict[str, float] = {}
    for topic in TOPICS:
        wordings = [rule for rule, about in RULES.items() if about == topic]
        potency |= zip(wordings, chance.sample(POTENCIES, 3), strict=True)
    return Data(
        able=chance.uniform(0.25, 0.5),
        easy=chance.uniform(0.2, 0.45),
        hopeless=chance.uniform(0.04, 0.15),
        often={topic: 1 / rank**steep for rank, topic in enumerate(topics, start=1)},
        without={topic: chance.uniform(0.05, 0.6) for topic in topics},
        potency=potency,
        beside={topics[3]: topics[0], topics[6]: topics[2]},
        spoils=_spoils(topics, chance),
    )


@lru_cache(maxsize=20000)
def case(seed: int, item: str, kind: str) -> Case:
    """Draw what is behind an item."""
    its, chance = data(seed), random.Random(repr((seed, "case", item)))
    needs: list[str] = []
    if chance.random() >= its.easy:
        favoured = list(TOPICS)[DOMAINS.index(kind) :: len(DOMAINS)]
        weights = [weight * (2.0 if topic in favoured else 1.0) for topic, weight in its.often.items()]
        count = chance.choices((1, 2, 3), (0.58, 0.32, 0.1))[0]
        needs = chance.choices(list(its.often), weights, k=count)
    hopeless = chance.random() < its.hopeless
    best = 0.04 if hopeless else chance.betavariate(7, 0.8)
    return Case(tuple(dict.fromkeys(needs)), best, chance.gauss(0, 1))


def strengths(its: Data, known: tuple[str, ...]) -> dict[str, float]:
    """Return how well a skill with these rules covers each custom: by its strongest wording that can work."""
    strong: dict[str, float] = {}
    for rule in known:
        topic = RULES.get(rule)
        if topic is not None:
            strong[topic] = max(strong.get(topic, 0.0), its.potency[rule])
    return {topic: value for topic, value in strong.items() if its.beside.get(topic, topic) in strong}


def spoilers(its: Data, known: tuple[str, ...], needs: tuple[str, ...], kind: str) -> dict[str, float]:
    """Return what in a skill spoils a case, with the factor: rules by themselves, customs by name."""
    found: dict[str, float] = {}
    for cause in dict.fromkeys(RULES.get(rule, rule) for rule in known):
        for victim, factor in its.spoils.get(cause, {}).items():
            if victim in needs or victim == kind:
                found[cause] = found.get(cause, 1.0) * factor
    return found


def _spoils(topics: list[str], chance: random.Random) -> dict[str, Mapping[str, float]]:
    """Draw what three of the right rules cost other cases, and whom the harmful ones hurt: some, or all a little."""
    spoils: dict[str, Mapping[str, float]] = {}
    for topic, victim in zip(topics[1::4], topics[0::4], strict=True):
        spoils[topic] = {victim: chance.uniform(0.4, 0.8)}
    for rank, rule in enumerate(chance.sample(HARMFUL, len(HARMFUL))):
        if rank < 6:
            spoils[rule] = dict.fromkeys(chance.sample(topics[:8], 2), 0.3)
        elif rank < 8:
            spoils[rule] = {chance.choice(DOMAINS): 0.6}
        else:
            spoils[rule] = dict.fromkeys(DOMAINS, 0.9)
    return spoils
