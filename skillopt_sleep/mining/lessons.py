"""Find the lesson of each task: the same wish has one lesson, and a later wish may take an earlier one back.

Which names mean one lesson, and which takes another back, is decided by a model over dated names, across nights; what
it keeps apart or leaves without a name stays apart. Without a model, tasks are joined that name the same things or
say nearly the same words.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.ask_model import ask_model
from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Lesson, LessonState, Note, PlaceKind, Purpose, Task

MOST = 40
SAID_CHARS = 200
WORDING_CHARS = 100
FAILURE = "the names of lessons could not be compared"


# Models read a reply's docstrings: they are in its schema.
class LessonsReply(msgspec.Struct, frozen=True):
    """The numbers of all names that mean one lesson, and pairs of which the first takes the second back."""

    same: tuple[tuple[int, ...], ...] = ()
    instead: tuple[tuple[int, int], ...] = ()


def known_names(lessons: Iterable[Lesson]) -> Mapping[str, tuple[str, ...]]:
    """Return the names of lessons by project, each with the day it last came up: the latest 40, the latest last.

    A lesson that was taken back is no example to follow, so it is left out.
    """
    projects: dict[str, list[str]] = {}
    for lesson in sorted(lessons, key=lambda lesson: lesson.last):
        if lesson.wording and lesson.state is not LessonState.TAKEN_BACK:
            projects.setdefault(lesson.project, []).append(f"{lesson.last:%Y-%m-%d} {lesson.wording}")
    return {project: tuple(names[-MOST:]) for project, names in projects.items()}


class Found(NamedTuple):
    """The tasks with their lessons, the lessons that are new or changed, and notes on calls that failed."""

    tasks: tuple[Task, ...]
    lessons: tuple[Lesson, ...]
    notes: tuple[Note, ...] = ()


class _Name(NamedTuple):
    """The name of a lesson: an earlier night's, or one that tasks of tonight brought."""

    wording: str
    first: datetime
    last: datetime
    lesson: Lesson | None = None


class _Question(NamedTuple):
    """A question to the model about a project: names, the known ones first, and the tasks without one."""

    project: str
    names: tuple[_Name, ...]
    unnamed: tuple[Task, ...]


def find_lessons(
    tasks: Sequence[Task],
    *,
    known: Sequence[Lesson],
    several: Collection[str],
    optimizer: Backend,
    pool: Pool,
) -> Found:
    """Give each task the lesson of its name, and end the lessons that a later one takes back.

    `known` are the lessons of earlier nights. The model is asked about the projects in `several`, whose calls could
    not agree on names, and those with known lessons. A task without a name is a lesson of its own, unless the model
    gives it one. A failed call joins nothing.
    """
    questions: list[_Question] = []
    asked: list[_Question] = []
    for project in dict.fromkeys(task.project for task in tasks):
        question = _question(tasks, project, [lesson for lesson in known if _holds_in(lesson, project)])
        questions.append(question)
        if _is_worth_asking(question, is_split=project in several):
            asked.append(question)
    replies, notes = _replies(asked, optimizer, pool)
    found: dict[str, Task] = {}
    lessons: dict[str, Lesson] = {}
    for question in questions:
        of_project = [task for task in tasks if task.project == question.project]
        joined = _joined(_up_to_date(question, lessons), of_project, replies.get(question.project, LessonsReply()))
        found |= {task.id: task for task in joined.tasks}
        lessons |= {lesson.id: lesson for lesson in joined.lessons}
    return Found(tuple(found[task.id] for task in tasks), tuple(lessons.values()), notes)


def _holds_in(lesson: Lesson, project: str) -> bool:
    return lesson.project == project or lesson.holds.kind is PlaceKind.PERSON


def _up_to_date(question: _Question, lessons: Mapping[str, Lesson]) -> _Question:
    """Return the question with what tonight's other projects added to the lessons that hold for the person.

    A new name of such a lesson is the same in every project.
    """
    of_person = {
        _folded(lesson.wording): lesson for lesson in lessons.values() if lesson.holds.kind is PlaceKind.PERSON
    }
    names: list[_Name] = []
    for name in question.names:
        lesson = name.lesson
        if lesson is not None:
            lesson = lessons.get(lesson.id, lesson)
        names.append(name._replace(lesson=lesson or of_person.get(_folded(name.wording))))
    return question._replace(names=tuple(names))


def lessons_by_words(tasks: Sequence[Task], *, earlier: Sequence[Task], known: Sequence[Lesson]) -> Found:
    """Give each task the lesson of the tasks that say nearly the same, without a model.

    `earlier` are the tasks of earlier nights and `known` their lessons.
    """
    joined = {task.id: task for task in cluster(tasks, known=earlier)}
    ordered = tuple(joined[task.id] for task in tasks)
    return Found(ordered, with_evidence(ordered, known))


def with_evidence(tasks: Sequence[Task], known: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """Return the lessons of these tasks, the known ones with what the tasks add.

    A lesson that was taken back before is open again if it came up since.
    """
    lessons = {lesson.id: lesson for lesson in known}
    touched: dict[str, None] = {}
    for task in sorted(tasks, key=lambda task: (task.at, task.id)):
        lesson = lessons.get(task.lesson) or _lesson_of(task)
        lessons[task.lesson] = _with_task(lesson, task)
        touched[task.lesson] = None
    return tuple(lessons[name] for name in touched)


def _lesson_of(task: Task) -> Lesson:
    wording = task.wording or one_line(" / ".join(quotes_of(task.evidence)), limit=WORDING_CHARS)
    return Lesson(
        id=task.lesson, project=task.project, wording=wording, first=task.at, last=task.at, holds=task.holds
    )


def _with_task(lesson: Lesson, task: Task) -> Lesson:
    state = lesson.state
    if state is LessonState.TAKEN_BACK and task.at > lesson.last:
        state = LessonState.OPEN
    return replace(
        lesson,
        first=min(lesson.first, task.at),
        last=max(lesson.last, task.at),
        quotes=tuple(dict.fromkeys((*lesson.quotes, *task.evidence))),
        deeds=tuple(dict.fromkeys((*lesson.deeds, *task.deeds))),
        state=state,
    )


def _question(tasks: Iterable[Task], project: str, known: Sequence[Lesson]) -> _Question:
    names: dict[str, _Name] = {}
    for lesson in sorted(known, key=lambda lesson: lesson.last)[-MOST:]:
        if lesson.wording:
            names[_folded(lesson.wording)] = _Name(lesson.wording, lesson.first, lesson.last, lesson)
    unnamed: list[Task] = []
    for task in tasks:
        if task.project != project:
            continue
        if not task.wording:
            unnamed.append(task)
            continue
        name = names.get(_folded(task.wording), _Name(task.wording, task.at, task.at))
        names[_folded(task.wording)] = name._replace(first=min(name.first, task.at), last=max(name.last, task.at))
    return _Question(project, tuple(names.values()), tuple(unnamed))


def _is_worth_asking(question: _Question, *, is_split: bool) -> bool:
    """Tell whether there is something new to compare with a name."""
    known = sum(1 for name in question.names if name.lesson is not None)
    has_news = len(question.names) > known or bool(question.unnamed)
    is_alone = len(question.names) + len(question.unnamed) < 2  # noqa: PLR2004 - it takes two to compare
    return bool(question.names) and has_news and not is_alone and (is_split or known > 0)


def _replies(
    questions: Sequence[_Question], optimizer: Backend, pool: Pool
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


def _ask(question: _Question, optimizer: Backend) -> LessonsReply | Note:
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


def _dated(name: _Name) -> str:
    return f"{one_line(name.wording)} ({name.first:%Y-%m-%d} to {name.last:%Y-%m-%d})"


def _quoted(task: Task) -> str:
    correction = one_line(" / ".join(quotes_of(task.evidence)), limit=SAID_CHARS)
    request = one_line(task.prompt, limit=SAID_CHARS)
    rejected = one_line(task.rejected, limit=SAID_CHARS)
    return f"{task.at:%Y-%m-%d} «{correction}», said of the answer «{rejected}» to «{request}»"


class _Joined(NamedTuple):
    """The tasks of one project with their lessons, and those lessons."""

    tasks: tuple[Task, ...]
    lessons: tuple[Lesson, ...]


def _joined(question: _Question, tasks: Sequence[Task], reply: LessonsReply) -> _Joined:
    """Give the tasks of one project the lessons that the names and the model's reply make."""
    groups = _groups(question, reply)
    named: list[Task] = []
    for task in tasks:
        group = groups.get(_folded(task.wording) if task.wording else task.id)
        if group is None:
            named.append(replace(task, lesson=task.lesson or _new_id(task)))
            continue
        first = group.lesson
        if not first:
            group.lesson = first = _new_id(task)
        named.append(replace(task, lesson=first, wording=group.wording))
    known = [name.lesson for name in question.names if name.lesson is not None]
    lessons = {lesson.id: lesson for lesson in with_evidence(named, known)}
    ended = _ended(question, named, groups, reply)
    return _Joined(tuple(named), tuple(_with_ended(lessons, known, ended)))


class _Group:
    """Names that mean one lesson: the wording that stands for them, and the lesson's id once it is known."""

    def __init__(self, wording: str, lesson: str) -> None:
        self.wording = wording
        self.lesson = lesson


def _groups(question: _Question, reply: LessonsReply) -> dict[str, _Group]:
    """Return the group of each name, by its folded wording, and of each unnamed task that got one, by its id."""
    keys = [_folded(name.wording) for name in question.names]
    groups: dict[str, _Group] = {}
    for key, name in zip(keys, question.names, strict=True):
        groups[key] = _Group(name.wording, name.lesson.id if name.lesson else "")
    keys += [task.id for task in question.unnamed]
    for numbers in _merged(reply, len(keys)):
        first, *others = sorted(numbers)
        if first > len(question.names):
            continue
        for number in others:
            # Earlier nights kept two known lessons apart, and what was learned of each stays its own.
            if not _is_known(question, number):
                groups[keys[number - 1]] = groups[keys[first - 1]]
    return groups


def _is_known(question: _Question, number: int) -> bool:
    return number <= len(question.names) and question.names[number - 1].lesson is not None


def _ended(
    question: _Question, tasks: Sequence[Task], groups: Mapping[str, _Group], reply: LessonsReply
) -> Iterator[tuple[str, str]]:
    """Yield the ids of each lesson that takes another back, and of that other; the later one holds."""
    keys = [_folded(name.wording) for name in question.names]
    for later, earlier in reply.instead:
        if 0 < later <= len(keys) and 0 < earlier <= len(keys):
            yield groups[keys[later - 1]].lesson, groups[keys[earlier - 1]].lesson
    for task in tasks:
        other = groups.get(_folded(task.takes_back)) if task.takes_back else None
        if other is not None:
            yield task.lesson, other.lesson


def _with_ended(
    lessons: dict[str, Lesson], known: Sequence[Lesson], ended: Iterable[tuple[str, str]]
) -> Iterator[Lesson]:
    """Yield the lessons of tonight, and those that they take back with that state."""
    all_lessons = {lesson.id: lesson for lesson in known} | lessons
    changed = dict.fromkeys(lessons)
    for later, earlier in ended:
        if later == earlier or later not in all_lessons or earlier not in all_lessons:
            continue
        if all_lessons[later].last < all_lessons[earlier].last:
            continue
        all_lessons[later] = replace(all_lessons[later], takes_back=earlier)
        all_lessons[earlier] = replace(all_lessons[earlier], state=LessonState.TAKEN_BACK)
        changed |= dict.fromkeys((later, earlier))
    for name in changed:
        yield all_lessons[name]


def _new_id(task: Task) -> str:
    return f"l-{task.id}"


def _folded(wording: str) -> str:
    return " ".join(wording.casefold().split()).rstrip(".!")


def _merged(reply: LessonsReply, count: int) -> list[set[int]]:
    """Return the groups, merged if they share a number, and without numbers that aren't from 1 to `count`."""
    groups: list[set[int]] = []
    for numbers in reply.same:
        group = {number for number in numbers if 0 < number <= count}
        apart: list[set[int]] = []
        for other in groups:
            if other & group:
                group |= other
            else:
                apart.append(other)
        groups = [*apart, group] if group else apart
    return groups
