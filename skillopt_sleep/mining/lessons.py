"""The names of lessons: one wish is called the same, by every call of a night and on every night."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, ItemError
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Note, Prompt, Purpose, Split, Task

MOST = 40
SAID_CHARS = 200


class SameReply(msgspec.Struct, frozen=True):
    """What the model answers: the numbers of all that means one wish."""

    same: tuple[tuple[int, ...], ...]


def known_lessons(tasks: Iterable[Task]) -> Mapping[str, tuple[str, ...]]:
    """The lessons' names by project, of its train tasks only: those heard last, at most 40, the latest last."""
    found: dict[str, dict[str, None]] = {}
    for task in sorted(tasks, key=lambda task: task.at):
        if task.lesson and task.split is Split.TRAIN:
            names = found.setdefault(task.project, {})
            names.pop(task.lesson, None)
            names[task.lesson] = None
    return {project: tuple(names)[-MOST:] for project, names in found.items()}


class _Naming(NamedTuple):
    """What one project is asked about: names, the known ones first, and the tasks without one."""

    project: str
    names: tuple[str, ...]
    unnamed: tuple[Task, ...]


def renamed(
    tasks: Sequence[Task],
    several: Collection[str],
    *,
    known: Mapping[str, Sequence[str]],
    optimizer: Backend,
    pool: Pool,
) -> tuple[tuple[Task, ...], tuple[Note, ...]]:
    """The tasks with one name for each lesson of a project, and the calls that failed, whose names stay.

    Asked about are the projects that took `several` calls, which couldn't agree on names, and those with known ones.
    A name that is known already stands for all that mean the same, else the one that came first. A task that got no
    name, as nothing in its call showed that its wish recurs, may get one of these.
    """
    asked = [
        naming
        for project in sorted({task.project for task in tasks})
        if (project in several or known.get(project)) and (naming := _naming(tasks, project, known.get(project, ())))
    ]
    try:
        answers = pool.map(lambda naming: _asked(naming, optimizer), asked, label="lessons") if asked else ()
    except BudgetExhausted as error:
        return tuple(tasks), (Note(stage="mine", summary=f"lessons: {error.message}", remedy=error.remedy),)
    names: dict[tuple[str, str], str] = {}
    found: dict[str, str] = {}
    for naming, reply in zip(asked, answers, strict=True):
        if isinstance(reply, SameReply):
            for name, members in _groups(naming, reply):
                names |= {(naming.project, one): name for one in members if isinstance(one, str)}
                found |= {one.id: name for one in members if isinstance(one, Task)}
    one_each = tuple(
        replace(task, lesson=names.get((task.project, task.lesson)) or found.get(task.id) or task.lesson)
        for task in tasks
    )
    return one_each, tuple(reply for reply in answers if isinstance(reply, Note))


def _naming(tasks: Iterable[Task], project: str, known: Sequence[str]) -> _Naming | None:
    """What to ask about a project; None where nothing new stands beside a name."""
    own = [task for task in tasks if task.project == project]
    names = tuple(dict.fromkeys((*known, *(task.lesson for task in own if task.lesson))))
    unnamed = tuple(task for task in own if not task.lesson)
    more = len(names) - len(known) + len(unnamed)
    return _Naming(project, names, unnamed) if names and more and len(names) + len(unnamed) > 1 else None


def _asked(naming: _Naming, optimizer: Backend) -> SameReply | Note:
    said = [
        f"«{one_line(' / '.join(quote.quote for quote in task.evidence), limit=SAID_CHARS)}», said of "
        f"«{one_line(task.prompt, limit=SAID_CHARS)}»"
        for task in naming.unnamed
    ]
    lines = [f"{number}. {line}" for number, line in enumerate((*map(one_line, naming.names), *said), start=1)]
    count = len(naming.names)
    corrections = "\n".join(lines[count:]) or "(none)"
    text = fill("lessons", lessons=fence("\n".join(lines[:count])), corrections=fence(corrections))
    prompt = Prompt(purpose=Purpose.LESSONS, text=text, schema=SameReply, project=naming.project)
    try:
        reply = optimizer.complete(prompt).structured
    except ItemError as error:
        return Note(stage="mine", summary=f"lessons: {error.message}", remedy=error.remedy)
    assert isinstance(reply, SameReply)  # noqa: S101 - a backend decodes into the prompt's schema or raises
    return reply


def _groups(naming: _Naming, reply: SameReply) -> Iterator[tuple[str, list[str | Task]]]:
    """Each name with all that it stands for; groups that share a number are one, and one without a name is none."""
    things = (*naming.names, *naming.unnamed)
    groups: list[set[int]] = []
    for said in reply.same:
        group = {number for number in said if 0 < number <= len(things)}
        touched = [other for other in groups if other & group]
        groups = [other for other in groups if other not in touched] + [group.union(*touched)]
    for first, *others in filter(None, map(sorted, groups)):
        if first <= len(naming.names):
            yield naming.names[first - 1], [things[number - 1] for number in others]
