"""Blocks: what a page consists of, whether it is drawn as HTML or written as text.

A sentence says a fact in words, with what to type between backticks. Nothing in a block is escaped or redacted yet:
that is done by the two renderers, `text.markdown` and the template blocks.html.j2.
"""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.chart import Bars, Dot
from skillopt_sleep.pages.word_diff import Row

ONE_LINE = 200  # characters of a text that is cut to one line


class Link(NamedTuple):
    """A page of the dashboard, by its address there; neither text nor a file of its own draws it."""

    text: str
    address: str

    @classmethod
    def to_turn(cls, text: str, session: str, turn: int) -> "Link":
        """Return a link to a turn on its session's page."""
        return cls(text, f"/sessions/one?id={quote(session)}&turn={turn}#turn-{turn}")


class Heading(NamedTuple):
    """A heading of level 2 to 4; `name` lets a link lead to it, `address` makes it one to a page of the dashboard."""

    text: str
    level: int = 2
    name: str = ""
    address: str = ""
    kind = "heading"


class Sentence(NamedTuple):
    """A fact in words; `tone` is lead, good, bad, careful, soft or "". A `mark`, as in "Look twice", stands out."""

    text: str
    tone: str = ""
    link: Link | None = None
    mark: str = ""
    kind = "sentence"


class Act(NamedTuple):
    """What a person can do: `text` with the commands for it, or in the dashboard the link alone."""

    text: str
    link: Link
    kind = "act"


class Said(NamedTuple):
    """The person's words in quotes, or what they did, and how long ago."""

    words: str
    when: str = ""
    link: Link | None = None


class Quotes(NamedTuple):
    """What a person said or did."""

    said: tuple[Said, ...]
    kind = "quotes"


class Items(NamedTuple):
    """A list of sentences, some with a list of their own."""

    items: tuple["Item", ...]
    kind = "items"


class Item(NamedTuple):
    """A sentence of a list, and what stands below it."""

    text: str
    below: tuple[str, ...] = ()
    link: Link | None = None


class Answer(NamedTuple):
    """What the agent answered and did, and whether that was all that was asked; None if it isn't known.

    Of an attempt with tools in a sealed copy it has the number of the model's `turns`, and `whole` is all that is
    kept of it. Of what was `checked` in it each entry says whether that passed.
    """

    text: str
    did: tuple[str, ...] = ()
    solved: bool | None = None
    turns: int = 0
    whole: tuple[str, ...] = ()
    checked: tuple[tuple[bool, str], ...] = ()

    @property
    def verdict(self) -> str:
        """Say whether it was as the person asked; "" if that isn't known."""
        if self.solved is None:
            return ""
        return "✓ as you asked" if self.solved else "✗ not as you asked"


class Answers(NamedTuple):
    """What the agent answered to the same request as things are and with the change, and what these are called."""

    request: str
    before: Answer
    after: Answer
    titles: tuple[str, str] = ("Without the rule", "With the rule")
    kind = "answers"

    @property
    def each(self) -> tuple[tuple[str, Answer], tuple[str, Answer]]:
        """Return both answers, each with its title."""
        return (self.titles[0], self.before), (self.titles[1], self.after)


class Interval(NamedTuple):
    """Gains with their intervals, each with what measured it."""

    dots: tuple[tuple[str, Dot], ...]
    kind = "interval"


Cell = str | Link | Dot | Bars


def in_words(cell: Cell) -> str:
    """Return what a cell says, that of a picture in words or numbers."""
    if isinstance(cell, str):
        return cell
    return cell.text if isinstance(cell, Link) else cell.brief or cell.told


class Table(NamedTuple):
    """Rows of cells below the names of their columns; the first cell names its row, those in `right` are numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    right: tuple[int, ...] = ()
    kind = "table"


class Diff(NamedTuple):
    """The places that change in a document; `more` changed lines aren't shown."""

    document: str
    places: Sequence[Sequence[Row]]
    more: int = 0
    same_in: tuple[str, ...] = ()
    kind = "diff"

    @property
    def where(self) -> str:
        """Say in which files it changes."""
        first, *others = (f"`{name.replace('`', '')}`" for name in (self.document, *self.same_in))
        return f"{first}, the same in {' and '.join(others)}" if others else first

    @property
    def rest(self) -> str:
        """Say how many changed lines aren't shown; "" if all are."""
        return f"and {counted(self.more, 'more line')}" if self.more else ""


class Fold(NamedTuple):
    """Blocks behind a title that is opened by whoever wants to know more; text has them only if it is verbose."""

    title: str
    blocks: tuple["Block", ...]
    more: str = ""
    opened: bool = False
    kind = "fold"


Block = Heading | Sentence | Act | Quotes | Items | Answers | Interval | Table | Diff | Fold
