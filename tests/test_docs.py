"""The documentation names only what is there: links, commands, settings and code."""

import ast
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.mining.tasks_file import read_tasks
from skillopt_sleep.settings import check_text, checked, parse_project
from skillopt_sleep.trainer.config import TrainerConfig
from tests.printed import PROGRAM, refusal

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
TEXTS = [*(ROOT / name for name in ("README.md", "AGENTS.md", "CHANGELOG.md", "hooks/README.md")), *PAGES]
ROUTES = (DOCS / "inside-the-code.md").read_text(encoding="utf-8")
STEPS = re.findall(r"`([\w/]+\.py)` ((?:`\w+`(?:, )?)+)", ROUTES)
FENCED = re.compile(r"^(?P<ticks>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=ticks)$", re.DOTALL | re.MULTILINE)


class Block(NamedTuple):
    """A block of code: where it stands, its language and its text."""

    place: str
    language: str
    text: str


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks() -> Iterator[Block]:
    for path in TEXTS:
        for number, found in enumerate(FENCED.finditer(text_of(path)), start=1):
            yield Block(f"{named(path)}#{number}", found["language"], found["text"])


def blocks_of(*languages: str) -> pytest.MarkDecorator:
    found = [block for block in blocks() if block.language in languages]
    return pytest.mark.parametrize("block", found, ids=lambda block: block.place)


def test_the_routes_have_steps() -> None:
    assert len(STEPS) > 20


@pytest.mark.parametrize(("path", "names"), STEPS)
def test_every_function_that_the_routes_name_is_in_its_file(path: str, names: str) -> None:
    tree = ast.parse((ROOT / "skillopt_sleep" / path).read_text(encoding="utf-8"))
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(re.findall(r"\w+", names)) <= defined


# Links


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    text = FENCED.sub("", text_of(path))
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        there = (path.parent / name) if name else path
        assert there.exists(), f"there is no {target}"
        if anchor and there.suffix == ".md":
            assert anchors(there).count(anchor) == 1, f"{named(there.resolve())} has no heading #{anchor}, or two"


@cache
def anchors(path: Path) -> list[str]:
    """The anchors of a page's headings, as forges and the site make them."""
    made: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", path.read_text(encoding="utf-8")), re.MULTILINE):
        shown = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", heading).strip().lower()
        made.append(re.sub(r"[^\w\- ]", "", shown).replace(" ", "-"))
    return made


def test_an_anchor_is_made_of_the_words_of_its_heading() -> None:
    assert "the-programs-own-options" in anchors(DOCS / "commands.md")


# Pages


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_begins_with_the_question_it_answers(page: Path) -> None:
    title, question, *_ = text_of(page).split("\n\n")
    assert re.fullmatch(r"# [^\n]+", title)
    assert re.fullmatch(r"\*[^*]+\?\*", question)


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"^ +- .*?([\w/-]+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == [str(page.relative_to(DOCS)) for page in PAGES], "add a line to nav in mkdocs.yml"


# Code


def as_settings(text: str, _folder: Path) -> None:
    check_text(text.encode(), Path("config.toml"))


def as_project(text: str, _folder: Path) -> None:
    parse_project(text.encode(), where=Path("project.toml"))


def as_training(text: str, _folder: Path) -> None:
    checked(tomllib.loads(text), TrainerConfig, where="training.toml")


def as_tasks(text: str, folder: Path) -> None:
    path = folder / "tasks.toml"
    path.write_text(text, encoding="utf-8")
    assert read_tasks(path, written=datetime(2026, 3, 2, tzinfo=UTC))


LOADED_AS: tuple[Callable[[str, Path], None], ...] = (as_settings, as_project, as_training, as_tasks)


@blocks_of("toml")
def test_toml_is_settings_a_project_a_training_or_tasks(block: Block, tmp_path: Path) -> None:
    refusals: list[str] = []
    for load in LOADED_AS:
        try:
            load(block.text, tmp_path)
        except (ConfigError, ValueError) as error:
            refusals.append(f"{load.__name__}: {getattr(error, 'message', error)}")
    assert len(refusals) < len(LOADED_AS), "\n".join(refusals)


@pytest.mark.parametrize("text", ["[budget]\ncals = 3\n", "[budget]\ncalls = 0\n", "[[task]]\nprompt = 3\n"])
def test_toml_that_is_nothing_of_ours_is_refused_by_all(text: str, tmp_path: Path) -> None:
    assert tomllib.loads(text)
    for load in LOADED_AS:
        if load is not as_project or "cals" in text:
            with pytest.raises((ConfigError, ValueError)):
                load(text, tmp_path)


@blocks_of("python")
def test_python_compiles(block: Block) -> None:
    compile(block.text, block.place, "exec")


@blocks_of("json")
def test_json_parses(block: Block) -> None:
    json.loads(block.text)


@blocks_of("sh", "console")
def test_commands_in_blocks_exist(block: Block) -> None:
    for line in block.text.replace("\\\n", " ").splitlines():
        is_typed = block.language == "sh" or line.startswith("$ ")
        if "skillopt-sleep" in line and is_typed:
            assert wrong(line.removeprefix("$ ")) == ""


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_commands_in_a_text_exist(path: Path) -> None:
    text = FENCED.sub("", text_of(path))
    run = re.findall(r"^<!-- (?:output|run): (.+) -->$", text, re.MULTILINE)
    for line in (*run, *re.findall(r"`(skillopt-sleep [^`]+)`", text)):
        assert wrong(re.sub(r"(?<![\"'])\[[^\]]*\]", "", line)) == ""


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("skillopt-sleep adapt P-0001", "adapt"),
        ("skillopt-sleep run --example | head -20", ""),
        ("NAME=1 skillopt-sleep config set budget.calls 200  # fewer", ""),
        ("skillopt-sleep config sett budget.calls 200", "sett"),
        ("skillopt-sleep adopt P-0001 && skillopt-sleep undo --hurry", "--hurry"),
        ("skillopt-sleep --version", ""),
        ("skillopt-sleep help run", ""),
    ],
)
def test_a_command_that_does_not_exist_is_found(line: str, what: str) -> None:
    assert bool(wrong(line)) == bool(what)
    assert what in wrong(line)


def wrong(line: str) -> str:
    """Why the program would refuse a command of this line of shell, or ""."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.commenters = "#"
    lexer.whitespace_split = True
    command: list[str] = []
    for word in (*lexer, ";"):
        if not set(word) <= set("|&;<>()"):
            command.append(word)
            continue
        while command and re.match(r"\w+=", command[0]):
            command.pop(0)
        if command[:1] == [PROGRAM] and (found := refusal(shlex.join(command[1:]))):
            return found
        command = []
    return ""


@pytest.mark.parametrize(("name", "lines", "words"), [("README.md", 130, 900), ("CHANGELOG.md", 45, 500)])
def test_what_is_read_first_is_short(name: str, lines: int, words: int) -> None:
    text = text_of(ROOT / name)
    assert text.count("\n") <= lines
    read = re.sub(r"<!--.*?-->|(?<=\])\([^)]*\)|\|", " ", text, flags=re.DOTALL)
    assert sum(bool(re.search(r"\w", word)) for word in read.split()) <= words
