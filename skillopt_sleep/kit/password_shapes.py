"""Passwords that look like names or like code, and that only the words before them tell from these.

`Kaffee_Napoli7` might be a variable, `harbor11064` a ticket and `pK9(hLrC` a call, so they are hidden only right
behind a label, and the more they look like something else, only where it is said that a password comes next.
"""

import itertools
import re

from skillopt_sleep.kit import secret_values as values

_CAPITALIZED = r"[A-Z][a-z]{2,15}"
_JOINED = re.compile(
    rf"(?P<first>{_CAPITALIZED})(?P<sign>[-_.+&@#!*$%~^=])(?P<second>{_CAPITALIZED})?(?P<number>[0-9]{{0,6}})[!?#*$%&]?"
)
_NUMBERED = re.compile(r"[A-Za-z][a-z]{3,20}(?!(?:19|20)[0-9]{2}$)[0-9]{4,8}")
_GROUPS = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){2,5}")
_VOWEL = re.compile(r"[aeiouy]")
# A piece of a name: words with small or capital letters, an acronym at either end, and a number.
_NAMED = re.compile(
    r"[A-Z]{0,6}[a-z]*(?:[A-Z][a-z]{1,24})*[A-Z]{0,4}[0-9]{0,4}|[A-Za-z]?[0-9]+[A-Za-z]{0,2}|[0-9]{1,2}[A-Z]?[a-z]{3,}"
    r"|(?:[A-Z][a-z]{2,24}[0-9]{0,3}){1,4}"
)
_PIECE = re.compile(r"[A-Za-z0-9]+")
_CASES = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])")
_NO_PASSWORD = re.compile(
    r"[\[{<$%(/.]|~/|[A-Za-z]:[\\/]|[A-Za-z][\w-]{2,}=|.*(?:\[redacted:|://|->|::|=>|&&|\|\||\(\)|\*{3}|…|\.\.\.)"
)
_PLACE = re.compile(r"[a-z]{2,}(?:\.[a-z]{2,})+\.\w+")  # where a value is found: `settings.form.password1Field`
_BRACKETS = ("()", "[]", "{}")
# What is pressed together, and what stands where a value is to be filled in.
_KEYS_AND_SLOTS = """
    ctrl control alt shift cmd command option opt win windows meta super strg umschalt enter tab esc escape maj
    your my the some example sample dummy fake placeholder change replace insert todo none null true false string
    required optional field user username email login type key value"""
_NO_WORDS = frozenset(_KEYS_AND_SLOTS.split())
_LONG_NUMBER = 4
_NUMBER = 3
_SHORTEST = 8
_PIECE_LENGTH = 4


def made(value: str, *, said: bool) -> bool:
    """Whether this is a password right behind its label; `said` is where somebody says that it comes next."""
    value = values.spelled(value)
    return (
        _joined(value, said=said)
        or _jumbled(value)
        or _grouped(value, said=said)
        or bool(_NUMBERED.fullmatch(value) and not values.harmless(value))
    )


def _joined(value: str, *, said: bool) -> bool:
    """Words, or a word and a number, with a sign between: `Kaffee+Katze`, `Kaffee.Katze12`, `Kaffee_123`."""
    parts = _JOINED.fullmatch(value)
    if not parts or parts["first"].lower() in _NO_WORDS or (parts["second"] or "").lower() in _NO_WORDS:
        return False
    number, in_names = len(parts["number"]), parts["sign"] in "-_."
    if not parts["second"]:
        return number >= (_NUMBER if said or not in_names else _LONG_NUMBER)
    if number:
        return said or not in_names or number > 1
    return not in_names or (said and parts["sign"] == "_")


def _grouped(value: str, *, said: bool) -> bool:
    """`v1bv-y9ci-0jr1`: groups of four, of which at least one is no word."""
    if not _GROUPS.fullmatch(value) or value.replace("-", "").isdigit():
        return False
    odd = sum(not group.isalpha() or not _VOWEL.search(group) for group in value.split("-"))
    return odd > (0 if said else 1)


def _jumbled(value: str) -> bool:
    """Letters, digits and signs in an order that neither names nor code have."""
    if len(value) < _SHORTEST or not value.isascii() or _NO_PASSWORD.match(value) or not any(map(str.isdigit, value)):
        return False
    if _PLACE.fullmatch(value):
        return False
    pieces = _PIECE.findall(value)
    if _CASES.match(value) and any(len(piece) >= _PIECE_LENGTH and not _NAMED.fullmatch(piece) for piece in pieces):
        return True
    if all(value.count(first) == value.count(last) for first, last in _BRACKETS) or not any(map(str.isalpha, value)):
        return False
    turns = sum(_kind(a) != _kind(b) for a, b in itertools.pairwise(value))
    return turns * 5 >= len(value) * 3


def _kind(char: str) -> str:
    if char.isdigit():
        return "0"
    if not char.isalpha():
        return "!"
    return "A" if char.isupper() else "a"
