"""Passwords that look like names or like code, and that only the words before them tell apart from these.

`Kaffee_Napoli7` might be a variable, `harbor11064` a ticket and `pK9(hLrC` a call, so they are hidden only right
behind a label, and the more they look like something else, only if the words before announce a password.
"""

import itertools
import re

from skillopt_sleep.kit.secrets import values

_CAPITALIZED = r"[A-Z][a-z]{2,15}"
_JOINED = re.compile(
    rf"(?P<first>{_CAPITALIZED})(?P<sign>[-_.+&@#!*$%~^=])(?P<second>{_CAPITALIZED})?(?P<number>[0-9]{{0,6}})[!?#*$%&]?"
)
_NUMBERED = re.compile(r"[A-Za-z][a-z]{3,20}(?!(?:19|20)[0-9]{2}$)[0-9]{4,8}")
_GROUPS = re.compile(r"[a-z0-9]{4}(?:-[a-z0-9]{4}){2,5}")
_DIGIT = re.compile(r"[0-9]")
_LETTER = re.compile(r"[A-Za-z]")
_VOWEL = re.compile(r"[aeiouy]")
# A piece of a name: words with small or capital letters, an acronym at either end, and a number.
_PIECE_OF_NAME = re.compile(
    r"[A-Z]{0,6}[a-z]*(?:[A-Z][a-z]{1,24})*[A-Z]{0,4}[0-9]{0,4}|[A-Za-z]?[0-9]+[A-Za-z]{0,2}|[0-9]{1,2}[A-Z]?[a-z]{3,}"
    r"|(?:[A-Z][a-z]{2,24}[0-9]{0,3}){1,4}"
)
_PIECE = re.compile(r"[A-Za-z0-9]+")
_LETTERS_OF_BOTH_CASES_AND_DIGIT = re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=[^0-9]*[0-9])")
_SOMETHING_ELSE = re.compile(
    r"[\[{<$%(/.]|~/|[A-Za-z]:[\\/]|[A-Za-z][\w-]{2,}=|.*(?:\[redacted:|://|->|::|=>|&&|\|\||\(\)|\*{3}|…|\.\.\.)"
)
_PLACE = re.compile(r"[a-z]{2,}(?:\.[a-z]{2,})+\.\w+")  # where a value is found: `settings.form.password1Field`
_BRACKETS = ("()", "[]", "{}")
# What is pressed together, and what stands where a value is to be filled in.
_KEYS_AND_SLOTS = """
    ctrl control alt shift cmd command option opt win windows meta super strg umschalt enter tab esc escape maj
    your my the some example sample dummy fake placeholder change replace insert todo none null true false string
    required optional field user username email login type key value"""
_NO_NAMES = frozenset(_KEYS_AND_SLOTS.split())
_LONG_NUMBER = 4
_NUMBER = 3
_SHORTEST = 8
_SHORTEST_PIECE = 4


def is_password_shape(value: str, *, announced: bool) -> bool:
    """Tell whether a value right behind its label is a password; `announced` if words say that one is next."""
    value = values.with_plain_letters(value)
    if _is_joined(value, announced=announced) or _is_jumbled(value) or _is_grouped(value, announced=announced):
        return True
    return bool(_NUMBERED.fullmatch(value)) and not values.is_harmless(value)


def _is_joined(value: str, *, announced: bool) -> bool:
    """Tell whether a sign joins words, or a word and a number: `Kaffee+Katze`, `Kaffee.Katze12`, `Kaffee_123`."""
    parts = _JOINED.fullmatch(value)
    if not parts:
        return False
    if parts["first"].lower() in _NO_NAMES or (parts["second"] or "").lower() in _NO_NAMES:
        return False
    digits = len(parts["number"])
    is_sign_of_names = parts["sign"] in "-_."
    if not parts["second"]:
        few_digits = announced or not is_sign_of_names
        return digits >= (_NUMBER if few_digits else _LONG_NUMBER)
    if not is_sign_of_names:
        return True
    if digits:
        return announced or digits > 1
    return announced and parts["sign"] == "_"


def _is_grouped(value: str, *, announced: bool) -> bool:
    """Tell whether these are groups of four, of which one or two aren't words: `v1bv-y9ci-0jr1`."""
    if not _GROUPS.fullmatch(value) or value.replace("-", "").isdigit():
        return False
    odd_groups = 0
    for group in value.split("-"):
        if not group.isalpha() or not _VOWEL.search(group):
            odd_groups += 1
    return odd_groups > (0 if announced else 1)


def _is_jumbled(value: str) -> bool:
    """Tell whether letters, digits and signs stand in an order that neither names nor code have."""
    if len(value) < _SHORTEST or not value.isascii() or not _DIGIT.search(value):
        return False
    if _SOMETHING_ELSE.match(value) or _PLACE.fullmatch(value):
        return False
    if _LETTERS_OF_BOTH_CASES_AND_DIGIT.match(value) and _has_piece_of_no_name(value):
        return True
    if not _LETTER.search(value) or not _has_odd_bracket(value):
        return False
    turns = sum(_kind_of(a) != _kind_of(b) for a, b in itertools.pairwise(value))
    return turns * 5 >= len(value) * 3


def _has_piece_of_no_name(value: str) -> bool:
    pieces = _PIECE.findall(value)
    return any(len(piece) >= _SHORTEST_PIECE and not _PIECE_OF_NAME.fullmatch(piece) for piece in pieces)


def _has_odd_bracket(value: str) -> bool:
    return any(value.count(opening) != value.count(closing) for opening, closing in _BRACKETS)


def _kind_of(char: str) -> str:
    if char.isdigit():
        return "0"
    if not char.isalpha():
        return "!"
    return "A" if char.isupper() else "a"
