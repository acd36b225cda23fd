"""How fast a night could be: its calls in stages, and what the barriers between them leave."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from bench.night_model import Call
from skillopt_sleep.learning.confirm import FRESH
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES


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
    FRESH_ROUND = 11
    FRESH_ROUND_GRADES = 12
    TEST = 13
    TEST_GRADES = 14


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
    """The least seconds: with the barriers of a night, and with those only that a document's own calls need."""

    staged: float
    free: float


def stages_of(calls: Iterable[Call], sides: Mapping[str, Split]) -> Iterator[tuple[Stage, Call]]:
    """Give each call of one project its stage, in the order in which they began.

    Attempts, and calls that grade them, are told apart by the side of a request in them; grades of val that were
    asked for after the first attempt of a fresh round are of this round.
    """
    fresh = False
    for call in sorted(calls, key=lambda call: call.begun):
        stage = _BY_PURPOSE.get(call.purpose)
        if stage is None:
            stage = _BY_SIDE[call.purpose, sides[call.request]]
        if stage is Stage.TRIAL and call.sample % CANDIDATE_SAMPLES == FRESH:
            fresh, stage = True, Stage.FRESH_ROUND
        if stage is Stage.TRIAL_GRADES and fresh:
            stage = Stage.FRESH_ROUND_GRADES
        yield stage, call


def ideal(calls: Sequence[Call], sides: Mapping[str, Split], workers: int) -> Ideal:
    """What these calls take at least with so many workers, from what each took."""
    together: defaultdict[Stage, list[float]] = defaultdict(list)
    documents: defaultdict[str, defaultdict[Stage, list[float]]] = defaultdict(lambda: defaultdict(list))
    for project in {call.project for call in calls}:
        for stage, call in stages_of((call for call in calls if call.project == project), sides):
            if stage < Stage.TRIAL:
                together[stage].append(call.seconds)
            if stage >= Stage.TRAIN:
                documents[project][stage].append(call.seconds)
    one_by_one = sum(
        _least(seconds, workers)
        for stages in documents.values()
        for stage, seconds in stages.items()
        if stage >= Stage.TRIAL
    )
    before = sum(_least(seconds, workers) for stage, seconds in together.items() if stage < Stage.TRAIN)
    work = sum(sum(seconds) for stages in documents.values() for seconds in stages.values()) / workers
    longest = max(sum(_least(seconds, workers) for seconds in stages.values()) for stages in documents.values())
    staged = sum(_least(seconds, workers) for seconds in together.values()) + one_by_one
    return Ideal(staged, before + max(work, longest))


def _least(seconds: Sequence[float], workers: int) -> float:
    """What calls that need nothing of one another take at least."""
    return max(sum(seconds) / workers, *seconds)
