"""Put together the page of a lesson: its status, its evidence, its rules, its tasks, and why there is no rule."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from starlette.requests import Request

from skillopt_sleep.agents import TITLES
from skillopt_sleep.deciding.origin import decided_on
from skillopt_sleep.deciding.read import digest_of
from skillopt_sleep.deciding.tasks import editable
from skillopt_sleep.deciding.why import Absence, of_lesson
from skillopt_sleep.kit.words import ago, counted, home_path, span
from skillopt_sleep.pages.blocks import Block, Heading, Link, Said, Sentence
from skillopt_sleep.proposals.origins import RuleOrigin, origins
from skillopt_sleep.records import (
    Evidence,
    Lesson as Learned,
    LessonState,
    NightReport,
    PlaceKind,
    Proposal,
    said_or_done,
)
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.status import PUT_OFF, REFUSED as REJECTED_RULE, STATES, by_hand, is_put_off
from skillopt_sleep.reporters.tried import uses_in
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, Banked
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.site import Paged, Row, paged

REFUSED = "refused"
ONE_SESSION = "one_session"
TAKEN_OUT = "taken_out"
_ITS_RULE = "its rule"
STATUSES: dict[str, str] = {
    LessonState.PROPOSED: STATES[WAITING].format(_ITS_RULE),
    PUT_OFF: STATES[PUT_OFF].format(_ITS_RULE),
    LessonState.LIVE: STATES[ADOPTED].format(_ITS_RULE),
    LessonState.OPEN: "nights learn from it",
    ONE_SESSION: "waits for a second session",
    LessonState.NOTICED: "noticed once, in one session",
    REFUSED: STATES[REJECTED].format(_ITS_RULE),
    TAKEN_OUT: STATES[UNDONE].format(_ITS_RULE),
    LessonState.TAKEN_BACK: "you took it back",
    LessonState.RETIRED: "not learned from any more",
}
OF_A_LESSON = 20  # tasks, rules and signs that are shown at once
NIGHTS = 8  # of which a lesson's page reads the reports
OWN = "own"  # the place of tasks without a lesson, which a person added
_SESSION_CHARS = 8


class _TaskRow(NamedTuple):
    """A task, its last score, what nights used it for, what a person did to it, and how it is shown."""

    entry: Banked
    score: float | None
    used: tuple[str, ...]
    marks: tuple[str, ...]
    shown: str


class LessonPage(NamedTuple):
    """What the page of a lesson shows: its status, its evidence, its rules, its tasks, and why there is no rule."""

    id: str
    wording: str
    facts: tuple[str, ...]
    about: tuple[Block, ...]
    signs: Paged[Said]
    rules: Paged[tuple[Block, ...]]
    tasks: Paged[_TaskRow]
    all_dropped: bool
    shown: str


def lesson_page(request: Request, store: SqliteStore, name: str, *, now: datetime) -> LessonPage | None:
    """Return one lesson, None if there is none of this id; OWN stands for the tasks without one.

    The address of the request says which of its tasks, rules and signs are shown.
    """
    named = {lesson.id: lesson for lesson in store.lessons.every()}
    lesson = named.get(name)
    entries = store.bank.entries(lesson="" if name == OWN else name)
    if lesson is None and not (name == OWN and entries):
        return None
    known = list(origins(store.bank.proposals(), named.values(), of=name)) if lesson else []
    reports = list(_reports(store, {entry.night for entry in entries} | {one.proposed.night for one in known}))
    wording, facts, about = "Tasks without a lesson", ("You added them, by hand or in a file",), tuple[Block, ...]()
    if lesson:
        status = statuses(store, [lesson], now=now)[name]
        wording = lesson.wording or name
        facts = (sentence(STATUSES[status])[:-1], often(lesson, now=now), _where(lesson))
        absent = None if known else of_lesson(lesson, named, lambda: reports)
        about = tuple(_about(lesson, named, absent, refused=status == REFUSED))
    signs = lesson.signs[::-1] if lesson else ()

    def rule(origin: RuleOrigin) -> tuple[Block, ...]:
        return Heading(origin.rule.removeprefix("- "), 3), *decided_on(origin, now=now)

    def part(rows: Sequence[Row], name_of: str) -> Paged[Row]:
        return paged(request, rows, at_once=OF_A_LESSON, name=name_of, path=f"/lessons/{name}")

    return LessonPage(
        id=name,
        wording=wording,
        facts=facts,
        about=about,
        signs=part(signs, "signs").each(lambda piece: _sign(piece, now=now)),
        rules=part(known[::-1], "rules").each(rule),
        tasks=_tasks(part(entries, "tasks"), store, reports, now),
        all_dropped=all(entry.dropped for entry in entries),
        shown=tasks_shown(entries),
    )


def _about(
    lesson: Learned, named: Mapping[str, Learned], absent: Absence | None, *, refused: bool
) -> Iterator[Block]:
    """Yield which lessons it takes back or is taken back by, and why there is no rule."""
    ender = next((one for one in named.values() if one.takes_back == lesson.id), None)
    for words, other in (("It takes back", named.get(lesson.takes_back)), ("Taken back by", ender)):
        if other:
            yield Sentence(words, "look", Link(other.wording or other.id, f"/lessons/{other.id}"))
    if refused:
        yield Sentence(REJECTED_RULE, "look")
    elif absent:
        helps = f" What helps: {absent.next}." if absent.next else ""
        yield Sentence(f"{sentence(absent.because)}{helps}", "look")


def task_shown(entry: Banked) -> str:
    """Return what tells whether a task is still as it was shown."""
    return digest_of((entry.task.id, editable(entry.task), bool(entry.dropped), bool(entry.pinned)))


def tasks_shown(entries: Sequence[Banked]) -> str:
    """Return what tells whether all of these tasks are still as they were shown."""
    return digest_of(map(task_shown, entries))


def often(lesson: Learned, *, now: datetime) -> str:
    """Say in how many sessions a lesson came up, and on which days."""
    return f"{counted(len(lesson.sessions), 'session')}, {span(lesson.first, lesson.last, now)}"


def _where(lesson: Learned) -> str:
    """Say where a lesson holds."""
    project = home_path(lesson.project)
    if lesson.holds.kind is PlaceKind.PERSON:
        return "in all your projects"
    if lesson.holds.name:
        return f"for {lesson.holds.name}, in {project}"
    return f"in {project}"


def _sign(piece: Evidence, *, now: datetime) -> Said:
    agent, _, session = piece.session.partition(":")
    where = f"{TITLES.get(agent, agent)} {session[:_SESSION_CHARS]}, turn {piece.turn}"
    when = f"{ago(piece.at, now)}," if piece.at else ""
    return Said(said_or_done(piece, piece.quote), when, Link.to_turn(where, piece.session, piece.turn))


def _reports(store: SqliteStore, nights: set[str]) -> Iterator[NightReport]:
    """Yield the reports of these nights, and of the last ones, newest first; only a few of them."""
    last = [line.id for line in store.nights()[:2]]
    for night in sorted({*nights, *last} - {""}, reverse=True)[:NIGHTS]:
        report = store.report(night)
        if report is not None:
            yield report


def _tasks(part: Paged[Banked], store: SqliteStore, reports: Sequence[NightReport], now: datetime) -> Paged[_TaskRow]:
    scores = store.history.scores([entry.task.id for entry in part.shown])

    def row(entry: Banked) -> _TaskRow:
        used, marks = tuple(uses_in(entry.task, reports)), tuple(by_hand(entry, now=now))
        return _TaskRow(entry, scores.get(entry.task.id), used, marks, task_shown(entry))

    return part.each(row)


def statuses(store: SqliteStore, lessons: Iterable[Learned], *, now: datetime) -> dict[str, str]:
    """Return where each of these lessons stands, by its id: a key of STATUSES."""
    rules: dict[str, list[Proposal]] = {state: [] for state in (WAITING, PUT_OFF, REJECTED, UNDONE)}
    for decided in store.bank.proposals(WAITING, REJECTED, UNDONE):
        rules[PUT_OFF if is_put_off(decided, now=now) else decided.state].append(decided.proposal)
    taught = {state: store.lessons.taught_by(proposals) for state, proposals in rules.items()}
    return {lesson.id: _status(lesson, taught) for lesson in lessons}


def _status(lesson: Learned, taught: Mapping[str, Collection[str]]) -> str:
    if lesson.state is LessonState.PROPOSED and lesson.id not in taught[WAITING]:
        return PUT_OFF if lesson.id in taught[PUT_OFF] else TAKEN_OUT
    if lesson.state is LessonState.OPEN and lesson.id in taught[REJECTED]:
        return REFUSED
    if lesson.state is LessonState.OPEN and len(lesson.sessions) == 1:
        return ONE_SESSION
    return lesson.state.value
