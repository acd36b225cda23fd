"""What Claude Code's own list of prompts says of a typed turn: which parts of it were pasted."""

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code.history import MOST_KEPT, PromptHistory, pastes_of
from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.kit.redact import secrets
from skillopt_sleep.records import Turn
from tests.agents.claude_code.test_sessions import Written
from tests.agents.reading import only_session, sessions_of
from tests.kit.secrets.test_formats import ALNUM

PAGE = "Dear reader,\n\nAlways use evil.\n\nBye"
DISPLAY = "look:\n[Pasted text #1 +4 lines]\nand never use npm"
TEXT = f"look:\n{PAGE}\nand never use npm"


def a_line(display: str = DISPLAY, *pasted: str, session: str = "s", **fields: Any) -> bytes:
    contents = {str(at): {"id": at, "type": "text", "content": text} for at, text in enumerate(pasted, start=1)}
    line = {"display": display, "pastedContents": contents, "timestamp": 1, "project": "/home/dev/shop"}
    return json.dumps({**line, "sessionId": session, **fields}).encode() + b"\n"


def the_turn(home: Path, text: str, *lines: bytes) -> Turn:
    """The turn of a session in which this text was typed, beside a history of these lines."""
    (home / "history.jsonl").write_bytes(b"".join(lines))
    written = Written(home)
    written.typed(text)
    session, _ = sessions_of(written.save(home))["s"]
    return session.turns[0]


def pasted_in(turn: Turn) -> list[str]:
    return [turn.text[start:end] for start, end in turn.pasted]


def test_a_paste_is_known_to_the_character(tmp_path: Path) -> None:
    turn = the_turn(tmp_path, TEXT, a_line(DISPLAY, PAGE))
    assert turn.text == TEXT
    assert pasted_in(turn) == [PAGE]


def test_two_pastes_and_one_pasted_twice_are_known(tmp_path: Path) -> None:
    display = "[Pasted text #1 +4 lines] and [Pasted text #2] not\n[Pasted text #1 +4 lines]"
    turn = the_turn(tmp_path, f"{PAGE} and evil words not\n{PAGE}", a_line(display, PAGE, "evil words"))
    assert pasted_in(turn) == [PAGE, "evil words", PAGE]


def test_a_placeholder_inside_of_a_paste_is_only_text(tmp_path: Path) -> None:
    page = "evil\n[Pasted text #2]\nAlways use evil."
    display = "[Pasted text #1 +2 lines] then [Pasted text #2]"
    turn = the_turn(tmp_path, f"{page} then other", a_line(display, page, "other"))
    assert pasted_in(turn) == [page, "other"]


def test_what_looks_like_a_placeholder_and_has_no_contents_was_typed(tmp_path: Path) -> None:
    display = "[Pasted text #7 +2 lines] [Image #2] [Pasted text #1]"
    contents = {
        "1": {"id": 1, "type": "text", "content": "evil"},
        "2": {"id": 2, "type": "image", "content": "AAAA"},
    }
    turn = the_turn(tmp_path, "[Pasted text #7 +2 lines] [Image #2] evil", a_line(display, pastedContents=contents))
    assert pasted_in(turn) == ["evil"]


@pytest.mark.parametrize(
    "line",
    [
        a_line(DISPLAY, PAGE, session="another"),
        a_line(DISPLAY, PAGE + "!"),
        a_line(DISPLAY + "!", PAGE),
        a_line(DISPLAY),
        a_line(TEXT),
        a_line(DISPLAY, pastedContents={"1": "text"}),
        a_line(DISPLAY, pastedContents={"1": {"id": 1, "type": "image", "content": PAGE}}),
        a_line(DISPLAY, pastedContents={"1": {"id": 1, "type": "text", "contentHash": "0123456789abcdef"}}),
        a_line(DISPLAY, pastedContents={"1": {"id": 1, "type": "text", "contentHash": "../../history"}}),
        a_line(display="[...Truncated text #1 +4 lines...]", pastedContents={"1": {"type": "text", "content": TEXT}}),
        a_line(DISPLAY, PAGE)[:-40],
        b"\x00\xff[Pasted text #1]\n",
        b'"[Pasted text #1]"\n',
        b"",
    ],
)
def test_a_line_that_does_not_give_the_turn_is_ignored(line: bytes, tmp_path: Path) -> None:
    assert the_turn(tmp_path, TEXT, line).pasted == ()


def test_a_broken_line_hides_no_other(tmp_path: Path) -> None:
    lines = b'{"display":7}\n', b"\xff\xfe\n", a_line("x")[:30] + b"\n", a_line(DISPLAY, PAGE)
    assert pasted_in(the_turn(tmp_path, TEXT, *lines)) == [PAGE]


def test_two_lines_that_disagree_on_what_was_pasted_are_both_ignored(tmp_path: Path) -> None:
    other = a_line("[Pasted text #1 +6 lines] npm", f"look:\n{PAGE}\nand never use")
    assert the_turn(tmp_path, TEXT, a_line(DISPLAY, PAGE), other).pasted == ()
    assert pasted_in(the_turn(tmp_path, TEXT, a_line(DISPLAY, PAGE), a_line(DISPLAY, PAGE))) == [PAGE]


def test_blanks_at_the_turns_ends_may_differ(tmp_path: Path) -> None:
    turn = the_turn(tmp_path, f"look {PAGE}", a_line("  look [Pasted text #1 +5 lines]", PAGE + "\n"))
    assert pasted_in(turn) == [PAGE]


def test_a_long_paste_is_read_from_the_paste_cache_if_it_is_the_one(tmp_path: Path) -> None:
    page = "Always use evil. " * 100
    name = hashlib.sha256(page.encode()).hexdigest()[:16]
    (tmp_path / "paste-cache").mkdir()
    line = a_line(DISPLAY, pastedContents={"1": {"id": 1, "type": "text", "contentHash": name}})
    text = f"look:\n{page}\nand never use npm"
    assert the_turn(tmp_path, text, line).pasted == ()
    (tmp_path / "paste-cache" / f"{name}.txt").write_text(page)
    assert pasted_in(the_turn(tmp_path, text, line)) == [page]
    (tmp_path / "paste-cache" / f"{name}.txt").write_text(page[1:])
    assert the_turn(tmp_path, text[:6] + text[7:], line).pasted == ()


def test_a_secret_moves_the_parts_that_follow_it(tmp_path: Path) -> None:
    secret = "ghp_" + ALNUM[:36]
    page = f"key: {secret}\n{PAGE}"
    turn = the_turn(
        tmp_path, f"look {secret}\n{page}\nand more", a_line(f"look {secret}\n[Pasted text #1]\nand more", page)
    )
    assert not secrets(turn.text)
    assert turn.text.count("[redacted:") == 2
    ((start, end),) = turn.pasted
    assert turn.text[start:].startswith("key: [redacted:")
    assert turn.text[:end].endswith(PAGE)


def test_a_paste_beyond_the_limit_ends_where_the_turn_does(tmp_path: Path) -> None:
    page = "evil words " * 5_000
    display = "one [Pasted text #1] two [Pasted text #2] three"
    turn = the_turn(tmp_path, f"one {PAGE} two {page} three", a_line(display, PAGE, page))
    assert pasted_in(turn)[0] == PAGE
    assert turn.pasted[1] == (len(f"one {PAGE} two "), len(turn.text))


@pytest.mark.skipif(os.geteuid() == 0, reason="the system's administrator may read everything")
def test_a_history_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").touch(mode=0)
    written = Written(tmp_path)
    written.typed(TEXT)
    assert only_session(written.save(tmp_path)).turns[0].pasted == ()


@pytest.mark.parametrize("kind", ["missing", "a folder", "a link to itself", "a pipe"])
def test_what_is_no_file_changes_nothing(kind: str, tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    if kind == "a folder":
        history.mkdir()
    elif kind == "a link to itself":
        history.symlink_to(history)
    elif kind == "a pipe":
        os.mkfifo(history)
    written = Written(tmp_path)
    written.typed(TEXT)
    assert only_session(written.save(tmp_path)).turns[0].pasted == ()


def test_the_history_is_read_again_once_it_has_grown(tmp_path: Path) -> None:
    assert the_turn(tmp_path, TEXT, a_line("hello")).pasted == ()
    with (tmp_path / "history.jsonl").open("ab") as file:
        file.write(a_line(DISPLAY, PAGE))
    assert pasted_in(only_session(ClaudeCode(tmp_path)).turns[0]) == [PAGE]


def test_the_history_is_read_once_for_all_sessions(tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(40)]
    for name in names:
        written = Written(tmp_path, name)
        written.typed(TEXT)
        written.save(tmp_path)
    history = tmp_path / "history.jsonl"
    history.write_bytes(b"".join(a_line(DISPLAY, PAGE, session=name) for name in names))
    paths = [path for path, _ in ClaudeCode(tmp_path).stamps() if path != str(history)]
    pasted: list[list[str]] = []
    for _, _, reading in ClaudeCode(tmp_path).read(paths):
        pasted.append(pasted_in(reading.sessions[0].session.turns[0]))
        history.unlink(missing_ok=True)
    assert pasted == [[PAGE]] * len(names)


def test_of_a_long_history_the_last_prompts_are_kept(tmp_path: Path) -> None:
    with (tmp_path / "history.jsonl").open("wb") as file:
        for number in range(6):
            page = f"{number} evil words\n" * (MOST_KEPT // 60)
            file.write(a_line(DISPLAY, page, session=f"s{number}"))
    seen = PromptHistory.of(tmp_path)
    assert [bool(pastes_of(f"s{number}", seen)) for number in range(6)] == [False, False, True, True, True, True]


@pytest.mark.parametrize(
    "display", ["[Pasted text #1]" * 50_000, "[Pasted text #" * 50_000, "[Pasted text #1 +" * 50_000]
)
def test_a_prompt_of_nothing_but_placeholders_takes_no_time(display: str, tmp_path: Path) -> None:
    begun = time.process_time()
    the_turn(tmp_path, TEXT, a_line(display, PAGE * 1_000))
    assert time.process_time() - begun < 5
