"""How alike two tasks are: whether they are the same wish again, whatever the words.

One name that the model miner gave both decides; else what the person wished: the checks where there are any, else the
words of their corrections. The request decides alone only where these name no wish ("no, wrong"). No model is asked.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rapidfuzz import fuzz

from skillopt_sleep.mining.lexicon import MEANING, SOFT
from skillopt_sleep.mining.meanings import OBJECT, WORD, Feature, features
from skillopt_sleep.records import Check, Checks, Op, Rubric, Task

SAME = 0.54
"""From here on two tasks are the same wish; chosen on the dev scenes of tests/mining/likeness.toml."""

NO_WISH = 0.9  # a correction that weighs less says nothing but that something was wrong
SAME_REQUEST = 0.6  # where neither correction names a wish; where one does, the requests must be equal
REQUEST_SHARE = 0.25
CONTRAST = 0.8  # what each side says and the other doesn't weighs so much against what both say
REMAINDER = 0.1  # and so much where only one side says more
AVOIDED_TOO = 0.3  # where both want one thing, what else each avoids says little
ONLY_TOLD = 0.8  # what one side wants or avoids, and the other only tells of
LONE_NUMBER = 1.0  # a number that only one of them names
AGREED = 1.3  # they contradict each other where more than so much of what they agree on is turned round
OTHER_WANTED = 0.7
OTHER_TARGET = 0.6
OTHER_KIND = 0.5  # a wish about "it" is another one where "it" is another kind of thing
ALIKE = 0.3
SAME_SPELLING = 86.0
SHORTEST_SPELLING = 5
KINDS = frozenset(
    {"=commit", "=pullrequest", "=changelog", "=release", "=standup", "=readme", "=migration", "=mail", "=docstring"}
    | {"=question", "=test"}
)

_FILE = re.compile(r"/|\.[a-z]{1,4}$")
_NUMBER = re.compile(r"v?\d[\d.]*")


@dataclass(frozen=True, slots=True)
class Profile:
    """What is compared of a task."""

    wish: Mapping[str, Feature]
    request: Mapping[str, Feature]
    checks: frozenset[Check]
    said: str
    asked: str
    lesson: str

    @property
    def has_wish(self) -> bool:
        """Whether the corrections or the checks say what is wanted."""
        return bool(self.checks) or _weight(self.wish) >= NO_WISH

    @property
    def keys(self) -> frozenset[str]:
        """What a task must share with another to be anything like it."""
        always = [f"! {self.asks}", *([f"# {self.lesson}"] if self.lesson else [])]
        if not self.has_wish:
            return frozenset((*always, *(f"? {key}" for key in _telling(self.request))))
        return frozenset((*always, *_telling(self.wish), *(f"{check.op} {check.arg}" for check in self.checks)))

    @property
    def asks(self) -> str:
        """What the request is about, the same for requests that differ in little words only."""
        return " ".join(sorted(_telling(self.request))) or self.asked


def profile(task: Task) -> Profile:
    """The profile of a task; equal words give equal profiles."""
    said = "\n".join(evidence.quote for evidence in task.evidence)
    wish = {feature.key: feature for feature in features(said)}
    if _weight(wish) < NO_WISH and isinstance(task.reference, Rubric) and not _quotes(task.reference.text, task):
        wish = {feature.key: feature for feature in features(task.reference.text)}
    checks = task.reference.items if isinstance(task.reference, Checks) else ()
    request = {feature.key: feature for feature in features(task.prompt)}
    return Profile(
        wish={**{key: _in_place(feature, request) for key, feature in wish.items()}, **_checked(checks)},
        request={key: _told(feature) for key, feature in request.items()},
        checks=frozenset(Check(op=c.op, arg=" ".join(c.arg.casefold().split()), section=c.section) for c in checks),
        said=" ".join(said.casefold().split()),
        asked=" ".join(task.prompt.casefold().split()),
        lesson=" ".join(task.lesson.casefold().split()).rstrip("."),
    )


def likeness(one: Profile, other: Profile) -> float:
    """How alike they are, from 0 to 1; 0 where they contradict each other."""
    if contradicts(one, other):
        return 0.0
    if _one_lesson(one, other):
        return 1.0
    if one.checks and one.checks == other.checks:
        return 1.0
    request = 1.0 if one.asked == other.asked else _overlap(one.request, other.request)
    if not (one.has_wish and other.has_wish):
        same = one.asks == other.asks if one.has_wish or other.has_wish else request >= SAME_REQUEST
        return SAME + (1 - SAME) * max(request - SAME_REQUEST, 0.0) if same else 0.0
    wish = 1.0 if one.said and one.said == other.said else _overlap(one.wish, other.wish)
    if _about_it(one) and _about_it(other) and _other_kind(one, other):
        wish *= OTHER_KIND
    if _other_target(one.wish, other.wish, alike=request >= ALIKE):
        wish *= OTHER_TARGET
    wish *= OTHER_WANTED if _wants_another(one.wish, other.wish) else 1.0
    return (1 - REQUEST_SHARE) * wish + REQUEST_SHARE * request


def contradicts(one: Profile, other: Profile) -> bool:
    """Whether one wants what the other doesn't: by their checks, or by most of what both speak of."""
    if _opposed(one.checks, other.checks) or _opposed(other.checks, one.checks):
        return True
    alike = _one_lesson(one, other)
    mine, theirs = _numbers(one.wish), _numbers(other.wish)
    if mine and theirs and not mine & theirs and not alike:
        return True
    against = agreed = 0.0
    turned: set[int] = set()
    for key, feature in one.wish.items():
        there = other.wish.get(key)
        if there and min(feature.weight, there.weight) > SOFT:
            if there.sign * feature.sign < 0 and key[0] == "~" and not alike:
                return True
            if there.sign * feature.sign < 0:
                against += min(feature.weight, there.weight)
                turned.add(feature.sign)
            elif there.sign and feature.sign:
                agreed += min(feature.weight, there.weight)
    # Words about one lesson are turned round by chance; "tabs, not spaces" and "spaces, not tabs" both ways.
    return against > AGREED * agreed and (not alike or len(turned) > 1)


def _one_lesson(one: Profile, other: Profile) -> bool:
    return bool(one.lesson) and one.lesson == other.lesson


def _in_place(feature: Feature, request: Mapping[str, Feature]) -> Feature:
    """What the request is about anyway says little in the wish: the kind of thing, a file."""
    incidental = feature.key in request and (feature.key in KINDS or _FILE.search(feature.key))
    return feature._replace(weight=min(feature.weight, SOFT)) if incidental else feature


def _told(feature: Feature) -> Feature:
    """A feature of a request: nothing is unwanted there, and numbers and versions come and go."""
    number = _NUMBER.fullmatch(feature.key)
    return feature._replace(sign=0, weight=SOFT if number else feature.weight)


def _checked(checks: tuple[Check, ...]) -> dict[str, Feature]:
    """What checks want and avoid."""
    signs = {Op.CONTAINS: 1, Op.SECTION_CONTAINS: 1, Op.TOOL_CALLED: 1, Op.NOT_CONTAINS: -1}
    return {
        feature.key: Feature(feature.key, signs[check.op], max(feature.weight, MEANING))
        for check in checks
        if check.op in signs
        for feature in features(f"`{check.arg}`")
    }


def _opposed(one: frozenset[Check], other: frozenset[Check]) -> bool:
    wanted = {check.arg for check in one if check.op in {Op.CONTAINS, Op.SECTION_CONTAINS, Op.TOOL_CALLED}}
    avoided = {check.arg for check in other if check.op is Op.NOT_CONTAINS}
    most = [int(check.arg) for check in one if check.op is Op.MAX_CHARS and check.arg.isdecimal()]
    least = [int(check.arg) for check in other if check.op is Op.MIN_CHARS and check.arg.isdecimal()]
    return bool(wanted & avoided) or bool(most and least and min(most) < max(least))


def _numbers(said: Mapping[str, Feature]) -> set[str]:
    """The numbers that are wanted or told of."""
    return {key for key, feature in said.items() if feature.sign >= 0 and _NUMBER.fullmatch(key)}


def _overlap(one: Mapping[str, Feature], other: Mapping[str, Feature]) -> float:
    """The share of what both say, by weight."""
    both = against = 0.0
    left: list[Feature] = []
    right = dict(other)
    shared = False
    for key, feature in one.items():
        there = right.pop(key, None)
        if there is None:
            left.append(feature)
        elif there.sign * feature.sign >= 0:
            share = 1.0 if there.sign == feature.sign else ONLY_TOLD
            both += share * (there.weight + feature.weight) / 2
            shared |= min(there.sign, feature.sign) > 0 and min(there.weight, feature.weight) >= WORD
        else:
            against += (there.weight + feature.weight) / 2
    rest = 0.0
    for feature in left:
        twin = next((there for there in right.values() if _same_spelling(feature, there)), None)
        if twin is None:
            rest += _left(feature, shared=shared)
        else:
            del right[twin.key]
            both += (twin.weight + feature.weight) / 2
    if not both:
        return 0.0
    over = sum(_left(feature, shared=shared) for feature in right.values())
    numbers = any(_NUMBER.fullmatch(feature.key) for feature in (*left, *right.values()) if feature.weight > SOFT)
    apart = CONTRAST * min(rest, over) + REMAINDER * abs(rest - over) + numbers * LONE_NUMBER + CONTRAST * against
    return both / (both + apart)


def _left(feature: Feature, *, shared: bool) -> float:
    return feature.weight * (AVOIDED_TOO if shared and feature.sign < 0 else 1.0)


def _same_spelling(one: Feature, other: Feature) -> bool:
    a, b = one.key, other.key
    if one.sign * other.sign < 0 or min(len(a), len(b)) < SHORTEST_SPELLING or a[0] in "=~" or b[0] in "=~":
        return False
    return a.startswith(b) or b.startswith(a) or fuzz.ratio(a, b) >= SAME_SPELLING


def _about_it(one: Profile) -> bool:
    """Whether the wish is only about the shape of "it"."""
    return all(
        feature.weight <= SOFT or key[0] == "~" or key in {"=bullets", "=prose"} for key, feature in one.wish.items()
    )


def _other_target(one: Mapping[str, Feature], other: Mapping[str, Feature], *, alike: bool) -> bool:
    """Whether both ask for one shape, but of different things."""
    shared = {key for key in one.keys() & other.keys() if min(one[key].weight, other[key].weight) >= WORD}
    if not shared or any(key[0] != "~" for key in shared):
        return False
    rest = [[said[key] for key in _telling(said) if key[0] != "~"] for said in (one, other)]
    if not alike and any(sum(feature.weight for feature in said) >= MEANING for said in rest):
        return True
    return all(sum(feature.weight for feature in said if feature.sign >= 0) >= MEANING for said in rest)


def _wants_another(one: Mapping[str, Feature], other: Mapping[str, Feature]) -> bool:
    """Whether each names something it wants, and none of it is the same."""
    both_avoid = any(feature.sign < 0 and key in other and other[key].sign < 0 for key, feature in one.items())
    mine, theirs = (
        {
            key
            for key, feature in said.items()
            if feature.sign > 0 and feature.weight >= (WORD if both_avoid else OBJECT)
        }
        for said in (one, other)
    )
    return bool(mine and theirs) and not mine & other.keys() and not theirs & one.keys()


def _other_kind(one: Profile, other: Profile) -> bool:
    kinds, others = KINDS & one.request.keys(), KINDS & other.request.keys()
    return bool(kinds and others) and not kinds & others


def _telling(said: Mapping[str, Feature]) -> list[str]:
    return [key for key, feature in said.items() if feature.weight > SOFT]


def _weight(said: Mapping[str, Feature]) -> float:
    return sum(feature.weight for feature in said.values())


def _quotes(text: str, task: Task) -> bool:
    """Whether a rubric only repeats the corrections."""
    return any(evidence.quote.strip() and evidence.quote in text for evidence in task.evidence)
