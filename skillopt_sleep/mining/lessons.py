"""Find the lesson of each task: the same wish has one lesson, and a later wish may take an earlier one back.

Equal names are one lesson, and so are the same words, typed in several sessions. Which other names mean one lesson,
and which takes another back, is decided by a model, across nights; what it keeps apart stays apart. What came up in
three projects, or holds everywhere, is the person's own: one lesson for all projects.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.mining.cluster import cluster
from skillopt_sleep.mining.deeds import as_names
from skillopt_sleep.mining.names import MOST, LessonsReply, alike, folded, holds_in, numbered, replies_to
from skillopt_sleep.mining.own_lessons import of_the_person
from skillopt_sleep.mining.proof import in_own_words
from skillopt_sleep.mining.provenance import is_said, quotes_of
from skillopt_sleep.mining.wishes import last_wish
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Lesson, LessonState, Note, PlaceKind, Task

WORDING_CHARS = 100


class LessonTasks(NamedTuple):
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
) -> LessonTasks:
    """Give each task the lesson of its name or words, and end the lessons that a later one takes back.

    `known` are the lessons of earlier nights. The model is asked about the projects in `several`, whose calls could
    not agree on names, those with known lessons or with names that the person's words don't hold, and once about what
    looks alike in several projects. A failed call joins nothing, and trusts no such name: a task has the person's own
    words instead, or isn't among the found ones if these say nothing.
    """
    joining = _Joining(tasks, known)
    projects = dict.fromkeys(task.project for task in tasks)
    for project in projects:
        here = joining.lessons_in(project)
        joining.join(alike(here, joining.old))
    asked: dict[str, Sequence[Lesson]] = {}
    for project in projects:
        if lines := joining.question(project, is_split=project in several):
            asked[project] = lines
    replies, notes = replies_to(asked, LessonsReply, optimizer, pool)
    for project, lines in asked.items():
        told = [lesson for lesson in lines if joining.is_unsure(lesson)]
        if project in replies:
            unsaid = {lines[number - 1].id for number in replies[project].unsaid if 0 < number <= len(lines)}
            told = [lesson for lesson in told if lesson.id in unsaid]
        joining.reword(lesson.id for lesson in told)
    said: set[tuple[str, str]] = set()
    for project, reply in replies.items():
        joining.join(numbered(map(sorted, reply.same), asked[project]))
        pairs = numbered(reply.instead, asked[project])
        said.update((pair[0], pair[1]) for pair in pairs if len(pair) == 2)  # noqa: PLR2004 - both are there
    ended = joining.ended(said)
    found, lessons, more = of_the_person(joining.tasks(), ended, known, optimizer=optimizer, pool=pool)
    return LessonTasks(found, lessons, (*notes, *more))


def lessons_by_words(tasks: Sequence[Task], *, earlier: Sequence[Task], known: Sequence[Lesson]) -> LessonTasks:
    """Give each task the lesson of the tasks that say nearly the same, without a model.

    `earlier` are the tasks of earlier nights and `known` their lessons.
    """
    joined = {task.id: task for task in cluster(tasks, known=earlier)}
    ordered = tuple(joined[task.id] for task in tasks)
    return LessonTasks(*of_the_person(ordered, with_evidence(ordered, known), known))


def _came_up(task: Task) -> tuple[datetime, int]:
    """Return when a task's wish came up: the start of its session, and the last turn that shows it."""
    return task.at, max((sign.turn for sign in (*task.feedback.evidence, *task.feedback.deeds)), default=0)


def _opposed(later: Lesson, earlier: Lesson) -> bool:
    """Tell whether the person's words for one lesson want by name what those for the other don't, or the reverse."""
    now, before = (last_wish(quotes_of(lesson.quotes)) for lesson in (later, earlier))
    refused = {*map(str.casefold, now.avoid)} & {*map(str.casefold, before.want)}
    return bool(refused or {*map(str.casefold, now.want)} & {*map(str.casefold, before.avoid)})


def with_evidence(tasks: Iterable[Task], known: Iterable[Lesson]) -> tuple[Lesson, ...]:
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
    return Lesson(
        id=task.lesson,
        project=task.project,
        wording=task.wanted.wording or one_line(" / ".join(quotes_of(task.feedback.evidence)), limit=WORDING_CHARS),
        first=task.at,
        last=task.at,
        holds=task.wanted.holds,
        state=LessonState.NOTICED if task.wanted.unclear else LessonState.OPEN,
    )


def _with_task(lesson: Lesson, task: Task) -> Lesson:
    return replace(
        lesson,
        state=_state_after(lesson, task),
        first=min(lesson.first, task.at),
        last=max(lesson.last, task.at),
        quotes=tuple(dict.fromkeys((*lesson.quotes, *task.feedback.evidence))),
        deeds=tuple(dict.fromkeys((*lesson.deeds, *task.feedback.deeds))),
        holds=task.wanted.holds if task.wanted.holds.kind is PlaceKind.PERSON else lesson.holds,
    )


def _state_after(lesson: Lesson, task: Task) -> LessonState:
    """Return the state of a lesson that comes up once more."""
    if lesson.state is LessonState.TAKEN_BACK and task.at > lesson.last:
        return LessonState.OPEN
    shown = [piece.session for piece in (*lesson.deeds, *lesson.quotes)]
    is_shown_again = bool(shown) and task.session not in shown
    if lesson.state is LessonState.NOTICED and (is_shown_again or not task.wanted.unclear):
        return LessonState.OPEN
    return lesson.state


class _Joining:
    """The lessons of earlier nights and those of tonight's tasks, and which of these became which."""

    def __init__(self, tasks: Sequence[Task], known: Sequence[Lesson]) -> None:
        # By when they last came up: of two of one session, the one that was taken back comes first.
        by_time = sorted(known, key=lambda lesson: (lesson.last, lesson.state is not LessonState.TAKEN_BACK))
        self.old = {lesson.id: lesson for lesson in by_time}
        self._order = [task.id for task in tasks]
        self._tasks = [replace(task, lesson=f"l-{task.id}") for task in sorted(tasks, key=_came_up)]
        self._became: dict[str, str] = {}

    def now(self, lesson: str) -> str:
        """Return the id of the lesson that this one became."""
        while lesson in self._became:
            lesson = self._became[lesson]
        return lesson

    def tasks(self) -> tuple[Task, ...]:
        """Return tonight's tasks with the ids and names of their lessons."""
        wordings = {name: lesson.wording for name, lesson in self.old.items()}
        for task in self._tasks:
            wordings[self.now(task.lesson)] = wordings.get(self.now(task.lesson)) or task.wanted.wording
        found: dict[str, Task] = {}
        for task in self._tasks:
            lesson = self.now(task.lesson)
            found[task.id] = replace(task, lesson=lesson, wanted=replace(task.wanted, wording=wordings[lesson]))
        return tuple(found[name] for name in self._order if name in found)

    def lessons(self) -> dict[str, Lesson]:
        """Return the lessons by id: the known ones, the latest last, then tonight's in the order they came up."""
        heard = {lesson.id: lesson for lesson in with_evidence(self.tasks(), self.old.values())}
        return self.old | {name: heard[name] for name in (self.now(task.lesson) for task in self._tasks)}

    def lessons_in(self, project: str) -> list[Lesson]:
        """Return the lessons that hold in a project."""
        return [lesson for lesson in self.lessons().values() if holds_in(lesson, project)]

    def join(self, groups: Iterable[Sequence[str]]) -> None:
        """Make one lesson of each of these groups of ids, the best first.

        Two known lessons stay apart, as earlier nights kept them, and what was learned of each stays its own.
        """
        for group in groups:
            names = list(dict.fromkeys(map(self.now, group)))
            first = next((name for name in names if name in self.old), names[0])
            self._became |= dict.fromkeys((name for name in names if name not in self.old and name != first), first)

    def question(self, project: str, *, is_split: bool) -> list[Lesson]:
        """Return the lessons to compare in a project; none if nothing is new, and nothing is said to be taken back.

        They are tonight's, the latest 40 known ones, and those that are said to be taken back.
        """
        here = self.lessons_in(project)
        own = [task for task in self.tasks() if task.project == project]
        heard = {task.lesson for task in own}
        back = {folded(task.wanted.takes_back) for task in own if task.wanted.takes_back}
        known = [lesson for lesson in here if lesson.id in self.old]
        latest = {lesson.id for lesson in known[-MOST:]} | heard
        lines = [lesson for lesson in here if lesson.id in latest or folded(lesson.wording) in back]
        is_new = (is_split or bool(known)) and any(name not in self.old for name in heard)
        is_worth_it = len(lines) > 1 and (is_new or bool(back))
        return lines if is_worth_it or any(map(self.is_unsure, lines)) else []

    def is_unsure(self, lesson: Lesson) -> bool:
        """Tell whether only a reader can tell if the name of a new lesson is what the person said or did."""
        shown = "\n".join((*quotes_of(lesson.quotes), *as_names(lesson.deeds)))
        return lesson.id not in self.old and not is_said(lesson.wording, shown)

    def reword(self, lessons: Iterable[str]) -> None:
        """Put the person's own words in the place of these lessons' names; drop the tasks that have none."""
        names = frozenset(lessons)
        renamed = (in_own_words(task) if self.now(task.lesson) in names else task for task in self._tasks)
        self._tasks = [task for task in renamed if task is not None]

    def ended(self, said: Collection[tuple[str, str]]) -> tuple[Lesson, ...]:
        """Return tonight's lessons, and those that they take back; `said` are such pairs of ids, the later one first.

        Only what came up tonight ends another: of two lessons of earlier nights it was decided then. What the miner
        says counts only if the person's own words name both: it may have been told by the text of others.
        """
        lessons = self.lessons()
        changed = dict.fromkeys(task.lesson for task in self.tasks())
        heard = frozenset(changed)
        pairs = {(self.now(later), self.now(earlier)) for later, earlier in said}
        for task in self.tasks():
            for other in lessons.values():
                is_named = task.wanted.takes_back and folded(task.wanted.takes_back) == folded(other.wording)
                if is_named and holds_in(other, task.project) and _opposed(lessons[task.lesson], other):
                    pairs.add((task.lesson, other.id))
        for later, earlier in sorted(pairs):
            one, other = lessons[later], lessons[earlier]
            # Of two that came up in one moment nobody knows which of them holds.
            is_mutual = (earlier, later) in pairs and one.last == other.last
            if later in heard and later != earlier and one.last >= other.last and not is_mutual:
                lessons[later] = replace(one, takes_back=earlier)
                lessons[earlier] = replace(other, state=LessonState.TAKEN_BACK)
                changed |= dict.fromkeys((later, earlier))
        return tuple(lessons[name] for name in changed)
