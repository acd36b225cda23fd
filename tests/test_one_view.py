"""No command, page or template has a sentence of its own about a rule or a night: they take it from `reporters`."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillopt_sleep.pages.blocks import Sentence
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.reporters.night import Night, blocks
from skillopt_sleep.reporters.rule_page import first_screen, whole
from tests.drawn import text_of
from tests.reporters.reports import REPORTS, page, render
from tests.reporters.test_rule_page import rule

PACKAGE = Path(__file__).parent.parent / "skillopt_sleep"
MOST_WORDS = 4
ABOUT = re.compile(r"\b(rules?|nights?|proposals?)\b", re.IGNORECASE)
# What these say is about themselves: what they are about to do, ask or have done to a file.
ABOUT_THEMSELVES = {
    *("__init__", "daemon", "decide", "decisions", "harvest_shown", "init", "init_asked", "init_shown", "install"),
    *("plan", "price", "purge", "report", "tasks_edit", "tasks_files", "train_shown", "undo", "why_typed"),
}
FACES = [
    *(path for path in sorted((PACKAGE / "cli").glob("*.py")) if path.stem not in ABOUT_THEMSELVES),
    *sorted((PACKAGE / "web").rglob("*.py")),
]
TEMPLATES = sorted(
    [*(PACKAGE / "web").rglob("*.j2"), *(PACKAGE / "web").rglob("*.html"), *PACKAGE.glob("pages/*.j2")]
)


def literals(path: Path) -> Iterator[str]:
    """Every text of a module that a person could be shown, but for docstrings, help and errors."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    passed: set[int] = set()
    for node in ast.walk(tree):
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_docstring or isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and is_help(node)):
            passed |= {id(one) for one in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            passed |= {id(one) for one in ast.walk(node)}
            yield " ".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def is_help(node: ast.Call) -> bool:
    """Whether it declares an option, an argument or a command, or makes an error."""
    name = ast.unparse(node.func)
    return name.startswith("typer.") or name == "Later" or name.endswith(("Error", ".command"))


def is_sentence(text: str) -> bool:
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    return len(words) > MOST_WORDS and ABOUT.search(text) is not None


@pytest.mark.parametrize("path", FACES, ids=lambda path: path.stem)
def test_what_shows_a_rule_or_a_night_says_nothing_of_its_own(path: Path) -> None:
    assert [text for text in literals(path) if is_sentence(text)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_says_nothing_of_its_own(path: Path) -> None:
    text = re.sub(r"(?s)\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<[^>]+>", "\n", path.read_text(encoding="utf-8"))
    assert [line for line in text.splitlines() if is_sentence(line)] == []


def sentences(shown: object) -> list[str]:
    return [one.text for one in shown if isinstance(one, Sentence)] if isinstance(shown, tuple) else []


@pytest.mark.parametrize("name", ["improved", "nothing new", "no headroom"])
def test_each_sentence_about_a_night_is_the_same_in_every_face(name: str) -> None:
    report = REPORTS[name]
    as_text, as_page = " ".join(render(report).split()), text_of(page(report))
    for said in sentences(blocks(Night(report))):
        assert said in as_text.replace("\\", "")
        assert said in as_page


def test_each_sentence_about_a_rule_is_the_same_on_its_first_screen_and_in_full() -> None:
    full = markdown([*whole(rule())])
    for said in sentences(tuple(first_screen(rule()))):
        if not said.startswith("You said so"):  # there it is told how many of the quotes are left out
            assert said in full
