"""Find the command lines of ours in what is printed, and tell whether the program takes them."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from skillopt_sleep.cli import app
from skillopt_sleep.cli.lazy import UsageError
from skillopt_sleep.cli.table import COMMANDS

PROGRAM = "skillopt-sleep"
FILLED = "1"  # stands for what a message fills in
_WORD = r"""(?:[^\s"'`;,()|&<>«»→]*(?:"[^"\n]*"|'[^'\n]*')|(?![-–—→]\s)[^\s`;,()|&<>«»"'→]+)"""
_FOUND = re.compile(rf"(?P<typed>[`$] ?)?(?<![\w/.@\"'-]){PROGRAM}(?P<words>(?: {_WORD})+)")
_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{[^{}\n]*\}")
_PROSE = re.compile(r"[A-Za-z][-'\w]*[.:]?|\d")


def commands_in(text: str) -> Iterator[str]:
    """Yield the command lines in a text, without the program's name; prose about the program is none."""
    for found in _FOUND.finditer(text):
        words = found["words"].strip().rstrip(".:?")
        first = words.split()[0]
        if first in COMMANDS or (found["typed"] and first != FILLED):
            yield words


def printed_by(path: Path) -> Iterator[str]:
    """Yield the command lines in the texts of a file of Python, or in a template, with FILLED for what is filled in."""
    text = path.read_text(encoding="utf-8")
    texts = _literals(text) if path.suffix == ".py" else [text]
    for one in texts:
        yield from commands_in(_FILLED.sub(FILLED, one))


def _literals(source: str) -> Iterator[str]:
    """Yield every text in Python source, with FILLED for what it fills in."""
    parts: set[ast.AST] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts.update(node.values)
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else FILLED for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in parts:
            yield node.value


def refusal(line: str) -> str:
    """Return why the program would refuse a command line, "" if it takes it; nothing is run.

    Words after a whole command, as in "skillopt-sleep review to decide", belong to the sentence.
    """
    words = shlex.split(line)
    first = _refusal(words)
    while first and len(words) > 1 and _PROSE.fullmatch(words.pop()):
        if not _refusal(words):
            return ""
    return first


def _refusal(words: list[str]) -> str:
    name, rest = PROGRAM, words
    command: Any = typer.main.get_command(app)
    context: Any = None
    try:
        while rest:
            context = command.make_context(name, rest, parent=context)
            if not hasattr(command, "commands"):
                return ""
            name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
    except UsageError as error:
        return error.format_message()
    except typer.Exit:  # it prints its help, or its version
        pass
    return ""
