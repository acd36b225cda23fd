"""Cut texts into sentences."""

import re

_SENTENCE = re.compile(r"[^.!?\n。！？]+(?:[.!?。！？]+(?=\s|$)|[.!?](?=\S)[^.!?\n。！？]*|[。！？])*")


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, as they stand in it."""
    stripped = map(str.strip, _SENTENCE.findall(text))
    return list(filter(None, stripped))


def whole_sentences(text: str, part: str) -> str:
    """Return the part of a text with all of the sentences that it stands in.

    A wish must not be cut out of a sentence that denies it.
    """
    start = text.find(part)
    end = start + len(part)
    touched = [match.span() for match in _SENTENCE.finditer(text) if match.start() < end and match.end() > start]
    if start < 0 or not touched:
        return part
    first = touched[0][0]
    last = touched[-1][1]
    return text[min(start, first) : max(end, last)].strip()
