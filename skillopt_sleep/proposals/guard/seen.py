"""What the eye can't see in a text, and the text as it is read: look-alikes of ASCII signs as those signs."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from skillopt_sleep.kit.redact import redact

_SHOWN = 60
# Blank letters and marks, which have no category of their own: fillers, joiners, variation selectors, braille blank.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\ufe00-\ufe0f\uffa0\ufdd0-\ufdef\ufff0-\uffff"
    "\U0001d159\U000e0000-\U000e0fff]"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})
_EMOJI = frozenset({"So", "Sm", "Po", "Sk", "Cn"})
_EMOJI_FROM = 0xA9
_JOINER, _NON_JOINER = "\u200d", "\u200c"
_EMOJI_STYLE = frozenset("\ufe0e\ufe0f")
_KEYCAP = "\u20e3"
_VIRAMA = 9  # the combining class of the sign that joins Indic consonants
# Cyrillic and Greek letters that look like Latin ones; they hide a command or a host from a search for it.
_LOOK_ALIKES = str.maketrans(
    "аесорхуіѕјһԁԛԝԍмткнвАВЕКМНОРСТХУІЅЈαοριυνκτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aecopxyisjhdqwgmtkhbABEKMHOPCTXYISJaopiuvktABEZHIKMNOPTYX",
)
# Signs that look like those of a command, which NFKC leaves as they are.
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
    """A piece of the text for a sentence: short, on one line, without secrets, what can't be seen spelled out."""
    piece = redact(" ".join(text.split()))
    piece = piece if len(piece) <= _SHOWN else piece[: _SHOWN - 1] + "…"
    return "".join(_spelled(char) if is_unseen(char) or not char.isprintable() else char for char in piece)


@cache
def is_unseen(char: str) -> bool:
    """Whether the eye can't see the character."""
    if char in "\n\t" or " " <= char <= "~":
        return False
    return unicodedata.category(char) in _UNSEEN or bool(_BLANK.match(char))


def unseen(content: str) -> Iterator[str]:
    """A sentence for each invisible character that shapes neither an emoji nor a script's letters."""
    if content.isascii() and content.isprintable():
        return
    found = [
        char
        for at, char in enumerate(content)
        if is_unseen(char) and not _has_use(content[max(0, at - 2) : at], char, content[at + 1 : at + 2])
    ]
    for char in dict.fromkeys(found):
        name = unicodedata.name(char, "control character").lower()
        yield f"it holds the invisible character {_spelled(char)} ({name})"


def plain(text: str) -> str:
    """The text without hidden characters, with look-alikes of ASCII signs as those signs."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    hidden = {char: None for char in set(text) if char != "\r" and is_unseen(char)}
    folded = unicodedata.normalize("NFKC", text.translate(str.maketrans(hidden)))
    signs = {char: sign for char in set(folded) if (sign := _sign(char))}
    return folded.translate(str.maketrans(signs)).replace("\r\n", "\n").replace("\r", "\n")


def _sign(char: str) -> str:
    """The ASCII sign or digit that the character is read as; empty for any other."""
    if char.isascii():
        return ""
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    return "-" if unicodedata.category(char) == "Pd" else _SIGNS.get(char, "")


def unmasked(text: str) -> str:
    """The text with words of Latin and look-alike letters as the Latin words they are read as."""
    if text.isascii():
        return text
    return _WORD.sub(lambda word: _unmasked(word[0]), text)


def _unmasked(word: str) -> str:
    return word.translate(_LOOK_ALIKES) if not word.isascii() and _LATIN.search(word) else word


def _spelled(char: str) -> str:
    return f"\\u{{{ord(char):04X}}}"


def _has_use(before: str, char: str, after: str) -> bool:
    """Whether the character shapes an emoji (❤️, 👩‍💻, 1️⃣), a Persian word or an Indic letter."""
    if char in _EMOJI_STYLE:
        return _is_emoji(before[-1:]) or (before[-1:] in {*"0123456789#*"} and after == _KEYCAP)
    if char in {_JOINER, _NON_JOINER} and before and unicodedata.combining(before[-1]) == _VIRAMA:
        return True
    if char == _NON_JOINER:
        return _is_arabic(before[-1:]) and _is_arabic(after)
    return char == _JOINER and _is_emoji(before.rstrip("\ufe0f")[-1:]) and _is_emoji(after)


def _is_arabic(char: str) -> bool:
    return bool(char) and "\u0600" <= char <= "\u06ff"


def _is_emoji(char: str) -> bool:
    return bool(char) and ord(char) >= _EMOJI_FROM and unicodedata.category(char) in _EMOJI and not _BLANK.match(char)
