"""The pages of sessions: what was read of the person's history, what was left out, and why."""

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.agents import TITLES, half_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import ago, counted, home_path, when
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.night.account import DAMAGED, WORDS, History, Row, TypedTurn, account, in_words
from skillopt_sleep.records import LeftOut, Note, Origin, Record, Session as Stored, SessionLine
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.stores.user import open_store
from skillopt_sleep.web.forms import done
from skillopt_sleep.web.paging import Stretch, skipped_in, stretch
from skillopt_sleep.web.site import Page, settings_of, show, site_of, store_of
from skillopt_sleep.wiring.explain import Explanation, explain
from skillopt_sleep.wiring.history import Looked, read_history

AT_ONCE = 50
PROJECTS = 20
USED = "used"
_NOTHING = "Nothing was typed"
_MOST_CHARS = 2_000
_TITLE_CHARS = 80
_FRESH_SECONDS = 60.0  # whether a session still goes on hangs on the time


class Project(Record, frozen=True, kw_only=True):
    """A project and what was found in its sessions."""

    name: str
    agents: str
    sessions: int
    requests: int
    corrected: int


class Reason(Record, frozen=True, kw_only=True):
    """Why sessions were left out, and how many."""

    name: str
    words: str
    count: int


class SessionRow(Record, frozen=True, kw_only=True):
    """A session in the list, by what the person first asked; `fate` is "" if it is used."""

    id: str
    title: str
    project: str
    agent: str
    ended: str
    fate: str
    night: str


class Sessions(Record, frozen=True, kw_only=True):
    """What is known of the history, some of its projects, and of its sessions, newest first, that share `only`."""

    files: int
    used: int
    requests: int
    corrected: int
    read: int
    projects: tuple[Project, ...]
    some: Stretch
    reasons: tuple[Reason, ...]
    notes: tuple[Note, ...]
    rows: tuple[SessionRow, ...]
    only: str
    stretch: Stretch


class Turn(Record, frozen=True, kw_only=True):
    """A typed prompt and what it was taken for; `pasted` says that a part of it, or all, isn't the person's own.

    One that counts in another session has no `number`.
    """

    number: int | None
    taken_for: str
    text: str
    pasted: str = ""


class Session(Record, frozen=True, kw_only=True):
    """Why one session is used or left out, what was typed, and the lessons that came up, each with its address.

    `night` says in words which night reads it, `read_by` is the one that did.
    """

    title: str
    fate: str
    because: str
    night: str
    read_by: str
    facts: tuple[tuple[str, str], ...]
    lessons: tuple[tuple[str, str], ...]
    turns: tuple[Turn, ...]


class Known(NamedTuple):
    """A history that was read at a moment, when the store was at this version."""

    version: tuple[int, int]
    settings: Settings
    at: float
    looked: Looked


_known: dict[SqliteStore, Known] = {}


def _history(store: SqliteStore, settings: Settings, paths: Paths) -> Looked:
    """Return the history as the index has it; it is read again once the store has changed, or after a while."""
    version, now = store.index.version(), time.monotonic()
    known = _known.get(store)
    if known and (known.version, known.settings) == (version, settings) and now - known.at < _FRESH_SECONDS:
        return known.looked
    looked = read_history(store, settings, paths, look=False)
    _known.clear()
    _known[store] = Known(store.index.version(), settings, now, looked)
    return looked


def sessions(
    store: SqliteStore, settings: Settings, paths: Paths, *, only: str, skipped: int, smaller: int, now: datetime
) -> Sessions:
    """Return a page of the list and of the projects, from what is in the index: no file is looked at."""
    history, notes = _history(store, settings, paths)
    total = account(history)
    chosen = [line for line in history.lines if not only or _name(history.why(line)) == only]
    part = stretch(len(chosen), skipped=skipped, at_once=AT_ONCE)
    listed = chosen[part.rows]
    projects = merged(total.rows)
    some = stretch(len(projects), skipped=smaller, at_once=PROJECTS)
    titles = {stored.id: _title(stored) for stored in store.index.sessions([line.id for line in listed])}
    return Sessions(
        files=total.files,
        used=len(total.sessions),
        requests=total.requests,
        corrected=total.corrected,
        read=total.read,
        projects=projects[some.rows],
        some=some,
        reasons=_reasons(history.lines, history),
        notes=tuple(notes),
        rows=tuple(_row(line, titles.get(line.id, _NOTHING), history, now) for line in listed),
        only=only,
        stretch=part,
    )


def one_session(store: SqliteStore, settings: Settings, paths: Paths, name: str, *, now: datetime) -> Session | None:
    """Return why a session is used or left out; None if there is none of this id."""
    history, _ = _history(store, settings, paths)
    line = next((line for line in history.lines if line.id == name), None)
    if line is None:
        return None
    (stored,) = store.index.sessions([line.id])
    found = explain(history, line, stored, settings)
    return Session(
        title=_title(stored),
        fate=_fate(found),
        because=sentence(found.because),
        night=found.night,
        read_by=history.held[line.id].night,
        facts=tuple(_facts(found, now)),
        lessons=tuple(
            (lesson.wording or lesson.id, f"/lessons/{lesson.id}") for lesson in store.lessons.of_session(line.id)
        ),
        turns=tuple(_turn(typed) for typed in found.turns),
    )


def _name(reason: LeftOut | None) -> str:
    return reason.value if reason else USED


def merged(listed: Iterable[Row]) -> tuple[Project, ...]:
    """Return each project once, with what was found of all agents in it; a row without a session tells none."""
    rows: dict[str, list[Row]] = {}
    for row in listed:
        if row.sessions:
            rows.setdefault(row.project, []).append(row)
    projects: list[Project] = []
    for name, of_project in rows.items():
        projects.append(
            Project(
                name=home_path(name) or "no folder",
                agents=", ".join(TITLES.get(row.source, row.source) for row in of_project),
                sessions=sum(row.sessions for row in of_project),
                requests=sum(row.requests for row in of_project),
                corrected=sum(row.corrected for row in of_project),
            )
        )
    return tuple(projects)


def _reasons(lines: Sequence[SessionLine], history: History) -> tuple[Reason, ...]:
    """Return what sessions were left out for, the most frequent reason first."""
    counts: dict[LeftOut, int] = {}
    for line in lines:
        reason = history.why(line)
        if reason is not None:
            counts[reason] = counts.get(reason, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Reason(name=reason.value, words=WORDS[reason], count=count) for reason, count in ordered)


def _title(stored: Stored) -> str:
    """Return what the person first asked, in short."""
    for turn in stored.turns:
        if turn.origin is Origin.USER:
            words = own_words(turn.text, turn.pasted).strip() or turn.text
            return one_line(redact(words), limit=_TITLE_CHARS)
    return _NOTHING


def _row(line: SessionLine, title: str, history: History, now: datetime) -> SessionRow:
    reason = history.why(line)
    return SessionRow(
        id=line.id,
        title=title,
        project=home_path(line.project) or "no folder",
        agent=TITLES.get(line.source, line.source),
        ended=when(line.ended, now),
        fate=in_words(reason, history.held[line.id].heard) if reason else "",
        night=history.held[line.id].night,
    )


def _fate(found: Explanation) -> str:
    if found.reason is None:
        return "used"
    if found.reason is LeftOut.NO_USER_TURN and found.session.damaged:
        return "left out: damaged"
    return "left out"


def _facts(found: Explanation, now: datetime) -> Iterable[tuple[str, str]]:
    """Yield where and when the session took place, each with its label."""
    session = found.session
    yield "Agent", TITLES.get(session.source, session.source)
    yield "Id", session.id
    yield "File", found.file or "deleted"
    for path in found.doubles:
        yield "Second file", path
    if found.reason is LeftOut.UNREADABLE:
        return
    yield "Project", found.project or "none"
    if found.project != session.project:
        yield "Was at", session.project
    if session.cwd != session.project:
        yield "Folder", session.cwd
    yield "Ended", f"{when(session.ended, now)}, {ago(session.ended, now)}"
    for line in half_read([(session.source, session.half_read)]):
        yield "Unread", line
    if session.damaged:
        yield "Damage", f"{counted(session.damaged, 'unreadable line')}, skipped: {DAMAGED}"


def _turn(typed: TypedTurn) -> Turn:
    taken_for = typed.taken_for
    if typed.of is not None:
        taken_for = f"{taken_for} of turn {typed.of}"
    if typed.own is None:
        return Turn(number=typed.turn, taken_for=taken_for, text=typed.text[:_MOST_CHARS])
    pasted = "a part of it was pasted, which founds no rule" if typed.own else "you pasted this, so it founds no rule"
    return Turn(number=typed.turn, taken_for=taken_for, text=(typed.own or typed.text)[:_MOST_CHARS], pasted=pasted)


def _list(request: Request) -> Response:
    settings, _ = settings_of(request)
    only = request.query_params.get("only", "")
    if only not in {"", USED, *LeftOut}:
        raise HTTPException(404)
    with store_of(request) as store:
        view = sessions(
            store,
            settings,
            site_of(request).paths,
            only=only,
            skipped=skipped_in(request),
            smaller=skipped_in(request, "projects"),
            now=utc_now(),
        )
    return show(request, "sessions.html.j2", view, title="Sessions")


def _one(request: Request) -> Response:
    settings, _ = settings_of(request)
    with store_of(request) as store:
        paths = site_of(request).paths
        view = one_session(store, settings, paths, request.query_params.get("id", ""), now=utc_now())
    if view is None:
        raise HTTPException(404)
    return show(request, "session.html.j2", view, title=f"{view.title} · Sessions")


def _look(request: Request) -> Response:
    """Read the agents' files that are new or have changed; nothing is sent."""
    settings, _ = settings_of(request)
    with closing(open_store(settings, site_of(request).paths)) as store:
        before = {line.id for line in store.index.lines(unread=False)}
        history, _ = read_history(store, settings, site_of(request).paths, look=True)
        new = sum(line.id not in before for line in history.lines)
    return done(request, "/sessions", f"Looked through the agents' files: {counted(new, 'new session')}.")


PAGE = Page(
    "/sessions",
    "Sessions",
    (
        Route("/sessions", _list),
        Route("/sessions/look", _look, methods=["POST"]),
        Route("/sessions/one", _one),
    ),
)
