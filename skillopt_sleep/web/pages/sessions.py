"""The pages of sessions: what was read of the person's history, what was left out, and why."""

import time
from collections import Counter
from contextlib import closing
from functools import partial
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.agents import TITLES
from skillopt_sleep.deciding.quotes import around
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import counted, when
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.night.account import WORDS, SessionHistory, account, in_words
from skillopt_sleep.night.explain import TypedTurn, explain
from skillopt_sleep.records import LeftOut, Origin, Session as Stored, SessionLine
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.status import PARTLY_PASTED, PASTED
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.sqlite import SqliteStore, open_store
from skillopt_sleep.web.site import Page, done, paged, settings_of, show, site_of, skipped_in, store_of
from skillopt_sleep.wiring.history import HistoryReading, excluded_by, read_history

AT_ONCE = 50
PROJECTS = 20
USED = "used"
_NOTHING = "Nothing was typed"
_MOST_CHARS = 2_000
_TITLE_CHARS = 80
_FRESH_SECONDS = 60.0  # whether a session still goes on hangs on the time


class CachedHistory(NamedTuple):
    """A history that was read at a moment, when the store was at this version."""

    version: tuple[int, int]
    settings: Settings
    at: float
    looked: HistoryReading


_known: dict[SqliteStore, CachedHistory] = {}


def _history(store: SqliteStore, settings: Settings, paths: Paths) -> HistoryReading:
    """Return the history as the index has it; it is read again once the store has changed, or after a while."""
    version, now = store.index.version(), time.monotonic()
    known = _known.get(store)
    if known and (known.version, known.settings) == (version, settings) and now - known.at < _FRESH_SECONDS:
        return known.looked
    looked = read_history(store, settings, paths, look=False)
    _known.clear()
    _known[store] = CachedHistory(store.index.version(), settings, now, looked)
    return looked


def _name(reason: LeftOut | None) -> str:
    return reason.value if reason else USED


def _title(stored: Stored) -> str:
    """Return what the person first asked, in short."""
    for turn in stored.turns:
        if turn.origin is Origin.USER:
            words = own_words(turn.text, turn.pasted).strip() or turn.text
            return one_line(redact(words), limit=_TITLE_CHARS)
    return _NOTHING


def _typed(turn: TypedTurn) -> tuple[TypedTurn, str, str]:
    """Return a typed prompt with what it was taken for, and as much of it as is shown."""
    taken_for = turn.taken_for if turn.of is None else f"{turn.taken_for} of turn {turn.of}"
    if turn.own:
        taken_for = f"{taken_for}; {PARTLY_PASTED}"
    elif turn.own is not None:
        taken_for = f"{taken_for}; {PASTED}"
    return turn, taken_for, (turn.own or turn.text)[:_MOST_CHARS]


def _list(request: Request) -> Response:
    """Show what is in the index of the sessions, newest first, and of their projects: no file is looked at."""
    settings, _ = settings_of(request)
    only = request.query_params.get("only", "")
    if only not in {"", USED, *LeftOut}:
        raise HTTPException(404)
    with store_of(request) as store:
        history, notes = _history(store, settings, site_of(request).paths)
        chosen = [line for line in history.lines if not only or _name(history.why(line)) == only]
        part = paged(chosen, skipped=skipped_in(request), at_once=AT_ONCE)
        titles = {stored.id: _title(stored) for stored in store.index.sessions([line.id for line in part.shown])}
    total, now = account(history), utc_now()
    left_out = Counter(reason for reason in map(history.why, history.lines) if reason)
    return show(
        request,
        "sessions.html.j2",
        title="Sessions",
        total=total,
        projects=paged(total.projects, skipped=skipped_in(request, "projects"), at_once=PROJECTS),
        reasons=[(reason.value, WORDS[reason], count) for reason, count in left_out.most_common()],
        notes=notes,
        rows=part.each(
            lambda line: (line, titles.get(line.id, _NOTHING), when(line.ended, now), _became(line, history))
        ),
        agents=TITLES,
        only=only,
    )


def _became(line: SessionLine, history: SessionHistory) -> tuple[str, str]:
    """Return why a session was left out, "" if it is used, and the night that read it, "" if none did yet."""
    reason, held = history.why(line), history.held[line.id]
    return in_words(reason, held.heard) if reason else "", held.night


def _one(request: Request) -> Response:
    """Show why a session is used or left out, what was typed in it, and the lessons that came up.

    Of what was typed, what comes after so many prompts is shown, or the part that has the turn of the address.
    """
    settings, _ = settings_of(request)
    turn = skipped_in(request, "turn")
    with store_of(request) as store:
        history, _ = _history(store, settings, site_of(request).paths)
        line = next((line for line in history.lines if line.id == request.query_params.get("id", "")), None)
        if line is None:
            raise HTTPException(404)
        found = explain(history, line, store.index, partial(excluded_by, settings))
        lessons = store.lessons.of_session(line.id)
    stored, is_quoted = found.session, "turn" in request.query_params
    before = sum(typed.turn is not None and typed.turn < turn for typed in found.turns)
    skipped = skipped_in(request) or before // AT_ONCE * AT_ONCE
    return show(
        request,
        "session.html.j2",
        title=f"{_title(stored)} · Sessions",
        id=line.id,
        name=_title(stored),
        fate=found.fate,
        because=sentence(found.because),
        night=found.night,
        read_by=history.held[line.id].night,
        facts=(("Agent", TITLES.get(stored.source, stored.source)), ("Id", line.id), *found.facts(utc_now())),
        lessons=lessons,
        turn=turn if is_quoted else None,
        place=[around(found.part, turn)] if is_quoted else [],
        turns=paged(found.turns, skipped=skipped, at_once=AT_ONCE).each(_typed),
    )


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
