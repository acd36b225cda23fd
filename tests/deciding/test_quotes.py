"""A quote is looked up again and shown in its place, whether its session's file is still there or not."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.deciding.quotes import opened
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.stores.quotes import PurgeSearch
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.nights import Machine

SESSION = "claude_code:shop-0"


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    machine = Machine(tmp_path)
    machine.had(0, 1, 2, 3)
    machine.night()
    return machine.store()


def shown(store: SqliteStore, session: str = SESSION, quote: str = "") -> str:
    (lesson,) = store.lessons.every()
    (piece,) = [piece for piece in lesson.signs if piece.session == session]
    piece = piece if not quote else type(piece)(session=session, turn=piece.turn, quote=quote)
    return markdown([*opened([piece], store, now=datetime.now(tz=UTC) + timedelta(hours=1))])


def test_the_turn_stands_between_those_around_it_with_its_file(store: SqliteStore) -> None:
    text = shown(store)
    assert "→ turn 2, you: no - we always use pnpm here, never npm" in text
    assert text.index("turn 0, you: create a run script") < text.index("turn 1, the agent: Done.") < text.index("→")
    assert f"File: {SESSION}" in text.replace("\\", "")
    store.close()


def test_a_session_that_is_gone_says_since_when_and_what_is_kept(store: SqliteStore) -> None:
    store.index.forget("claude_code", [SESSION])
    day = datetime.now(tz=UTC).astimezone()
    text = shown(store)
    assert f"This session is gone since {day.day} {day:%b}" in text
    assert "→ turn 2, you:" in text
    assert list(store.index.gone()) == [SESSION]
    store.close()


def test_a_quote_that_is_not_in_its_turn_any_more_is_said_to_be_gone(store: SqliteStore) -> None:
    assert "aren't in that turn any more" in shown(store, quote="use yarn")
    store.close()


def test_a_quote_of_a_fork_is_found_by_its_words_wherever_its_turn_is_in_the_file(store: SqliteStore) -> None:
    (lesson,) = store.lessons.every()
    first = type(lesson.signs[0])(session=SESSION, turn=0, quote=lesson.signs[0].quote)
    text = markdown([*opened([first], store, now=datetime.now(tz=UTC))])
    assert "→ turn 2, you: no - we always use pnpm here, never npm" in text
    assert "aren't in that turn" not in text
    store.close()


def test_a_session_that_is_not_kept_is_said_to_be_forgotten(store: SqliteStore) -> None:
    text = shown(store)
    assert "isn't kept" not in text
    found = store.purge.found([row for row in store.purge.rows() if row.session.id == SESSION], PurgeSearch())
    piece = store.lessons.every()[0].signs[0]
    store.purge.delete(found, {}, folders=())
    assert "isn't kept any more" in markdown([*opened([piece], store, now=datetime.now(tz=UTC))])
    store.close()
