"""Describe a task by the parts that are compared: the wish in its corrections, its request, and its checks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from skillopt_sleep.mining.lexicon import MEANING, SOFT
from skillopt_sleep.mining.meanings import Feature, features, weight_of
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.records import Check, Checks, Op, Rubric, Task

NO_WISH = 0.9  # a correction that weighs less says only that something was wrong
KINDS = frozenset(
    {"=commit", "=pullrequest", "=changelog", "=release", "=standup", "=readme", "=migration", "=mail", "=docstring"}
    | {"=question", "=test"}
)
NUMBER = re.compile(r"v?\d[\d.]*")

_FILE = re.compile(r"/|\.[a-z]{1,4}$")
_SIGNS = {Op.CONTAINS: 1, Op.SECTION_CONTAINS: 1, Op.TOOL_CALLED: 1, Op.NOT_CONTAINS: -1}


@dataclass(frozen=True, slots=True)
class Profile:
    """The features of a task's wish and of its request, its checks, and its texts in one case and spacing."""

    wish: Mapping[str, Feature]
    request: Mapping[str, Feature]
    checks: frozenset[Check]
    corrections: str
    prompt: str
    wording: str

    @property
    def has_wish(self) -> bool:
        """Return whether the corrections or the checks say what is wanted."""
        return bool(self.checks) or weight_of(self.wish.values()) >= NO_WISH

    @property
    def keys(self) -> frozenset[str]:
        """The keys of which another task must share at least one to be compared with this one."""
        keys = {f"! {self.subject}"}
        if self.wording:
            keys.add(f"# {self.wording}")
        if self.has_wish:
            keys.update(telling_keys(self.wish))
            keys.update(f"{check.op} {check.arg}" for check in self.checks)
        else:
            keys.update(f"? {key}" for key in telling_keys(self.request))
        return frozenset(keys)

    @property
    def subject(self) -> str:
        """The subject of the request, which is the same for requests that differ only in insignificant words."""
        return " ".join(sorted(telling_keys(self.request))) or self.prompt


def profile_of(task: Task) -> Profile:
    """Return the profile of a task; equal words give equal profiles."""
    corrections = "\n".join(quotes_of(task.evidence))
    request = {feature.key: feature for feature in features(task.prompt)}
    wish: dict[str, Feature] = {}
    for feature in _wish_features(corrections, task):
        wish[feature.key] = _weigh_beside(feature, request)
    checks: Sequence[Check] = ()
    if isinstance(task.reference, Checks):
        checks = task.reference.items
        wish |= _check_features(checks)
    return Profile(
        wish=wish,
        request={key: _as_mentioned(feature) for key, feature in request.items()},
        checks=frozenset(Check(op=check.op, arg=_folded(check.arg), section=check.section) for check in checks),
        corrections=_folded(corrections),
        prompt=_folded(task.prompt),
        wording=_folded(task.wording).rstrip("."),
    )


def telling_keys(said: Mapping[str, Feature]) -> list[str]:
    """Return the keys of the features that weigh more than little words."""
    return [key for key, feature in said.items() if feature.weight > SOFT]


def _wish_features(corrections: str, task: Task) -> Sequence[Feature]:
    """Return what the corrections say, or what the rubric says if they name no wish and it isn't a copy of them."""
    wish = features(corrections)
    if not isinstance(task.reference, Rubric) or weight_of(wish) >= NO_WISH:
        return wish
    rubric = task.reference.text
    for quote in quotes_of(task.evidence):
        if quote.strip() and quote in rubric:
            return wish
    return features(rubric)


def _weigh_beside(feature: Feature, request: Mapping[str, Feature]) -> Feature:
    """Make a feature light if the request is about it anyway: the kind of thing, a file."""
    if feature.key in request and (feature.key in KINDS or _FILE.search(feature.key)):
        return feature._replace(weight=min(feature.weight, SOFT))
    return feature


def _as_mentioned(feature: Feature) -> Feature:
    """Return a feature of a request: nothing is unwanted there, and numbers and versions say little."""
    if NUMBER.fullmatch(feature.key):
        return feature._replace(sign=0, weight=SOFT)
    return feature._replace(sign=0)


def _check_features(checks: Sequence[Check]) -> dict[str, Feature]:
    """Return what the checks want and avoid."""
    result: dict[str, Feature] = {}
    for check in checks:
        if check.op not in _SIGNS:
            continue
        for feature in features(f"`{check.arg}`"):
            result[feature.key] = Feature(feature.key, _SIGNS[check.op], max(feature.weight, MEANING))
    return result


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
