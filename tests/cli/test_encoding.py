import json
import subprocess

import pytest

from tests.command import PROGRAM, Done, Home
from tests.sweeps import thinned

READING = (
    ("status",), ("status", "--json"), ("report",), ("review", "--show"), ("review", "--show", "P-0001"), ("harvest",),
    ("report", "--list"), ("report", "--cost"), ("logs",), ("doctor",), ("tasks", "list"), ("config", "show"), ("config", "path"), ("--help",),
    ("run", "--plan"), ("adopt", "P-0001"), ("undo", "P-0001"), ("install", "--dry-run"), ("run", "--example"),
)  # fmt: skip


def encoded(home: Home, encoding: str, *arguments: str) -> Done:
    done = subprocess.run(
        [str(PROGRAM), *arguments],
        capture_output=True,
        encoding=encoding,
        env={**home.environment, "PYTHONIOENCODING": encoding},
        cwd=home.folder,
        check=False,
        timeout=120,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", thinned(["cp1252", "ascii"], every=2))
def test_no_command_crashes_where_the_output_is_not_utf_8(home: Home, encoding: str) -> None:
    for arguments in READING:
        done = encoded(home, encoding, *arguments)
        assert "a bug" not in done.err, arguments
        assert "Traceback" not in done.err, arguments
        assert done.out, arguments


def test_an_escape_stands_for_what_can_not_be_printed(home: Home) -> None:
    assert "\\u2192" in encoded(home, "ascii", "harvest").out
    assert "→" in home.command("harvest").out


def test_json_keeps_its_values_where_the_output_is_not_utf_8(home: Home) -> None:
    plain = home.command("review", "--show", "P-0001", "--json")
    done = encoded(home, "ascii", "review", "--show", "P-0001", "--json")
    assert not plain.out.isascii()
    assert json.loads(done.out) == plain.json
