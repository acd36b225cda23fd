import importlib
import inspect
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from skillopt_sleep.cli.table import COMMANDS
from tests.command import Home
from tests.sweeps import thinned


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_where_the_table_says_and_its_help_begins_as_it_says(name: str) -> None:
    command = COMMANDS[name]
    module, _, attribute = command.place.partition(":")
    found = getattr(importlib.import_module(f"skillopt_sleep.cli.{module}"), attribute)
    said = found.info.help if isinstance(found, typer.Typer) else inspect.getdoc(found)
    assert " ".join((said or "").partition("\n\n")[0].split()) == command.help


@pytest.mark.parametrize("words", [("run", "-h"), ("run", "--help"), ("help", "run")])
def test_help_of_a_command_ends_with_an_example_and_shows_no_types(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = Home(tmp_path).command(*words)
    assert done.code == 0
    assert f"Example: skillopt-sleep {COMMANDS['run'].example}" in done.out
    assert "BACKEND" in done.out
    assert "<" not in done.out


@pytest.mark.parametrize("name", thinned(COMMANDS, every=4))
def test_no_line_of_help_ends_before_the_next_word_would_not_fit(tmp_path: Path, name: str) -> None:
    lines = Home(tmp_path).command(name, "--help").out.splitlines()
    above = [line.rstrip() for line in lines[: next(n for n, line in enumerate(lines) if line.startswith("╭"))]]
    for line, following in pairwise(above):
        if line.strip() and following.strip():
            assert len(line) + 1 + len(following.split()[0]) > 79


@pytest.mark.parametrize("words", [("config",), ("tasks",), ("train",), ("help",), ("-h",)])
def test_a_group_alone_prints_its_help_and_ends_well(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = Home(tmp_path).command(*words)
    assert (done.code, done.err) == (0, "")
    assert "Usage:" in done.out


def test_the_program_alone_prints_the_status_and_where_the_help_is(tmp_path: Path) -> None:
    done = Home(tmp_path).command()
    assert done.code == 0
    assert done.out.startswith("Last night")
    assert done.out.endswith("skillopt-sleep --help\n")
