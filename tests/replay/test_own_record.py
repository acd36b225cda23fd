"""The record that a sealed agent kept of its session is read as a file that anybody may have laid there."""

import os
from pathlib import Path

import pytest

from skillopt_sleep.replay.sealed import record_of

PATTERN = ".claude/projects/*/*.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".claude" / "projects" / "p").mkdir(parents=True)
    return tmp_path / "home"


def record(home: Path, name: str, text: str, *, at: int) -> Path:
    path = home / ".claude" / "projects" / "p" / name
    path.write_text(text)
    os.utime(path, (at, at))
    return path


def test_the_newest_record_is_read(home: Path) -> None:
    record(home, "a.jsonl", "old", at=1)
    record(home, "b.jsonl", "new", at=9)
    record(home, "c.jsonl", "older", at=0)
    assert record_of(home, PATTERN) == b"new"


def test_without_a_record_there_is_nothing(home: Path) -> None:
    assert record_of(home, PATTERN) == b""


def test_a_link_to_a_secret_is_not_followed(home: Path) -> None:
    secret = home.parent / "id_ed25519"
    secret.write_text("secret")
    (home / ".claude" / "projects" / "p" / "a.jsonl").symlink_to(secret)
    assert record_of(home, PATTERN) == b""


def test_a_folder_that_is_a_link_is_not_entered(home: Path) -> None:
    outside = home.parent / "outside"
    outside.mkdir()
    (outside / "a.jsonl").write_text("secret")
    (home / ".claude" / "projects" / "q").symlink_to(outside)
    assert record_of(home, PATTERN) == b""


def test_a_link_inside_of_the_home_is_not_followed_either(home: Path) -> None:
    real = home / "elsewhere.jsonl"
    real.write_text("text")
    (home / ".claude" / "projects" / "p" / "a.jsonl").symlink_to(real)
    assert record_of(home, PATTERN) == b""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_does_not_block_and_the_next_newest_record_is_read(home: Path) -> None:
    os.mkfifo(home / ".claude" / "projects" / "p" / "pipe.jsonl")
    record(home, "a.jsonl", "text", at=1)
    assert record_of(home, PATTERN) == b"text"


def test_a_record_beyond_the_limit_is_not_read(home: Path) -> None:
    record(home, "a.jsonl", "x" * 101, at=1)
    assert record_of(home, PATTERN) == b"x" * 101
    os.truncate(home / ".claude" / "projects" / "p" / "a.jsonl", 64 * 1024 * 1024 + 1)
    assert record_of(home, PATTERN) == b""
