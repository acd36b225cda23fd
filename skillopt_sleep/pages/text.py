"""Write blocks as Markdown that reads well as plain text: every text in it is redacted and escaped."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from skillopt_sleep.kit.markdown import fence, one_line, visible
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.pages.blocks import (
    ONE_LINE,
    Act,
    Answer,
    Answers,
    Block,
    Cell,
    Diff,
    Fold,
    Heading,
    Interval,
    Items,
    Quotes,
    Sentence,
    Table,
    in_words,
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|])")
_LINES = re.compile(r"\n{3,}")
_NEXT_LINE = "  \n"
_LONGEST = 1_000  # characters of a sentence


def markdown(blocks: Sequence[Block], *, verbose: bool = False) -> str:
    """Return blocks as Markdown, those that are folded only if it is `verbose`."""
    return _LINES.sub("\n\n", "".join(_written(blocks, verbose=verbose))).strip() + "\n"


def show(text: str, limit: int = 100) -> str:
    """Return text from elsewhere on one line, redacted, cut to `limit` characters and escaped for Markdown."""
    return _escaped(one_line(redact(text), limit=limit))


def code(text: str, limit: int = 200) -> str:
    """Return a name as a Markdown code span."""
    return f"`{one_line(redact(text), limit=limit).replace('`', '').replace('|', '¦')}`"


def spanned(text: str, limit: int = _LONGEST) -> str:
    """Return a line in which what stands between backticks is a code span, and all else is escaped."""
    parts = one_line(redact(text), limit=limit).split("`")
    if len(parts) % 2 == 0:  # the last span was cut off
        parts[-2:] = ["".join(parts[-2:])]
    return "".join(code(part) if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(line: str) -> str:
    return _SPECIAL.sub(r"\\\1", line)


def _written(blocks: Iterable[Block], *, verbose: bool) -> Iterator[str]:
    """Yield each block as Markdown; sentences in a row stay one paragraph."""
    for block in blocks:
        if not isinstance(block, Fold):
            yield _WRITERS[type(block)](block)
        elif verbose:
            yield f"\n\n## {spanned(block.title)}\n\n"
            yield from _written(block.blocks, verbose=verbose)


def _heading(block: Heading) -> str:
    return f"\n\n{'#' * block.level} {spanned(block.text)}\n\n"


def _sentence(block: Sentence) -> str:
    mark = f"{block.mark}: " if block.mark else ""
    return f"{mark}{spanned(block.text)}{_NEXT_LINE}"


def _act(block: Act) -> str:
    return f"{spanned(block.text)}{_NEXT_LINE}"


def _quotes(block: Quotes) -> str:
    return _list(f"{show(said.words, ONE_LINE)} {said.when}".rstrip() for said in block.said)


def _items(block: Items) -> str:
    return _list(
        "\n".join([spanned(item.text), *(f"  - {spanned(line)}" for line in item.below)]) for item in block.items
    )


def _interval(block: Interval) -> str:
    return _list(f"{name}: {drawn.told}" for name, drawn in block.dots)


def _list(lines: Iterable[str]) -> str:
    return "\n\n" + "".join(f"- {line}\n" for line in lines) + "\n"


def _answers(block: Answers) -> str:
    lines = [f"{title} {answer.verdict}".strip() + f": {_did(answer)}" for title, answer in block.each]
    return f"\n\nAsked «{show(block.request, ONE_LINE)}»\n" + _list(lines)


def _did(answer: Answer) -> str:
    """Return what the agent did in few words, and what it said."""
    return "; ".join([*(show(line, ONE_LINE) for line in answer.did), show(answer.text, ONE_LINE) or "(no words)"])


def _table(block: Table) -> str:
    rule = [" --: " if number in block.right else " --- " for number in range(len(block.columns))]
    rows = [map(_cell, row) for row in block.rows]
    lines = [block.columns, rule, *rows]
    caption = f"{spanned(block.caption)}\n\n" if block.caption else ""
    return f"\n\n{caption}" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _cell(cell: Cell) -> str:
    return spanned(in_words(cell))


def _diff(block: Diff) -> str:
    lines: list[str] = []
    for place in block.places:
        lines += [f"{row.sign}{visible(redact(''.join(piece.text for piece in row.pieces)))}" for row in place]
    if block.rest:
        lines.append(block.rest)
    return f"\n\n{spanned(block.where)}\n\n{fence(chr(10).join(lines), kind='diff')}\n\n"


_WRITERS: dict[type[Block], Callable[[Any], str]] = {
    Heading: _heading,
    Sentence: _sentence,
    Act: _act,
    Quotes: _quotes,
    Items: _items,
    Answers: _answers,
    Interval: _interval,
    Table: _table,
    Diff: _diff,
}
