"""Find the parts of a typed turn that are the person's own words; what was pasted is data, never authority.

Nothing in a transcript tells the two apart, so whatever looks quoted, copied or too long to have been typed counts as
pasted. Overlooking a wish costs one lesson; taking a pasted sentence for a wish would follow someone else's rule.

Words after a paste count if its end can be seen: a fence, a quotation, copied lines, a placeholder. Another paste
goes on to the turn's end. Where the agent wrote down what was pasted (`Turn.pasted`), that is left out, and each part
around it is read like a turn of its own: of a paste of a few lines agents write down nothing, so there may be one.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

MOST_PASTES = 3
MOST_PARAGRAPHS = 2
LEAST_CHAT = 2
LONGEST_PARAGRAPH = 600
MOST_AFTER = 1  # paragraphs typed after a paste: more of them may be the rest of it
LONGEST_QUOTE = 50
SHORTEST_BLOB = 40

Pasted = tuple[tuple[int, int], ...]

_TAGGED = re.compile(r"<([A-Za-z][\w-]{1,40})(?:\s[^<>]{0,200})?>.{0,5000}?</\1>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\[(?:Pasted text|Image|Attachment)[^\]\n]{0,200}\]|!?\[[^\]\n]{0,400}\]\([^)\n]{0,400}\)")
_LONG_QUOTE = re.compile(rf"“[^”]{{{LONGEST_QUOTE},}}”|«[^»]{{{LONGEST_QUOTE},}}»|\"[^\"\n]{{{LONGEST_QUOTE},}}\"")
_OPENING_QUOTES = '“«"'
_BLOB = re.compile(rf"[A-Za-z0-9+/=_-]{{{SHORTEST_BLOB},}}")
# Everything from such a line on was said or written by somebody else.
_OTHERS_FROM = re.compile(
    r"^[ \t]*(?:\*\*)?(?:user|human|assistant|system|developer|ai|claude|codex|chatgpt|from|subject|on .{5,60} wrote)"
    r"(?:\*\*)?[ \t]*:",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"(?:[^\n]++|\n(?![ \t]*\n))++")
_LEAD_IN = (":", "：")
_HANDS_OVER = (*_LEAD_IN, "?", "？", ")", "）", "…")
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?[ \t]*)?<?[\w.@][\w.@ -]{0,24}>?[ \t]?:[ \t]+\S",
    re.MULTILINE,
)
_OWN_LEAD_IN = re.compile(
    r"\b(?:please|from now on|rules?|instead|i (?:want|need|meant|said)|change|bitte|ab jetzt|désormais|por favor"
    r"|a partir de ahora|пожалуйста)\b[^\n]{0,60}[:：][ \t]*$"
    r"|(?:^\s*(?:mach|haz|fais|faça|faz)\b|请|以后|してください)[^\n]{0,40}[:：][ \t]*$",
    re.IGNORECASE,
)
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
    r"|[ \t]*[【\[][^】\]\n]{1,24}[】\]][^:：\n]{1,24}[:：]"  # a chat of a group
)
# A mail, from its sender to the line that ends it, with the name below.
_MAIL = re.compile(
    r"[ \t]*(?:von|from|de|发件人)[ \t]*[:：][^\n]*\n(?:[^\n]*\n){1,60}?"
    r"[ \t]*(?:mfg|viele grüße|mit freundlichen grüßen|gruß|kind regards|best regards|regards|best|cheers|sincerely"
    r"|cordialement|bien à vous|saludos|un saludo|atenciosamente|abraço|此致)(?!\w)[^\n]{0,40}\n"
    r"(?:[^\n]{1,40}\n(?=[ \t]*\n))?",
    re.IGNORECASE,
)
_QUOTED_LINE = re.compile(r"[ \t]*>")
_COPIED_OR_BLANK = re.compile(rf"[ \t]*(?:\n|\Z)|{_COPIED_LINE.pattern}", re.MULTILINE)
# Parts of a text that were copied, each with a sign that it has.
_COPIED_PARTS = ((_TAGGED, "</"), (_COMMENT, "<!--"), (_PLACEHOLDER, "["))
_SHOWN = re.compile(rb"\0+")
_BLANK_LAST = re.compile(r"\n[ \t]*\n\Z")
_PASTE_MARK = re.compile(r"\[Pasted text[^\]\n]{0,200}\]")
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


class TextSpan(NamedTuple):
    """A part of a text, from `start` up to `end`."""

    start: int
    end: int


@lru_cache(maxsize=512)
def own_spans(text: str, pasted: Pasted = ()) -> tuple[TextSpan, ...]:
    """Return the parts of a typed turn that are the person's own words, in order; a turn is asked for repeatedly.

    `pasted` are the parts that are known to be pasted, if they are known.
    """
    own: list[TextSpan] = []
    at = 0
    for start, end in (*pasted, (len(text), len(text))):
        own += [TextSpan(at + span.start, at + span.end) for span in _guessed(text[at:start])]
        at = end
    return tuple(own)


def _guessed(text: str) -> list[TextSpan]:
    """Return the parts of a text that look like the person's own words.

    Words after a paste count if one paragraph of own words stands before it, and what follows looks typed.
    """
    own: list[TextSpan] = []
    at = 0
    for _ in range(MOST_PASTES):
        paste = visible_paste(text, at)
        if paste is None:
            break
        before = list(_typed_spans(text, at, paste.start))
        words = text[at : paste.start].strip()
        is_typed = "".join(text[slice(*span)] for span in before) == words and len(_PARAGRAPH.findall(words)) <= 1
        following = visible_paste(text, paste.end)
        if not is_typed or not looks_typed(text[paste.end : following.start if following else len(text)]):
            break
        own += before
        at = paste.end
    own += _typed_spans(text, at, len(text))
    return own


def own_words(text: str, pasted: Pasted = ()) -> str:
    """Return the person's own words, each part on a line."""
    return "\n".join(text[start:end] for start, end in own_spans(text, pasted))


def _typed_spans(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """Yield the parts between `start` and `end` that neither look copied nor follow what hands over to a paste."""
    part = text[start:end]
    hidden = bytearray(len(part))
    copied = [fenced(part)]
    for pattern, sign in _COPIED_PARTS:
        if sign in part:
            copied += [TextSpan(*match.span()) for match in pattern.finditer(part)]
    if any(quote in part for quote in _OPENING_QUOTES):
        copied += [TextSpan(*match.span()) for match in _LONG_QUOTE.finditer(part)]
    if max(map(len, part.split()), default=0) >= SHORTEST_BLOB:
        copied += [TextSpan(*match.span()) for match in _BLOB.finditer(part)]
    for span in copied:
        hidden[slice(*span)] = b"\1" * (span.end - span.start)
    _hide_lines(part, hidden)
    _hide_paragraphs(part, hidden)
    for match in _SHOWN.finditer(hidden):
        shown = part[slice(*match.span())]
        if words := shown.strip():
            begin = start + match.start() + len(shown) - len(shown.lstrip())
            yield TextSpan(begin, begin + len(words))


def _hide_lines(text: str, hidden: bytearray) -> None:
    """Hide copied lines, and everything after a line that hands over to somebody else's words."""
    at = 0
    for line in text.splitlines(keepends=True):
        end = at + len(line)
        bare = line.rstrip()
        if ":" in bare and _OTHERS_FROM.match(bare):
            hidden[at:] = b"\1" * (len(text) - at)
            return
        if _COPIED_LINE.match(bare):
            hidden[at:end] = b"\1" * len(line)
        elif end < len(text) and bare.endswith(_LEAD_IN) and not _OWN_LEAD_IN.search(bare):
            hidden[end:] = b"\1" * (len(text) - end)
            return
        at = end


def _hide_paragraphs(text: str, hidden: bytearray) -> None:
    """Hide paragraphs too long to have been typed, chats, and whatever follows a question or a line that hands over.

    Of more than two paragraphs only the first is kept: nobody types pages.
    """
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text) if not all(hidden[match.start() : match.end()])]
    if not paragraphs:
        return
    first = text[slice(*paragraphs[0])]
    only_first = len(paragraphs) > MOST_PARAGRAPHS or first.rstrip().endswith(_HANDS_OVER)
    for number, (start, end) in enumerate(paragraphs):
        begin = start
        if (number == 0 or not only_first) and end - start <= LONGEST_PARAGRAPH:
            chat = list(_CHAT_LINE.finditer(text, start, end)) if ":" in text else []
            begin = chat[0].start() if len(chat) >= LEAST_CHAT else end
        hidden[begin:end] = b"\1" * (end - begin)


def fenced(text: str) -> TextSpan:
    """Return the part from the first fence to the end of the last one, or to the text's end if that isn't closed.

    What stands between two fences may be inside of a third one, which the pasted text closed and opened again.
    """
    found = list(_FENCE.finditer(text)) if "```" in text or "~~~" in text else []
    if not found:
        return TextSpan(len(text), len(text))
    is_open = found[-1]["line"] is None and found[-1]["open"] is None
    return TextSpan(found[0].start(), len(text) if is_open else found[-1].end())


def visible_paste(text: str, at: int) -> TextSpan | None:
    """Return the first paste from `at` on, or None if there is none or its end can't be seen."""
    fences = fenced(text[at:])
    fence = TextSpan(at + fences.start, at + fences.end)
    may_be_mail = ":" in text or "：" in text
    while at < len(text):
        if at == fence.start:
            return fence
        end = _line_end(text, at)
        line = text[at:end].rstrip()
        if may_be_mail and (mail := _MAIL.match(text, at)):
            return TextSpan(at, mail.end())
        if placeholder := _PASTE_MARK.search(line):
            return TextSpan(at + placeholder.start(), at + placeholder.end())
        if _COPIED_LINE.match(line):
            while end < fence.start and _COPIED_OR_BLANK.match(text, end):
                end = _line_end(text, end)
            has_end = end == len(text) or _QUOTED_LINE.match(line) or _BLANK_LAST.search(text, at, end)
            return TextSpan(at, end) if has_end else None
        at = end
    return None


def looks_typed(text: str) -> bool:
    """Tell whether words after a paste look typed: a short paragraph at most, without signs of a page."""
    paragraphs = _PARAGRAPH.findall(text.strip())
    if len(paragraphs) > MOST_AFTER or any(len(paragraph) > LONGEST_PARAGRAPH for paragraph in paragraphs):
        return False
    return _COPIED_WORDS.search(text) is None


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1
