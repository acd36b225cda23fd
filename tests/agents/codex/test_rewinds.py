"""A session of Codex that was rewound goes on in a new file, with what is left of the earlier ones."""

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.records import Session
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.schema import create
from tests.agents.reading import read_all

SESSION = "01a2059e-896a-7933-b2c3-81952bfcf1b2"  # made on 2026-11-22
SECOND = "01a2059e-a986-7c03-84e3-7476c42e00f3"
THIRD = "01a2059e-d417-7b01-b9d4-f28ef42af8c7"
DAY = Path("sessions", "2026", "11", "22")


class Part:
    """One file of the session, line by line; `minute` is when it begins."""

    def __init__(self, home: Path, name: str = "", *, minute: int = 0, folder: Path = DAY, **meta: Any) -> None:
        ending = f"{SESSION}_{name}" if name else SESSION
        self.path = home / folder / f"rollout-2026-11-22T23-{minute:02d}-00-{ending}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.minute = minute
        self.lines: list[bytes] = []
        self.thread = meta.get("id", SESSION)
        about = {"id": SESSION, "cwd": "/home/dev/shop", "originator": "codex-tui", "source": "cli", **meta}
        self._add("session_meta", about)

    @property
    def size(self) -> int:
        return sum(len(line) for line in self.lines)

    def said(self, *texts: str) -> None:
        """Typed texts and answers, in turn."""
        for number, text in enumerate(texts):
            kind = "AgentMessage" if number % 2 else "UserMessage"
            item = {"type": kind, "id": text, "content": [{"type": "text", "text": text}]}
            payload = {"type": "item_completed", "thread_id": self.thread, "turn_id": "t", "item": item}
            self._add("event_msg", payload)
        self.path.write_bytes(b"".join(self.lines))

    def _add(self, kind: str, payload: dict[str, Any]) -> None:
        when = f"2026-11-22T23:{self.minute:02d}:{len(self.lines):02d}.000Z"
        record = {"timestamp": when, "ordinal": len(self.lines), "type": kind, "payload": payload}
        self.lines.append(json.dumps(record, separators=(",", ":")).encode() + b"\n")


def base(thread: str, size: int) -> dict[str, Any]:
    return {"thread_id": thread, "end_ordinal_exclusive": 3, "end_byte_offset": size}


def texts(session: Session) -> list[str]:
    return [turn.text for turn in session.turns]


def newest(home: Path) -> Session:
    """The session as the file that began last tells it."""
    reading = list(read_all(Codex(home)).values())[-1]
    return reading.sessions[0].session


def test_what_was_rewound_is_void_and_the_rest_goes_on(tmp_path: Path) -> None:
    first = Part(tmp_path)
    first.said("one", "done")
    left = first.size
    first.said("two, wrong", "on it")
    Part(tmp_path, SECOND, minute=5, history_base=base(SESSION, left)).said("two, right", "ok")
    session = newest(tmp_path)
    assert (session.id, session.gaps.damaged) == (f"codex:{SESSION}", 0)
    assert texts(session) == ["one", "done", "two, right", "ok"]
    assert (session.started.minute, session.ended.minute) == (0, 5)


def test_a_session_that_was_rewound_to_its_begin_has_only_what_came_then(tmp_path: Path) -> None:
    Part(tmp_path).said("one, wrong", "on it")
    Part(tmp_path, SECOND, minute=5).said("one, right", "ok")
    session = newest(tmp_path)
    assert (session.id, texts(session)) == (f"codex:{SESSION}", ["one, right", "ok"])


@pytest.mark.parametrize(
    "folder", [Path("sessions", "2026", "11", "23"), Path("archived_sessions")], ids=["a day later", "archived"]
)
def test_a_session_may_be_rewound_again_and_on_another_day(folder: Path, tmp_path: Path) -> None:
    first = Part(tmp_path)
    first.said("one", "done")
    second = Part(tmp_path, SECOND, minute=5, history_base=base(SESSION, first.size))
    second.said("two", "ok")
    left = second.size
    second.said("three, wrong", "on it")
    third = Part(tmp_path, THIRD, minute=9, folder=folder, history_base=base(SECOND, left))
    third.said("three, right", "good")
    reading = read_all(Codex(tmp_path))[str(third.path)]
    assert texts(reading.sessions[0].session) == ["one", "done", "two", "ok", "three, right", "good"]


@pytest.mark.parametrize("newest_first", [False, True])
def test_in_the_index_the_files_are_one_session_without_what_was_rewound(newest_first: bool, tmp_path: Path) -> None:
    first = Part(tmp_path)
    first.said("one", "done")
    left = first.size
    first.said("two, wrong", "on it")
    Part(tmp_path, SECOND, minute=5, history_base=base(SESSION, left)).said("two, right", "ok")
    source = Codex(tmp_path)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create(connection)
    index = SqliteIndex(connection, threading.RLock())
    index.put("codex", source.read(sorted((path for path, _ in source.stamps()), reverse=newest_first)))
    (session,) = index.sessions([line.id for line in index.lines(unread=True)])
    assert texts(session) == ["one", "done", "two, right", "ok"]
    connection.close()


def test_unknown_kinds_are_a_share_of_the_lines_of_all_parts(tmp_path: Path) -> None:
    first = Part(tmp_path)
    first.lines += [b'{"type":"human_input","payload":{}}\n'] * 30
    first.said("one", "done")
    Part(tmp_path, SECOND, minute=5, history_base=base(SESSION, first.size)).said("two", "ok")
    half_read = newest(tmp_path).gaps.half_read
    assert half_read is not None
    assert (half_read.unknown, half_read.records) == (30, 36)


@pytest.mark.parametrize("thread", [THIRD, SECOND, "../../evil", "x" * 40, ""])
def test_a_part_that_is_not_there_or_is_the_file_itself_is_left_out(thread: str, tmp_path: Path) -> None:
    Part(tmp_path, SECOND, minute=5, history_base=base(thread, 10_000)).said("two", "ok")
    assert texts(newest(tmp_path)) == ["two", "ok"]


def test_a_fork_does_not_repeat_what_its_parent_holds(tmp_path: Path) -> None:
    first = Part(tmp_path)
    first.said("one", "done")
    fork = Part(tmp_path, minute=5, id=THIRD, forked_from_id=SESSION, history_base=base(SESSION, first.size))
    fork.path = fork.path.with_name(f"rollout-2026-11-22T23-05-00-{THIRD}.jsonl")
    fork.said("two", "ok")
    reading = read_all(Codex(tmp_path))[str(fork.path)]
    assert texts(reading.sessions[0].session) == ["two", "ok"]
