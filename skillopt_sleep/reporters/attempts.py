"""Show for each task of a document how it was answered, with and without the change, and how that was graded."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.records import CheckResult, Proposal, Record, Rollout, Split, StepOutcome, Task
from skillopt_sleep.reporters.acted import Acted, acted

MOST_TASKS = 40  # of a document; those to test with come first
ANSWER_CHARS = 600
WHY_CHARS = 300
REQUEST_CHARS = 200
DEEDS = 5
MOST_CHECKS = 6
DEED_CHARS = 120
_SIDES = (Split.VAL, Split.TRAIN, Split.TEST)
_OTHER = "other"  # stands for every candidate but the one that the verdict is on
Row = TypeVar("Row", bound=msgspec.Struct)


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


def attempted_tasks(outcomes: Iterable[StepOutcome], folder: Path) -> dict[str, AttemptedTasks]:
    """Return the attempted tasks of each document, by its redacted id, as far as the night's folder has them."""
    shas: dict[str, tuple[str, str]] = {}
    for outcome in outcomes:
        candidate = outcome.candidate.sha if outcome.candidate else ""
        shas[redact(outcome.document.id)] = (outcome.document.sha, candidate)
    tasks = {task.id: task for task in rows(folder / "tasks.jsonl", Task) if task.document in shas}
    arms: dict[str, dict[str, Attempted]] = {}  # the last attempts at a task, by the sha of the document they had
    for row in rows(folder / "rollouts.jsonl", Rollout):
        if row.task in tasks:
            of_task = arms.setdefault(row.task, {})
            sha = row.document_sha if row.document_sha in shas[tasks[row.task].document] else _OTHER
            of_task[sha] = _later(of_task.get(sha), row)
    listed: dict[str, list[AttemptedTask]] = {name: [] for name in shas}
    for task in sorted((tasks[name] for name in arms), key=_by_side):
        document, candidate = shas[task.document]
        of_task = arms[task.id]
        listed[task.document].append(
            AttemptedTask(
                task=task.id,
                side=task.split,
                lesson=task.lesson,
                session=task.session,
                request=head(task.prompt, REQUEST_CHARS),
                before=of_task.get(document),
                after=of_task.get(candidate) or of_task.get(_OTHER),
            )
        )
    return {
        name: AttemptedTasks(listed=tuple(every[:MOST_TASKS]), left_out=max(0, len(every) - MOST_TASKS))
        for name, every in listed.items()
    }


def _by_side(task: Task) -> int:
    return _SIDES.index(task.split) if task.split else len(_SIDES)


def _later(known: Attempted | None, row: Rollout) -> Attempted:
    """Return the attempt of this row, or the known one if only that was graded, with how many were made."""
    made = 1 + (known.made if known else 0)
    unscored = (row.score is None) + (known.unscored if known else 0)
    if row.score is None and known is not None and known.hard is not None:
        return replace(known, made=made, unscored=unscored)
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


def most_telling(proposal: Proposal, outcomes: Sequence[StepOutcome], folder: Path) -> AttemptedTask | None:
    """Return the unseen request of the rule's lessons at which both arms differ most; None if none is kept.

    `outcomes` are those of the night that tried the rule, and `folder` has what its stages left.
    """
    for outcome in outcomes:
        if outcome.document.path != proposal.path:
            continue
        tried = _with_candidate(outcome, proposal)
        listed = attempted_tasks([tried], folder)[redact(tried.document.id)].listed
        lessons = {lesson for edit in proposal.edits for lesson in edit.lessons}
        unseen = [task for task in listed if task.side is Split.VAL and task.lesson in lessons]
        compared = [task for task in unseen if task.before and task.after]
        if compared:
            return max(compared, key=_gain)
    return None


def _with_candidate(outcome: StepOutcome, proposal: Proposal) -> StepOutcome:
    """Return the outcome with the candidate that this proposal is of."""
    for early in outcome.tried.early:
        if early.tested.edits == proposal.edits:
            return replace(outcome, candidate=early.candidate)
    return outcome


def _gain(task: AttemptedTask) -> float:
    before = task.before.hard if task.before else None
    after = task.after.hard if task.after else None
    return (after or 0.0) - (before or 0.0)


def rows(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the lines of a JSONL file as structs of this kind, which may name only some of their fields.

    Without the file there are none; a line that was cut off by a crash is left out.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    continue
    except FileNotFoundError:
        return


def head(text: str, limit: int) -> str:
    """Return the beginning of a text, ending in "…" if there is more of it."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
