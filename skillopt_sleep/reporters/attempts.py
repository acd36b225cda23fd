"""Show for each task of a document how it was answered, with and without the change, and how that was graded."""

from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import CheckResult, Record, Split, StepOutcome, Trajectory
from skillopt_sleep.reporters.acted import Acted, acted
from skillopt_sleep.reporters.stages import head, rows

MOST_TASKS = 40  # of a document; those to test with come first
ANSWER_CHARS = 600
WHY_CHARS = 300
REQUEST_CHARS = 200
DEEDS = 5
MOST_CHECKS = 6
DEED_CHARS = 120
_SIDES = (Split.VAL, Split.TRAIN, Split.TEST)


class Attempted(Record, frozen=True, kw_only=True):
    """The last attempt of one arm that was graded, or the last one: the head of its answer, its grade and why.

    `did` are its first calls of tools, and `acted` what was done in a sealed copy of the repository, None if the
    answer is in words alone; `checks` are the first that code made of it. `made` attempts were made, of which
    `unscored` got no grade; `problem` says why this one has none.
    """

    answer: str
    did: tuple[str, ...] = ()
    acted: Acted | None = None
    hard: float | None = None
    soft: float | None = None
    why: str = ""
    problem: str = ""
    checks: tuple[CheckResult, ...] = ()
    made: int = 1
    unscored: int = 0


class AttemptedTask(Record, frozen=True, kw_only=True):
    """A task with its last attempts: with the document as it is, and with the change that was tried on it last.

    The change is the one that the verdict is on, if it was tried on this task.
    """

    task: str
    side: Split | None
    lesson: str
    session: str
    request: str
    before: Attempted | None = None
    after: Attempted | None = None


class AttemptedTasks(Record, frozen=True, kw_only=True):
    """The tasks of a document that were attempted, those to test with first; so many are `left_out`."""

    listed: tuple[AttemptedTask, ...] = ()
    left_out: int = 0


class _Task(msgspec.Struct):
    id: str
    session: str
    prompt: str
    lesson: str = ""
    split: Split | None = None
    document: str = ""


class _Score(msgspec.Struct):
    hard: float
    soft: float
    why: str = ""
    checks: tuple[CheckResult, ...] = ()


class _Rollout(msgspec.Struct):
    task: str
    document_sha: str
    trajectory: Trajectory
    score: _Score | None = None
    note: str = ""


class _Arms:
    """The last attempts at one task: with the document, with the headline's candidate, and with any other."""

    def __init__(self, shas: tuple[str, str]) -> None:
        self._document, self._candidate = shas
        self.before: Attempted | None = None
        self.after: Attempted | None = None
        self._other: Attempted | None = None

    def add(self, row: _Rollout) -> None:
        """Take up one attempt."""
        if row.document_sha == self._document:
            self.before = _later(self.before, row)
        elif row.document_sha == self._candidate:
            self.after = _later(self.after, row)
        else:
            self._other = _later(self._other, row)

    @property
    def changed(self) -> Attempted | None:
        """The last attempt with a change, the headline's if there is one."""
        return self.after or self._other


def attempted_tasks(outcomes: Iterable[StepOutcome], folder: Path) -> dict[str, AttemptedTasks]:
    """Return the attempted tasks of each document, by its redacted id, as far as the night's folder has them."""
    shas: dict[str, tuple[str, str]] = {}
    for outcome in outcomes:
        candidate = outcome.candidate.sha if outcome.candidate else ""
        shas[redact(outcome.document.id)] = (outcome.document.sha, candidate)
    tasks = _tasks(folder, shas)
    arms: dict[str, _Arms] = {}
    for row in rows(folder / "rollouts.jsonl", _Rollout):
        task = tasks.get(row.task)
        if task is not None:
            arms.setdefault(row.task, _Arms(shas[task.document])).add(row)
    listed: dict[str, list[AttemptedTask]] = {name: [] for name in shas}
    for task in sorted((tasks[name] for name in arms), key=_by_side):
        tried = arms[task.id]
        listed[task.document].append(
            AttemptedTask(
                task=task.id,
                side=task.split,
                lesson=task.lesson,
                session=task.session,
                request=task.prompt,
                before=tried.before,
                after=tried.changed,
            )
        )
    return {
        name: AttemptedTasks(listed=tuple(every[:MOST_TASKS]), left_out=max(0, len(every) - MOST_TASKS))
        for name, every in listed.items()
    }


def _tasks(folder: Path, documents: Collection[str]) -> dict[str, _Task]:
    """Return the tasks of these documents, by id, with the heads of their requests only."""
    tasks: dict[str, _Task] = {}
    for task in rows(folder / "tasks.jsonl", _Task):
        if task.document in documents:
            task.prompt = head(task.prompt, REQUEST_CHARS)
            tasks[task.id] = task
    return tasks


def _by_side(task: _Task) -> int:
    return _SIDES.index(task.split) if task.split else len(_SIDES)


def _later(known: Attempted | None, row: _Rollout) -> Attempted:
    """Return the attempt of this row, or the known one if only that was graded, with how many were made."""
    made = 1 + (known.made if known else 0)
    unscored = (row.score is None) + (known.unscored if known else 0)
    if row.score is None and known is not None and known.hard is not None:
        return msgspec.structs.replace(known, made=made, unscored=unscored)
    return Attempted(
        answer=head(row.trajectory.response, ANSWER_CHARS),
        did=tuple(head(call, DEED_CHARS) for call in row.trajectory.tool_calls[:DEEDS]),
        acted=acted(row.trajectory),
        hard=row.score.hard if row.score else None,
        soft=row.score.soft if row.score else None,
        why=head(row.score.why, WHY_CHARS) if row.score else "",
        problem=head(row.note or row.trajectory.failure, WHY_CHARS),
        checks=row.score.checks[:MOST_CHECKS] if row.score else (),
        made=made,
        unscored=unscored,
    )
