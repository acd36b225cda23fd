"""Show where a task comes from: the person's words, its answers, its lesson, its use, and the nights that used it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from skillopt_sleep.deciding.tasks import short_ids
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import clip
from skillopt_sleep.kit.words import ago, counted, home_path
from skillopt_sleep.pages.blocks import Block, Heading, Item, Items, Quotes, Said, Sentence
from skillopt_sleep.records import NightReport, Task, heading, said_or_done, signs
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.status import by_hand
from skillopt_sleep.reporters.tried import not_used, uses_in
from skillopt_sleep.reporters.words import SPLITS, USES
from skillopt_sleep.stores.bank import Banked

EXCERPT_CHARS = 600
PROMPT_CHARS = 100
MOST_RELATED = 8


def task_blocks(
    entry: Banked, entries: Sequence[Banked], reports: Sequence[NightReport], *, now: datetime
) -> Iterator[Block]:
    """Yield everything known about a task's origin; `entries` is the whole bank."""
    task = entry.task
    alike = [other for other in entries if task.lesson and other.task.lesson == task.lesson and other is not entry]
    yield Heading(f"{task.id}  {one_line(task.prompt, limit=PROMPT_CHARS)}")
    yield Sentence(_origin(task, now=now), "about")
    yield from _heard(task)
    yield from _lesson(task, alike, entries)
    yield Sentence(_use(entry, alike, entries))
    used = tuple(map(Item, uses_in(task, reports)))
    yield Sentence("Nights that used it:" if used else not_used(task))
    if used:
        yield Items(used)
    for line in by_hand(entry, now=now):
        yield Sentence(sentence(line))
    if entry.earlier and entry.earlier[0].prompt != task.prompt:
        yield Sentence(f"Before, it asked: {one_line(entry.earlier[0].prompt)}")


def _origin(task: Task, *, now: datetime) -> str:
    """Say where and when a task was found or written, and for which project it is."""
    source, _, name = task.session.partition(":")
    when = f"{task.at.astimezone():%d %b %Y} ({ago(task.at, now)})"
    project = home_path(task.project) if task.project else "every project (your own)"
    file, mark, _ = name.rpartition("#")
    where = f"added by hand, {when}"
    if not mark:
        where = f"found in a session with {source}, {when}, session {name}"
    elif file:
        where = f"from your tasks file {file}, {when}"
    return f"{where}, for {project}"


def _heard(task: Task) -> Iterator[Block]:
    """Yield what the person said and did that made this a task, and the answers to it."""
    said = signs(task.feedback.evidence, task.feedback.deeds)
    if said:
        yield Sentence(f"{heading(said)}:")
        places = [f"turn {one.turn}" + (f" of {one.session}" if one.session != task.session else "") for one in said]
        words = [said_or_done(one, one.quote) for one in said]
        yield Quotes(tuple(Said(text, place) for text, place in zip(words, places, strict=True)))
    answers = {"The answer before that": task.feedback.rejected, "The answer you accepted": task.feedback.accepted}
    for title, answer in answers.items():
        if answer:
            yield Sentence(f"{title}: {clip(answer, EXCERPT_CHARS)}")


def _lesson(task: Task, alike: Sequence[Banked], entries: Sequence[Banked]) -> Iterator[Block]:
    """Yield the lesson, as the model worded it, and the other tasks of the same recurring request."""
    if task.wanted.wording:
        yield Sentence(f"The lesson, in the model's words: {task.wanted.wording}")
    if alike:
        short = short_ids(entries)
        yield Sentence(f"It came up again in {counted(len(alike), 'other task')}:")
        others = [f"{short[one.task.id]}, {_side(one)}: {one.task.prompt}" for one in alike[:MOST_RELATED]]
        yield Items(tuple(Item(one_line(other, limit=PROMPT_CHARS)) for other in others))


def _side(entry: Banked) -> str:
    if entry.dropped:
        return "dropped"
    return SPLITS[entry.task.split] if entry.task.split else "not used yet"


def _use(entry: Banked, alike: Sequence[Banked], entries: Sequence[Banked]) -> str:
    """Say what a task is used for and, as far as the bank can tell, why."""
    task = entry.task
    if task.split is None:
        return "Not used yet: what for is decided when its lesson comes up in a second session."
    because = "sessions of one lesson take turns"
    mates = [other.task.id for other in entries if other.task.session == task.session and other is not entry]
    mates = [name for name in mates if name not in {other.task.id for other in alike}]
    if entry.earlier and entry.earlier[-1].split not in {None, task.split}:
        because = "you put it there"
    elif mates:
        because = f"all of a session is used alike, and {mates[0]} comes from the same one"
    return f"It is used {USES[task.split]}: {because}."
