"""Regular expressions that a model wrote: what they look for, and which are taken.

Taken are those that can be read here: letters, classes, groups, choices, repeats. What looks ahead or back, or
repeats what repeats, is not: nobody could say what it finds, or how long it takes.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

import regex

from skillopt_sleep.errors import ItemError

LONGEST = 200
MOST_VARIANTS = 200
MOST_COPIES = 20
MOST_ENDLESS = 3  # each one more multiplies how long a search may take
LONGEST_VARIANT = 1_000
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
    """A piece of a pattern: the texts it may stand for, and whether they may be of any length."""

    variants: tuple[str, ...]
    endless: bool = False


class Pattern(NamedTuple):
    """What a pattern looks for: its variants, each with a sample where any character of a class may stand."""

    source: str
    variants: tuple[str, ...]

    def words(self) -> Iterator[tuple[str, ...]]:
        """The words that each variant spells out."""
        return (tuple(_WORD.findall(_OPEN.sub(" ", variant))) for variant in self.variants)

    def found_in(self, text: str) -> str | None:
        """What it finds in a text; ItemError where it takes too long."""
        try:
            match = regex.search(self.source, text, flags=regex.MULTILINE, timeout=SECONDS)
        except TimeoutError as error:
            raise ItemError("the pattern takes too long") from error
        return match[0] if match else None


def read_pattern(source: str) -> Pattern:
    """The pattern; ItemError where it can't be read, finds nothing, or takes too long."""
    if not 0 < len(source) <= LONGEST:
        raise ItemError(f"a pattern has 1 to {LONGEST} characters, not {len(source)}")
    flags = _FLAGS.match(source)
    reader = _Reader(source[flags.end() :] if flags else source)
    pattern = Pattern(source, reader.choice().variants)
    if reader.rest:
        raise ItemError("the pattern has a bracket too many")
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
    """Texts that a pattern would be slow on, if it is on any."""
    longest = _spelled(max(pattern.variants, key=len))
    for unit in dict.fromkeys(("a", " ", "1", "\n", "a ", "-", longest or "a")):
        yield unit * (PUMPED // len(unit)) + "\1"
        yield longest + unit * (PUMPED // len(unit)) + "\1"


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, source: str) -> None:
        self.rest = source
        self._endless = 0

    def choice(self) -> Part:
        """Parts between bars."""
        parts = [self._row()]
        while self._takes("|"):
            parts.append(self._row())
        return Part(_some(variant for part in parts for variant in part.variants), any(one.endless for one in parts))

    def _row(self) -> Part:
        parts: list[Part] = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self._repeated())
        joined = ("".join(some) for some in product(*(part.variants for part in parts)))
        return Part(_some(joined), any(part.endless for part in parts))

    def _repeated(self) -> Part:
        part = self._atom()
        match = _REPEAT.match(self.rest)
        if not match:
            return part
        self.rest = self.rest[match.end() :].removeprefix("?")
        if _REPEAT.match(self.rest) or self.rest.startswith("+"):
            raise ItemError("the pattern repeats in a way that isn't taken")
        least, most = _times(match)
        many = most is None or most > least + 1
        forked = len(part.variants) > 1 and any(len(_spelled(variant)) != 1 for variant in part.variants)
        if (part.endless and most != 1) or (forked and many):
            raise ItemError("the pattern repeats what repeats")
        self._endless += many
        if self._endless > MOST_ENDLESS:
            raise ItemError(f"the pattern has more than {MOST_ENDLESS} parts of any length, and may take too long")
        if least > MOST_COPIES:
            raise ItemError(f"the pattern repeats more than {MOST_COPIES} times")
        copies = (0,) if most == 0 else (least, max(least, 1))
        variants = (variant * count for count in dict.fromkeys(copies) for variant in part.variants)
        return Part(_some(variants), part.endless or many)

    def _atom(self) -> Part:
        if self._takes("("):
            if self.rest.startswith("?") and not self._takes("?:"):
                raise ItemError("the pattern looks ahead or back")
            part = self.choice()
            if not self._takes(")"):
                raise ItemError("the pattern lacks a bracket")
            return part
        escaped = self.rest[0] == "\\"
        size = 1 + escaped
        atom, self.rest = self.rest[:size], self.rest[size:]
        if atom in _ANCHORS:
            return Part(("",))
        if atom == "[":
            return self._class()
        if atom == ".":
            return _any_of(".")
        return _escaped(atom) if escaped else Part((atom,))

    def _class(self) -> Part:
        match = _CLASS.match("[" + self.rest)
        if not match:
            raise ItemError("the pattern has a class that isn't taken")
        self.rest = self.rest[match.end() - 1 :]
        members: Sequence[str] = _MEMBERS.findall(match[2])
        single = [one[-1] for one in members if len(one) == 1 or (one[0] == "\\" and not one[1].isalnum())]
        if not match[1] and len(single) == len(members) <= _FEW:
            return Part(tuple(single))
        return _any_of(match[0])

    def _takes(self, text: str) -> bool:
        taken = self.rest.startswith(text)
        self.rest = self.rest.removeprefix(text) if taken else self.rest
        return taken


def _any_of(kind: str) -> Part:
    """Any character of a class, by a sample of it."""
    sample = next((one for one in _SAMPLES if regex.fullmatch(kind, one)), "")
    if not sample:
        raise ItemError(f"the pattern has {kind}, which isn't taken")
    return Part((OPEN + sample,))


def _escaped(atom: str) -> Part:
    if atom in _KINDS:
        return _any_of(atom)
    if atom[1:] in {"n", "t"}:
        return Part(("\n" if atom[1] == "n" else "\t",))
    if atom[1:].isalnum() or len(atom) == 1:
        raise ItemError(f"the pattern has {atom}, which isn't taken")
    return Part((atom[1],))


def _times(match: re.Match[str]) -> tuple[int, int | None]:
    """How often at least and at most; None for no end."""
    simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if match[0] in simple:
        return simple[match[0]]
    least = int(match[1])
    if not match[2]:
        return least, least
    return least, int(match[3]) if match[3] else None


def _bounded(variant: str) -> str:
    if len(variant) > LONGEST_VARIANT:
        raise ItemError(f"the pattern finds only what is longer than {LONGEST_VARIANT} characters")
    return variant


def _some(variants: Iterator[str]) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(map(_bounded, islice(variants, MOST_VARIANTS + 1))))
    if len(found) > MOST_VARIANTS:
        raise ItemError("the pattern has too many forms")
    return found
