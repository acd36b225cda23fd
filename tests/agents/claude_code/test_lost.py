"""What Claude Code's own list of prompts tells of sessions that have no file, and what they are read as."""

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from skillopt_sleep.agents.claude_code.history import lost as told
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.mining.requests import Take, may_hold_a_lesson, takes
from skillopt_sleep.mining.rules import ruled_tasks
from skillopt_sleep.records import Note, Session
from tests.agents.reading import sessions_of

JULY = 1_783_555_200_000  # 2026-07-09
DAY = 86_400_000


def lost(home: Path, sessions: str, *, typed: str = "fix it", settings: str = "", begin: float = JULY) -> list[Note]:
    """The notes where these sessions were typed in a day apart; of those in upper case the file is there."""
    (home / "projects" / "p").mkdir(parents=True)
    lines = [b"no line at all\n", b'{"display":"of an old version","timestamp":1}\n']
    for number, name in enumerate(sessions):
        line = {"display": typed, "timestamp": begin + number * DAY, "sessionId": name}
        lines += [json.dumps(line).encode() + b"\n"] * 2
        if name.isupper():
            (home / "projects" / "p" / f"{name}.jsonl").touch()
    (home / "history.jsonl").write_bytes(b"".join(lines))
    if settings:
        (home / "settings.json").write_text(settings)
    return list(told(home))


@pytest.mark.parametrize(
    ("settings", "days"),
    [("", "30 days"), ('{"cleanupPeriodDays": 1}', "1 day"), ("{", "30 days"), ('{"cleanupPeriodDays": "x"}', "30")],
)
def test_sessions_before_the_last_one_with_a_file_were_deleted(settings: str, days: str, tmp_path: Path) -> None:
    (note,) = lost(tmp_path, "abcdeF", settings=settings)
    assert note.expected
    assert note.summary.startswith("5 sessions")
    assert f"after {days}" in note.summary
    assert "cleanupPeriodDays" in note.remedy


@pytest.mark.parametrize(
    ("sessions", "told", "is_expected"),
    [
        ("aB", "2 prompts", True),
        ("abC", "4 prompts", True),
        ("Ab", "2 prompts", True),
        ("Abc", "4 prompts", False),
        ("abCde", "8 prompts", False),
    ],
)
def test_no_cleanup_is_blamed_for_what_is_too_new_for_it(
    sessions: str, told: str, is_expected: bool, tmp_path: Path
) -> None:
    begin = time.time() - 9 * 86_400
    (note,) = lost(tmp_path, sessions, begin=begin * 1000)
    first = datetime.fromtimestamp(begin, tz=UTC) + timedelta(days=int(sessions.startswith("A")))
    count = sum(map(str.islower, sessions))
    assert note.summary.startswith(f"{told} typed in Claude Code since {first:%d %b %Y}")
    assert f"of {count} session{'s' if count > 1 else ''} without a file" in note.summary
    assert "cleanupPeriodDays" not in note.remedy
    assert note.expected is is_expected, "a single one may have been deleted by hand"


def test_of_old_and_new_sessions_without_a_file_only_the_old_ones_were_deleted(tmp_path: Path) -> None:
    old, new = lost(tmp_path, "abcd", begin=time.time() * 1000 - 31.5 * DAY)
    assert old.summary.startswith("2 sessions in your history")
    assert new.summary.startswith("4 prompts")


def test_where_no_session_has_a_file_saving_may_be_switched_off_however_old_they_are(tmp_path: Path) -> None:
    (note,) = lost(tmp_path, "abcdef")
    assert not note.expected
    assert note.summary.startswith("12 prompts typed in Claude Code since 09 Jul 2026: of 6 sessions without a file")
    assert "CLAUDE_CODE_CHILD_SESSION" in note.remedy


def test_it_is_a_problem_if_they_are_too_new_to_be_deleted(tmp_path: Path) -> None:
    (note,) = lost(tmp_path, "abc", begin=time.time() * 1000 - 5 * DAY)
    assert not note.expected


@pytest.mark.parametrize("begin", [JULY * 1000, JULY * 1e6, 1e20, -1e20, 1e300])
def test_a_time_that_is_none_is_no_error(begin: float, tmp_path: Path) -> None:
    (note,) = lost(tmp_path, "abc", begin=begin)
    assert note.summary.startswith("3 sessions")


def test_settings_that_are_no_plain_file_are_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    (note,) = lost(tmp_path, "abF")
    assert "after 30 days" in note.summary


def test_nothing_is_told_of_sessions_with_files_of_a_single_new_one_and_of_commands(tmp_path: Path) -> None:
    assert lost(tmp_path / "all", "ABC") == []
    assert [note.expected for note in lost(tmp_path / "new", "ABc")] == [True]
    assert lost(tmp_path / "commands", "abc", typed="/exit") == []
    assert list(told(tmp_path / "nowhere")) == []


# what was typed in them ---------------------------------------------------------------------------------


def a_prompt(display: str, *, session: str = "gone", **fields: object) -> dict[str, object]:
    line = {"display": display, "pastedContents": {}, "timestamp": JULY, "project": "/home/dev/shop"}
    return line | {"sessionId": session} | fields


def listed(home: Path, *prompts: dict[str, object]) -> dict[str, Session]:
    """The sessions that are read where the list has these prompts; the one named here has a file."""
    (home / "projects" / "p").mkdir(parents=True)
    (home / "projects" / "p" / "here.jsonl").touch()
    (home / "history.jsonl").write_text("".join(json.dumps(prompt) + "\n" for prompt in prompts))
    found = sessions_of(ClaudeCode(home))
    return {name: session for name, (session, why) in found.items() if name != "here" and why is None}


CORRECTED = (a_prompt("create a run script"), a_prompt("no, that's wrong - we always use pnpm here, never npm"))


def test_a_session_that_only_the_list_has_is_read_as_requests_without_an_answer(tmp_path: Path) -> None:
    found = listed(tmp_path, *CORRECTED, a_prompt("fix it", session="here"))
    session = found["gone"]
    assert list(found) == ["gone"]
    assert (session.id, session.source, session.project) == ("claude_code:gone", "claude_code", "/home/dev/shop")
    assert f"{session.started:%Y-%m-%d}" == "2026-07-09"
    assert not session.is_answered
    assert [take for _, take in takes(session)] == [Take.REQUEST, Take.REQUEST]
    assert ruled_tasks(session).tasks == ()


def test_it_is_mined_only_for_what_is_said_to_hold_from_now_on(tmp_path: Path) -> None:
    found = listed(
        tmp_path,
        a_prompt("create a run script", session="a"),
        a_prompt("no, shorter", session="a"),
        a_prompt("from now on always use pnpm", session="b"),
    )
    assert {name: may_hold_a_lesson(session) for name, session in found.items()} == {"a": False, "b": True}


def test_commands_to_the_program_and_the_shell_are_no_requests(tmp_path: Path) -> None:
    found = listed(tmp_path, a_prompt("/exit", session="a"), a_prompt("!ls -1"), a_prompt("what do you see?"))
    assert {name: session.typed for name, session in found.items()} == {"gone": ("what do you see?",)}


def test_what_was_pasted_in_it_is_known_and_no_secret_is_kept(tmp_path: Path) -> None:
    pasted = {
        "1": {"id": 1, "type": "text", "content": "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}
    }
    (turn,) = listed(tmp_path, a_prompt("look: [Pasted text #1] thanks", pastedContents=pasted))["gone"].turns
    assert "wJalr" not in turn.text
    ((start, end),) = turn.pasted
    assert (turn.text[:start], turn.text[end:]) == ("look: ", " thanks")


def test_a_list_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    listed(tmp_path, *CORRECTED)
    (tmp_path / "history.jsonl").rename(tmp_path / "elsewhere")
    (tmp_path / "history.jsonl").symlink_to(tmp_path / "elsewhere")
    assert "gone" not in sessions_of(ClaudeCode(tmp_path))
