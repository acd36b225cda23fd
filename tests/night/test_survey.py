"""A survey of a history that says what a harvest of it says, without decoding its sessions."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings

from skillopt_sleep.mining.requests import takes
from skillopt_sleep.night.harvest import harvest
from skillopt_sleep.night.survey import in_full, survey
from skillopt_sleep.protocols import Again
from skillopt_sleep.records import LeftOut, Origin, Reading, Session
from skillopt_sleep.stores.index import SqliteIndex
from tests.builders import a_turn
from tests.night.test_account import RULES, Shelf, a_session, codex_files, holding, opened


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


@settings(max_examples=100, deadline=None)
@given(files=codex_files)
def test_it_finds_what_a_harvest_finds_in_the_decoded_sessions(files: dict[int, Reading]) -> None:
    connection, index = opened()
    shelf = Shelf("codex", {f"/{n}": (1, reading) for n, reading in files.items()})
    with closing(connection):
        found = survey([shelf], index, RULES)
        decoded = harvest([shelf], index, replace(RULES, again=Again(since=None)))
        whole = in_full(found, index)
    assert whole == decoded.sessions
    assert (found.copies, found.copied, found.notes) == (decoded.copies, decoded.copied, decoded.notes)
    for one, session in zip(found.sessions, whole, strict=True):
        assert (one.id, one.project, one.ended) == (session.id, session.project, session.ended)
        assert [(turn.turn, turn.take) for turn in one.heard.turns] == [
            (index, take.value) for index, take in takes(session)
        ]


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
    found = survey([shelf], index, RULES)
    assert index.decoded == ["codex:2", "codex:1"]
    assert [(one.id, len(one.heard.turns)) for one in found.sessions] == [
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
    found = survey([shelf], index, RULES)
    assert index.decoded == ["codex:2", "codex:1"]
    assert {one.id: len(one.heard.turns) for one in found.sessions} == {"codex:1": 2, "codex:2": 1, "codex:3": 2}
    assert (found.copied, found.copies) == (2, ())


def test_a_session_whose_texts_were_forgotten_is_no_copy(index: Watched) -> None:
    forgotten = msgspec.structs.replace(a_session("1"), turns=())
    found = survey([Shelf("codex", {"/1": (1, holding(forgotten))})], index, RULES)
    assert (found.sessions, found.copies, found.left_out) == ((), (), {"codex:1": LeftOut.NO_USER_TURN})


def test_a_session_of_one_prompt_that_was_converted_counts_once(index: Watched) -> None:
    turns = a_turn("create a run script"), a_turn("Here it is.", origin=Origin.ASSISTANT)
    converted = {"/2": (1, holding(a_session("2", *turns, hours=4)))}
    first = a_session("1", *turns, hours=5)
    first = msgspec.structs.replace(first, id="claude_code:1", source="claude_code")
    written = Shelf("claude_code", {"/1": (1, holding(first))})
    found = survey([written, Shelf("codex", converted)], index, RULES)
    assert ([one.id for one in found.sessions], found.copies) == (["claude_code:1"], ("codex:2",))


def test_a_store_of_an_earlier_version_is_read_by_the_rules_once(index: Watched) -> None:
    shelf = Shelf("codex", {"/1": (1, holding(a_session("1")))})
    survey([shelf], index, RULES)
    index._connection.execute("UPDATE sessions SET heard = NULL, rules = 0")
    (again,) = survey([shelf], index, RULES).sessions
    assert [turn.take for turn in again.heard.turns] == ["request"]
    assert index._connection.execute("SELECT count(*) FROM sessions WHERE heard IS NULL").fetchone() == (0,)
