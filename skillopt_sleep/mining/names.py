"""The names of lessons: which are known, and what a model says of them: which mean one lesson, which end another."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.mined import ask_model
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Lesson, LessonState, Note, PlaceKind, Purpose, Task

MOST = 40
SAID_CHARS = 200
FAILURE = "the names of lessons could not be compared"


# Models read a reply's docstrings: they are in its schema.
class LessonsReply(msgspec.Struct, frozen=True):
    """The numbers of all names that mean one lesson, and pairs of which the first takes the second back."""

    same: tuple[tuple[int, ...], ...] = ()
    # As a pair of types it would be `prefixItems` in the schema, which Claude Code refuses.
    instead: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if any(len(pair) != 2 for pair in self.instead):  # noqa: PLR2004 - the one that holds, and the other
            raise ValueError("instead holds pairs of numbers only")


class Names(NamedTuple):
    """The names of lessons, each after the day it last came up: those known, and those only noticed."""

    known: tuple[str, ...] = ()
    noticed: tuple[str, ...] = ()


def names_in(project: str, lessons: Iterable[Lesson]) -> Names:
    """Return the names of the lessons that hold in a project: of each kind the latest 40, the latest last.

    A lesson that was taken back is no example to follow, so it is left out.
    """
    names: dict[bool, list[str]] = {True: [], False: []}
    for lesson in sorted(lessons, key=lambda lesson: lesson.last):
        if lesson.wording and lesson.state is not LessonState.TAKEN_BACK and holds_in(lesson, project):
            is_noticed = lesson.state is LessonState.NOTICED
            names[is_noticed].append(f"{lesson.last:%Y-%m-%d} {lesson.wording}")
    return Names(known=tuple(names[False][-MOST:]), noticed=tuple(names[True][-MOST:]))


class Name(NamedTuple):
    """The name of a lesson: an earlier night's, or one that tasks of tonight brought."""

    wording: str
    first: datetime
    last: datetime
    lesson: Lesson | None = None


class Question(NamedTuple):
    """A question to the model about a project: names, the known ones first, and the tasks without one.

    `has_ends` tells whether the miner said that one of them is taken back.
    """

    project: str
    names: tuple[Name, ...]
    unnamed: tuple[Task, ...]
    has_ends: bool


def question_of(tasks: Sequence[Task], project: str, known: Sequence[Lesson]) -> Question:
    """Return what there is to ask about the lessons of a project: the latest 40, and those named tonight."""
    here = [task for task in tasks if task.project == project]
    named = {folded(name) for task in here for name in (task.wording, task.takes_back)}
    names: dict[str, Name] = {}
    for left, lesson in enumerate(sorted(known, key=_last_came_up), start=MOST - len(known)):
        if lesson.wording and (left >= 0 or folded(lesson.wording) in named):
            names[folded(lesson.wording)] = Name(lesson.wording, lesson.first, lesson.last, lesson)
    unnamed: list[Task] = []
    for task in sorted(here, key=_came_up):
        if not task.wording:
            unnamed.append(task)
            continue
        name = names.get(folded(task.wording), Name(task.wording, task.at, task.at))
        names[folded(task.wording)] = name._replace(first=min(name.first, task.at), last=max(name.last, task.at))
    has_ends = any(task.takes_back for task in here)
    return Question(project, tuple(names.values()), tuple(unnamed), has_ends)


def _last_came_up(lesson: Lesson) -> tuple[datetime, bool]:
    """Return when a known lesson last came up; of two of one session the one that was taken back comes first."""
    return lesson.last, lesson.state is not LessonState.TAKEN_BACK


def _came_up(task: Task) -> tuple[datetime, int]:
    """Return when a task's wish came up: the start of its session, and the last turn that shows it."""
    return task.at, max((sign.turn for sign in (*task.evidence, *task.deeds)), default=0)


def is_worth_asking(question: Question, *, is_split: bool) -> bool:
    """Tell whether there is something new to compare with a name, or one that is said to be taken back."""
    known = sum(1 for name in question.names if name.lesson is not None)
    has_news = len(question.names) > known or bool(question.unnamed)
    is_alone = len(question.names) + len(question.unnamed) < 2  # noqa: PLR2004 - it takes two to compare
    is_new = has_news and (is_split or known > 0)
    return bool(question.names) and not is_alone and (is_new or question.has_ends)


def replies_to(
    questions: Sequence[Question], optimizer: Backend, pool: Pool
) -> tuple[Mapping[str, LessonsReply], tuple[Note, ...]]:
    """Return the model's reply for each project, without the calls that failed, and notes on those."""
    try:
        answers = pool.map(lambda question: _ask(question, optimizer), questions, label="lessons")
    except BudgetExhausted as error:
        return {}, (Note(stage="mine", summary=f"{FAILURE}: {error.message}", remedy=error.remedy),)
    replies: dict[str, LessonsReply] = {}
    notes: list[Note] = []
    for question, answer in zip(questions, answers, strict=True):
        if isinstance(answer, Note):
            notes.append(answer)
        else:
            replies[question.project] = answer
    return replies, tuple(notes)


def _ask(question: Question, optimizer: Backend) -> LessonsReply | Note:
    names = _numbered(map(_dated, question.names), start=1)
    corrections = _numbered(map(_quoted, question.unnamed), start=len(question.names) + 1)
    values = {"lessons": fence(names), "corrections": fence(corrections or "(none)")}
    return ask_model(
        optimizer,
        Purpose.LESSONS,
        values,
        schema=LessonsReply,
        project=question.project,
        stage="mine",
        failure=FAILURE,
    )


def _numbered(lines: Iterable[str], *, start: int) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start))


def _dated(name: Name) -> str:
    return f"{one_line(name.wording)} ({name.first:%Y-%m-%d} to {name.last:%Y-%m-%d})"


def _quoted(task: Task) -> str:
    correction = one_line(" / ".join(quotes_of(task.evidence)), limit=SAID_CHARS)
    request = one_line(task.prompt, limit=SAID_CHARS)
    rejected = one_line(task.rejected, limit=SAID_CHARS)
    return f"{task.at:%Y-%m-%d} «{correction}», said of the answer «{rejected}» to «{request}»"


def holds_in(lesson: Lesson, project: str) -> bool:
    """Tell whether a lesson holds in a project: its own ones do, and those of the person in all."""
    return lesson.project == project or lesson.holds.kind is PlaceKind.PERSON


def folded(wording: str) -> str:
    """Return a name as it is compared: without case, extra blanks and a last full stop."""
    return " ".join(wording.casefold().split()).rstrip(".!")
