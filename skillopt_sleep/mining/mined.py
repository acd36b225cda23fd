"""What mining amounts to."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from skillopt_sleep.records import Note, Session, Task

Item = TypeVar("Item", Session, Task)


def batched(items: Iterable[Item], size: int) -> list[list[Item]]:
    """The items in batches of at most so many, each of one project, whose limits its call counts towards."""
    projects: dict[str, list[Item]] = {}
    for item in items:
        projects.setdefault(item.project, []).append(item)
    return [own[at : at + size] for own in projects.values() for at in range(0, len(own), size)]


class Mined(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks, what went wrong on the way, and the sessions that a failed call left unread.

    `instead` counts, by what it was, how often the person's own words stand for what a model answered.
    """

    tasks: tuple[Task, ...] = ()
    notes: tuple[Note, ...] = ()
    lost: tuple[str, ...] = ()
    instead: Mapping[str, int] = {}
