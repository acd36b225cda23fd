from pathlib import Path

import pytest
from typer.testing import CliRunner

from skillopt_sleep.cli import app
from skillopt_sleep.cli.table import COMMANDS, MORE, NEEDED, RENAMED, RESEARCH
from tests.command import Home
from tests.command_tree import commands

MOST_COMMANDS = 22
MOST_WORDS = 320
MOST_WORDS_IN_ALL = 3000
NO_FRAME = dict.fromkeys(map(ord, "│╭╮╰╯─"))
NEEDED_BY_A_PERSON = 8


def test_the_commands_a_person_needs_come_first_and_all_are_few() -> None:
    shown = [command.panel for command in COMMANDS.values() if not command.is_hidden]
    assert list(dict.fromkeys(shown)) == [NEEDED, MORE, RESEARCH]
    assert shown.count(NEEDED) == NEEDED_BY_A_PERSON
    assert len(shown) <= MOST_COMMANDS


def test_the_first_help_is_short_and_names_no_hidden_command(tmp_path: Path) -> None:
    out = Home(tmp_path).command("--help").out
    assert len(out.translate(NO_FRAME).split()) <= MOST_WORDS
    assert "daemon " not in out


def test_the_help_of_all_commands_together_is_short() -> None:
    calls = [(), *(command.words for command in commands())]
    pages = [CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "100"}) for words in calls]
    assert not any(page.exit_code for page in pages)
    assert sum(len(page.output.translate(NO_FRAME).split()) for page in pages) <= MOST_WORDS_IN_ALL


def test_every_example_is_a_command_line_of_its_own_command() -> None:
    for name, command in COMMANDS.items():
        assert command.example.split()[0] == name


@pytest.mark.parametrize("name", ["redo", "why-not", "runs"])
def test_a_name_from_elsewhere_leads_to_the_command(tmp_path: Path, name: str) -> None:
    done = Home(tmp_path).command(name)
    assert done.code == 2
    assert f"Did you mean: skillopt-sleep {RENAMED[name]}" in done.err


def test_what_is_meant_is_a_command() -> None:
    assert {words.split()[0] for words in RENAMED.values()} <= set(COMMANDS)
    assert not RENAMED.keys() & COMMANDS.keys()
