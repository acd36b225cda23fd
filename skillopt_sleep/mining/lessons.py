"""Agree on the names of lessons: one wish has one name, in every call of a night and on every night."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.markdown import fence, one_line
from skillopt_sleep.mining.ask_model import ask_model
from skillopt_sleep.mining.provenance import quotes_of
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Note, Purpose, Split, Task

MOST = 40
SAID_CHARS = 200
FAILURE = "the names of lessons could not be compared"


# Models read a reply's docstrings: they are in its schema.
class SameReply(msgspec.Struct, frozen=True):
    """What the model answers: the numbers of all that means one wish."""

    same: tuple[tuple[int, ...], ...]


def known_lessons(tasks: Iterable[Task]) -> Mapping[str, tuple[str, ...]]:
    """Return the names of lessons by project, of train tasks only: the latest 40, the latest last."""
    projects: dict[str, dict[str, None]] = {}
    for task in sorted(tasks, key=lambda task: task.at):
        if task.wording and task.split is Split.TRAIN:
            names = projects.setdefault(task.project, {})
            names.pop(task.wording, None)
            names[task.wording] = None
    return {project: tuple(names)[-MOST:] for project, names in projects.items()}


class _Question(NamedTuple):
    """A question to the model about a project: names, the known ones first, and the tasks without one."""

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
    """Return the tasks with one name for each lesson of a project, and notes on the calls that failed.

    The model is asked about the projects in `several`, whose calls couldn't agree on names, and those with `known`
    names. Of the names of one lesson a known one is used, else the first. A task without a name may get one of them.
    A failed call changes no names.
    """
    questions: list[_Question] = []
    for project in sorted({task.project for task in tasks}):
        names = known.get(project, ())
        if project in several or names:
            question = _question(tasks, project, names)
            if question is not None:
                questions.append(question)
    if not questions:
        return tuple(tasks), ()
    try:
        replies = pool.map(lambda question: _ask(question, optimizer), questions, label="lessons")
    except BudgetExhausted as error:
        return tuple(tasks), (Note(stage="mine", summary=f"{FAILURE}: {error.message}", remedy=error.remedy),)
    notes = tuple(reply for reply in replies if isinstance(reply, Note))
    return _with_names(tasks, questions, replies), notes


def _question(tasks: Iterable[Task], project: str, known: Sequence[str]) -> _Question | None:
    """Return the question about a project, or None if there is nothing new to compare with a name."""
    names = dict.fromkeys(known)
    unnamed: list[Task] = []
    for task in tasks:
        if task.project != project:
            continue
        if task.wording:
            names[task.wording] = None
        else:
            unnamed.append(task)
    has_news = len(names) > len(known) or unnamed
    is_alone = len(names) + len(unnamed) == 1
    if not names or not has_news or is_alone:
        return None
    return _Question(project, tuple(names), tuple(unnamed))


def _ask(question: _Question, optimizer: Backend) -> SameReply | Note:
    names = _numbered(map(one_line, question.names), start=1)
    corrections = _numbered(map(_quoted, question.unnamed), start=len(question.names) + 1)
    values = {"lessons": fence(names), "corrections": fence(corrections or "(none)")}
    return ask_model(
        optimizer,
        Purpose.LESSONS,
        values,
        schema=SameReply,
        project=question.project,
        stage="mine",
        failure=FAILURE,
    )


def _numbered(lines: Iterable[str], *, start: int) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start))


def _quoted(task: Task) -> str:
    correction = one_line(" / ".join(quotes_of(task.evidence)), limit=SAID_CHARS)
    return f"«{correction}», said of «{one_line(task.prompt, limit=SAID_CHARS)}»"


def _with_names(
    tasks: Sequence[Task], questions: Sequence[_Question], replies: Sequence[SameReply | Note]
) -> tuple[Task, ...]:
    """Return the tasks with the names that the replies give them."""
    names: dict[tuple[str, str], str] = {}  # by project and the name that is replaced
    names_of_unnamed: dict[str, str] = {}
    for question, reply in zip(questions, replies, strict=True):
        if isinstance(reply, Note):
            continue
        for name, replaced in _same(question, reply):
            if isinstance(replaced, Task):
                names_of_unnamed[replaced.id] = name
            else:
                names[question.project, replaced] = name
    named: list[Task] = []
    for task in tasks:
        name = names.get((task.project, task.wording)) or names_of_unnamed.get(task.id) or task.wording
        named.append(replace(task, wording=name))
    return tuple(named)


def _same(question: _Question, reply: SameReply) -> Iterator[tuple[str, str | Task]]:
    """Yield every name with each name or task that it replaces.

    Groups that share a number are one group. A group without a name is left out.
    """
    things = (*question.names, *question.unnamed)
    for group in _merged(reply, len(things)):
        first, *others = sorted(group)
        if first <= len(question.names):
            for number in others:
                yield question.names[first - 1], things[number - 1]


def _merged(reply: SameReply, count: int) -> list[set[int]]:
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
