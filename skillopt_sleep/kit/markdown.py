"""Text from elsewhere, made safe to show or to send."""

import re
import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]")
_FENCE_RUN = re.compile(r"`{3,}")


def fence(text: str) -> str:
    """The text in a code fence that it can't close."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}\n{text}\n{ticks}"


def visible(text: str) -> str:
    """The text with control and invisible characters written out, so that what is shown is what is there."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{{{ord(char):X}}}" if _is_unseen(char) else char for char in text)


def escaped(text: str) -> str:
    """A text of JSON, in whose strings what can't be seen is told by JSON's own escapes: it says the same."""
    return "".join(_as_json(char) if _is_unseen(char) else char for char in text)


def _as_json(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _is_unseen(char: str) -> bool:
    return char not in "\n\t" and (unicodedata.category(char) in _UNSEEN or _BLANK.match(char) is not None)


def spelled(text: str) -> str:
    """A name or a path from elsewhere, whole and on one line, every character of it seen."""
    return visible(text).replace("\n", "\\u{A}").replace("\t", "\\u{9}")


def one_line(text: str, *, limit: int = 100) -> str:
    """The text on one line, cut to `limit` characters."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
