"""Put together what nights learned: the lessons, and one of them with all that is known of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from skillopt_sleep.agents import TITLES
from skillopt_sleep.deciding.origin_words import decision, tried
from skillopt_sleep.deciding.shown import digest_of
from skillopt_sleep.deciding.tasks import editable
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import ago, counted, home_path, span
from skillopt_sleep.proposals.absence import of_lesson
from skillopt_sleep.proposals.origins import origins
from skillopt_sleep.records import Lesson as Learned, NightReport, PlaceKind, Record, Split, said_or_done
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.references import scored_by
from skillopt_sleep.reporters.used import uses
from skillopt_sleep.reporters.words import USES
from skillopt_sleep.stores.bank import Banked
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.addresses import turn_at
from skillopt_sleep.web.standing import AFTERWARDS, REFUSED, STANDINGS, standings

AT_ONCE = 50
MOST_RULES = 20
NIGHTS = 8  # of which a lesson's page reads the reports
OWN = "own"  # the place of tasks without a lesson, which a person added
SIDES = tuple((split.value, USES[split]) for split in Split)
_ORDER = tuple(STANDINGS)
_SESSION_CHARS = 8


class Asked(Record, frozen=True, kw_only=True):
    """Which lessons are asked for: with these words, in this state, after so many others."""

    words: str = ""
    state: str = ""
    skipped: int = 0


class LessonRow(Record, frozen=True, kw_only=True):
    """A lesson in the list, with what the person said last of it."""

    id: str
    wording: str
    said: str
    state: str
    often: str
    project: str


class Lessons(Record, frozen=True, kw_only=True):
    """Some of the lessons; `states` are all that there are with their numbers, `all` those that match."""

    rows: tuple[LessonRow, ...]
    asked: Asked
    states: tuple[tuple[str, str, int], ...]
    all: int
    own: int
    newer: int | None
    older: int | None


class Sign(Record, frozen=True, kw_only=True):
    """Something the person said or did: when, and in which turn of which session, with the address of that."""

    words: str
    when: str
    where: str
    address: str


class RuleRow(Record, frozen=True, kw_only=True):
    """A rule that was proposed for a lesson, its trial, and what was decided."""

    proposal: str
    text: str
    tried: str
    decision: str


class TaskRow(Record, frozen=True, kw_only=True):
    """A task, what it is for, how its answers are scored, and what nights used it for."""

    id: str
    prompt: str
    context: str
    side: str
    use: str
    demands: tuple[str, ...]
    score: str
    used: tuple[str, ...]
    marks: tuple[str, ...]
    dropped: bool
    pinned: bool
    shown: str


class Lesson(Record, frozen=True, kw_only=True):
    """A lesson with its evidence, newest first, its rules, its tasks, and why there is no rule if there is none."""

    id: str
    wording: str
    state: str
    where: str
    often: str
    signs: tuple[Sign, ...]
    takes_back: tuple[str, str]
    taken_back_by: tuple[str, str]
    rules: tuple[RuleRow, ...]
    more_rules: int
    because: str
    next: str
    tasks: tuple[TaskRow, ...]
    shown: str
    trouble: tuple[tuple[str, str], ...]
    sides: tuple[tuple[str, str], ...] = SIDES


def lessons_page(store: SqliteStore, asked: Asked, *, now: datetime) -> Lessons:
    """Return the lessons that are asked for, those whose rules wait first, the latest of a state first."""
    every = store.lessons.every()
    standing = standings(store, every, now=now)
    counts = Counter(standing.values())
    found = [lesson for lesson in every if asked.state in {"", standing[lesson.id]} and _matches(lesson, asked)]
    found.sort(key=lambda lesson: (_ORDER.index(standing[lesson.id]), -lesson.last.timestamp()))
    rows = found[asked.skipped : asked.skipped + AT_ONCE]
    end = asked.skipped + len(rows)
    return Lessons(
        rows=tuple(_row(lesson, standing[lesson.id], now=now) for lesson in rows),
        asked=asked,
        states=tuple((state, words, counts[state]) for state, words in STANDINGS.items() if counts[state]),
        all=len(found),
        own=len(store.bank.entries(lesson="")),
        newer=max(asked.skipped - AT_ONCE, 0) if asked.skipped else None,
        older=end if end < len(found) else None,
    )


def lesson_page(store: SqliteStore, name: str, *, now: datetime, trouble: SleepError | None = None) -> Lesson | None:
    """Return one lesson, None if there is none of this id; OWN stands for the tasks without one."""
    problems = ((trouble.message, trouble.remedy),) if trouble else ()
    if name == OWN:
        tasks = store.bank.entries(lesson="")
        return _of_their_own(tasks, store, problems) if tasks else None
    named = {lesson.id: lesson for lesson in store.lessons.every()}
    lesson = named.get(name)
    if lesson is None:
        return None
    entries = store.bank.entries(lesson=name)
    known = list(origins(store.bank.proposals(), named.values(), of=name))
    reports = list(_reports(store, {entry.night for entry in entries} | {one.night for one in known}))
    absent = of_lesson(lesson, named, lambda: reports) if not known else None
    standing = standings(store, [lesson], now=now)[name]
    because = sentence(absent.because) if absent else ""
    ender = next((one for one in named.values() if one.takes_back == name), None)
    ended = named.get(lesson.takes_back)
    return Lesson(
        id=name,
        wording=lesson.wording or name,
        state=STANDINGS[standing],
        where=_where(lesson),
        often=_often(lesson, now=now),
        signs=tuple(_signs(lesson, now=now)),
        takes_back=(ended.id, ended.wording) if ended else ("", ""),
        taken_back_by=(ender.id, ender.wording) if ender else ("", ""),
        rules=tuple(
            RuleRow(
                proposal=one.proposal,
                text=one.rule,
                tried=sentence(tried(one)),
                decision=sentence(decision(one, now=now)),
            )
            for one in [*reversed(known)][:MOST_RULES]
        ),
        more_rules=max(len(known) - MOST_RULES, 0),
        because=AFTERWARDS if standing == REFUSED else because,
        next=absent.next if absent else "",
        tasks=tuple(_tasks(entries, store, reports)),
        shown=tasks_shown(entries),
        trouble=problems,
    )


def task_shown(entry: Banked) -> str:
    """Return what tells whether a task is still as it was shown."""
    return digest_of((entry.task.id, editable(entry.task), bool(entry.dropped), bool(entry.pinned)))


def tasks_shown(entries: Sequence[Banked]) -> str:
    """Return what tells whether all of these tasks are still as they were shown."""
    return digest_of(map(task_shown, entries))


def _of_their_own(entries: Sequence[Banked], store: SqliteStore, trouble: tuple[tuple[str, str], ...]) -> Lesson:
    return Lesson(
        id=OWN,
        wording="Tasks without a lesson",
        state="you added them, by hand or in a file",
        where="",
        often="",
        signs=(),
        takes_back=("", ""),
        taken_back_by=("", ""),
        rules=(),
        more_rules=0,
        because="",
        next="",
        tasks=tuple(_tasks(entries, store, list(_reports(store, {entry.night for entry in entries})))),
        shown=tasks_shown(entries),
        trouble=trouble,
    )


def _matches(lesson: Learned, asked: Asked) -> bool:
    text = f"{lesson.wording} {lesson.project} {' '.join(piece.quote for piece in lesson.quotes)}".casefold()
    return all(word in text for word in asked.words.casefold().split())


def _row(lesson: Learned, standing: str, *, now: datetime) -> LessonRow:
    return LessonRow(
        id=lesson.id,
        wording=lesson.wording or lesson.id,
        said=_last_sign(lesson),
        state=STANDINGS[standing],
        often=_often(lesson, now=now),
        project="every project" if lesson.holds.kind is PlaceKind.PERSON else Path(lesson.project).name,
    )


def _often(lesson: Learned, *, now: datetime) -> str:
    return f"{counted(len(lesson.sessions), 'session')}, {span(lesson.first, lesson.last, now)}"


def _where(lesson: Learned) -> str:
    """Say where a lesson holds."""
    project = home_path(lesson.project)
    if lesson.holds.kind is PlaceKind.PERSON:
        return "in all your projects"
    if lesson.holds.name:
        return f"for {lesson.holds.name}, in {project}"
    return f"in {project}"


def _signs(lesson: Learned, *, now: datetime) -> Iterator[Sign]:
    """Yield what the person said and did, newest first."""
    for piece in reversed(lesson.signs):
        agent, _, session = piece.session.partition(":")
        when = ago(piece.at, now) if piece.at else ""
        yield Sign(
            words=said_or_done(piece, piece.quote),
            when=when,
            where=f"{TITLES.get(agent, agent)} {session[:_SESSION_CHARS]}, turn {piece.turn}",
            address=turn_at(piece.session, piece.turn),
        )


def _last_sign(lesson: Learned) -> str:
    """Return what the person said last of a lesson, else what they did."""
    last = max(lesson.signs, key=lambda piece: (piece.deed is None, piece.at or lesson.first), default=None)
    return said_or_done(last, one_line(redact(last.quote))) if last else ""


def _reports(store: SqliteStore, nights: set[str]) -> Iterator[NightReport]:
    """Yield the reports of these nights, and of the last ones, newest first; only a few of them."""
    last = [line.id for line in store.nights()[:2]]
    for night in sorted({*nights, *last} - {""}, reverse=True)[:NIGHTS]:
        report = store.report(night)
        if report is not None:
            yield report


def _tasks(entries: Sequence[Banked], store: SqliteStore, reports: Sequence[NightReport]) -> Iterator[TaskRow]:
    scores = store.history.scores([entry.task.id for entry in entries])
    for entry in entries:
        task = entry.task
        score = scores.get(task.id)
        yield TaskRow(
            id=task.id,
            prompt=task.prompt,
            context=task.context,
            side=task.split.value if task.split else "",
            use=USES[task.split] if task.split else "not used yet",
            demands=scored_by(task.reference),
            score="" if score is None else f"{score:.2f} of 1 when it was last asked",
            used=tuple(_used(entry, reports)),
            marks=tuple(_marks(entry)),
            dropped=entry.dropped is not None,
            pinned=entry.pinned is not None,
            shown=task_shown(entry),
        )


def _used(entry: Banked, reports: Sequence[NightReport]) -> Iterator[str]:
    for report in reports:
        for step in report.documents:
            for use in uses(entry.task, step):
                yield f"{report.night}, {step.document.id}: {use}"


def _marks(entry: Banked) -> Iterator[str]:
    """Yield what a person did to a task, in words."""
    if entry.dropped:
        yield "dropped: no night uses it"
    if entry.pinned:
        yield "pinned: every night of its project uses it"
    if entry.edited:
        yield "your version" if entry.earlier else "added by you"
    if entry.waits:
        yield "the next night uses it"
