"""Try demands on known answers, which the judge's model grades without being told what each of them is.

The rejected answer must fail and a good one pass: the accepted one, else one that a model writes, together with one
that misses the demand. One such pair is written for a lesson, and none where the session's own answers show both. An
answer without a word needs no trial: code decides that it earns nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.mined import ask_model, batched
from skillopt_sleep.prompts import setting
from skillopt_sleep.prompts.grading import (
    PASSES_FROM,
    AnswerToGrade,
    batches,
    grading,
    item,
    lesson_of,
    with_all_evidence,
)
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import AnswerKind, KnownAnswer, Note, Purpose, Task, is_of_changes

PER_CALL = 8  # pairs of answers are written in a call
MOST_WRITTEN = 3  # so often a night asks for more answers to a project's tasks
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

    @property
    def known(self) -> list[KnownAnswer]:
        """Return both as known answers."""
        both = ((AnswerKind.MEETS, self.meets), (AnswerKind.MISSES, self.misses))
        return [KnownAnswer(kind=kind, response=text) for kind, text in both]


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
        failure=f"no answers to try the tests on, with {counted(len(tasks), 'task')} left for another night",
        sample=sample,
    )
    if isinstance(reply, Note):
        return reply
    return sorted(reply.controls, key=lambda control: control.item)


class JudgeCalibration(NamedTuple):
    """The ids of tasks by what became of their demand, their known answers, and notes on failed calls.

    A demand is `refused` if its grades aren't what the answers are worth, `unseen` if no answer in words can show
    whether it is met, `lost` if a call failed.
    """

    refused: set[str]
    unseen: set[str]
    lost: set[str]
    known: dict[str, tuple[KnownAnswer, ...]]
    notes: list[Note]


def calibrate(tasks: Sequence[Task], model: Backend, pool: Pool) -> JudgeCalibration:
    """Try the demand of each task on known answers."""
    trial = _Trial(tasks, model, pool)
    # Most lessons show beforehand whether a pair has to be written: where no session has an answer of one kind.
    trial.write()
    trial.grade()
    trial.write(graded=True)
    trial.grade()
    return trial.result


def _own_answers(task: Task) -> list[KnownAnswer]:
    """Return the session's own answers that have words; no diff is known of them."""
    if is_of_changes(task.reference):
        return []
    own = ((AnswerKind.MEETS, task.feedback.accepted), (AnswerKind.MISSES, task.feedback.rejected))
    return [KnownAnswer(kind=kind, response=text) for kind, text in own if any(map(str.isalnum, text))]


class _Trial:
    """The sessions' own answers and the written pairs, by the id of their task, and the grade of each answer."""

    def __init__(self, tasks: Sequence[Task], model: Backend, pool: Pool) -> None:
        self._tasks = with_all_evidence(tasks)
        self._model = model
        self._pool = pool
        self._lessons: dict[tuple[str, ...], list[str]] = {}
        for task in tasks:
            self._lessons.setdefault(lesson_of(task), []).append(task.id)
        self._own = {task.id: _own_answers(task) for task in tasks}
        self._pairs: dict[str, list[KnownAnswer]] = {}
        self._grades: dict[AnswerToGrade, float | None] = {}
        self.result = JudgeCalibration(set(), set(), set(), {}, [])

    def standing(self) -> list[str]:
        """Return the tasks that are neither lost nor unseen."""
        gone = self.result.lost | self.result.unseen
        return [task for task in self._tasks if task not in gone]

    def write(self, *, graded: bool = False) -> None:
        """Write a pair for each lesson without a rejected or accepted answer: if `graded`, one that was graded so."""
        standing = set(self.standing())
        wanting: list[Task] = []
        for members in self._lessons.values():
            own = [(task, one) for task in members for one in self._own[task]]
            kinds = {one.kind for task, one in own if not graded or self._is_right(task, one)}
            has_pair = not self._pairs.keys().isdisjoint(members)
            if has_pair or kinds == {AnswerKind.MEETS, AnswerKind.MISSES} or standing.isdisjoint(members):
                continue
            wanting.append(self._tasks[members[0]])
        parts = batched(wanting, PER_CALL)
        replies = self._pool.map(lambda part: write_controls(part, self._model), parts, label="controls")
        for part, reply in zip(parts, replies, strict=True):
            if isinstance(reply, Note):
                self._lose(part, reply)
                continue
            for task, control in zip(part, reply, strict=True):
                if control.needs_repository:
                    self.result.unseen.update(self._lessons[lesson_of(task)])
                else:
                    self._pairs[task.id] = control.known

    def grade(self) -> None:
        """Grade the answers that have no grade; refuse the demands by which one isn't graded for what it is worth."""
        asked: dict[AnswerToGrade, None] = {}
        for task in self.standing():
            known = (*self._own[task], *self._pairs.get(task, ()))
            asked |= dict.fromkeys(AnswerToGrade(self._tasks[task], one.response) for one in known)
        parts = batches(answer for answer in asked if answer not in self._grades)
        replies = self._pool.map(self._ask, parts, label="prove")
        for part, reply in zip(parts, replies, strict=True):
            if isinstance(reply, Note):
                self._lose([answer.task for answer in part], reply)
            else:
                self._grades |= reply
        for task in self.standing():
            pair = self._pairs.get(task, ())
            self.result.known[task] = (*pair, *(one for one in self._own[task] if self._is_right(task, one)))
            if not self._own_answers_hold(task):
                self.result.refused.add(task)
            if not all(self._is_right(task, one) for one in pair):
                self.result.refused.update(self._lessons[lesson_of(self._tasks[task])])

    def _ask(self, part: Sequence[AnswerToGrade]) -> Mapping[AnswerToGrade, float | None] | Note:
        asked = grading(part, proving=True)
        try:
            grades = asked.grades(self._model.complete(asked.prompt).structured)
        except ItemError as error:
            left = counted(len({answer.task.id for answer in part}), "task")
            summary = f"a grading call failed, with {left} left for another night: {error.message}"
            return Note(stage="prove", summary=summary, remedy=error.remedy)
        return {answer: grade.score for answer, grade in grades.items()}

    def _lose(self, tasks: Iterable[Task], note: Note) -> None:
        self.result.notes.append(note)
        for task in tasks:
            self.result.lost.update(self._lessons[lesson_of(task)])

    def _own_answers_hold(self, task: str) -> bool:
        """Tell whether the judge grades the known answers rightly, as far as they show it.

        A session goes on from an apology, too: that the accepted answer fails says nothing where the rejected one
        does.
        """
        seen = {one.kind for one in self._own[task] if self._grade(task, one) is not None}
        right = {one.kind for one in self._own[task] if self._is_right(task, one)}
        return seen == right or (seen - right == {AnswerKind.MEETS} and AnswerKind.MISSES in right)

    def _is_right(self, task: str, one: KnownAnswer) -> bool:
        grade = self._grade(task, one)
        return grade is not None and (grade >= PASSES_FROM) is (one.kind is AnswerKind.MEETS)

    def _grade(self, task: str, one: KnownAnswer) -> float | None:
        return self._grades.get(AnswerToGrade(self._tasks[task], one.response))
