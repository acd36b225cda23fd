"""Draw the screen on which a person decides one rule: why it was learned, what it changed, what proves it."""

from collections.abc import Iterable, Sequence
from functools import cache
from io import StringIO
from itertools import dropwhile
from typing import TYPE_CHECKING, NamedTuple

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, NAME, NARROWEST
from skillopt_sleep.kit.markdown import one_line, spelled, visible
from skillopt_sleep.kit.word_diff import Row, word_diff
from skillopt_sleep.kit.words import counted
from skillopt_sleep.reporters.card import Answer, Answers, Change, Rule, Said

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

ROWS = 24  # of a screen, the line with the keys among them
SIDE_BY_SIDE = 100  # columns from which both answers stand beside each other
_WIDEST = 400  # columns of a terminal; what is wider is a pipe
LABEL = 10  # the width of a label and the blanks behind it
_GUTTER = 7  # the width of a line's number and sign
_ANY = 10_000  # lines
_STYLES = {"+": GOOD, "-": BAD, " ": DIM}


class Room(NamedTuple):
    """The most lines of each part; `answer` has the fewest too, and a quote is cut to one line if `cuts_quotes`."""

    rule: int
    quotes: int
    cuts_quotes: bool
    answer: tuple[int, int]
    titles: int
    changed: int
    changed_line: int


SCREEN = Room(rule=2, quotes=2, cuts_quotes=True, answer=(3, 8), titles=1, changed=8, changed_line=3)
WHOLE = Room(rule=_ANY, quotes=_ANY, cuts_quotes=False, answer=(12, 12), titles=_ANY, changed=_ANY, changed_line=_ANY)


def screen(rule: Rule, *, number: int, count: int, width: int, height: int = ROWS) -> "list[Text]":
    """Return the lines that show a rule, each at most `width` columns wide, of so many rules the `number`th.

    The answers get the room that the rest leaves of a terminal of so many lines.
    """
    return _drawn(rule, f"{number} of {count}  {rule.id}", max(width, NARROWEST), SCREEN, height=max(height, ROWS))


def page(rule: Rule, *, state: str, width: int) -> "list[Text]":
    """Return the same lines in full, however many they are; `state` is that of the rule's proposal."""
    return _drawn(rule, f"{rule.id} ({state})", max(width, NARROWEST), WHOLE)


def _drawn(rule: Rule, place: str, width: int, room: Room, *, height: int = ROWS) -> "list[Text]":
    above = [*_head(rule, place, width, room), *_said(rule, width, room)]
    below = [
        *_row("Proof", rule.proof, width),
        *_changes(rule, width, room),
        *_row("Costs", rule.cost, width),
        *_row("Reaches", [rule.reaches] if rule.reaches else [], width),
    ]
    left = height - 2 - len(above) - len(below)
    return [*above, *_answers(rule.answers, width, room.answer, left=left), *below]


def _head(rule: Rule, place: str, width: int, room: Room) -> "list[Text]":
    """Return the line that says where we are, the rule, and what should be known before it is trusted."""
    document = one_line(rule.document, limit=max(width - len(place) - 4, 10))
    title = _text((f"{place}  ", DIM), (document, NAME))
    if width <= _WIDEST:
        title.append(" " + "─" * max(width - title.cell_len - 1, 0), DIM)
    lines = [title, *_few(_text((one_line(rule.text, limit=1_000), BOLD)), width, most=room.rule)]
    if rule.label:
        lines += _wrapped(_text((rule.label[:1].upper() + rule.label[1:], CAREFUL)), width)
    for caution in rule.cautions:
        lines += _few(_text((f"Look twice: {one_line(caution, limit=1_000)}", CAREFUL)), width, most=room.rule)
    return [*lines, _text("")]


def _said(rule: Rule, width: int, room: Room) -> "list[Text]":
    """Return in how many sessions it came up and when, and what the person said, newest first."""
    lines: list[Text] = []
    often = _text()
    if rule.said and rule.often:
        some = "; last" if len(rule.said[: room.quotes]) < rule.sessions else ""
        often = _text((f"{rule.often}{some}: ", DIM))
        if width < SIDE_BY_SIDE or not room.cuts_quotes:
            lines, often = _wrapped(often, width - LABEL), _text()
    for said in rule.said[: room.quotes]:
        if room.cuts_quotes:
            lines.append(often + _cut_quote(said, width - LABEL - often.cell_len))
        else:
            words = _text(one_line(said.words, limit=1_000), (f"  {said.when}", DIM))
            lines += _wrapped(often + words, width - LABEL)
        often = _text()
    if not lines:
        return []
    return _labelled(rule.heading, lines)


def _cut_quote(said: Said, width: int) -> "Text":
    """Return what the person said and when, on one line; a quote that is cut stays one."""
    words = _text(one_line(said.words, limit=1_000))
    short = _cut(words, max(width - len(said.when) - 2, 10))
    if short.cell_len < words.cell_len and said.words.endswith("»"):
        short = _cut(words, short.cell_len - 1) + _text("»")
    return short + _text((f"  {said.when}", DIM))


def _answers(answers: Answers | None, width: int, rows: tuple[int, int], *, left: int) -> "list[Text]":
    """Return the request and both answers, beside each other or below each other; `left` lines are free for them."""
    if answers is None:
        return []
    fewest, most = rows
    inner = width - LABEL
    old, new = answers.titles
    asked = _labelled("Asked", [_cut(_text(f"«{one_line(answers.request, limit=400)}»"), inner)])
    if SIDE_BY_SIDE <= width <= _WIDEST:
        column = (inner - 3) // 2
        each = min(max(left - 2, fewest), most)
        one = _answer(old, answers.before, column, each)
        other = _answer(new, answers.after, column, each)
        return [*asked, *_labelled("", _beside(one, other, column))]
    each = min(max((left - 3) // 2, fewest), most)
    before = _answer(old, answers.before, inner, each)
    after = _answer(new, answers.after, inner, each)
    return [*asked, *_labelled("", [*before, *after])]


def _answer(title: str, answer: Answer, width: int, rows: int) -> "list[Text]":
    """Return a title that says whether the answer is as asked, and the first lines of what was done and said."""
    verdict = {True: ("✓ as you asked", GOOD), False: ("✗ not as you asked", BAD)}
    head = _text((f"{title}  ", DIM))
    if answer.solved is not None:
        head.append(*verdict[answer.solved])
    if answer.turns:
        head.append(f"  {counted(answer.turns, 'turn')}", DIM)
    lines = [_cut(_text((f"▸ {one_line(call, limit=200)}", NAME)), width) for call in answer.did[: rows - 2]]
    return [_cut(head, width), *lines, *_first_lines(answer.text, width, most=max(rows - len(lines), 1))]


def _first_lines(text: str, width: int, *, most: int) -> "list[Text]":
    """Return the beginning of an answer in its own lines, each indented as it was and wrapped at words."""
    lines: list[Text] = []
    for line in text.splitlines():
        words, spread = one_line(line, limit=1_000), line.expandtabs(4)
        indent = min(len(spread) - len(spread.lstrip(" ")), width // 2)
        if words:
            lines += [_text(" " * indent) + part for part in _wrapped(_text(words), width - indent)]
    return _first(lines, width, most=most) or [_text("(no words)")]


def _beside(left: "Sequence[Text]", right: "Sequence[Text]", width: int) -> "list[Text]":
    lines: list[Text] = []
    for number in range(max(len(left), len(right))):
        line = left[number].copy() if number < len(left) else _text("")
        line.append(" " * (width - line.cell_len))
        line.append(" │ ", DIM)
        lines.append(line + right[number] if number < len(right) else line)
    return lines


def _changes(rule: Rule, width: int, room: Room) -> "list[Text]":
    """Return the changed lines of the first file in their place, and the names of the others."""
    if not rule.changes:
        return []
    first, *others = rule.changes
    title = _text((one_line(first.document, limit=width - LABEL), NAME))
    same = [other for other in others if other.new == first.new]
    if others:
        how = "the same in" if len(same) == len(others) else "its rules too in"
        title.append(f", {how} {' and '.join(spelled(other.document) for other in others)}")
    lines = _changed_rows(first, width - LABEL, room)
    if len(lines) > room.changed:
        hidden = len(lines) - room.changed + 1
        lines = [*lines[: room.changed - 1], _text((f"     … {hidden} more lines: w shows all", DIM))]
    told = [*_few(title, width - LABEL, most=room.titles), *lines]
    if room.changed == _ANY:
        for other in others:
            told += [] if other in same else whole_change(other, width - LABEL)
    return _labelled("Change", told)


def not_shown(rule: Rule, width: int) -> list[Change]:
    """Return the changes that a screen of this width shows in part only."""
    width = max(width, NARROWEST) - LABEL
    hidden = [other for other in rule.changes[1:] if other.new != rule.changes[0].new]
    if rule.changes and len(_changed_rows(rule.changes[0], width, SCREEN)) > SCREEN.changed:
        hidden.insert(0, rule.changes[0])
    return hidden


def _changed_rows(change: Change, width: int, room: Room) -> "list[Text]":
    """Return the changed lines of a file, its places apart from one another."""
    rows: list[Row | None] = []
    for place in word_diff(change.old, change.new):
        told = list(dropwhile(_is_blank, place))
        rows += [None, *told] if rows else told
    lines: list[Text] = []
    for row in rows:
        lines += [_text(("     ⋮", DIM))] if row is None else _numbered(row, width, most=room.changed_line)
    return lines


def _is_blank(row: Row) -> bool:
    return row.sign == " " and not any(piece.text.strip() for piece in row.pieces)


def whole_change(change: Change, width: int) -> "list[Text]":
    """Return all changed lines of a file in their places."""
    lines = [_text((change.document, NAME))]
    for place in word_diff(change.old, change.new):
        for row in place:
            lines += _numbered(row, width, most=100)
        lines.append(_text(""))
    return lines[:-1]


def _numbered(row: Row, width: int, *, most: int) -> "list[Text]":
    """Return a line of the file with its number and sign; one that stays is cut instead of wrapped."""
    style = _STYLES[row.sign]
    line = _text()
    for piece in row.pieces:
        line.append(visible(piece.text).expandtabs(4), f"bold {style} underline" if piece.changed else style)
    inner = width - _GUTTER
    parts = [_cut(line, inner)] if row.sign == " " else _few(line, inner, most=most)
    gutter = _text((f"{row.number:4} {row.sign} ", style))
    return [gutter + part if not at else _text(" " * _GUTTER) + part for at, part in enumerate(parts)]


def _row(label: str, sentences: Iterable[str], width: int) -> "list[Text]":
    lines: list[Text] = []
    for sentence in sentences:
        lines += _wrapped(_text(sentence), width - LABEL)
    return _labelled(label, lines)


def _labelled(label: str, lines: "Sequence[Text]") -> "list[Text]":
    """Return the lines with a label in front of the first and blanks in front of the others."""
    return [_text((f"{label if not number else '':{LABEL}}", DIM)) + line for number, line in enumerate(lines)]


def _few(text: "Text", width: int, *, most: int) -> "list[Text]":
    """Return a text wrapped at words, the last of `most` lines ending in "…" if there are more."""
    return _first(_wrapped(text, width), width, most=most)


def _first(lines: "list[Text]", width: int, *, most: int) -> "list[Text]":
    """Return the first lines; the last ends in "…" if there are more, cut at a word where it is too long for that."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    end = last.plain.rfind(" ")
    if last.cell_len >= width and end > 0:
        last = last[:end]
    return [*lines[: most - 1], _cut(last + _text("…"), width)]


def _wrapped(text: "Text", width: int) -> "list[Text]":
    lines = list(text.wrap(_measuring(), width))
    for line in lines:
        line.rstrip()
    return lines or [text]


def _cut(text: "Text", width: int) -> "Text":
    shown = text.copy()
    shown.truncate(width, overflow="ellipsis")
    return shown


def _text(*parts: str | tuple[str, str]) -> "Text":
    from rich.text import Text

    line = Text()
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        line.append(visible(text), style or None)
    return line


@cache
def _measuring() -> "Console":
    """Return a console that prints nowhere: rich asks one how to wrap."""
    from rich.console import Console

    return Console(file=StringIO(), width=NARROWEST)
