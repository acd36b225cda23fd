"""How fast a night could be: its calls in stages, and what the barriers between them leave."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from skillopt_sleep.records import Purpose, Split
from tests.benchmarks.night_model import Call


class Stage(IntEnum):
    """What calls wait for: those of a stage need answers of the one before, and none of their own."""

    PREFLIGHT = 0
    MINE = 1
    CONTROLS = 2
    PROVE = 3
    TRAIN = 4
    TRAIN_GRADES = 5
    REFLECT = 6
    AGGREGATE = 7
    SELECT = 8
    TRIAL = 9
    TRIAL_GRADES = 10
    TEST = 11
    TEST_GRADES = 12


_BY_PURPOSE = {
    Purpose.PREFLIGHT: Stage.PREFLIGHT,
    Purpose.MINE: Stage.MINE,
    Purpose.CONTROLS: Stage.CONTROLS,
    Purpose.PROVE: Stage.PROVE,
    Purpose.REFLECT: Stage.REFLECT,
    Purpose.AGGREGATE: Stage.AGGREGATE,
    Purpose.SELECT: Stage.SELECT,
}
_BY_SIDE = {
    (Purpose.ROLLOUT, Split.TRAIN): Stage.TRAIN,
    (Purpose.JUDGE, Split.TRAIN): Stage.TRAIN_GRADES,
    (Purpose.ROLLOUT, Split.VAL): Stage.TRIAL,
    (Purpose.JUDGE, Split.VAL): Stage.TRIAL_GRADES,
    (Purpose.ROLLOUT, Split.TEST): Stage.TEST,
    (Purpose.JUDGE, Split.TEST): Stage.TEST_GRADES,
}


class Ideal(NamedTuple):
    """The least seconds: with a barrier after each stage, and with one only where a document's own calls need it."""

    staged: float
    free: float


def stage_of(call: Call, sides: Mapping[str, Split]) -> Stage:
    """The stage of a call; attempts, and calls that grade them, are told apart by the side of a request in them."""
    purpose = call.purpose
    return _BY_PURPOSE[purpose] if purpose in _BY_PURPOSE else _BY_SIDE[purpose, sides[call.request]]


def ideal(calls: Iterable[Call], sides: Mapping[str, Split], workers: int) -> Ideal:
    """What these calls take at least with so many workers, from what each took."""
    night: defaultdict[Stage, list[float]] = defaultdict(list)
    documents: defaultdict[str, defaultdict[Stage, list[float]]] = defaultdict(lambda: defaultdict(list))
    for call in calls:
        stage = stage_of(call, sides)
        night[stage].append(call.seconds)
        if stage >= Stage.TRAIN:
            documents[call.project][stage].append(call.seconds)
    before = sum(_least(seconds, workers) for stage, seconds in night.items() if stage < Stage.TRAIN)
    work = sum(sum(seconds) for stage, seconds in night.items() if stage >= Stage.TRAIN) / workers
    longest = max(sum(_least(seconds, workers) for seconds in stages.values()) for stages in documents.values())
    return Ideal(sum(_least(seconds, workers) for seconds in night.values()), before + max(work, longest))


def _least(seconds: Sequence[float], workers: int) -> float:
    """What calls that need nothing of one another take at least."""
    return max(sum(seconds) / workers, *seconds)
