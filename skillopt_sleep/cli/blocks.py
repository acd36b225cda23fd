"""Print blocks: as Markdown into a file or a pipe, and drawn in colour on a terminal."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from skillopt_sleep.cli.console import (
    BAD,
    BOLD,
    CAREFUL,
    DIM,
    GAP,
    GOOD,
    NAME,
    is_terminal,
    say,
    say_drawn,
    stdout,
)
from skillopt_sleep.kit.markdown import one_line, unescaped, visible
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.pages.blocks import (
    Act,
    Answer,
    Answers,
    Block,
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
from skillopt_sleep.pages.text import markdown

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as Grid
    from rich.text import Text

TOP = 2  # the level of a page's heading; blanks stand above one below it
SIDE_BY_SIDE = 100  # columns from which both answers stand beside each other
_LONGEST = 1_000  # characters of a sentence
_SHORT = 40  # characters of a row's name that is never wrapped
_TONES = {"lead": BOLD, "good": GOOD, "bad": BAD, "careful": CAREFUL, "soft": DIM, "about": DIM}
_SIGNS = {"+": GOOD, "-": BAD, " ": DIM}


def say_blocks(blocks: Sequence[Block], *, verbose: bool = False) -> None:
    """Print blocks, those that are folded only if it is `verbose`."""
    if is_terminal():
        for line in drawn(blocks, width=stdout().width, verbose=verbose):
            say_drawn(line)
    else:
        say(unescaped(markdown(blocks, verbose=verbose).rstrip("\n")))


def drawn(blocks: Sequence[Block], *, width: int, verbose: bool = False) -> "Iterator[RenderableType]":
    """Draw blocks for a terminal that is so many columns wide, one below the other."""
    for number, block in enumerate(blocks):
        if isinstance(block, Fold):
            opened = (Heading(block.title, 3), *block.blocks) if verbose else ()
            yield from drawn(opened, width=width, verbose=verbose)
            continue
        if isinstance(block, Heading) and (number or block.level > TOP):
            yield ""
        yield from _drawn(block, width)


def _drawn(block: Block, width: int) -> "Iterator[RenderableType]":
    match block:
        case Heading():
            yield _text(block.text, BOLD)
        case Sentence():
            yield _text(": ".join(filter(None, (block.mark, block.text))), _TONES.get(block.tone, ""))
        case Quotes() | Items():
            yield from _listed(block)
        case Interval():
            yield from (_text(f"{name}: {dot.told}") for name, dot in block.dots)
        case Table():
            yield _cells(block)
        case Answers():
            yield _text(f"Asked «{block.request}»")
            yield _answers(block, is_wide=width >= SIDE_BY_SIDE)
        case Diff():
            yield _text(block.where, NAME)
            yield _changed(block)
        case Act():
            yield _text(block.text)
        case Fold():
            raise ValueError("a fold is opened before it is drawn")


def _listed(block: Quotes | Items) -> "Iterator[Grid]":
    if isinstance(block, Quotes):
        for said in block.said:
            yield _hanging("", _text(said.words, NAME).append(f"  {said.when}", DIM))
        return
    for item in block.items:
        yield _hanging("-", _text(item.text))
        for line in item.below:
            yield _hanging("  -", _text(line))


def _text(words: str, style: str = "") -> "Text":
    """Return words on one line, redacted; what stands between backticks is bold."""
    from rich.text import Text

    line = Text()
    for number, part in enumerate(one_line(redact(words), limit=_LONGEST).split("`")):
        line.append(visible(part), f"{style} {BOLD}" if number % 2 else style or None)
    return line


def _hanging(mark: str, words: "Text") -> "Grid":
    """Return words behind a mark; what is wrapped goes on below the words."""
    grid = _grid()
    grid.add_row(f" {mark}", words)
    return grid


def _grid(*, padding: int = 1, expand: bool = False) -> "Grid":
    from rich.table import Table as Grid

    return Grid.grid(padding=(0, padding, 0, 0), expand=expand)


def _cells(table: Table) -> "Grid":
    """Draw a table; where it is too wide, texts take more lines, but not numbers and a short name of a row."""
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style=DIM)
    rows: list[list[Text]] = []
    for row in table.rows:
        rows.append([_text(in_words(cell)) for cell in row])
    for at, name in enumerate(table.columns):
        longest = max([len(name), *(row[at].cell_len for row in rows)])
        is_whole = at in table.right or (not at and longest <= _SHORT)
        justify = "right" if at in table.right else "left"
        grid.add_column(
            name, justify=justify, no_wrap=is_whole, overflow="fold", min_width=longest if is_whole else None
        )
    for row in rows:
        grid.add_row(*row)
    return grid


def _answers(block: Answers, *, is_wide: bool) -> "Grid":
    """Draw both answers, beside each other if there is room."""
    cells = [_answer(title, answer) for title, answer in block.each]
    grid = _grid(padding=2, expand=True)
    for _ in cells if is_wide else cells[:1]:
        grid.add_column(ratio=1)
    for row in [cells] if is_wide else [[cell] for cell in cells]:
        grid.add_row(*row)
    return grid


def _answer(title: str, answer: Answer) -> "Text":
    """Return an answer in its own lines: whether it is as asked, what was done, and what was said."""
    from rich.text import Text

    style = {True: GOOD, False: BAD, None: DIM}[answer.solved]
    lines = [_text(f"{title} {answer.verdict}".strip(), style), *(_text(f"▸ {call}", NAME) for call in answer.did)]
    said = visible(redact(answer.text)).expandtabs(4) or "(no words)"
    return Text("\n").join([*lines, Text(said)])


def _changed(block: Diff) -> "Grid":
    """Return the lines that change, each with its number and its changed words underlined."""
    from rich.text import Text

    grid = _grid()
    grid.add_column(justify="right", min_width=4)
    for place in block.places:
        for row in place:
            style = _SIGNS[row.sign]
            line = Text()
            for piece in row.pieces:
                line.append(
                    visible(piece.text).expandtabs(4), f"{BOLD} {style} underline" if piece.changed else style
                )
            grid.add_row(Text(str(row.number), style), Text(row.sign, style), line)
    if block.more:
        grid.add_row("", "", Text(block.rest, DIM))
    return grid
