"""No command line that the program prints is refused: each is tried in the state in which it is printed."""

import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.errors import Exit
from tests.cli.walked import adopted_whole, staged_whole, with_three_rules
from tests.command import Done, Home
from tests.printed import commands_in, printed_by, refusal

ROOT = Path(__file__).parent.parent
PRINTING = [
    *(ROOT / "skillopt_sleep").rglob("*.py"),
    *(ROOT / "skillopt_sleep").rglob("*.j2"),
    *(path for path in (ROOT / "hooks").rglob("*") if path.suffix in {".py", ".md", ".json"}),
]
# Stands for something that the person knows.
UNFILLED = re.compile(r"\b(?:NAME|ID|PATH|FILE|WORDS|SESSION|NEW)\b|…")
# They ask at a terminal, stay until they are stopped, open a program, or run what takes its own tests.
STAYING = re.compile(
    r"(?:web|daemon|init|review(?!.* --(?:json|show|later))|install|uninstall|run(?! --plan)|train(?! (?:eval|list|show|plot|compare|fork))|config edit|tasks (?:add|edit))\b"
    r"|undo(?: --redo)?$|(?:logs|status|report) .*-(?:f|-watch|-open)"
)
SHOWING = (
    "",
    "status",
    "report",
    "report --verbose",
    "review --show",
    "review P-0001 --show",
    "review P-0001 --show --verbose",
    "review --json",
    "report --list",
    "harvest",
    "why",
    "undo --list shop-api/CLAUDE.md",
    "why P-0001",
    "why pnpm",
    "tasks list",
    "tasks show TASK",
    "why TASK",
    "report --cost",
    "doctor",
    "run --plan",
    "logs",
    "uninstall --dry-run",
    # What is refused says what to do instead.
    "adopt",
    "adopt P-0001",
    "adopt P-0001.1",
    "reject P-0001",
    "undo",
    "undo P-0001",
    "undo P-0001.2",
    "undo shop-api/CLAUDE.md",
    "undo CLAUDE.md --to 0",
    "undo shop-api/CLAUDE.md --to 9",
    "undo --redo",
    "undo --redo P-0001",
    "review P-0001 --later 1d",
    "reject --undo P-0001",
    "why elsewhere/CLAUDE.md",
    "why something that nobody said",
    "why shop-api/CLAUDE.md:1",
    "tasks show zzzzz",
    "tasks drop TASK",
    "tasks pin TASK",
    "purge",
    "purge --text pnpm",
    "config get budget",
    "config get budget.cals",
    "pause 0h",
    "pause 7d",
    "pause --off",
    "pause --now",
)


def after(*commands: str) -> Callable[[Home], None]:
    def lead(home: Home) -> None:
        for command in commands:
            assert home.command(*command.split()).code == 0

    return lead


def taken_rule_by_rule(home: Home) -> None:
    with_three_rules(home)
    after("adopt P-0001.1")(home)


def edited_by_hand(home: Home) -> None:
    after("adopt P-0001")(home)
    file = home.project / "CLAUDE.md"
    file.write_bytes(file.read_bytes().replace(b"never npm", b"or npm"))


def moved(home: Home) -> None:
    after("adopt P-0001")(home)
    home.project.rename(home.folder / "moved")


def no_night_yet(home: Home) -> None:
    shutil.rmtree(home.folder / "sleep")


STATES: Mapping[str, Callable[[Home], None]] = {
    "waiting": after(),
    "adopted": after("adopt P-0001"),
    "adopted whole": adopted_whole,
    "taken rule by rule": taken_rule_by_rule,
    "undone": after("adopt P-0001", "undo P-0001"),
    "rejected": after("reject P-0001"),
    "put off": after("review P-0001 --later 1d"),
    "edited by hand": edited_by_hand,
    "moved": moved,
    "no night yet": no_night_yet,
}
# What is done before a command that a text shows, by the beginning of it.
BEFORE: Mapping[str, str] = {
    "undo": "adopt --all",
    "undo --redo": "adopt --all; undo P-0001",
    "reject --undo P-0001.2": "reject P-0001.2",
    "reject --undo": "reject P-0001",
}


class Printed(NamedTuple):
    """A command line, and the one that printed it."""

    line: str
    by: str


def test_every_command_in_a_message_is_one() -> None:
    found = {line: path for path in PRINTING for line in printed_by(path)}
    assert len(found) > 100
    assert {line: path for line, path in found.items() if refusal(line)} == {}


@pytest.mark.parametrize(
    "line",
    ["adapt P-0001", "undo --hurry", "undo CLAUDE.md --to first", "train --init", "tasks edit e633aacd --split both"],
)
def test_a_command_that_would_be_refused_is_found(line: str) -> None:
    assert list(commands_in(f"see: `skillopt-sleep {line}`, then go on")) == [line]
    assert refusal(line)


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_every_command_is_taken_in_the_state_in_which_it_is_printed(home: Home, tmp_path: Path, state: str) -> None:
    STATES[state](home)
    kept = tmp_path / "kept"
    shutil.copytree(home.folder, kept, symlinks=True)
    task = next(iter(home.command("tasks", "list", "--json").json), {"id": "none"})["id"]
    refused: dict[Printed, str] = {}
    tried: set[str] = set()
    for showing in SHOWING:
        line = showing.replace("TASK", task[:8])
        for one in printed(home, kept, line):
            if one.line in tried or is_left_out(one.line):
                continue
            tried.add(one.line)
            done = tried_after(home, kept, line, one.line)
            if done.code == Exit.USAGE or "Traceback" in done.err:
                refused[one] = done.err
    assert refused == {}
    assert len(tried) > 5


@pytest.mark.slow
@pytest.mark.parametrize("text", ["README.md", "hooks/skills/morning/SKILL.md", "docs/proposals.md"])
def test_every_command_that_a_text_shows_is_taken(home: Home, tmp_path: Path, text: str) -> None:
    staged_whole(home)
    kept = tmp_path / "kept"
    shutil.copytree(home.folder, kept, symlinks=True)
    lines = set(commands_in((ROOT / text).read_text(encoding="utf-8")))
    assert "undo P-0001.2" in lines
    refused: dict[str, str] = {}
    for line in lines:
        here = re.sub(r" --$", "", line.replace(" CLAUDE.md", " shop-api/CLAUDE.md"))
        if not is_left_out(here):
            before = next((lead for start, lead in BEFORE.items() if here.startswith(start)), "status")
            done = tried_after(home, kept, *before.split("; "), here)
            if done.code == Exit.USAGE:
                refused[here] = done.err
    assert refused == {}


def printed(home: Home, kept: Path, line: str) -> Iterator[Printed]:
    """The command lines that a command prints in this state."""
    done = tried_after(home, kept, line)
    assert "Traceback" not in done.err
    for found in dict.fromkeys(commands_in(f"{done.out}\n{done.err}")):
        yield Printed(found, line)


def tried_after(home: Home, kept: Path, *lines: str) -> Done:
    """What the last of these commands says and does, one after the other in this state."""
    shutil.rmtree(home.folder)
    shutil.copytree(kept, home.folder, symlinks=True)
    done = Done(0, "", "")
    for line in lines:
        done = home.command(*shlex.split(line))
    return done


def is_left_out(line: str) -> bool:
    if UNFILLED.search(line):
        assert not refusal(line)
        return True
    return STAYING.match(line) is not None
