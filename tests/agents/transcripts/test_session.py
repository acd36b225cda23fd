"""From what was said and called to a session."""

from datetime import UTC, datetime
from typing import cast

import msgspec
import pytest

from skillopt_sleep.agents.transcripts.draft import (
    INSTRUCTIONS_LIMIT,
    MOST_INSTRUCTIONS,
    DraftCall,
    DraftMessage,
    SessionDraft,
)
from skillopt_sleep.agents.transcripts.session import finished, moment
from skillopt_sleep.records import Origin, Stamp

STAMP = Stamp(1, 2, 1_800_000_000_000_000_000)


def test_a_tool_event_follows_the_turn_before_it() -> None:
    draft = SessionDraft(
        items=[
            DraftCall("Bash", "ls"),
            DraftMessage(Origin.USER, "go"),
            DraftMessage(Origin.ASSISTANT, "  "),
            DraftCall("Bash", "make"),
        ]
    )
    session = finished(draft, source="s", name="1", stamp=STAMP)
    assert [event.turn for event in session.tools] == [0, 0]
    assert [turn.text for turn in session.turns] == ["go"]


def test_of_instructions_no_more_is_kept_than_a_person_writes_and_no_secret() -> None:
    draft = SessionDraft()
    for number in range(MOST_INSTRUCTIONS + 5):
        draft.note_instructions(f"/p/{number}", "use pnpm " * INSTRUCTIONS_LIMIT)
    draft.note_instructions("/p/0", "use bun")
    kept = finished(draft, source="s", name="1", stamp=STAMP).instructions
    assert len(kept) == MOST_INSTRUCTIONS
    assert (kept[0].text, len(kept[1].text)) == ("use bun", INSTRUCTIONS_LIMIT)


def test_without_a_time_of_its_own_a_session_has_its_files() -> None:
    session = finished(SessionDraft(), source="s", name="1", stamp=STAMP)
    assert session.started == session.ended == datetime.fromtimestamp(1_800_000_000, UTC)


def test_times_that_go_backwards_do_not_end_a_session_before_it_began() -> None:
    draft = SessionDraft(first="2026-11-20T09:00:00Z", last="2026-11-20T08:00:00Z")
    session = finished(draft, source="s", name="1", stamp=STAMP)
    assert session.started == session.ended == datetime(2026, 11, 20, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-20T08:00:00Z", "2026-11-20T08:00:00+00:00"),
        ("2026-11-20T08:00:00.1234567Z", "2026-11-20T08:00:00.123456+00:00"),
        ("2026-11-20T10:00:00+02:00", "2026-11-20T08:00:00+00:00"),
        ("2026-11-20T08:00:00", "2026-11-20T08:00:00+00:00"),
        (1795161600, "2026-11-20T08:00:00+00:00"),
        (1795161600000, "2026-11-20T08:00:00+00:00"),
    ],
)
def test_times_are_read_in_every_usual_form(written: str | float, read: str) -> None:
    found = moment(written)
    assert found is not None
    assert found.isoformat() == read


@pytest.mark.parametrize(
    "written", ["yesterday", "", None, 0, 1e300, -1e300, "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"]
)
def test_what_is_no_time_is_none(written: str | float | None) -> None:
    assert moment(written) is None


def test_a_last_time_that_is_none_is_the_files() -> None:
    session = finished(SessionDraft(first="2026-11-20T08:00:00Z", last="soon"), source="s", name="1", stamp=STAMP)
    assert session.started == datetime(2026, 11, 20, 8, tzinfo=UTC)
    assert session.ended == datetime.fromtimestamp(1_800_000_000, UTC)


@pytest.mark.parametrize(
    ("cwd", "kept"),
    [("/home/dev", True), ("C:\\dev", True), ("c:/dev", True), ("dev", False), ("/a\0b", False), ("C:", False)],
)
def test_only_a_whole_path_is_a_folder(cwd: str, *, kept: bool) -> None:
    assert finished(SessionDraft(cwd=cwd), source="s", name="1", stamp=STAMP).cwd == (cwd if kept else "")


def test_two_notes_of_one_stop_are_one() -> None:
    draft = SessionDraft(items=[DraftMessage(Origin.USER, "go"), DraftMessage(Origin.ASSISTANT, "well")])
    draft.stop("a")
    draft.stop("b")
    assert len(draft.items) == 3
    assert finished(draft, source="s", name="1", stamp=STAMP).stops == (1,)


def _canary(number: int) -> str:
    return "gh" + "p_" + f"C4n4ry{number:02d}" + "a1B2" * 7


def _texts(value: object) -> list[str]:
    """Every text that a record holds, however deep."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, msgspec.Struct):
        return [text for name in value.__struct_fields__ for text in _texts(getattr(value, name))]
    if isinstance(value, tuple | list):
        return [text for item in cast("list[object]", value) for text in _texts(item)]
    return []


def test_a_secret_in_any_text_of_a_session_is_not_kept() -> None:
    chance = iter(range(99))
    a = lambda: _canary(next(chance))  # noqa: E731
    draft = SessionDraft(
        cwd=f"/home/dev/{a()}",
        commit=a(),
        entrypoint=a(),
        items=[
            DraftMessage(Origin.USER, f"use {a()}", a()),
            DraftMessage(Origin.ASSISTANT, a(), a()),
            DraftMessage(Origin.HARNESS, a(), a()),
            DraftCall(a(), a(), a()),
            DraftCall(a(), a(), a(), error=True),
        ],
        skills={a(): None},
    )
    session = finished(draft, source="claude-code", name=a(), stamp=STAMP)
    assert next(chance) >= 16
    texts = _texts(session)
    assert len(texts) >= 16
    assert [text for text in texts if "C4n4ry" in text] == []
    assert session.id.startswith("claude-code:")


def test_names_that_are_no_secrets_are_kept_as_they_are() -> None:
    name = "0b9c1f9e-7d35-4a39-9b0e-2f6f3c1d5a77"
    draft = SessionDraft(
        commit="3f786850e387550fdab836ed7e6dc881de23001b",
        entrypoint="cli",
        items=[DraftMessage(Origin.USER, "go", name), DraftCall("mcp__github__get_me", "x")],
        skills={"pdf-tools": None},
    )
    session = finished(draft, source="s", name=name, stamp=STAMP)
    assert (session.id, session.turns[0].id, session.commit) == (f"s:{name}", name, draft.commit)
    assert (session.tools[0].name, session.skills) == ("mcp__github__get_me", ("pdf-tools",))


def test_a_history_written_again_at_one_moment_is_typed_once_and_a_text_typed_twice_is_typed_twice() -> None:
    typed = ("create a run script", "continue", "continue", "no, use pnpm")
    draft = SessionDraft()
    for number, _ in enumerate(typed):
        draft.items += [
            DraftMessage(Origin.USER, text, at=f"2026-11-20T08:0{number}:00.120Z") for text in typed[: number + 1]
        ]
        draft.items.append(DraftMessage(Origin.ASSISTANT, "done", at=f"2026-11-20T08:0{number}:30Z"))
    session = finished(draft, source="s", name="1", stamp=STAMP)
    assert session.typed == typed
    apart = SessionDraft(
        items=[DraftMessage(Origin.USER, "continue", at=f"2026-11-20T08:0{minute}:00Z") for minute in range(3)]
    )
    assert finished(apart, source="s", name="1", stamp=STAMP).typed == ("continue",) * 3
