"""Which sessions may be used, found without decoding them."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.mining.forks import without_copies
from skillopt_sleep.night.harvest import harvest, refresh_all
from skillopt_sleep.night.reading import RULES as RULES_VERSION, Surveyed, read_by_rules
from skillopt_sleep.night.survey import Survey, in_full, moved, survey
from skillopt_sleep.protocols.crew import Again
from skillopt_sleep.records import LeftOut, Origin, Reading, Session
from skillopt_sleep.stores.index import SqliteIndex
from tests.builders import a_turn
from tests.night.test_account import RULES, Shelf, a_session, codex_files, holding, opened, surveyed


class Watched(SqliteIndex):
    """An index that remembers which sessions were decoded."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, threading.RLock())
        self.decoded: list[str] = []

    def sessions(self, ids: Sequence[str]) -> tuple[Session, ...]:
        self.decoded += ids
        return super().sessions(ids)


@pytest.fixture
def index() -> Iterator[Watched]:
    connection, _ = opened()
    with closing(connection):
        yield Watched(connection)


@settings(max_examples=150, deadline=None)
@given(files=codex_files, read=st.sets(st.integers(0, 6)), again=st.sampled_from([None, Again(since=None)]))
def test_it_finds_what_decoding_every_session_would_find(
    files: dict[int, Reading], read: set[int], again: Again | None
) -> None:
    connection, index = opened()
    shelf = Shelf("codex", {f"/{n}": (1, reading) for n, reading in files.items()})
    with closing(connection):
        refresh_all([shelf], index)
        index.mark_read([f"codex:{number}" for number in read], "N-1")
        found = survey({"codex"}, index, replace(RULES, again=again))
        whole = in_full(found.sessions, index)
        usable = index.sessions([name for name in found.held if _may_be_used(name, found)])
        projects = {session.project for session in usable}
        others = [one.line.id for one in index.held(1, unread=False) if one.night and one.line.project in projects]
        earlier = index.sessions([name for name in others if name not in {session.id for session in usable}])
    if again is None:
        parts = without_copies(usable, earlier)
    else:
        parts = without_copies([*usable, *earlier], ())[: len(usable)]
    assert whole == tuple(part for part in parts if part.typed)
    assert found.copied == sum(len(one.typed) - len(part.typed) for part, one in zip(parts, usable, strict=True))
    for one, session in zip(found.sessions, whole, strict=True):
        assert (one.id, one.project, one.ended) == (session.id, session.project, session.ended)
        assert one.heard.typed == tuple(turn.id for turn in session.turns if turn.origin is Origin.USER)


def _may_be_used(name: str, found: Survey) -> bool:
    """Whether only what it copied can be a reason to leave a session out."""
    return name not in found.left_out or name in found.copies


def test_a_night_decodes_no_session_but_those_it_uses_and_their_originals(index: Watched) -> None:
    first, second = a_turn("fix the build", id="a"), a_turn("write the notes", id="b")
    files = {
        "/1": (1, holding(a_session("1", first, hours=5))),
        "/2": (1, holding(a_session("2", a_turn("ship it"), hours=4))),
        "/3": (1, holding(a_session("3"), LeftOut.HEADLESS)),
    }
    shelf = Shelf("codex", files)
    rules = replace(RULES, again=None)
    harvest([shelf], index, rules)
    index.mark_read(["codex:1", "codex:2"], "N-1")
    index.decoded.clear()
    files["/4"] = (1, holding(a_session("4", first, second, hours=3)))
    files["/5"] = (1, holding(a_session("5", a_turn("run the tests"))))
    found = harvest([shelf], index, rules)
    assert [(session.id, session.typed) for session in found.sessions] == [
        ("codex:5", ("run the tests",)),
        ("codex:4", ("write the notes",)),
    ]
    assert sorted(index.decoded) == ["codex:1", "codex:4", "codex:5"]


def test_no_session_is_decoded_but_those_that_share_a_typed_turn(index: Watched) -> None:
    first, second = a_turn("fix the build", id="a"), a_turn("write the notes", id="b")
    shelf = Shelf(
        "codex",
        {
            "/1": (1, holding(a_session("1", first, hours=5))),
            "/2": (1, holding(a_session("2", first, second, hours=4))),
            "/3": (1, holding(a_session("3", a_turn("ship it")))),
        },
    )
    found = surveyed([shelf], index)
    assert index.decoded == ["codex:2", "codex:1"]
    assert [(one.id, len(one.heard.typed)) for one in found.sessions] == [
        ("codex:3", 1),
        ("codex:2", 1),
        ("codex:1", 1),
    ]


def test_a_session_converted_for_another_agent_counts_once(index: Watched) -> None:
    turns = [a_turn("create a run script"), a_turn("no, use pnpm"), a_turn("add a test")]
    shelf = Shelf(
        "codex",
        {
            "/1": (1, holding(a_session("1", *turns[:2], hours=5))),
            "/2": (1, holding(a_session("2", *turns, hours=4))),
            "/3": (1, holding(a_session("3", turns[0], turns[2]))),
        },
    )
    found = surveyed([shelf], index)
    assert index.decoded == ["codex:2", "codex:1"]
    assert {one.id: len(one.heard.typed) for one in found.sessions} == {"codex:1": 2, "codex:2": 1, "codex:3": 2}
    assert (found.copied, found.copies) == (2, ())


def test_a_session_whose_texts_were_forgotten_is_no_copy(index: Watched) -> None:
    forgotten = msgspec.structs.replace(a_session("1"), turns=())
    found = surveyed([Shelf("codex", {"/1": (1, holding(forgotten))})], index)
    assert (found.sessions, found.copies, found.left_out) == ((), (), {"codex:1": LeftOut.NO_USER_TURN})


def test_a_session_of_one_prompt_that_was_converted_counts_once(index: Watched) -> None:
    turns = a_turn("create a run script"), a_turn("Here it is.", origin=Origin.ASSISTANT)
    converted = {"/2": (1, holding(a_session("2", *turns, hours=4)))}
    first = a_session("1", *turns, hours=5)
    first = msgspec.structs.replace(first, id="claude_code:1", source="claude_code")
    written = Shelf("claude_code", {"/1": (1, holding(first))})
    found = surveyed([written, Shelf("codex", converted)], index)
    assert ([one.id for one in found.sessions], found.copies) == (["claude_code:1"], ("codex:2",))


def test_a_store_of_an_earlier_version_is_read_by_the_rules_once(index: Watched) -> None:
    shelf = Shelf("codex", {"/1": (1, holding(a_session("1")))})
    surveyed([shelf], index)
    index._connection.execute("UPDATE sessions SET heard = NULL, rules = 0")
    (again,) = surveyed([shelf], index).sessions
    assert again.heard.rules == RULES_VERSION
    assert index._connection.execute("SELECT count(*) FROM sessions WHERE heard IS NULL").fetchone() == (0,)


# where a project has moved to ---------------------------------------------------------------------------


def at(project: str, commit: str = "") -> Surveyed:
    """A session in a project, at a commit."""
    session = a_session()
    return Surveyed(session.id, session.source, project, commit, session.ended, "", read_by_rules(session))


def test_a_project_moved_to_where_its_commit_is_known() -> None:
    sessions = [at("/old/shop", "c1"), at("/old/shop"), at("/new/shop", "c1"), at("/new/shop", "c2")]
    assert moved(sessions, lambda folder: folder == "/new/shop") == {"/old/shop": "/new/shop"}


@pytest.mark.parametrize(
    ("sessions", "there"),
    [
        ([at("/old/shop", "c1"), at("/new/shop", "c1")], {"/old/shop", "/new/shop"}),
        ([at("/old/shop", "c1"), at("/new/shop", "c1")], set[str]()),
        ([at("/old/shop", "c1"), at("/new/shop", "c2")], {"/new/shop"}),
        ([at("/old/shop"), at("/new/shop")], {"/new/shop"}),
        ([at("/old/shop", "c1"), at("/new/store", "c1")], {"/new/store"}),
        ([at("/old/shop", "c1"), at("/new/shop", "c1"), at("/too/shop", "c1")], {"/new/shop", "/too/shop"}),
        ([at("", "c1"), at("/shop", "c1")], {"/shop"}),
        ([], {"/shop"}),
    ],
    ids=[
        "both there",
        "none there",
        "other commits",
        "no commit",
        "other name",
        "two places",
        "no folder",
        "nothing",
    ],
)
def test_what_is_not_sure_moved_nowhere(sessions: list[Surveyed], there: set[str]) -> None:
    assert moved(sessions, lambda folder: folder in there) == {}


def test_a_session_moves_with_its_project_but_keeps_its_working_folder(index: Watched) -> None:
    places = {"1": ("/old/shop", "c1"), "2": ("/old/shop", ""), "3": ("/new/shop", "c1")}
    files: dict[str, tuple[int, Reading]] = {}
    for name, (project, commit) in places.items():
        files[f"/{name}"] = (1, holding(a_session(name, project=project, cwd=project, commit=commit)))
    rules = replace(RULES, exists=lambda folder: folder == "/new/shop")
    found = in_full(surveyed([Shelf("codex", files)], index, rules).sessions, index)
    assert [session.project for session in found] == ["/new/shop"] * 3
    assert sorted(session.cwd for session in found) == ["/new/shop", "/old/shop", "/old/shop"]
