"""The pages of sessions: what was read of the person's history, what was left out, and why."""

from collections import Counter
from contextlib import closing
from functools import partial
from itertools import chain
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.agents import TITLES
from skillopt_sleep.deciding.quotes import around
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import counted, home_path, when
from skillopt_sleep.mining.spans import own_words
from skillopt_sleep.night.account import WORDS, ProjectCounts, SessionHistory, account, in_words
from skillopt_sleep.night.explain import TypedTurn, explain
from skillopt_sleep.pages.blocks import Block, Cell, Heading, Item, Items, Link, Sentence, Table
from skillopt_sleep.records import LeftOut, Origin, Session as Stored, SessionLine
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.status import PARTLY_PASTED, PASTED
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.web.site import Page, done, paged, settings_of, show, show_blocks, site_of, skipped_in, store_of
from skillopt_sleep.wiring.history import excluded_by, read_history

AT_ONCE = 50
PROJECTS = 20
USED = "used"
NO_FOLDER = "no folder"
_NOTHING = "Nothing was typed"
_MOST_CHARS = 2_000
_TITLE_CHARS = 80


def _name(reason: LeftOut | None) -> str:
    return reason.value if reason else USED


def _title(stored: Stored) -> str:
    """Return what the person first asked, in short."""
    for turn in stored.turns:
        if turn.origin is Origin.USER:
            words = own_words(turn.text, turn.pasted).strip() or turn.text
            return one_line(redact(words), limit=_TITLE_CHARS)
    return _NOTHING


def _typed(turn: TypedTurn) -> tuple[Block, ...]:
    """Return a typed prompt with what it was taken for, and as much of it as is shown."""
    taken_for = turn.taken_for if turn.of is None else f"{turn.taken_for} of turn {turn.of}"
    if turn.own:
        taken_for = f"{taken_for}; {PARTLY_PASTED}"
    elif turn.own is not None:
        taken_for = f"{taken_for}; {PASTED}"
    name = sentence(taken_for)
    if turn.turn is not None:
        name = f"Turn {turn.turn} · {taken_for}"
    return Heading(name, 3), Sentence((turn.own or turn.text)[:_MOST_CHARS], "rule")


def _list(request: Request) -> Response:
    """Show what is in the index of the sessions, newest first, and of their projects: no file is looked at."""
    settings, _ = settings_of(request)
    only = request.query_params.get("only", "")
    if only not in {"", USED, *LeftOut}:
        raise HTTPException(404)
    with store_of(request) as store:
        history, notes = read_history(store, settings, site_of(request).paths, look=False)
        chosen = [line for line in history.lines if not only or _name(history.why(line)) == only]
        part = paged(request, chosen, at_once=AT_ONCE)
        titles = {stored.id: _title(stored) for stored in store.index.sessions([line.id for line in part.shown])}
    total, now = account(history), utc_now()
    left_out = Counter(reason for reason in map(history.why, history.lines) if reason)
    projects = paged(request, total.projects, at_once=PROJECTS, name="projects")
    reasons = [
        Item(f"{count:,}", link=Link(WORDS[reason], f"/sessions?only={reason.value}"))
        for reason, count in left_out.most_common()
    ]
    rows: list[Item] = []
    for line in part.shown:
        where = f"{TITLES.get(line.source, line.source)}, {home_path(line.project) or NO_FOLDER}"
        below = f"{where}, ended {when(line.ended, now)}; {_became(line, history)}"
        name = titles.get(line.id, _NOTHING)
        rows.append(Item("", (below,), Link(name, f"/sessions/one?id={quote(line.id)}")))
    return show(
        request,
        "sessions.html.j2",
        title="Sessions",
        total=total,
        projects=projects,
        of_projects=[
            Table(("project", "prompts", "sessions", "agents"), tuple(map(_project, projects.shown)), right=(1, 2))
        ],
        reasons=Items(tuple(reasons)),
        notes=notes,
        part=part,
        rows=[Items(tuple(rows))],
        only=only,
    )


def _project(project: ProjectCounts) -> tuple[Cell, ...]:
    name = home_path(project.project) or NO_FOLDER
    return name, f"{project.prompts:,}", f"{project.sessions:,}", project.source


def _became(line: SessionLine, history: SessionHistory) -> str:
    """Say why a session was left out, which night read it, or that none did yet."""
    reason, held = history.why(line), history.held[line.id]
    if reason:
        return f"left out: {in_words(reason, held.heard)}"
    return f"read by {held.night}" if held.night else "waits for a night"


def _one(request: Request) -> Response:
    """Show why a session is used or left out, what was typed in it, and the lessons that came up.

    Of what was typed, what comes after so many prompts is shown, or the part that has the turn of the address.
    """
    settings, _ = settings_of(request)
    turn = skipped_in(request, "turn")
    with store_of(request) as store:
        history, _ = read_history(store, settings, site_of(request).paths, look=False)
        line = next((line for line in history.lines if line.id == request.query_params.get("id", "")), None)
        if line is None:
            raise HTTPException(404)
        found = explain(history, line, store.index, partial(excluded_by, settings))
        lessons = store.lessons.of_session(line.id)
    stored = found.session
    before = sum(typed.turn is not None and typed.turn < turn for typed in found.turns)
    skipped = skipped_in(request) or before // AT_ONCE * AT_ONCE
    turns = paged(request, found.turns, skipped=skipped, at_once=AT_ONCE).each(_typed)
    night = history.held[line.id].night
    facts = [("Agent", TITLES.get(stored.source, stored.source)), ("Id", line.id), *found.facts(utc_now())]
    if not night:
        facts.append(("Night", found.night))
    items = [Item(f"{label}: {value}") for label, value in facts]
    if night:
        items.append(Item("Night:", link=Link(f"read by {night}", f"/nights/{quote(night)}")))
    shown: list[Block] = [Sentence(f"{sentence(found.fate)} {sentence(found.because)}"), Items(tuple(items))]
    if "turn" in request.query_params and around(found.part, turn).items:
        shown += [Heading(f"Turn {turn} in its place", name=f"turn-{turn}"), around(found.part, turn)]
    if lessons:
        taught = [Item("", link=Link(one.wording or one.id, f"/lessons/{one.id}")) for one in lessons]
        shown += [Heading("Lessons that came up in it"), Items(tuple(taught))]
    if turns.all:
        shown += [Heading("What you typed"), *chain.from_iterable(turns.shown)]
    title, trail = _title(stored), Link("Sessions", "/sessions")
    return show_blocks(
        request, shown, title=f"{title} · Sessions", heading=title, trail=trail, kind="name", part=turns
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
