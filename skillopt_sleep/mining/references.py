"""Check the reference that a model wrote for a task against what the person said and did, whatever its kind."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, assert_never

from skillopt_sleep.errors import ItemError
from skillopt_sleep.mining.alike import pieces
from skillopt_sleep.mining.patterns import Pattern, read_pattern
from skillopt_sleep.mining.person import Person
from skillopt_sleep.mining.wishes import last_wish
from skillopt_sleep.records import SHAPE_OPS, Check, Checks, Exact, Op, Reference, Rubric

MOST_CHECKS = 8
ARG_CHARS = 200
RUBRIC_CHARS = 600
ANSWER_CHARS = 500
LEAST_CHARS, MOST_CHARS = 40, 20_000

_IN_QUOTES = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|«([^»\n]+)»|„([^“”\n]+)[“”]|“([^”\n]+)”|「([^」\n]+)」")
# Ordinary text: a pattern without words that finds something here finds it anywhere.
_ORDINARY = (
    "Done. I changed 3 files in src/app.py and ran 12 tests; all of them pass (see README.md).\n"
    "- First, install it: `npm ci`\n* Second, call main() at 10:45 on 2025-01-31.\n1. TODO: check the API, v2.0.1!\n"
    '# Notes\n```json\n{"name": "shop", "price": 19.99}\n```\n\nIs that what you want? Yes/no -- it\'s 100 %.\n'
)


class Said(NamedTuple):
    """A person's words and actions about one request; the last correction holds."""

    request: str
    corrections: tuple[str, ...]
    ran: str = ""
    rejected: frozenset[str] = frozenset()


def proved_reference(checks: Sequence[Check], rubric: str, answer: str, said: Said) -> Reference:
    """Return what a model wants of an answer; raise ItemError unless all of it is the person's wish."""
    proof = _Proof(said)
    if any(check.op not in SHAPE_OPS for check in checks):
        if len(checks) > MOST_CHECKS:
            raise ItemError(f"it has more than {MOST_CHECKS} checks")
        for check in checks:
            proof.check(check)
        return Checks(items=tuple(checks))
    if rubric.strip():
        proof.rubric(rubric.strip())
        return Rubric(text=rubric.strip())
    if answer.strip():
        proof.answer(answer.strip())
        return Exact(answer=answer.strip())
    raise ItemError("it scores only the shape of an answer")


class _Proof:
    """Raises ItemError for anything that the person neither said nor did."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._person = Person(said.request, said.corrections)
        self._corrections = Person("", said.corrections)

    def check(self, check: Check) -> None:  # noqa: C901, PLR0912 - one arm for each op
        """Raise ItemError unless the person asked for what this check wants."""
        if len(check.arg) > ARG_CHARS or len(check.section) > ARG_CHARS:
            raise ItemError(f"its {check.op} is longer than {ARG_CHARS} characters")
        match check.op:
            case Op.CONTAINS:
                self._wanted(check.arg)
            case Op.NOT_CONTAINS:
                self._unwanted(check.arg)
            case Op.SECTION_CONTAINS:
                self._wanted(check.arg)
                self._wanted(check.section)
            case Op.REGEX:
                self._pattern(check.arg)
            case Op.TOOL_CALLED:
                self._tool(check.arg)
            case Op.COMMAND_RUN | Op.FILE_CHANGED:
                self._wanted(check.arg)
            case Op.COMMAND_NOT_RUN | Op.FILE_UNTOUCHED:
                self._unwanted(check.arg)
            case Op.MAX_CHARS | Op.MIN_CHARS:
                self._length(check)
            case Op.JSON_VALID:
                self._wanted("json")
            case Op.NO_REFUSAL:
                if not self._corrections.speaks_of("refusal"):
                    raise ItemError("the person said nothing about a refusal")
            case _:
                assert_never(check.op)

    def rubric(self, text: str) -> None:
        """Raise ItemError unless the person asked for what the rubric demands."""
        if len(text) > RUBRIC_CHARS:
            raise ItemError(f"its rubric is longer than {RUBRIC_CHARS} characters")
        if not self._person.weigh(text).said:
            raise ItemError("its rubric has none of the person's words")
        unsaid = self._person.unsaid(text)
        if unsaid:
            raise ItemError(f"its rubric has words that the person never said: {', '.join(unsaid)}")
        opposed = self._person.reversed_by(text)
        if opposed:
            raise ItemError(f"its rubric reverses what the person wants: {', '.join(opposed)}")

    def answer(self, text: str) -> None:
        """Raise ItemError unless the person wrote this exact answer."""
        if len(text) > ANSWER_CHARS:
            raise ItemError(f"its answer is longer than {ANSWER_CHARS} characters")
        self._wanted(text)

    def _wanted(self, term: str) -> None:
        self._written(term, self._person)
        if self._person.wants(term) < 0:
            raise ItemError(f"it wants {term!r}, which the person doesn't")

    def _unwanted(self, term: str) -> None:
        if self._person.wants(term) < 0:
            self._written(term, self._person)
            return
        self._written(term, self._corrections)
        if self._person.wants(term) > 0:
            raise ItemError(f"it rules out {term!r}, which the person wants")

    def _written(self, term: str, person: Person) -> None:
        if not person.wrote(term):
            raise ItemError(f"the person never wrote {term!r}")
        if term.casefold() in _quoted(person.text):
            return
        if all(piece.neutral for piece in pieces(term)):
            raise ItemError(f"{term!r} doesn't say what is wanted")

    def _pattern(self, source: str) -> None:
        pattern = read_pattern(source)
        variants = list(pattern.words())
        for word in dict.fromkeys(chain.from_iterable(variants)):
            self._wanted(word)
        if all(variants):
            return
        match = self._first_match(pattern)
        if any(variants) or not any(map(str.isalnum, match)) or pattern.found_in(_ORDINARY) is not None:
            raise ItemError("its pattern matches what any answer may hold")
        if self._person.wants(match) < 0:
            raise ItemError("its pattern matches what the person doesn't want")

    def _first_match(self, pattern: Pattern) -> str:
        """Return the first that a pattern finds in the corrections or their words, or ""."""
        for correction in self._said.corrections:
            for text in (correction, *correction.split()):
                match = pattern.found_in(text)
                if match:
                    return match
        return ""

    def _tool(self, name: str) -> None:
        was_rejected = name.casefold() in map(str.casefold, self._said.rejected)
        if was_rejected and self._person.wants(name) < 1:
            raise ItemError(f"the person rejected {name!r}")
        if not name or not Person("", [self._said.ran]).wrote(name):
            self._wanted(name)
        elif self._person.wants(name) < 0:
            raise ItemError(f"it calls {name!r}, which the person doesn't want")

    def _length(self, check: Check) -> None:
        number = _number(check)
        is_limit = check.op is Op.MAX_CHARS
        limit = last_wish(self._said.corrections).at_most
        if limit:
            if not is_limit or number != limit:
                raise ItemError(f"the person named another length than {number}")
            return
        if self._corrections.wrote(check.arg) and self._corrections.speaks_of("characters"):
            if self._corrections.speaks_of("atleast" if is_limit else "atmost"):
                raise ItemError(f"its {check.op} reverses what the person said about the length")
            return
        is_sensible = LEAST_CHARS <= number <= MOST_CHARS
        if not is_sensible or not self._asks_for_length(-1 if is_limit else 1):
            raise ItemError(f"the person asked for no length that {check.op} {number} could mean")

    def _asks_for_length(self, sign: int) -> bool:
        """Tell whether the corrections want a longer answer (1) or a shorter one (-1), and not also the opposite."""
        signs = {self._corrections.sign_of("~length"), self._corrections.sign_of("~lines")}
        return sign in signs and -sign not in signs


def _number(check: Check) -> int:
    """Return the length that a check names; raise ItemError if it isn't a plain number, or too long a one."""
    is_plain = check.arg.isascii() and check.arg.isdecimal()
    if not is_plain or len(check.arg) > len(str(MOST_CHARS)):
        raise ItemError(f"its {check.op} isn't a number up to {MOST_CHARS}")
    return int(check.arg)


def _quoted(text: str) -> set[str]:
    """Return what stands in quotes, without regard to case."""
    quoted = chain.from_iterable(_IN_QUOTES.findall(text))
    return set(map(str.casefold, quoted))
