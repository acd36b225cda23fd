"""Read SearchQA's own files: a line for each question, `<s>snippet</s>… ||| question ||| answer`."""

import re
from collections.abc import Sequence
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer.envs.rows import Row, read_text

SUFFIX = ".txt"
_BETWEEN = "|||"
_PARTS = 3
_SNIPPET = re.compile(r"<s>(.*?)</s>")


def is_searchqas(path: Path) -> bool:
    """Return whether the first line of a text has the three parts that SearchQA's have."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            return lines.readline().count(_BETWEEN) == _PARTS - 1
    except OSError:
        return False


def searchqa_rows(path: Path) -> Sequence[Row]:
    """Return a row for each line; raise ConfigError naming a line that has other parts."""
    rows: list[Row] = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split(_BETWEEN)]
        if len(parts) != _PARTS:
            raise ConfigError(
                f"{path}: line {number} has {len(parts)} parts between {_BETWEEN}, not snippets, question and answer",
                remedy="fix the line, or leave it out",
            )
        snippets, question, answer = parts
        rows.append({"context": _SNIPPET.findall(snippets) or snippets, "question": question, "answer": answer})
    return rows
