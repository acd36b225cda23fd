"""Measure how alike two tasks are: whether both express the same wish, even in different words.

If a model gave both the same lesson, that decides; else what the person wished: the checks if there are any, else the
words of the corrections. The requests decide alone only if the corrections name no wish ("no, wrong"). No model is
asked.
"""

from collections.abc import Iterable, Iterator, Mapping

from rapidfuzz import fuzz

from skillopt_sleep.mining.lexicon import MEANING, SOFT
from skillopt_sleep.mining.meanings import OBJECT, WORD, Feature, weight_of
from skillopt_sleep.mining.profile import KINDS, NUMBER, Profile, telling_keys
from skillopt_sleep.records import Check, Op

SAME = 0.54
"""From this likeness on two tasks are the same wish; chosen on the dev scenes of tests/mining/likeness.toml."""

SAME_REQUEST = 0.6  # if neither correction names a wish; if one does, the requests must be equal
REQUEST_SHARE = 0.25
CONTRAST = 0.8  # the weight of what each side says and the other doesn't, against what both say
REMAINDER = 0.1  # and of what only one side says more
AVOIDED_TOO = 0.3  # if both want the same thing, whatever else each avoids says little
ONLY_TOLD = 0.8  # one side wants or avoids it, the other only mentions it
LONE_NUMBER = 1.0  # a number that only one of them names
AGREED = 1.3  # a contradiction: they disagree on more than this many times what they agree on
OTHER_WANTED = 0.7
OTHER_TARGET = 0.6
OTHER_KIND = 0.5  # a wish about "it" is another wish if "it" is another kind of thing
ALIKE = 0.3
SAME_SPELLING = 86.0
SHORTEST_SPELLING = 5

_WANTS = frozenset({Op.CONTAINS, Op.SECTION_CONTAINS, Op.TOOL_CALLED})


def likeness(one: Profile, other: Profile) -> float:
    """Return how alike two tasks are, from 0 to 1; 0 if they contradict each other."""
    if contradicts(one, other):
        return 0.0
    if _have_one_lesson(one, other):
        return 1.0
    if one.checks and one.checks == other.checks:
        return 1.0
    request = 1.0 if one.prompt == other.prompt else _overlap(one.request, other.request)
    if not (one.has_wish and other.has_wish):
        return _likeness_by_request(one, other, request)
    wish = _likeness_of_wishes(one, other, alike=request >= ALIKE)
    return (1 - REQUEST_SHARE) * wish + REQUEST_SHARE * request


def contradicts(one: Profile, other: Profile) -> bool:
    """Tell whether one wants what the other doesn't: by their checks, or in most of what both speak of."""
    if _checks_exclude(one.checks, other.checks) or _checks_exclude(other.checks, one.checks):
        return True
    one_lesson = _have_one_lesson(one, other)
    if not one_lesson and _name_other_numbers(one, other):
        return True
    against = agreed = 0.0
    opposed_signs: set[int] = set()
    for feature, twin in _telling_pairs(one.wish, other.wish):
        weight = min(feature.weight, twin.weight)
        if feature.sign * twin.sign > 0:
            agreed += weight
        elif feature.sign * twin.sign < 0:
            if _is_scale(feature.key) and not one_lesson:
                return True
            against += weight
            opposed_signs.add(feature.sign)
    if against <= AGREED * agreed:
        return False
    # Words about one lesson may differ in sign by chance; "tabs, not spaces" and "spaces, not tabs" differ both ways.
    return not one_lesson or len(opposed_signs) > 1


def _telling_pairs(one: Mapping[str, Feature], other: Mapping[str, Feature]) -> Iterator[tuple[Feature, Feature]]:
    """Yield the features that both texts share, in each text's version, without insignificant ones."""
    for key, feature in one.items():
        twin = other.get(key)
        if twin and min(feature.weight, twin.weight) > SOFT:
            yield feature, twin


def _have_one_lesson(one: Profile, other: Profile) -> bool:
    return bool(one.wording) and one.wording == other.wording


def _likeness_by_request(one: Profile, other: Profile, request: float) -> float:
    """Return how alike two tasks are of which at least one names no wish."""
    if one.has_wish or other.has_wish:
        if one.subject != other.subject:
            return 0.0
    elif request < SAME_REQUEST:
        return 0.0
    return SAME + (1 - SAME) * max(request - SAME_REQUEST, 0.0)


def _likeness_of_wishes(one: Profile, other: Profile, *, alike: bool) -> float:
    """Return how alike the wishes of two tasks are; `alike` if their requests are similar."""
    wish = _overlap(one.wish, other.wish)
    if one.corrections and one.corrections == other.corrections:
        wish = 1.0
    if _is_about_shape(one) and _is_about_shape(other) and _have_other_kinds(one, other):
        wish *= OTHER_KIND
    if _have_other_targets(one.wish, other.wish, alike=alike):
        wish *= OTHER_TARGET
    if _want_other_things(one.wish, other.wish):
        wish *= OTHER_WANTED
    return wish


def _checks_exclude(one: frozenset[Check], other: frozenset[Check]) -> bool:
    """Tell whether an answer that passes one side's checks fails the other's."""
    wanted = {check.arg for check in one if check.op in _WANTS}
    avoided = {check.arg for check in other if check.op is Op.NOT_CONTAINS}
    if wanted & avoided:
        return True
    most = _lengths(one, Op.MAX_CHARS)
    least = _lengths(other, Op.MIN_CHARS)
    return bool(most and least) and min(most) < max(least)


def _lengths(checks: Iterable[Check], op: Op) -> list[int]:
    return [int(check.arg) for check in checks if check.op is op and check.arg.isdecimal()]


def _name_other_numbers(one: Profile, other: Profile) -> bool:
    """Tell whether both want or mention numbers, and none of them is the same."""
    numbers = _numbers(one.wish)
    others = _numbers(other.wish)
    return bool(numbers and others) and not numbers & others


def _numbers(said: Mapping[str, Feature]) -> set[str]:
    return {key for key, feature in said.items() if feature.sign >= 0 and NUMBER.fullmatch(key)}


def _overlap(one: Mapping[str, Feature], other: Mapping[str, Feature]) -> float:
    """Return the share, by weight, of the features that both have."""
    both = against = 0.0
    alone: list[Feature] = []
    others = dict(other)
    both_want = False
    for key, feature in one.items():
        twin = others.pop(key, None)
        if twin is None:
            alone.append(feature)
            continue
        mean = (twin.weight + feature.weight) / 2
        if twin.sign * feature.sign < 0:
            against += mean
            continue
        both += mean if twin.sign == feature.sign else ONLY_TOLD * mean
        if min(twin.sign, feature.sign) > 0 and min(twin.weight, feature.weight) >= WORD:
            both_want = True
    ours: list[Feature] = []
    for feature in alone:
        twin = _spelled_alike(feature, others.values())
        if twin is None:
            ours.append(feature)
        else:
            del others[twin.key]
            both += (twin.weight + feature.weight) / 2
    if not both:
        return 0.0
    our_rest = _weight_of_rest(ours, both_want=both_want)
    their_rest = _weight_of_rest(others.values(), both_want=both_want)
    apart = CONTRAST * min(our_rest, their_rest) + REMAINDER * abs(our_rest - their_rest)
    if _has_number((*alone, *others.values())):
        apart += LONE_NUMBER
    apart += CONTRAST * against
    return both / (both + apart)


def _weight_of_rest(features: Iterable[Feature], *, both_want: bool) -> float:
    """Return the weight of what only one side says; what it avoids counts little if both want the same thing."""
    total = 0.0
    for feature in features:
        if both_want and feature.sign < 0:
            total += AVOIDED_TOO * feature.weight
        else:
            total += feature.weight
    return total


def _has_number(features: Iterable[Feature]) -> bool:
    return any(feature.weight > SOFT and NUMBER.fullmatch(feature.key) for feature in features)


def _spelled_alike(feature: Feature, others: Iterable[Feature]) -> Feature | None:
    """Return the first of the others that is the same word, misspelt or with another ending."""
    for other in others:
        if _have_same_spelling(feature, other):
            return other
    return None


def _have_same_spelling(one: Feature, other: Feature) -> bool:
    if one.sign * other.sign < 0 or min(len(one.key), len(other.key)) < SHORTEST_SPELLING:
        return False
    if one.key[0] in "=~" or other.key[0] in "=~":
        return False
    if one.key.startswith(other.key) or other.key.startswith(one.key):
        return True
    return fuzz.ratio(one.key, other.key) >= SAME_SPELLING


def _is_about_shape(profile: Profile) -> bool:
    """Tell whether the wish is only about the shape of "it"."""
    for key, feature in profile.wish.items():
        if feature.weight > SOFT and not _is_scale(key) and key not in {"=bullets", "=prose"}:
            return False
    return True


def _have_other_kinds(one: Profile, other: Profile) -> bool:
    """Tell whether both requests name kinds of things, and none of them is the same."""
    kinds = KINDS & one.request.keys()
    others = KINDS & other.request.keys()
    return bool(kinds and others) and not kinds & others


def _have_other_targets(one: Mapping[str, Feature], other: Mapping[str, Feature], *, alike: bool) -> bool:
    """Tell whether both ask for one shape, but of different things; `alike` if their requests are similar."""
    shared = {key for key in one.keys() & other.keys() if min(one[key].weight, other[key].weight) >= WORD}
    if not shared or not all(map(_is_scale, shared)):
        return False
    targets = _targets(one)
    others = _targets(other)
    if not alike and max(weight_of(targets), weight_of(others)) >= MEANING:
        return True
    return min(weight_of(_not_avoided(targets)), weight_of(_not_avoided(others))) >= MEANING


def _targets(said: Mapping[str, Feature]) -> list[Feature]:
    """Return what a wish about a shape is about."""
    return [said[key] for key in telling_keys(said) if not _is_scale(key)]


def _not_avoided(said: Iterable[Feature]) -> list[Feature]:
    return [feature for feature in said if feature.sign >= 0]


def _want_other_things(one: Mapping[str, Feature], other: Mapping[str, Feature]) -> bool:
    """Tell whether each names something it wants that the other doesn't speak of."""
    both_avoid = any(feature.sign < 0 and key in other and other[key].sign < 0 for key, feature in one.items())
    least = WORD if both_avoid else OBJECT
    mine = _wanted_keys(one, least)
    theirs = _wanted_keys(other, least)
    return bool(mine and theirs) and not mine & other.keys() and not theirs & one.keys()


def _wanted_keys(said: Mapping[str, Feature], least: float) -> set[str]:
    return {key for key, feature in said.items() if feature.sign > 0 and feature.weight >= least}


def _is_scale(key: str) -> bool:
    return key[0] == "~"
