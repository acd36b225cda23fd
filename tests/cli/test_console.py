import re
import subprocess

import pytest

from skillopt_sleep.cli import console
from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import BOLD, block, say, say_json, say_next, say_row
from skillopt_sleep.kit.words import WIDTH
from skillopt_sleep.pages.blocks import Table
from tests.command import PROGRAM, Home
from tests.sweeps import thinned

WORDS = "a text that is far too long for the sixty columns of a narrow terminal, so that it is wrapped at its words"


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of sixty columns with colours."""
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "60", "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    console.stdout.cache_clear()


@pytest.fixture(autouse=True)
def forget() -> None:
    console.stdout.cache_clear()


def test_a_piped_line_is_neither_coloured_nor_wrapped(capfd: pytest.CaptureFixture[str]) -> None:
    say("one ", (WORDS, BOLD))
    say_row("Waiting", WORDS)
    say_next("skillopt-sleep init")
    assert capfd.readouterr().out.splitlines() == [
        f"one {WORDS}",
        f"Waiting      {WORDS}",
        "Next step    skillopt-sleep init",
    ]


@pytest.mark.usefixtures("narrow")
def test_on_a_terminal_a_line_is_wrapped_below_its_text(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    say_row("Waiting", WORDS)
    first, *rest = capfd.readouterr().out.replace("\x1b[2m", "").replace("\x1b[0m", "").splitlines()
    assert first.startswith("Waiting      a text")
    assert rest
    assert all(line.startswith(" " * 13 + line.strip()[0]) for line in rest)
    assert all(len(line) <= 60 for line in (first, *rest))


@pytest.mark.usefixtures("narrow")
def test_colours_are_for_terminals(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    say(("good", "green"))
    assert "\x1b[32mgood" in capfd.readouterr().out
    console.stdout.cache_clear()
    monkeypatch.setenv("NO_COLOR", "1")
    say(("good", "green"))
    assert capfd.readouterr().out == "good\n"


def test_foreign_text_in_a_row_or_a_cell_is_escaped(capfd: pytest.CaptureFixture[str]) -> None:
    say_row("Last night", "a\x1b[31m")
    say_blocks([Table(("project",), (("b\x1b[31m",),))])
    out = capfd.readouterr().out
    assert "\x1b" not in out
    assert out.replace("\\", "").count("u{1B}") == 2


@pytest.mark.usefixtures("narrow")
def test_on_a_terminal_the_long_texts_of_a_table_take_more_lines(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    say_blocks([Table(("calls", "what"), (("1,200", WORDS),), right=(0,))])
    out = capfd.readouterr().out.replace("\x1b[2m", "").replace("\x1b[0m", "")
    assert " ".join(out.split()) == f"calls what 1,200 {WORDS}"
    assert all(len(line) <= 60 for line in out.splitlines())


NARROW = (
    "status",
    "harvest",
    "report --cost",
    "doctor",
    "report --list",
    "why pnpm",
    "logs",
    "run --plan",
    "report",
    "--help",
    "tasks list",
)


@pytest.mark.parametrize("command", thinned(NARROW, every=2))
def test_a_command_keeps_to_sixty_columns(home: Home, command: str) -> None:
    terminal = {"FORCE_COLOR": "1", "COLUMNS": "60", "TERMINAL_WIDTH": "60", "TERM": "xterm", "NO_COLOR": ""}
    done = subprocess.run(
        [str(PROGRAM), *command.split()],
        env={**home.environment, **terminal},
        cwd=home.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    assert plain.strip(), done.stderr
    too_long = [line for line in plain.splitlines() if len(line.rstrip()) > 60 and "/" not in line]
    assert too_long == []


def test_json_is_one_document(capfd: pytest.CaptureFixture[str]) -> None:
    say_json({"a": "é"})
    assert capfd.readouterr().out == '{\n  "a": "é"\n}\n'


def test_a_block_keeps_line_breaks_and_wraps_long_lines() -> None:
    lines = block("one\n\n" + "word " * 30).splitlines()
    assert lines[:2] == ["    one", ""]
    assert len(lines) > 3
    assert all(len(line) <= WIDTH for line in lines)


def test_a_block_writes_control_characters_out() -> None:
    shown = block("def f():\n\treturn 1\n\x1b[2J")
    assert shown == "    def f():\n        return 1\n    \\u{1B}[2J"
