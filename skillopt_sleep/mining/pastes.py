"""Find the pastes in a typed turn whose end can be seen: fences, quotations, copied lines, placeholders."""

import re
from typing import NamedTuple

AFTER_A_MARKED_PASTE = 2  # so many paragraphs may be typed after a fence, a quotation or a placeholder
AFTER_COPIED_LINES = 1  # a log or a page may go on in words, so only a last paragraph counts
LONGEST_TYPED = 600

_FENCE = re.compile(
    r"^[ \t]*(?P<line>`{3,}+)[^`\n]+(?P=line)[ \t]*$"  # on one line
    r"|^[ \t]*(?P<open>`{3,}+|~{3,}+)[^\n]*\n(?:.*?\n)?[ \t]*(?P=open)[`~]*[ \t]*$"
    r"|^[ \t]*(?:`{3,}+|~{3,}+).*\Z",
    re.MULTILINE | re.DOTALL,
)
_COPIED_LINE = re.compile(
    r"[ \t]*>"  # a quotation
    r"|\t|[ ]{4,}\S"  # code
    r"|[ \t]*\|.*\|[ \t]*$"  # a table
    r"|[ \t]*(?:at \S+ ?\(|File \"|Traceback \(|\s*\^+\s*$|[+-]{3} [ab]/|@@ |diff --git )"  # traces and diffs
    r"|[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"  # logs
    r"|[ \t]*(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL|TRACE)\b[ \t]*[:\]|]"
    r"|[ \t]*[$#%] \S"  # a shell
    r"|[ \t]*(?:\w+(?:Error|Exception|Warning): |\w+ (?:ERR!|WARN) )"
    r"|[ \t]*[{}\[\]<].*[{}\[\]>,;][ \t]*$"  # data and markup
)
_QUOTED_LINE = re.compile(r"[ \t]*>")
_PLACEHOLDER = re.compile(r"\[Pasted text[^\]\n]{0,200}\]")
# Signs that words were copied too: a page's headings, rules and links, a letter's greeting and its end.
_COPIED_WORDS = re.compile(
    r"^[ \t]*(?:\#{1,6} |-{3,}[ \t]*$|={3,}[ \t]*$|\*\*[^*\n]+\*\*[ \t]*:?[ \t]*$|@\w)"
    r"|^[ \t]*(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour|cher|chère|hola|olá|здравствуйте)\b"
    r"[^\n]{0,40}[,!][ \t]*$"
    r"|^[ \t]*(?:best|kind regards|regards|cheers|sincerely|yours|viele grüße|mit freundlichen grüßen|cordialement"
    r"|saludos)\b[^\n]{0,30}$"
    r"|\]\([^)\n]*\)|</\w+>",
    re.IGNORECASE | re.MULTILINE,
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


class Span(NamedTuple):
    """A part of a text, from `start` up to `end`."""

    start: int
    end: int


class Paste(NamedTuple):
    """A paste whose end can be seen, and how many paragraphs may be typed after it."""

    start: int
    end: int
    paragraphs: int


def fenced(text: str) -> Span:
    """Return the part from the first fence to the end of the last one, or to the text's end if that isn't closed.

    What stands between two fences may be inside of a third one, which the pasted text closed and opened again.
    """
    found = list(_FENCE.finditer(text))
    if not found:
        return Span(len(text), len(text))
    is_open = found[-1]["line"] is None and found[-1]["open"] is None
    return Span(found[0].start(), len(text) if is_open else found[-1].end())


def is_copied_line(line: str) -> bool:
    """Tell whether a line looks copied: a quotation, code, a table, a trace, a diff, a log, a shell, data."""
    return _COPIED_LINE.match(line) is not None


def visible_paste(text: str, at: int) -> Paste | None:
    """Return the first paste from `at` on, or None if there is none or its end can't be seen."""
    fences = fenced(text[at:])
    fence = Span(at + fences.start, at + fences.end)
    while at < len(text):
        if at == fence.start:
            return Paste(fence.start, fence.end, AFTER_A_MARKED_PASTE)
        end = _line_end(text, at)
        line = text[at:end].rstrip()
        if _QUOTED_LINE.match(line):
            return Paste(at, _end_of_quotation(text, at, fence.start), AFTER_A_MARKED_PASTE)
        if placeholder := _PLACEHOLDER.search(line):
            return Paste(at + placeholder.start(), at + placeholder.end(), AFTER_A_MARKED_PASTE)
        if is_copied_line(line):
            return _copied_lines(text, at, fence.start)
        at = end
    return None


def looks_typed(text: str, *, most: int) -> bool:
    """Tell whether words after a paste look typed: at most so many short paragraphs, without signs of a page."""
    paragraphs = _PARAGRAPH_END.split(text.strip())
    if len(paragraphs) > most or any(len(paragraph) > LONGEST_TYPED for paragraph in paragraphs):
        return False
    return _COPIED_WORDS.search(text) is None


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _end_of_quotation(text: str, at: int, most: int) -> int:
    """Return the end of the quoted lines that begin here."""
    while at < most and _QUOTED_LINE.match(text, at):
        at = _line_end(text, at)
    return at


def _copied_lines(text: str, at: int, most: int) -> Paste | None:
    """Return the copied lines that begin here, with blank ones among them, if a blank line or nothing follows."""
    start = at
    after_blank = False
    while at < most:
        end = _line_end(text, at)
        line = text[at:end].rstrip()
        if line and not is_copied_line(line):
            break
        after_blank = not line
        at = end
    if at < len(text) and not after_blank:
        return None
    return Paste(start, at, AFTER_COPIED_LINES)
