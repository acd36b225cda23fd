"""Codex compresses rollouts after a week and deletes the plain file; the session is the same one."""

import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.night.harvest import refresh
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.schema import create
from tests.agents.codex.test_rewinds import SECOND, SESSION, Part, base, newest, texts
from tests.agents.reading import only_session, read_all
from tests.sessions import Exchange, codex_session

START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
PARENT = "01a1fb91-c719-73f2-b8e0-d4d777a841bc"
GIB = 1 << 30


def compress(path: Path) -> Path:
    """Do what Codex does with an old rollout."""
    packed = path.with_name(f"{path.name}.zst")
    packed.write_bytes(zstandard.compress(path.read_bytes()))
    path.unlink()
    return packed


def rollout(home: Path, *, archived: bool = False, subagent_of: str = "") -> Path:
    exchanges = [Exchange("add the script", "Added."), Exchange("no, with pnpm", "Done.")]
    return codex_session(
        home, cwd="/app", started=START, exchanges=exchanges, archived=archived, subagent_of=subagent_of
    )


@pytest.fixture
def index() -> Iterator[SqliteIndex]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create(connection)
    yield SqliteIndex(connection, threading.RLock())
    connection.close()


@pytest.mark.parametrize("archived", [False, True])
def test_a_compressed_session_is_the_same_session(archived: bool, tmp_path: Path) -> None:
    path = rollout(tmp_path, archived=archived)
    plain = only_session(Codex(tmp_path))
    compress(path)
    assert only_session(Codex(tmp_path)) == plain
    assert plain.typed == ("add the script", "no, with pnpm")


def test_a_compressed_session_of_a_sub_agent_ends_when_it_ended(tmp_path: Path) -> None:
    path = rollout(tmp_path, subagent_of=PARENT)
    (plain,) = read_all(Codex(tmp_path))[str(path)].sessions
    packed = compress(path)
    (read,) = read_all(Codex(tmp_path))[str(packed)].sessions
    assert (read.left_out, read.ended) == (plain.left_out, plain.ended)


def test_while_both_files_are_there_the_plain_one_counts(tmp_path: Path) -> None:
    path = rollout(tmp_path)
    whole = path.read_bytes()
    compress(path)
    path.write_bytes(whole)
    assert list(read_all(Codex(tmp_path))) == [str(path)]


@pytest.mark.parametrize("which", ["first", "second", "both"])
def test_a_session_goes_on_from_a_compressed_part(which: str, tmp_path: Path) -> None:
    first = Part(tmp_path)
    first.said("one", "done")
    left = first.size
    first.said("two, wrong", "on it")
    second = Part(tmp_path, SECOND, minute=5, history_base=base(SESSION, left))
    second.said("two, right", "ok")
    for part, name in ((first, "first"), (second, "second")):
        if which in {name, "both"}:
            compress(part.path)
    session = newest(tmp_path)
    assert (session.id, texts(session)) == (f"codex:{SESSION}", ["one", "done", "two, right", "ok"])


@pytest.mark.parametrize("read_before", [False, True])
def test_a_session_that_was_indexed_before_it_was_compressed_is_not_read_again(
    read_before: bool, index: SqliteIndex, tmp_path: Path
) -> None:
    path = rollout(tmp_path)
    refresh(Codex(tmp_path), index, {})
    (before,) = index.lines(unread=True)
    if read_before:
        index.mark_read([before.id], "night-1")
    compress(path)
    refresh(Codex(tmp_path), index, {})
    assert index.lines(unread=False) == [before]
    assert bool(index.lines(unread=True)) is not read_before
    assert refresh(Codex(tmp_path), index, {}) == 0


def test_what_is_no_whole_compressed_file_is_that_file_s_fault_only(tmp_path: Path) -> None:
    packed = compress(rollout(tmp_path))
    folder = packed.parent
    packed.rename(folder / f"rollout-good-{PARENT}.jsonl.zst")
    whole = (folder / f"rollout-good-{PARENT}.jsonl.zst").read_bytes()
    (folder / "rollout-odd.jsonl.zst").write_bytes(b"this is no compressed file")
    (folder / "rollout-cut.jsonl.zst").write_bytes(whole[: len(whole) // 2])
    (folder / "rollout-bad.jsonl.zst").write_bytes(whole[: len(whole) // 2] + b"x" * 4_000)
    with (
        (folder / "rollout-bomb.jsonl.zst").open("wb") as file,
        zstandard.ZstdCompressor().stream_writer(file) as bomb,
    ):
        for _ in range(GIB // len(whole) // 1_000 + 1):
            bomb.write(bytes(len(whole) * 1_000))
    found = {Path(path).name.split("-")[1]: reading for path, reading in read_all(Codex(tmp_path)).items()}
    for name in ("odd.jsonl.zst", "bad.jsonl.zst", "bomb.jsonl.zst"):
        assert name in found[name].unreadable
    cut = found["cut.jsonl.zst"]
    assert cut.unreadable or cut.sessions[0].session.gaps.damaged
    assert [session.id for session in found["good"].sessions] != []
    assert found["good"].unreadable == ""
