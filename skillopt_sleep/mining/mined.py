"""The result of mining, and batches of what a model is asked about."""

from collections.abc import Iterable

import msgspec

from skillopt_sleep.records import Calibrations, Correction, Lesson, Note, Task


def batched(tasks: Iterable[Task], size: int) -> list[list[Task]]:
    """Split the tasks into batches of at most `size`, each of one project, as a call counts towards one project."""
    projects: dict[str, list[Task]] = {}
    for task in tasks:
        projects.setdefault(task.project, []).append(task)
    batches: list[list[Task]] = []
    for members in projects.values():
        batches += [members[start : start + size] for start in range(0, len(members), size)]
    return batches


class Mined(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks, the lessons they test, notes on what went wrong, and the `lost` sessions that a failed call left unread.

    `lessons` holds those that are new or changed. `for_once` quotes what held for one time only. Of the
    `refused` tasks the judge's model could not tell the answers of known worth apart. `dropped` are the corrections
    that founded no task; `calibrations` is the account of what can be judged in the repositories.
    """

    tasks: tuple[Task, ...] = ()
    lessons: tuple[Lesson, ...] = ()
    for_once: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    lost: tuple[str, ...] = ()
    refused: tuple[Task, ...] = ()
    dropped: tuple[Correction, ...] = ()
    calibrations: Calibrations = Calibrations()
