"""Which session is meant, and why it is used or left out; the other reasons are tested as they are printed."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.night.account import SessionHistory
from skillopt_sleep.night.explain import explain, find
from skillopt_sleep.records import LeftOut, Reading
from skillopt_sleep.stores.index import SqliteIndex
from tests.night.test_account import NOW, RULES, Shelf, a_session, holding, opened, surveyed


@pytest.fixture
def index() -> Iterator[SqliteIndex]:
    connection, index = opened()
    yield index
    connection.close()


def a_history(index: SqliteIndex, *readings: Reading) -> SessionHistory:
    shelf = Shelf("codex", {f"/sessions/{n}.jsonl": (1, reading) for n, reading in enumerate(readings)})
    found = surveyed([shelf], index)
    return SessionHistory.of(found, index, RULES, sources=["codex"], horizon=NOW - timedelta(days=7))


def test_a_session_is_explained_as_data(index: SqliteIndex) -> None:
    history = a_history(index, holding(a_session("1")), holding(a_session("2"), LeftOut.SUBAGENT))
    used, left_out = (
        explain(history, find(history, name), index, lambda _: "excluded") for name in ("codex:1", "codex:2")
    )
    assert used.reason is None
    assert used.because == "a person typed in it, it has ended, and nothing excludes it"
    assert used.turns
    assert left_out.reason is LeftOut.SUBAGENT
    assert left_out.data()["left_out"] == "subagent"


def test_a_session_is_found_by_its_id_a_part_of_it_or_its_file(index: SqliteIndex) -> None:
    history = a_history(index, holding(a_session("abc-1")), holding(a_session("abc-12")), holding(a_session("x")))
    found = {name: find(history, name).id for name in ("codex:abc-1", "abc-1", "c-12", "sessions/2.jsonl", "2.jsonl")}
    assert list(found.values()) == ["codex:abc-1", "codex:abc-1", "codex:abc-12", "codex:x", "codex:x"]
    with pytest.raises(ConfigError, match="2 sessions have 'abc' in their id or file: codex:abc-1, codex:abc-12"):
        find(history, "abc")
    with pytest.raises(ConfigError, match="no session has 'nothing' in its id or file"):
        find(history, "nothing")
