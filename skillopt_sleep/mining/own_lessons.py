"""Find the lessons that are the person's own: those that came up in three projects, or that hold everywhere."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from skillopt_sleep.kit.likeness import likeness
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.names import EVERY_PROJECT, MOST, SameReply, alike, numbered, replies_to
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Lesson, LessonState, Note, Place, PlaceKind, Task, quotes_and_deeds

PROJECTS = 3  # so many projects make a lesson the person's own


def of_the_person(
    tasks: Sequence[Task],
    lessons: Sequence[Lesson],
    known: Sequence[Lesson],
    *,
    optimizer: Backend | None = None,
    pool: Pool | None = None,
) -> tuple[tuple[Task, ...], tuple[Lesson, ...], tuple[Note, ...]]:
    """Return tonight's tasks and lessons with those that are the person's own, and notes on what comes near to it.

    `known` are the lessons of earlier nights in all projects. Those with one name or the same words are one, and
    so are those of which the model says so, if there is one. It may join two known ones of one project, too.
    """
    old = {lesson.id: lesson for lesson in known}
    every = old | {lesson.id: lesson for lesson in lessons}
    living = [lesson for lesson in every.values() if lesson.state is not LessonState.TAKEN_BACK]
    groups = _merged(alike(living, old))
    lines = _look_alike(lessons, living, groups, old)
    notes: list[Note] = []
    said: list[list[str]] = []
    if optimizer is not None and pool is not None and lines:
        replies, failed = replies_to({EVERY_PROJECT: lines}, SameReply, optimizer, pool)
        notes += failed
        for reply in replies.values():
            said += numbered(reply.same, lines)
    heard, named = {lesson.id for lesson in lessons}, set(chain(*said))
    united: list[Lesson] = []
    for group in _merged((*groups, *said)):
        members = [every[name] for name in group]
        projects = len({lesson.project for lesson in members})
        if len(group) == 1 or heard.isdisjoint(group):
            continue
        is_one = projects >= PROJECTS or any(map(_is_own, members))
        if projects == 1:
            is_one = named.issuperset(group)
        if is_one:
            united.append(_united(members))
        elif projects > 1:
            notes.append(_note_of(members, projects))
    joined = {name for lesson in united for name in lesson.joins}
    changed = {lesson.id: lesson for lesson in (*lessons, *united) if lesson.id not in joined}
    return with_own(tasks, changed.values()), tuple(changed.values()), tuple(notes)


def with_own(tasks: Iterable[Task], lessons: Iterable[Lesson]) -> tuple[Task, ...]:
    """Return the tasks, those of the person's own lessons and of joined ones with that lesson and its reach."""
    own: dict[str, Lesson] = {}
    for lesson in lessons:
        if lesson.joins or _is_own(lesson):
            own |= dict.fromkeys((lesson.id, *lesson.joins), lesson)
    named: list[Task] = []
    for task in tasks:
        lesson = own.get(task.lesson)
        named.append(task.of_lesson(lesson.id, lesson.holds) if lesson else task)
    return tuple(named)


def _merged(groups: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the groups, merged if they share a member, in the order of the first of each."""
    whole: list[list[str]] = []
    for group in groups:
        near = [other for other in whole if not set(other).isdisjoint(group)]
        whole = [other for other in whole if other not in near]
        whole.append(list(dict.fromkeys(chain(*near, group))))
    return whole


def _is_own(lesson: Lesson) -> bool:
    return lesson.holds.kind is PlaceKind.PERSON


def _look_alike(
    heard: Sequence[Lesson], living: Sequence[Lesson], groups: Sequence[Sequence[str]], old: Mapping[str, Lesson]
) -> Sequence[Lesson]:
    """Return the lessons to compare over all projects: each that came up and looks like another, and that other.

    A new one was compared in its project already; a known one counts if it came up in one more session. Two that hold
    everywhere are compared whatever they look like if one is new, those of a group never.
    """
    group_of = {name: number for number, group in enumerate(groups) for name in group}
    near: set[str] = set()
    for one in heard:
        is_new = one.id not in old
        if not is_new and set(one.sessions) <= set(old[one.id].sessions):
            continue
        for other in living:
            was_compared = one.project == other.project and (is_new or other.id not in old)
            is_joined = group_of.get(one.id, one.id) == group_of.get(other.id, other.id)
            both_own = is_new and _is_own(one) and _is_own(other)
            if not (was_compared or is_joined) and (both_own or likeness(one.wording, other.wording)):
                near |= {one.id, other.id}
    return sorted((lesson for lesson in living if lesson.id in near), key=lambda lesson: lesson.last)[-MOST:]


def _united(members: Sequence[Lesson]) -> Lesson:
    """Return the lesson that these are: the person's own of them, or one with a rule, or the first that came up.

    Those of several projects are the person's own.
    """
    with_rule = {LessonState.LIVE, LessonState.PROPOSED}
    first, *others = sorted(
        members, key=lambda lesson: (not _is_own(lesson), lesson.state not in with_rule, lesson.first, lesson.id)
    )
    is_local = _is_own(first) or all(lesson.project == first.project for lesson in others)
    quotes, deeds = quotes_and_deeds((first, *others))
    joins = [name for other in others for name in (other.id, *other.joins)]
    return replace(
        first,
        first=min(lesson.first for lesson in members),
        last=max(lesson.last for lesson in members),
        quotes=quotes,
        deeds=deeds,
        holds=first.holds if is_local else Place(kind=PlaceKind.PERSON),
        state=LessonState.OPEN if first.state is LessonState.NOTICED else first.state,
        joins=(*first.joins, *joins),
    )


def _note_of(members: Sequence[Lesson], projects: int) -> Note:
    """Say that a lesson came up in several projects, and what makes it the person's own."""
    once = ", once in each" if len(members) == sum(len(lesson.sessions) for lesson in members) else ""
    summary = (
        f"«{one_line(members[0].wording)}» was said in {counted(projects, 'project')}{once};"
        f" said in {PROJECTS}, it is a rule of your own, for all of them"
    )
    return Note(stage="mine", summary=summary, expected=True)
