"""Nothing of a name, a path or a text of somebody else's reaches the terminal as it is, whatever command prints it."""

import json
import unicodedata
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import cast

import pytest

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.pages.blocks import Heading
from tests.command import Done, Home
from tests.sweeps import thinned
from tests.terminal import typed

CLEARS, TURNS, BLANK, TAG = "\x1b[2J", "\u202e", "\u2063", "\U000e0041"
NAME = f"sh{CLEARS}{TURNS}op"
ASKS = (
    (f"create a run {CLEARS}script{TURNS}", "no, that's wrong - we always use pnpm here, never npm"),
    (f"add an install script{BLANK}", "again: we always use pnpm here, never npm"),
    ("how do I start the server", "no - we always use pnpm here, never npm"),
    ("write down the release steps", "wrong, we always use pnpm here, never npm"),
    ("update the lock file", "stop, we always use pnpm here, never npm"),
)
READING = (
    ("status",),
    ("report",),
    ("review", "--show"),
    ("review", "--show", "P-0001"),
    ("report", "--list"),
    ("logs",),
    ("report", "--cost"),
    ("harvest",),
    ("harvest", "--why", "{session}"),
    ("run", "--plan"),
    ("doctor", "--project", "{project}"),
    ("config", "show"),
    ("config", "path"),
    ("tasks", "list"),
    ("tasks", "show", "{task}"),
    ("why", "{task}"),
    ("tasks", "export"),
    ("install", "--dry-run"),
    ("init", "--yes", "--backend", "simulated"),
)
IN_JSON = (
    ("status", "--json"),
    ("report", "--json"),
    ("review", "--show", "--json"),
    ("review", "--show", "P-0001", "--json"),
    ("report", "--list", "--json"),
    ("report", "--cost", "--json"),
    ("harvest", "--json"),
    ("run", "--plan", "--json"),
    ("doctor", "--json", "--project", "{project}"),
    ("config", "show", "--json"),
    ("tasks", "list", "--json"),
    ("tasks", "show", "{task}", "--json"),
)
NAMELESS = {"status", "--list", "--cost", "config", "run"}  # which name no project
WRONG = (
    ("review", "--show", NAME),
    ("report", NAME),
    ("harvest", "--why", NAME),
    ("doctor", "--project", NAME),
    ("run", "--project", NAME),
    ("tasks", "show", NAME),
    ("tasks", "import", NAME),
    ("train", NAME),
    ("train", "show", NAME),
    (NAME,),
    ("status", NAME),
    (f"--{NAME}",),
    ("report", "--cost", "--since", NAME),
    ("pause", NAME),
)


def unseen(text: str) -> list[str]:
    """The characters of a text that a terminal would obey or hide."""
    return sorted({char for char in text if char != "\n" and unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co"}})


def strings(value: object) -> Iterator[str]:
    """Every string of a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for inner in cast("dict[str, object]", value).values() for text in strings(inner))
    elif isinstance(value, list):
        yield from (text for inner in cast("list[object]", value) for text in strings(inner))


class Odd(Home):
    """A person one of whose projects has a name that no terminal should be shown."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.project = folder / "work" / NAME
        self.project.mkdir()
        (self.project / "CLAUDE.md").write_text("# shop\n\nTests run with vitest.\n", encoding="utf-8")

    def asked(self, command: tuple[str, ...]) -> Done:
        """Run a command about this project, its first task or its first session."""
        known = {"{project}": self.project, "{task}": self.task, "{session}": self.session}
        return self.command(*(str(known.get(word, word)) for word in command))

    @cached_property
    def task(self) -> str:
        return self.command("tasks", "list", "--json").json[0]["id"]

    @property
    def session(self) -> str:
        return next(self.folder.glob(".claude/projects/*/*.jsonl")).stem


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Odd:
    odd = Odd(tmp_path_factory.mktemp("odd"))
    odd.had_sessions(ASKS)
    done = odd.command("run", "--backend", "simulated")
    assert done.code == 0
    assert "P-0001" in done.out
    assert unseen(done.out + done.err) == []
    return odd


@pytest.mark.parametrize("command", thinned(READING, every=4), ids=" ".join)
@pytest.mark.slow
def test_no_reading_command_hands_a_name_to_the_terminal_as_it_is(odd: Odd, command: tuple[str, ...]) -> None:
    done = odd.asked(command)
    assert done.code in {0, 1}, done.err
    assert unseen(done.out + done.err) == []


@pytest.mark.parametrize("command", thinned(IN_JSON, every=4), ids=" ".join)
def test_json_says_the_name_by_its_own_escapes(odd: Odd, command: tuple[str, ...]) -> None:
    done = odd.asked(command)
    assert unseen(done.out + done.err) == []
    assert not NAMELESS.isdisjoint(command) or any(NAME in text for text in strings(done.json))


def test_a_log_in_json_is_a_document_a_line(odd: Odd) -> None:
    lines = odd.command("logs", "--json").out.splitlines()
    assert [line for line in lines if unseen(line)] == []
    assert any(NAME in text for line in lines for text in strings(json.loads(line)))


@pytest.mark.parametrize(
    "command", thinned(WRONG, every=2), ids=lambda command: command[0].encode("unicode_escape").decode()
)
def test_a_complaint_spells_what_it_complains_of(odd: Odd, command: tuple[str, ...]) -> None:
    done = odd.command(*command)
    assert done.code in {1, 2, 3}
    assert unseen(done.out + done.err) == []
    assert "sh" in done.err


@pytest.mark.slow
def test_decisions_and_their_refusals_spell_the_name_too(tmp_path: Path) -> None:
    odd = Odd(tmp_path)
    odd.had_sessions(ASKS)
    odd.command("run", "--backend", "simulated")
    told = [odd.command("adopt", "P-0001"), odd.command("undo", "P-0001"), odd.command("reject", "P-0001")]
    assert [done.code for done in told] == [0, 0, 0]
    assert "\\u{1B}[2J\\u{202E}op" in told[2].out
    (odd.project / "CLAUDE.md").unlink()
    odd.project.rename(odd.project.with_name("gone"))
    told.append(odd.command("adopt", "P-0001"))
    assert unseen("".join(done.out + done.err for done in told)) == []


def test_the_header_of_a_change_is_one_line_whatever_the_project_is_called(odd: Odd) -> None:
    (diff,) = odd.folder.rglob("change.diff")
    assert unseen(diff.read_text(encoding="utf-8")) == []
    assert "\\u{1B}[2J" in diff.read_text(encoding="utf-8").splitlines()[0]


def test_a_report_on_a_terminal_has_richs_own_styles_and_none_of_the_names(odd: Odd) -> None:
    shown = typed(odd, "report", answers=()).out
    assert "\x1b[2J" not in shown
    assert TURNS not in shown
    assert "\\u{1B}[2J" in shown


@pytest.fixture
def texts() -> Iterator[str]:
    return iter((CLEARS, TURNS, BLANK, TAG, "\x9b2J", "\r", "\x7f", "\x07"))


def say_heading(text: str) -> None:
    say_blocks([Heading(text)])


def test_everything_that_is_said_passes_one_place(texts: Iterator[str], capfd: pytest.CaptureFixture[str]) -> None:
    for text in texts:
        for tell in (say, warn, say_heading, say_json):
            tell(f"a{text}b")
            captured = capfd.readouterr()
            assert unseen(captured.out + captured.err) == []
            assert tell is not say_json or json.loads(captured.out) == f"a{text}b"
    say("two\nlines")
    assert capfd.readouterr().out == "two\nlines\n"


def test_what_is_seen_stays_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    say("grün, 日本語, é, ☾\tand a tab")
    say_json({"name": "grün ☾"})
    assert capfd.readouterr().out == 'grün, 日本語, é, ☾\tand a tab\n{\n  "name": "grün ☾"\n}\n'


@pytest.mark.slow
def test_a_night_on_a_terminal_shows_a_name_in_brackets_and_one_of_escapes_as_text(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for name in ("a[red]c", NAME):
        project = tmp_path / "work" / name
        home.had_sessions_in(project, ASKS)
        (project / "CLAUDE.md").write_text("# shop\n", encoding="utf-8")
    done = typed(home, "run", "--backend", "simulated", answers=())
    assert done.code == 0, done.out
    assert "a[red]c" in done.out
    assert CLEARS not in done.out
    assert TURNS not in done.out
