"""Find invisible characters in a text, and replace look-alikes by the ASCII signs that they look like."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from skillopt_sleep.kit.redact import redact

_SHOWN = 60
# Blank letters and marks without a category of their own: fillers, joiners, variation selectors, the braille blank.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0f\uffa0\ufdd0-\ufdef\ufff0-\uffff"
    "\U0001d159\U000e0000-\U000e0fff]"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Emoji and ideographs that are younger than our tables of Unicode.
_YOUNG = re.compile("[\U0001f000-\U0001fbff\U00020000-\U0003fffd]")
_EMOJI = frozenset({"So", "Sm", "Po", "Sk", "Cn"})
_EMOJI_FROM = 0xA9
_JOINER, _NON_JOINER = "\u200d", "\u200c"
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_KEYCAP = "\u20e3"
_KEYS = frozenset("0123456789#*")
_VIRAMA = 9  # the combining class of the sign that joins Indic consonants
# Cyrillic and Greek letters that look like Latin ones, and can disguise a command or a host.
_LOOK_ALIKES = str.maketrans(
    "аесорхуіѕјһԁԛԝԍмткнвАВЕКМНОРСТХУІЅЈαοριυνκτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aecopxyisjhdqwgmtkhbABEKMHOPCTXYISJaopiuvktABEZHIKMNOPTYX",
)
# Signs that look like those of a command and that NFKC doesn't change.
_SIGNS = {
    **dict.fromkeys("\u2212", "-"),
    **dict.fromkeys("\u2044\u2215\u29f8\u2571", "/"),
    **dict.fromkeys("\u2216\u29f5", "\\"),
    **dict.fromkeys("\u223c\u02dc", "~"),
    **dict.fromkeys("\u2223\u2758\u01c0", "|"),
    **dict.fromkeys("\u2217\u204e", "*"),
    **dict.fromkeys("\u2236\ua789", ":"),
}
_LATIN = re.compile(r"[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")


def show(text: str) -> str:
    """Return a piece of the text for a sentence: short, on one line, redacted, invisible characters spelled out."""
    piece = redact(" ".join(text.split()))
    if len(piece) > _SHOWN:
        piece = piece[: _SHOWN - 1] + "…"
    return "".join(char if char.isprintable() and not is_unseen(char) else _spelled(char) for char in piece)


@cache
def is_unseen(char: str) -> bool:
    """Return whether the character is invisible."""
    if char in "\n\t" or " " <= char <= "~":
        return False
    return (unicodedata.category(char) in _UNSEEN and not _YOUNG.match(char)) or bool(_BLANK.match(char))


def unseen(content: str) -> Iterator[str]:
    """Return a sentence for each invisible character that is not needed for an emoji or a script."""
    if content.isascii() and content.isprintable():
        return
    invisible: dict[str, None] = {}
    for at, char in enumerate(content):
        if is_unseen(char) and not _has_use(content[max(0, at - 2) : at], char, content[at + 1 : at + 2]):
            invisible[char] = None
    for char in invisible:
        name = unicodedata.name(char, "control character").lower()
        yield f"it holds the invisible character {_spelled(char)} ({name})"


def plain(text: str) -> str:
    """Return the text without invisible characters, and with look-alikes of ASCII signs replaced by those signs."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    hidden = {char: None for char in set(text) if char != "\r" and is_unseen(char)}
    folded = unicodedata.normalize("NFKC", text.translate(str.maketrans(hidden)))
    signs = {char: _sign(char) for char in set(folded)}
    return folded.translate(str.maketrans(signs)).replace("\r\n", "\n").replace("\r", "\n")


def _sign(char: str) -> str:
    """Return the ASCII sign or digit that the character looks like, else the character itself."""
    if char.isascii():
        return char
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if unicodedata.category(char) == "Pd":
        return "-"
    return _SIGNS.get(char, char)


def unmasked(text: str) -> str:
    """Replace look-alikes in words with Latin letters, so that they are the Latin words they look like."""
    if text.isascii():
        return text
    return _WORD.sub(lambda word: _unmasked(word[0]), text)


def _unmasked(word: str) -> str:
    if word.isascii() or not _LATIN.search(word):
        return word
    return word.translate(_LOOK_ALIKES)


def _spelled(char: str) -> str:
    return f"\\u{{{ord(char):04X}}}"


def _has_use(before: str, char: str, after: str) -> bool:
    """Return whether the character is part of an emoji (❤️, 👩‍💻, 1️⃣), a Persian word or an Indic letter."""
    last = before[-1:]
    if char in _EMOJI_STYLE:
        return _is_emoji(last) or (last in _KEYS and after == _KEYCAP)
    if char not in {_JOINER, _NON_JOINER}:
        return False
    if last and unicodedata.combining(last) == _VIRAMA:
        return True
    if char == _NON_JOINER:
        return _is_arabic(last) and _is_arabic(after)
    return _is_emoji(before.rstrip("\ufe0f")[-1:]) and _is_emoji(after)


def _is_arabic(char: str) -> bool:
    return bool(char) and "\u0600" <= char <= "\u06ff"


def _is_emoji(char: str) -> bool:
    if not char or ord(char) < _EMOJI_FROM:
        return False
    return unicodedata.category(char) in _EMOJI and not _BLANK.match(char)
