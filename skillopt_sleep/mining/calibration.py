"""Try demands on answers of known worth, which the judge's model grades blind to what each of them is.

The rejected answer must fail and a good one pass: the accepted one, else one that a model writes, together with one
that misses the demand. One such pair is written for a lesson, and none where the session's own answers show both. An
answer without a word needs no trial: code decides that it earns nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.mining.ask_model import ask_model
from skillopt_sleep.mining.mined import batched
from skillopt_sleep.prompts import setting
from skillopt_sleep.prompts.grading import (
    PASSES_FROM,
    Answer,
    AnswerGrade,
    batches,
    grading,
    item,
    lesson_of,
    with_all_evidence,
)
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import AnswerKind, KnownAnswer, Note, Purpose, Task, is_of_changes

PER_CALL = 8  # pairs of answers are written in a call
MOST_WRITTEN = 3  # so often a night asks for more answers to a project's tasks
NEAR = 0.2  # a grade so near to passing is asked for again, with the answers in the opposite order
DIFFS = ", each a whole unified diff as `git diff` prints it, with nothing around it"


# Models read a reply's docstrings: they are in its schema.
class ItemControls(msgspec.Struct, frozen=True):
    """Two answers to one item's request; both are "" if no answer can show whether its demand is met."""

    item: int
    misses: str = ""
    meets: str = ""
    needs_repository: bool = False

    def __post_init__(self) -> None:
        if not self.needs_repository and not (self.misses.strip() and self.meets.strip()):
            raise ValueError("misses or meets is empty")


class ControlsReply(msgspec.Struct, frozen=True):
    """Two answers for every item."""

    controls: tuple[ItemControls, ...]


@cache
def _controls_of(count: int) -> type[ControlsReply]:
    """Return the schema of a reply with the controls of so many items; any other reply is malformed."""

    class ControlsOfAll(ControlsReply, frozen=True):
        def __post_init__(self) -> None:
            if sorted(control.item for control in self.controls) != list(range(1, count + 1)):
                raise ValueError(f"controls must have one entry for each of the {count} items")

    return ControlsOfAll


def write_controls(tasks: Sequence[Task], model: Backend, *, sample: int = 0) -> Sequence[ItemControls] | Note:
    """Return for each task of a batch an answer that meets its demand and one that doesn't, or why there are none.

    The answers are diffs if the tasks are graded by what was changed; a batch holds none of both kinds.
    """
    of_changes = is_of_changes(tasks[0].reference)
    reply = ask_model(
        model,
        Purpose.CONTROLS,
        {
            "setting": setting(of_changes=of_changes),
            "form": DIFFS if of_changes else "",
            "items": "\n\n".join(item(number, task, ()) for number, task in enumerate(tasks, start=1)),
        },
        schema=_controls_of(len(tasks)),
        project=tasks[0].project,
        stage="prove",
        failure=f"the call that writes answers to try the tests on failed, so {_waiting(len(tasks))}",
        sample=sample,
    )
    if isinstance(reply, Note):
        return reply
    return sorted(reply.controls, key=lambda control: control.item)


def _waiting(count: int) -> str:
    return "1 task waits for another night" if count == 1 else f"{count} tasks wait for another night"


class Calibration(NamedTuple):
    """The ids of tasks by what became of their demand, what their answers are worth, and notes on failed calls.

    A demand is `refused` if its grades aren't what the answers are worth, `unseen` if no answer in words can show
    whether it is met, `lost` if a call failed.
    """

    refused: set[str]
    unseen: set[str]
    lost: set[str]
    known: dict[str, tuple[KnownAnswer, ...]]
    notes: list[Note]


class _Kind(StrEnum):
    MEETS = "meets"
    ACCEPTED = "accepted"
    MISSES = "misses"
    REJECTED = "rejected"


_PASSES = frozenset({_Kind.MEETS, _Kind.ACCEPTED})

Grades = Mapping[_Kind, float | None]


def calibrate(tasks: Sequence[Task], model: Backend, pool: Pool) -> Calibration:
    """Try the demand of each task on answers of known worth; what is graded near to passing is graded again."""
    trial = _Trial(tasks, model, pool)
    trial.grade({task.id: _own_answers(task) for task in tasks})
    trial.write()
    trial.grade(trial.pairs)
    trial.grade_again()
    return trial.result()


def _own_answers(task: Task) -> dict[_Kind, str]:
    """Return the session's own answers; of those only the words are known, no diff."""
    if is_of_changes(task.reference):
        return {}
    own = {_Kind.REJECTED: task.rejected, _Kind.ACCEPTED: task.accepted}
    return {kind: text for kind, text in own.items() if any(map(str.isalnum, text))}


class _Trial:
    """The answers to each task and their grades, by the task's id; `pairs` are the written ones."""

    def __init__(self, tasks: Sequence[Task], model: Backend, pool: Pool) -> None:
        self._tasks = with_all_evidence(tasks)
        self._model = model
        self._pool = pool
        self._lessons: dict[tuple[str, ...], list[Task]] = {}
        for task in self._tasks.values():
            self._lessons.setdefault(lesson_of(task), []).append(task)
        self._answers: dict[str, dict[_Kind, str]] = {task.id: {} for task in tasks}
        self._grades: dict[str, dict[_Kind, float | None]] = {task.id: {} for task in tasks}
        self._refused: set[str] = set()
        self._unseen: set[str] = set()
        self._lost: set[str] = set()
        self._notes: list[Note] = []
        self.pairs: dict[str, dict[_Kind, str]] = {}

    def write(self) -> None:
        """Write a pair of answers for each lesson whose own answers don't show that its demand tells them apart."""
        wanting: list[Task] = []
        for members in self._lessons.values():
            if not self._is_shown(members):
                wanting.append(next((task for task in members if task.id not in self._refused), members[0]))
        parts = batched(wanting, PER_CALL)
        replies = self._pool.map(lambda part: write_controls(part, self._model), parts, label="controls")
        for part, reply in zip(parts, replies, strict=True):
            if isinstance(reply, Note):
                self._lose(part, reply)
                continue
            for task, control in zip(part, reply, strict=True):
                if control.needs_repository:
                    self._unseen.update(self._same_lesson(task))
                else:
                    self.pairs[task.id] = {_Kind.MEETS: control.meets, _Kind.MISSES: control.misses}

    def _is_shown(self, members: Sequence[Task]) -> bool:
        """Tell whether a rejected answer failed and an accepted one passed, or nothing more can be found out."""
        if all(task.id in self._lost for task in members):
            return True
        grades = [self._grades[task.id] for task in members]
        failed = any(_is_right(_Kind.REJECTED, one.get(_Kind.REJECTED)) for one in grades)
        return failed and any(_is_right(_Kind.ACCEPTED, one.get(_Kind.ACCEPTED)) for one in grades)

    def grade(self, answers: Mapping[str, Mapping[_Kind, str]]) -> None:
        """Grade these answers, of each task the same text once."""
        for task, kinds in answers.items():
            self._answers[task].update(kinds)
        for task, grades in self._graded(answers).items():
            self._grades[task].update(grades)
            if not _holds(self._grades[task]):
                self._refused.add(task)

    def grade_again(self) -> None:
        """Grade all answers to a task again, in the opposite order, if that could have decided one of the grades."""
        near: dict[str, Mapping[_Kind, str]] = {}
        for task, grades in self._grades.items():
            if task not in self._refused and any(map(_is_near, grades.values())):
                near[task] = self._answers[task]
        for task, grades in self._graded(near, backwards=True).items():
            if not _holds(grades):
                self._refused.add(task)

    def _graded(
        self, answers: Mapping[str, Mapping[_Kind, str]], *, backwards: bool = False
    ) -> dict[str, dict[_Kind, float | None]]:
        asked: dict[Answer, None] = {}
        for task, kinds in answers.items():
            asked |= dict.fromkeys(Answer(self._tasks[task], text) for text in kinds.values())
        parts = batches(asked)
        replies = self._pool.map(lambda part: self._ask(part, backwards=backwards), parts, label="prove")
        found: dict[Answer, AnswerGrade] = {}
        for part, reply in zip(parts, replies, strict=True):
            if isinstance(reply, Note):
                self._lose([answer.task for answer in part], reply)
            else:
                found |= reply
        grades: dict[str, dict[_Kind, float | None]] = {}
        for task, kinds in answers.items():
            for kind, text in kinds.items():
                if grade := found.get(Answer(self._tasks[task], text)):
                    grades.setdefault(task, {})[kind] = grade.score
        return grades

    def _ask(self, part: Sequence[Answer], *, backwards: bool) -> Mapping[Answer, AnswerGrade] | Note:
        asked = grading(part, proving=True, backwards=backwards)
        try:
            return asked.grades(self._model.complete(asked.prompt).structured)
        except ItemError as error:
            count = len({answer.task.id for answer in part})
            summary = f"a grading call failed, so {_waiting(count)}: {error.message}"
            return Note(stage="prove", summary=summary, remedy=error.remedy)

    def _lose(self, tasks: Iterable[Task], note: Note) -> None:
        self._notes.append(note)
        for task in tasks:
            self._lost.update(self._same_lesson(task))

    def _same_lesson(self, task: Task) -> list[str]:
        return [other.id for other in self._lessons[lesson_of(task)]]

    def result(self) -> Calibration:
        """Return what became of each demand; one that fails on its written pair fails for all of its lesson."""
        refused = set(self._refused)
        for task in self.pairs:
            if task in refused:
                refused.update(self._same_lesson(self._tasks[task]))
        known = {task: self._known(task) for task in self._tasks}
        return Calibration(refused, self._unseen, self._lost, known, self._notes)

    def _known(self, task: str) -> tuple[KnownAnswer, ...]:
        """Return the answers of known worth: the written ones, and those of the session that were graded so."""
        answers = self._answers[task]
        known: list[KnownAnswer] = []
        for kind in _Kind:
            written = kind in self.pairs.get(task, {})
            if kind in answers and (written or _is_right(kind, self._grades[task].get(kind))):
                worth = AnswerKind.MEETS if kind in _PASSES else AnswerKind.MISSES
                known.append(KnownAnswer(kind=worth, response=answers[kind]))
        return tuple(known)


def _holds(grades: Grades) -> bool:
    """Tell whether the grades are what the answers are worth, as far as they show it.

    A session goes on from an apology, too: that the accepted answer fails says nothing where the rejected one does.
    """
    for kind, grade in grades.items():
        excused = kind is _Kind.ACCEPTED and _is_right(_Kind.REJECTED, grades.get(_Kind.REJECTED))
        unseen = grade is None and kind in {_Kind.REJECTED, _Kind.ACCEPTED}
        if not (_is_right(kind, grade) or unseen or excused):
            return False
    return True


def _is_right(kind: _Kind, grade: float | None) -> bool:
    return grade is not None and (grade >= PASSES_FROM) is (kind in _PASSES)


def _is_near(grade: float | None) -> bool:
    return grade is not None and round(abs(grade - PASSES_FROM), 6) < NEAR
