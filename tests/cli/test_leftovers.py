"""A killed night's copies of a login go with the next command, whichever it is; those of a running night stay."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.agents_at_night import CLAUDE, LOGINS, Person, section, shell
from tests.command import KEY
from tests.sweeps import thinned

WAIT = 60.0


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody with a subscription whose agent takes its time."""
    person = Person(tmp_path)
    person.left_out |= set(LOGINS)
    person.had_sessions()
    oauth = {"accessToken": KEY, "scopes": ["user:inference"], "expiresAt": 4_000_000_000_000}
    (tmp_path / ".claude" / ".credentials.json").write_text(json.dumps({"claudeAiOauth": oauth}), encoding="utf-8")
    program = shell(tmp_path, CLAUDE, "exec sleep 120")
    person.configured(section("backend", name="claude", program=program) + "confirmed = true\n")
    return person


def copies(person: Person) -> list[Path]:
    return sorted((person.data / "replays").glob("call-*/agent/.credentials.json"))


@pytest.fixture
def killed(person: Person) -> Person:
    """Their night, killed in the midst of its first call, after somebody looked at it."""
    night = person.start("run")
    try:
        until = time.monotonic() + WAIT
        while not copies(person) and time.monotonic() < until:
            time.sleep(0.05)
        there = copies(person)
        assert there
        assert "killed night" not in person.command("status").err
        assert copies(person) == there
    finally:
        night.send_signal(signal.SIGKILL)
        night.communicate()
    assert copies(person) == there
    return person


@pytest.mark.parametrize(
    "command",
    thinned(
        [
            ("status", "--json"),
            ("doctor",),
            ("harvest",),
            ("review", "--show"),
            ("run", "--plan"),
            ("config", "path"),
        ],
        every=3,
    ),
)
@pytest.mark.slow
def test_the_next_command_clears_them_away_and_says_so_once(killed: Person, command: tuple[str, ...]) -> None:
    done = killed.command(*command)
    (line,) = [line for line in done.err.splitlines() if "killed night" in line]
    assert str(killed.data / "replays") in line
    assert "login" in line
    assert list((killed.data / "replays").iterdir()) == []
    assert "killed night" not in killed.command(*command).err
    assert command[0] != "status" or done.json["schema_version"] == 1
