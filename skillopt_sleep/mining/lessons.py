"""Find the lesson of each task: the same wish has one lesson, and a later wish may take an earlier one back.

Which names mean one lesson, and which takes another back, is decided by a model over dated names, across nights; what
it keeps apart or leaves without a name stays apart. Without a model, tasks are joined that name the same things or
say nearly the same words.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.mining.names import (
    LessonsReply,
    Name,
    Question,
    folded,
    holds_in,
    is_worth_asking,
    question_of,
    replies_to,
)
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Lesson, LessonState, Note, PlaceKind, Task

WORDING_CHARS = 100


class Found(NamedTuple):
    """The tasks with their lessons, the lessons that are new or changed, and notes on calls that failed."""

    tasks: tuple[Task, ...]
    lessons: tuple[Lesson, ...]
    notes: tuple[Note, ...] = ()


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
    questions: list[Question] = []
    asked: list[Question] = []
    for project in dict.fromkeys(task.project for task in tasks):
        question = question_of(tasks, project, [lesson for lesson in known if holds_in(lesson, project)])
        questions.append(question)
        if is_worth_asking(question, is_split=project in several):
            asked.append(question)
    replies, notes = replies_to(asked, optimizer, pool)
    found: dict[str, Task] = {}
    lessons: dict[str, Lesson] = {}
    for question in questions:
        of_project = [task for task in tasks if task.project == question.project]
        joined = _joined(_up_to_date(question, lessons), of_project, replies.get(question.project, LessonsReply()))
        found |= {task.id: task for task in joined.tasks}
        lessons |= {lesson.id: lesson for lesson in joined.lessons}
    return Found(tuple(found[task.id] for task in tasks), tuple(lessons.values()), notes)


def _up_to_date(question: Question, lessons: Mapping[str, Lesson]) -> Question:
    """Return the question with what tonight's other projects added to the lessons that hold for the person.

    A new name of such a lesson is the same in every project.
    """
    of_person = {
        folded(lesson.wording): lesson for lesson in lessons.values() if lesson.holds.kind is PlaceKind.PERSON
    }
    names: list[Name] = []
    for name in question.names:
        lesson = name.lesson
        if lesson is not None:
            lesson = lessons.get(lesson.id, lesson)
        names.append(name._replace(lesson=lesson or of_person.get(folded(name.wording))))
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

    A lesson that was taken back before is open again if it came up since, and so is one that was only noticed, if
    another session shows it too.
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
    state = LessonState.NOTICED if task.unclear else LessonState.OPEN
    return Lesson(
        id=task.lesson,
        project=task.project,
        wording=wording,
        first=task.at,
        last=task.at,
        holds=task.holds,
        state=state,
    )


def _with_task(lesson: Lesson, task: Task) -> Lesson:
    return replace(
        lesson,
        state=_state_after(lesson, task),
        first=min(lesson.first, task.at),
        last=max(lesson.last, task.at),
        quotes=tuple(dict.fromkeys((*lesson.quotes, *task.evidence))),
        deeds=tuple(dict.fromkeys((*lesson.deeds, *task.deeds))),
    )


def _state_after(lesson: Lesson, task: Task) -> LessonState:
    """Return the state of a lesson that comes up once more."""
    if lesson.state is LessonState.TAKEN_BACK and task.at > lesson.last:
        return LessonState.OPEN
    is_shown_again = bool(lesson.sessions) and task.session not in lesson.sessions
    if lesson.state is LessonState.NOTICED and (is_shown_again or not task.unclear):
        return LessonState.OPEN
    return lesson.state


class _Joined(NamedTuple):
    """The tasks of one project with their lessons, and those lessons."""

    tasks: tuple[Task, ...]
    lessons: tuple[Lesson, ...]


def _joined(question: Question, tasks: Sequence[Task], reply: LessonsReply) -> _Joined:
    """Give the tasks of one project the lessons that the names and the model's reply make."""
    groups = _groups(question, reply)
    named: list[Task] = []
    for task in tasks:
        group = groups.get(folded(task.wording) if task.wording else task.id)
        if group is None:
            named.append(replace(task, lesson=task.lesson or _new_id(task)))
            continue
        first = group.lesson
        if not first:
            group.lesson = first = _new_id(task)
        named.append(replace(task, lesson=first, wording=group.wording))
    known = [name.lesson for name in question.names if name.lesson is not None]
    lessons = {lesson.id: lesson for lesson in known}
    changed = with_evidence(named, known)
    lessons |= {lesson.id: lesson for lesson in changed}
    ended = _ended(question, named, groups, reply, lessons)
    return _Joined(tuple(named), tuple(_with_ended(lessons, changed, ended)))


class _Group:
    """Names that mean one lesson: the wording that stands for them, and the lesson's id once it is known."""

    def __init__(self, wording: str, lesson: str) -> None:
        self.wording = wording
        self.lesson = lesson


def _groups(question: Question, reply: LessonsReply) -> dict[str, _Group]:
    """Return the group of each name, by its folded wording, and of each unnamed task that got one, by its id."""
    keys = [folded(name.wording) for name in question.names]
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


def _is_known(question: Question, number: int) -> bool:
    return number <= len(question.names) and question.names[number - 1].lesson is not None


def _ended(
    question: Question,
    tasks: Sequence[Task],
    groups: Mapping[str, _Group],
    reply: LessonsReply,
    lessons: Mapping[str, Lesson],
) -> Iterator[tuple[str, str]]:
    """Yield the ids of each lesson that takes another back, and of that other; the later one holds.

    Only what came up tonight ends another: of two lessons of earlier nights it was decided then. A model that was
    shown the text of others may be told by it which lesson to end. So what it says counts only if the comparison of
    names says the same, or if the person speaks of one thing in both lessons.
    """
    heard = {task.lesson for task in tasks}
    by_names = _said_by_names(question, groups, reply)
    by_miner = _said_by_miner(tasks, groups)
    said = by_names | by_miner
    for later, earlier in sorted(said):
        if later == earlier or later not in heard or earlier not in lessons:
            continue
        # Of two that came up in one moment nobody knows which of them holds.
        if (earlier, later) in said and lessons[later].last == lessons[earlier].last:
            continue
        is_certain = (later, earlier) in by_names and (not question.unnamed or (later, earlier) in by_miner)
        if is_certain or _speak_of_one_thing(lessons[later], lessons[earlier]):
            yield later, earlier


def _said_by_names(question: Question, groups: Mapping[str, _Group], reply: LessonsReply) -> set[tuple[str, str]]:
    """Return the later and the earlier lesson, by id, where the comparison of names says that one ends the other."""
    keys = [folded(name.wording) for name in question.names]
    said: set[tuple[str, str]] = set()
    for later, earlier in reply.instead:
        if 0 < later <= len(keys) and 0 < earlier <= len(keys):
            said.add((groups[keys[later - 1]].lesson, groups[keys[earlier - 1]].lesson))
    return said


def _said_by_miner(tasks: Sequence[Task], groups: Mapping[str, _Group]) -> set[tuple[str, str]]:
    """Return the later and the earlier lesson, by id, where the miner says that one ends the other."""
    said: set[tuple[str, str]] = set()
    for task in tasks:
        other = groups.get(folded(task.takes_back)) if task.takes_back else None
        if other is not None:
            said.add((task.lesson, other.lesson))
    return said


def _speak_of_one_thing(later: Lesson, earlier: Lesson) -> bool:
    person = Person(later.wording, quotes_of(later.quotes))
    return person.shares("\n".join((earlier.wording, *quotes_of(earlier.quotes))))


def _with_ended(
    lessons: dict[str, Lesson], changed: Iterable[Lesson], ended: Iterable[tuple[str, str]]
) -> Iterator[Lesson]:
    """Yield the lessons of tonight, and those that they take back with that state."""
    ids = dict.fromkeys(lesson.id for lesson in changed)
    for later, earlier in ended:
        if lessons[later].last < lessons[earlier].last:
            continue
        lessons[later] = replace(lessons[later], takes_back=earlier)
        lessons[earlier] = replace(lessons[earlier], state=LessonState.TAKEN_BACK)
        ids |= dict.fromkeys((later, earlier))
    for name in ids:
        yield lessons[name]


def _new_id(task: Task) -> str:
    return f"l-{task.id}"


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
