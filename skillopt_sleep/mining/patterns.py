"""Read regular expressions that a model wrote: what they find, and whether they can be trusted.

Accepted are letters, classes, groups, choices and repeats. Lookaheads, lookbehinds and nested repeats are refused:
nobody could say what they find, or how long they take.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, product
from typing import NamedTuple

import regex

from skillopt_sleep.errors import ItemError

LONGEST = 200
MOST_VARIANTS = 200
MOST_COPIES = 20
MOST_ENDLESS = 3  # each further one multiplies the time that a search may take
LONGEST_VARIANT = 1_000
LARGEST = 10_000  # characters and classes with each repeat written out; what compiles to more takes much memory
SECONDS = 0.05
PUMPED = 2_000

OPEN = "\0"  # in a variant: the character after it stands for a class

_FLAGS = re.compile(r"\(\?[ims]{1,3}\)")
_REPEAT = re.compile(r"[*+?]|\{(\d{1,2})(,?)(\d{0,2})\}")
_CLASS = re.compile(r"\[(\^?)((?:\\.|[^\]\\])(?:\\.|[^\]\\])*)\]")
_MEMBERS = re.compile(r"\\.|.-.|.", re.DOTALL)
_ANCHORS = frozenset({"^", "$", r"\b", r"\A", r"\Z"})
_KINDS = frozenset({r"\d", r"\w", r"\s", r"\D", r"\W", r"\S"})
_SAMPLES = "aA1 -:_/.é中\n"
_FEW = 4
_WORD = re.compile(r"\w+")
_OPEN = re.compile(f"{OPEN}.", re.DOTALL)


class Part(NamedTuple):
    """A piece of a pattern: the texts it may match, whether they can have any length, and its size written out."""

    variants: tuple[str, ...]
    endless: bool = False
    size: int = 1


class Pattern(NamedTuple):
    """A pattern as a list of its variants, each with a sample character for every class."""

    source: str
    variants: tuple[str, ...]

    def words(self) -> Iterator[tuple[str, ...]]:
        """Yield the words that each variant spells out."""
        for variant in self.variants:
            yield tuple(_WORD.findall(_OPEN.sub(" ", variant)))

    def found_in(self, text: str) -> str | None:
        """Return what the pattern finds in a text; raise ItemError if the search takes too long."""
        try:
            match = regex.search(self.source, text, flags=regex.MULTILINE, timeout=SECONDS)
        except TimeoutError as error:
            raise ItemError("the pattern takes too long") from error
        return match[0] if match else None


def read_pattern(source: str) -> Pattern:
    """Return the pattern; raise ItemError if it can't be read, finds nothing, or takes too long."""
    if not 0 < len(source) <= LONGEST:
        raise ItemError(f"a pattern has 1 to {LONGEST} characters, not {len(source)}")
    flags = _FLAGS.match(source)
    reader = _Reader(source[flags.end() :] if flags else source)
    pattern = Pattern(source, reader.choice().variants)
    if reader.rest:
        raise ItemError("the pattern has one bracket too many")
    try:
        # Only now: compiling what repeats within repeats can take all memory there is.
        regex.compile(source, flags=regex.MULTILINE)
    except regex.error as error:
        raise ItemError(f"the pattern is not a regular expression: {error}") from error
    if all(pattern.found_in(_spelled(variant)) is None for variant in pattern.variants):
        raise ItemError("the pattern finds nothing")
    for text in _pumped(pattern):
        pattern.found_in(text)
    return pattern


def _spelled(variant: str) -> str:
    return variant.replace(OPEN, "")


def _pumped(pattern: Pattern) -> Iterator[str]:
    """Yield texts that the pattern would be slow on, if it is slow on any."""
    longest = _spelled(max(pattern.variants, key=len))
    for unit in dict.fromkeys(("a", " ", "1", "\n", "a ", "-", longest or "a")):
        pumped = unit * (PUMPED // len(unit))
        yield f"{pumped}\1"
        yield f"{longest}{pumped}\1"


class _Reader:
    """Reads a pattern from left to right; `rest` is what wasn't read yet."""

    def __init__(self, source: str) -> None:
        self.rest = source
        self._endless = 0

    def choice(self) -> Part:
        """Read the alternatives between bars."""
        parts = [self._row()]
        while self._skip("|"):
            parts.append(self._row())
        variants = chain.from_iterable(part.variants for part in parts)
        return Part(_limited(variants), any(part.endless for part in parts), sum(part.size for part in parts))

    def _row(self) -> Part:
        parts: list[Part] = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self._repeated())
        combinations = product(*(part.variants for part in parts))
        is_endless = any(part.endless for part in parts)
        return Part(_limited(map("".join, combinations)), is_endless, sum(part.size for part in parts))

    def _repeated(self) -> Part:
        part = self._atom()
        match = _REPEAT.match(self.rest)
        if not match:
            return part
        self.rest = self.rest[match.end() :].removeprefix("?")
        if _REPEAT.match(self.rest) or self.rest.startswith("+"):
            raise ItemError("the pattern repeats in a way that isn't accepted")
        least, most = _times(match)
        is_open = most is None or most > least + 1
        _refuse_nested_repeat(part, most, is_open=is_open)
        if is_open:
            self._endless += 1
        if self._endless > MOST_ENDLESS:
            raise ItemError(f"the pattern has more than {MOST_ENDLESS} parts of any length, and may take too long")
        if least > MOST_COPIES:
            raise ItemError(f"the pattern repeats more than {MOST_COPIES} times")
        size = part.size * max(most or least, 1)
        if size > LARGEST:
            raise ItemError(f"the pattern spells out to more than {LARGEST} characters")
        counts = (0,) if most == 0 else (least, max(least, 1))
        return Part(_limited(_copies(part.variants, counts)), part.endless or is_open, size)

    def _atom(self) -> Part:
        if self._skip("("):
            return self._group()
        is_escaped = self.rest[0] == "\\"
        size = 2 if is_escaped else 1
        atom = self.rest[:size]
        self.rest = self.rest[size:]
        if atom in _ANCHORS:
            return Part(("",))
        if atom == "[":
            return self._class()
        if atom == ".":
            return _any_of(".")
        return _escaped(atom) if is_escaped else Part((atom,))

    def _group(self) -> Part:
        if self.rest.startswith("?") and not self._skip("?:"):
            raise ItemError("the pattern looks ahead or back")
        part = self.choice()
        if not self._skip(")"):
            raise ItemError("the pattern lacks a bracket")
        return part

    def _class(self) -> Part:
        match = _CLASS.match("[" + self.rest)
        if not match:
            raise ItemError("the pattern has a class that isn't accepted")
        self.rest = self.rest[match.end() - 1 :]
        members: list[str] = _MEMBERS.findall(match[2])
        is_negated = bool(match[1])
        if not is_negated and len(members) <= _FEW and all(map(_is_single, members)):
            return Part(tuple(member[-1] for member in members))
        return _any_of(match[0])

    def _skip(self, text: str) -> bool:
        """Read this text if it comes next, and tell whether it did."""
        if not self.rest.startswith(text):
            return False
        self.rest = self.rest.removeprefix(text)
        return True


def _is_single(member: str) -> bool:
    """Tell whether the member of a class is a single character, maybe escaped."""
    return len(member) == 1 or (member[0] == "\\" and not member[1].isalnum())


def _any_of(kind: str) -> Part:
    """Return a class of characters, by a sample of it."""
    for sample in _SAMPLES:
        if regex.fullmatch(kind, sample):
            return Part((OPEN + sample,))
    raise ItemError(f"the pattern has {kind}, which isn't accepted")


def _escaped(atom: str) -> Part:
    if atom in _KINDS:
        return _any_of(atom)
    if atom == r"\n":
        return Part(("\n",))
    if atom == r"\t":
        return Part(("\t",))
    if len(atom) == 1 or atom[1:].isalnum():
        raise ItemError(f"the pattern has {atom}, which isn't accepted")
    return Part((atom[1],))


def _refuse_nested_repeat(part: Part, most: int | None, *, is_open: bool) -> None:
    """Raise ItemError if a part that repeats, or has forms of several lengths, is repeated."""
    is_forked = len(part.variants) > 1 and any(len(_spelled(variant)) != 1 for variant in part.variants)
    if (part.endless and most != 1) or (is_forked and is_open):
        raise ItemError("the pattern repeats what repeats")


def _copies(variants: Sequence[str], counts: Sequence[int]) -> Iterator[str]:
    """Yield each variant as often as each of the counts says; each count is used once."""
    for count in dict.fromkeys(counts):
        for variant in variants:
            yield variant * count


def _times(match: re.Match[str]) -> tuple[int, int | None]:
    """Return how often a part repeats, at least and at most; None if without end."""
    simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if match[0] in simple:
        return simple[match[0]]
    least = int(match[1])
    if not match[2]:
        return least, least
    if not match[3]:
        return least, None
    return least, int(match[3])


def _limited(variants: Iterator[str]) -> tuple[str, ...]:
    """Return the variants, each once; raise ItemError if they are too many or too long."""
    found: dict[str, None] = {}
    for variant in islice(variants, MOST_VARIANTS + 1):
        if len(variant) > LONGEST_VARIANT:
            raise ItemError(f"the pattern finds only what is longer than {LONGEST_VARIANT} characters")
        found[variant] = None
    if len(found) > MOST_VARIANTS:
        raise ItemError("the pattern has too many forms")
    return tuple(found)
