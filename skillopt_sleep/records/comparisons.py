"""Slow update: the same tasks under an earlier version of a document and under the current one."""

from enum import StrEnum

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.rollouts import Rollout


class Change(StrEnum):
    """The change of a task's result from the earlier version to the current one."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    PERSISTENT_FAIL = "persistent_fail"
    STABLE_SUCCESS = "stable_success"


class Compared(Record, frozen=True, kw_only=True):
    """A task under both versions, each with its most telling attempt."""

    task: str
    change: Change
    before: Rollout
    after: Rollout


class Earlier(Record, frozen=True, kw_only=True):
    """The body a document had in an earlier `night`, and the number of nights since, including that one."""

    night: str
    body: str
    nights: int
