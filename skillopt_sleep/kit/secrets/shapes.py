"""The shapes of values: where one ends, and whether it is made of words like a name, a path, or random characters."""

import itertools
import re
from typing import NamedTuple

from skillopt_sleep.kit.secrets import Span

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


def merged(spans: list[Span]) -> list[Span]:
    """Return the spans in the order of the text, with those that overlap made one.

    Of several kinds that overlap, the one that was found first names the merged span: earlier rules know more.
    """
    result: list[Span] = []
    best_rank = 0
    for start, rank, end, kind in sorted((start, rank, end, kind) for rank, (start, end, kind) in enumerate(spans)):
        if not result or start >= result[-1][1]:
            result.append((start, end, kind))
            best_rank = rank
            continue
        first, last, known_kind = result[-1]
        if rank < best_rank:
            best_rank, known_kind = rank, kind
        result[-1] = (first, max(last, end), known_kind)
    return result


CHAIN = re.compile(r"[A-Za-z0-9_.~%+/=:-]*+")  # the characters of tokens, also with escapes and in addresses

_OPENING_QUOTE = re.compile(r"""[rbfuRBFU]{0,2}(\"{3}|'{3}|\\{0,3}["'`]|[“‘«„])""")
_CLOSING_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“”"}
# By its quote, the inside of a string on one line, with backslashes that escape what follows them.
_INSIDE = {quote: re.compile(rf"[^{end}\\\n]*+(?:\\.[^{end}\\\n]*+)*+") for quote, end in _CLOSING_QUOTES.items()}
# A value without quotes: up to a blank, a quote or a bracket; in a shell's NAME=value brackets belong to it. A
# backslash belongs to it unless it begins an escape that a string ends with.
_BARE = re.compile(r"""[^\s"'`,;<>()\[\]{}|&\\]*+(?:\\(?![nrt"'`\\])[^\s"'`,;<>()\[\]{}|&\\]*+)*+""")
_BARE_IN_SHELL = re.compile(r"""[^\s"'`\\]*+(?:\\(?![nrt"'`\\])[^\s"'`\\]*+)*+""")
_CUTTING = frozenset("()[]{}&;,")
# What separates a name from its value: `=` and the like, and forms of YAML, XML, tables and calls.
SEPARATOR = re.compile(
    r"""(?:\\{0,3}["'`]\]?)?[ \t\xa0]{0,8}(?:
      :[ \t]{0,4}(?:&(?:'\w{1,16}[ ])?)?[A-Za-z_][\w.\[\]|,\ ]{0,40}=[ \t]{0,4}(?=[rbfu]?["'`])  # name: type = "…"
    | (?::|[ \t]=)[ \t]{0,4}\r?\n\s{0,40}(?=[\w+/.=~%:-]{16,1024}[ \t]*(?:[\r\n]|\Z))  # alone in the next line
    | [ ]{0,2}=[ \t]{0,4}\(\s{0,40}(?=[rbfu]?["'])                        # name = ( "…" "…" )
    | [ ]\[[^\]\n]{0,40}\]:[ ]                                           # name [what it is now]: value
    | </\w{1,16}>\s{0,40}<\w{1,16}>                                      # <key>name</key> <string>value
    | [ \t]{0,40}\|[ \t]{1,40}(?=[^|\n]{4,1200}\|)                       # | name | value |
    | (?:string|str)?[ \t]{0,4}(?:=>|:{1,3}=|\?{1,2}=|[|]{2}=|[.+]=|={1,3}|[:：＝]) # = and its kin, YAML blocks
      (?:[ \t]*[|>][+-]?[ \t]*\n)?[ \t\xa0]{0,8}
    | is:?[ ]                                                            # name is value
    | >\s{0,40}                                                         # <name>value
    | (?<=["'`])(?:
        ,?\s{0,16}\\{0,3}["']?value\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4}  # "name": "<name>", "value": "…"
      | ,[ \t]{0,4}(?=\\{0,3}["'`]|[rbf]["'])                           # set("name", "value")
      | [ \t]{1,4}\{[^{}]{0,200}?default[ \t]{0,16}=[ \t]{0,4}(?=")      # variable "name" { default = "value" }
      ))""",
    re.VERBOSE,
)


class Extent(NamedTuple):
    """A value of which only the beginning is known; `quote` is "" for one without quotes."""

    text: str
    start: int
    quote: str
    in_shell: bool

    def end(self, limit: int) -> int:
        """Return where the value ends, if it may not go on past `limit`."""
        if not self.quote:
            if self.in_shell:
                return end_of(_BARE_IN_SHELL, self.text, self.start, limit)
            return _end_of_bare(self.text, self.start, limit)
        inside = _INSIDE.get(self.quote)
        if inside:
            return end_of(inside, self.text, self.start, limit)
        closing = self.text.find(self.quote, self.start, limit)
        if closing >= 0:
            return closing
        return end_of(_BARE_IN_SHELL, self.text, self.start, limit)


def extent_at(text: str, at: int, *, in_shell: bool) -> Extent:
    """Return the value that begins at `at`, behind its quote if it has one."""
    opening = _OPENING_QUOTE.match(text, at)
    if opening:
        return Extent(text, opening.end(), opening[1], in_shell)
    return Extent(text, at, "", in_shell)


def end_of(pattern: re.Pattern[str], text: str, start: int, limit: int) -> int:
    """Return where the pattern's match at `start` ends, or `start` if it doesn't match."""
    match = pattern.match(text, start, limit)
    return match.end() if match else start


def _end_of_bare(text: str, start: int, limit: int) -> int:
    """Return the end of a value without quotes, before a mark that ends a sentence; `start` for a call or index."""
    end = end_of(_BARE, text, start, limit)
    next_character = text[end : end + 1]
    if next_character in _CUTTING:
        # A password full of signs goes on through brackets, up to the next blank.
        whole = end_of(_BARE_IN_SHELL, text, start, limit)
        ends_there = text[whole : whole + 1] in {"", "\n", "\r", " ", "<"}
        if whole > end and ends_there and is_full_of_signs(text[start:whole]):
            return whole
    if next_character in {"(", "[", "{"}:
        return start
    return start + len(text[start:end].rstrip(".:!?"))
