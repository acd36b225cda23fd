"""Blocks of private keys: PEM, PGP and PuTTY."""

import re
from collections.abc import Iterator

from skillopt_sleep.kit.secrets.spans import Span

_BEGIN = re.compile(r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d+")
_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: \w+")
# What follows the BEGIN of a real key, after blanks, quotes and escaped line ends: base64, a header such as
# `Proc-Type: `, or the end of a text that was cut off.
_BODY = re.compile(r"(?:[\s\"',>|+`-]|\\[nrt\\])*+(?:[A-Za-z0-9+/=]{16}|[A-Z][A-Za-z-]{2,30}: |[A-Za-z0-9+/=]*\s*\Z)")
_LINE = re.compile(r"\n|\\n|[A-Za-z0-9+/=]{16}")
_PROSE = 200  # `-----BEGIN …` and its END this near on one line, with nothing between, are words about a key

# Twelve to twenty-four words of a wallet, behind what they are called.
_SEED = re.compile(
    r"(?i:mnemonic|(?:seed|recovery|secret)[ _-]?phrase)(?: is)?[\s\"'`:=]{1,6}"
    r"(?P<words>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})"
    r"(?![\w ,])"
)


def seed_phrases(text: str) -> Iterator[Span]:
    """Yield the words that open a wallet."""
    lower = text.lower()
    if "mnemonic" not in lower and "phrase" not in lower:
        return
    for match in _SEED.finditer(text):
        yield *match.span("words"), "seed-phrase"


def private_keys(text: str) -> Iterator[Span]:
    """Yield the key blocks, also those with escaped line ends; one without an END runs to the end of the text."""
    if "PRIVATE KEY" not in text and "Private-Lines" not in text:
        return
    end = _END.search(text)
    at = 0
    while begin := _BEGIN.search(text, at):
        at = begin.end()
        if end and end.start() < at:
            end = _END.search(text, at)
        if end is None:
            if _BODY.match(text, at):
                yield begin.start(), len(text), "private-key"
                return
            # Without an END anywhere, this was a mention in prose, and the next BEGIN may be a real one.
            continue
        if end.start() - at > _PROSE or _LINE.search(text, at, end.start()):
            at = end.end()
            yield begin.start(), at, "private-key"
