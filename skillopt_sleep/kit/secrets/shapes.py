"""Judge the shape of a value: made of words like a name, a path, or random characters."""

import itertools
import re

DIGIT = re.compile(r"[0-9]")
LETTER = re.compile(r"[^\W\d_]")
SIGN = re.compile(r"[!@#$%^&*?~+=§]")

# Words, short numbers and names made of them: my-app-v2, user1.password, SHA256, us-east-1, 2024-11-15T10:00:00Z.
WORDS = re.compile(
    r"(?:[A-Za-z]{2,24}\d{0,4}|[A-Za-z]?\d{1,12}[A-Za-z]{0,2}|[A-Za-z])?"
    r"(?:[-_./:@]+(?:[A-Za-z]{2,24}\d{0,4}|[A-Za-z]?\d{1,12}[A-Za-z]{0,2}|\d\dT\d\d|[A-Za-z])?)*+"
)
# The same with capitals only where words have them: word, Word, wordWord, WORD.
_WORD = r"(?:[a-z]{1,24}(?:[A-Z][a-z]{1,24})*|[A-Z]{1,24}|(?:[A-Z][a-z]{1,24})+)"
CASED_WORDS = re.compile(
    rf"(?:{_WORD}\d{{0,4}}|[A-Za-z]?\d{{1,12}}[A-Za-z]{{0,2}})?"
    rf"(?:[-_./:@]+(?:{_WORD}\d{{0,4}}|[A-Za-z]?\d{{1,12}}[A-Za-z]{{0,2}}|\d\dT\d\d)?)*"
)

_PATH = re.compile(r"(?:~|\.{0,2})/.*|[A-Za-z]:[\\/].*|[\w.-]+/[\w./-]+\.\w{1,5}")
_BASE64_WITH_SLASH = re.compile(r"/[A-Za-z0-9+/]{27,}={0,2}")
_JOINTS = re.compile(r"[./]")
_OPERATOR = re.compile(r"&&|[|]{2}|==|[=-]>|[!<>]=|\)\.")
_JOINT = re.compile(r"[-_.]")

_LONG = 16  # a random value has at least as many characters
_SHUFFLED = 22  # and one of letters only, or full of signs, as many
_LONGEST = 128
_DIFFERENT_SIGNS = 4


def count_turns(value: str) -> int:
    """Count the changes between letters, digits and signs, and between small letters and capitals within a word."""
    kinds = [_kind_of(char) for char in value]
    return sum(a != b and (a, b) != ("A", "a") for a, b in itertools.pairwise(kinds))


def _kind_of(char: str) -> str:
    if char.isdigit():
        return "0"
    if not char.isalpha():
        return "-" if char in "-_./" else "!"
    return "A" if char.isupper() else "a"


def is_random(value: str) -> bool:
    """Tell whether the value is long and changes between kinds of characters as often as no name does."""
    return len(value) >= _LONG and count_turns(value) * 6 >= len(value) and not WORDS.fullmatch(value)


def is_made_of_words(value: str) -> bool:
    """Tell whether the value is made of words and numbers as names are."""
    joints = sum(not char.isalnum() for char in value)
    return bool(CASED_WORDS.fullmatch(value)) and count_turns(value) <= 3 * joints + 2


def is_joined_by_chance(value: str) -> bool:
    """Tell whether the points and slashes of the value seem to be chance rather than joints between names."""
    if not value[:1].isalnum() or CASED_WORDS.fullmatch(value):
        return False
    return count_turns(value) > 2 * len(_JOINTS.findall(value)) + 2 and bool(DIGIT.search(value))


def is_path(value: str) -> bool:
    """Tell whether the value is a path, and not base64 that begins with a slash."""
    if not _PATH.fullmatch(value):
        return False
    return not (_BASE64_WITH_SLASH.fullmatch(value) and _has_random_parts(value))


def _has_random_parts(path: str) -> bool:
    """Tell whether the parts between the slashes look random rather than like names."""
    turns = sum(map(count_turns, path.split("/")))
    letters = path.replace("/", "")
    return turns * 5 >= len(letters) and any(map(str.isupper, letters)) and any(map(str.islower, letters))


def is_full_of_signs(value: str) -> bool:
    """Tell whether the value has more signs, and closer together, than code has."""
    return (
        _SHUFFLED <= len(value) < _LONGEST
        and len(set(SIGN.findall(value))) >= _DIFFERENT_SIGNS
        and bool(DIGIT.search(value) and LETTER.search(value))
        and count_turns(value) * 3 >= len(value)
        and not _OPERATOR.search(value)
    )


def is_shuffled(value: str) -> bool:
    """Tell whether the value is only letters, but long and not spelled as words are, or padded as base64 is.

    A prefix may stand before the letters.
    """
    text, padded = value.rstrip("="), value.endswith("=")
    text = max(_JOINT.split(text), key=len)
    if len(text) < _SHUFFLED or not text.isalpha():
        return False
    capitals_within = sum(a.islower() and b.isupper() for a, b in itertools.pairwise(text))
    return padded or capitals_within * 5 >= len(text) or text.islower()
