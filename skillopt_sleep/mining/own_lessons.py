"""Find the lessons that are the person's own: those that came up in three projects, or that hold everywhere."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from skillopt_sleep.kit.likeness import likeness
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.mining.names import EVERY_PROJECT, MOST, alike, numbered, replies_to
from skillopt_sleep.protocols import Backend, Pool
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
    so are those of which the model says so, if there is one.
    """
    old = {lesson.id: lesson for lesson in known}
    every = old | {lesson.id: lesson for lesson in lessons}
    living = [lesson for lesson in every.values() if lesson.state is not LessonState.TAKEN_BACK]
    groups = _merged(alike(living, old))
    lines = _look_alike([lesson for lesson in lessons if lesson.id not in old], living, groups)
    notes: list[Note] = []
    if optimizer is not None and pool is not None and lines:
        replies, failed = replies_to({EVERY_PROJECT: lines}, optimizer, pool)
        notes += failed
        for reply in replies.values():
            groups += numbered(reply.same, lines)
    heard = {lesson.id for lesson in lessons}
    own: list[Lesson] = []
    for group in _merged(groups):
        members = [every[name] for name in dict.fromkeys(group)]
        projects = len({lesson.project for lesson in members})
        if projects == 1 or heard.isdisjoint(group):
            continue
        if projects >= PROJECTS or any(map(_is_own, members)):
            own.append(_united(members))
        else:
            notes.append(_note_of(members, projects))
    joined = {name for lesson in own for name in lesson.joins}
    changed = {lesson.id: lesson for lesson in (*lessons, *own) if lesson.id not in joined}
    return with_own(tasks, changed.values()), tuple(changed.values()), tuple(notes)


def with_own(tasks: Iterable[Task], lessons: Iterable[Lesson]) -> tuple[Task, ...]:
    """Return the tasks, those of the person's own lessons with that lesson and its reach."""
    own: dict[str, Lesson] = {}
    for lesson in filter(_is_own, lessons):
        own |= dict.fromkeys((lesson.id, *lesson.joins), lesson)
    changed = {name: {"lesson": lesson.id, "holds": lesson.holds} for name, lesson in own.items()}
    return tuple(replace(task, **changed.get(task.lesson, {})) for task in tasks)


def _merged(groups: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the groups, merged if they share a member, in the order of the first of each."""
    whole: list[list[str]] = []
    for group in groups:
        joined = [*group]
        apart: list[list[str]] = []
        for other in whole:
            if set(other).isdisjoint(joined):
                apart.append(other)
            else:
                joined = [*other, *joined]
        whole = [*apart, list(dict.fromkeys(joined))]
    return whole


def _is_own(lesson: Lesson) -> bool:
    return lesson.holds.kind is PlaceKind.PERSON


def _look_alike(new: Sequence[Lesson], living: Sequence[Lesson], groups: Sequence[Sequence[str]]) -> Sequence[Lesson]:
    """Return the lessons to compare over all projects: each new one that looks like one of another, and that other.

    Two that both hold everywhere are compared whatever they look like, those of a group never.
    """
    group_of = {name: number for number, group in enumerate(groups) for name in group}
    near: set[str] = set()
    for one in new:
        for other in living:
            is_joined = group_of.get(one.id, one.id) == group_of.get(other.id, other.id)
            if one.project == other.project or is_joined:
                continue
            if (_is_own(one) and _is_own(other)) or likeness(one.wording, other.wording):
                near |= {one.id, other.id}
    return sorted((lesson for lesson in living if lesson.id in near), key=lambda lesson: lesson.last)[-MOST:]


def _united(members: Sequence[Lesson]) -> Lesson:
    """Return the person's own lesson that these are: the one that was theirs already, or the first that came up."""
    first, *others = sorted(members, key=lambda lesson: (not _is_own(lesson), lesson.first, lesson.id))
    quotes, deeds = quotes_and_deeds((first, *others))
    joins = [name for other in others for name in (other.id, *other.joins)]
    return replace(
        first,
        first=min(lesson.first for lesson in members),
        last=max(lesson.last for lesson in members),
        quotes=quotes,
        deeds=deeds,
        holds=first.holds if _is_own(first) else Place(kind=PlaceKind.PERSON),
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
