"""Make text from elsewhere safe to show or to send, and read the front matter of Markdown."""

import re
import unicodedata
from collections.abc import Callable

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
# Letters and marks that are shown as nothing or as a blank.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_DESCRIPTION = re.compile(r"^description:[ \t]*[>|]?[-+]?[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)
_BACKTICKS = re.compile(r"`{3,}")
# A code span, in which a backslash is one, or an escaped character.
_ESCAPE = re.compile(r"(`+)[^`]+\1|\\([!-/:-@\[-`{-~])")


def front_matter(text: str) -> tuple[str, str]:
    """Return a file's front matter, "" if it has none, and the text below it."""
    front = _FRONT.match(text)
    if front is None:
        return "", text
    return front[1], text[front.end() :]


def skill_description(text: str) -> str:
    """Return the description in the front matter of a skill on one line, "" if there is none."""
    found = _DESCRIPTION.search(front_matter(text)[0])
    return " ".join(found[1].split()).strip("\"'") if found else ""


def fence(text: str, *, kind: str = "") -> str:
    """Return the text in a code fence that it can't close; its `kind` is the language that colours it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{kind}\n{text}\n{ticks}"


def unescaped(text: str) -> str:
    """Return Markdown as a person reads it where it isn't rendered: without escapes and blanks at line ends."""
    plain = _ESCAPE.sub(lambda found: found[2] or found[0], text)
    return "\n".join(line.rstrip() for line in plain.split("\n"))


def visible(text: str) -> str:
    """Spell out control and invisible characters, so that a reader sees everything that is there."""
    # What is unseen by its category isn't printable, so most texts need no look at each character.
    if text.isprintable() and (text.isascii() or not _BLANK.search(text)):
        return text
    return "".join(f"\\u{{{ord(char):X}}}" if _is_unseen(char) else char for char in text)


def escaped(text: str, *, keeps: Callable[[str], bool] = lambda _char: True) -> str:
    """Write characters in the strings of a JSON text as JSON's own escapes, so that its values stay.

    Those that are invisible are escaped, and those that `keeps` doesn't keep.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_as_json(char) if _is_unseen(char) or not keeps(char) else char for char in text)


def _as_json(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _is_unseen(char: str) -> bool:
    if char in "\n\t":
        return False
    return unicodedata.category(char) in _UNSEEN_CATEGORIES or _BLANK.match(char) is not None


def spelled(text: str) -> str:
    """Return a name or a path on one line, whole, with every character of it visible."""
    return visible(text).replace("\n", "\\u{A}").replace("\t", "\\u{9}")


def one_line(text: str, *, limit: int = 100) -> str:
    """Return the text on one line, cut to `limit` characters."""
    line = " ".join(visible(text).split())
    if len(line) <= limit:
        return line
    return line[: limit - 1] + "…"
