"""A key is read as it is pressed; what was typed before the question doesn't answer it."""

import os
import pty
import subprocess
import sys
import time

import pytest

ASKS = """
import sys, time
from skillopt_sleep.cli.review import read_key
print("ready", flush=True)
time.sleep(float(sys.argv[1]))
print("ask", flush=True)
try:
    print("key", repr(read_key()), flush=True)
except (EOFError, KeyboardInterrupt) as error:
    print("ended", type(error).__name__, flush=True)
"""


def asked(early: bytes, late: bytes) -> str:
    """What a program says that reads one key; `early` is typed before it asks and `late` after."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", ASKS, "0.5" if early else "0"],
        stdin=slave,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    os.close(slave)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n"
        os.write(master, early)
        assert process.stdout.readline() == b"ask\n"
        time.sleep(0.2)
        os.write(master, late)
        return process.stdout.readline().decode().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        os.close(master)


@pytest.mark.parametrize(("typed", "answer"), [(b"y", "key 'y'"), (b"\x04", "ended EOFError"), (b"\n", r"key '\n'")])
def test_a_key_needs_no_enter(typed: bytes, answer: str) -> None:
    assert asked(b"", typed) == answer


def test_what_was_typed_before_the_question_does_not_answer_it() -> None:
    assert asked(b"yyy", b"n") == "key 'n'"
