"""The reference that a model wrote for a task, held against what the person said and did, whatever its kind."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, assert_never

from skillopt_sleep.errors import ItemError
from skillopt_sleep.mining.alike import pieces
from skillopt_sleep.mining.carried import Own
from skillopt_sleep.mining.patterns import read_pattern
from skillopt_sleep.mining.wishes import last_wish
from skillopt_sleep.records import SHAPE_OPS, Check, Checks, Exact, Op, Reference, Rubric

MOST_CHECKS = 8
ARG_CHARS = 200
RUBRIC_CHARS = 600
ANSWER_CHARS = 500
LEAST_CHARS, MOST_CHARS = 40, 20_000

_IN_QUOTES = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|«([^»\n]+)»|„([^“”\n]+)[“”]|“([^”\n]+)”|「([^」\n]+)」")
# What any text may hold: a pattern without words that finds something here finds it anywhere.
_ORDINARY = (
    "Done. I changed 3 files in src/app.py and ran 12 tests; all of them pass (see README.md).\n"
    "- First, install it: `npm ci`\n* Second, call main() at 10:45 on 2025-01-31.\n1. TODO: check the API, v2.0.1!\n"
    '# Notes\n```json\n{"name": "shop", "price": 19.99}\n```\n\nIs that what you want? Yes/no -- it\'s 100 %.\n'
)


class Said(NamedTuple):
    """What a person said and did about one request, the last word last."""

    request: str
    corrections: tuple[str, ...]
    ran: str = ""
    rejected: frozenset[str] = frozenset()


def proved_reference(checks: Sequence[Check], rubric: str, answer: str, said: Said) -> Reference:
    """What a model wants of an answer, if all of it is the person's wish; ItemError says what isn't."""
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
    raise ItemError("it has nothing to score an answer by but its shape")


class _Proof:
    """Raises ItemError for what the person neither said nor did."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._own = Own(said.request, said.corrections)
        self._correcting = Own("", said.corrections)

    def check(self, check: Check) -> None:  # noqa: C901 - one arm for each op
        """One check."""
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
            case Op.MAX_CHARS | Op.MIN_CHARS:
                self._length(check)
            case Op.JSON_VALID:
                self._wanted("json")
            case Op.NO_REFUSAL:
                if not self._correcting.speaks_of("refusal"):
                    raise ItemError("the person spoke of no refusal")
            case _:
                assert_never(check.op)

    def rubric(self, text: str) -> None:
        """A demand in words."""
        if len(text) > RUBRIC_CHARS:
            raise ItemError(f"its rubric is longer than {RUBRIC_CHARS} characters")
        if not self._own.weighed(text)[0]:
            raise ItemError("its rubric has no word of the person's")
        if unheard := self._own.unheard(text):
            raise ItemError(f"its rubric has words the person never said: {', '.join(unheard)}")
        if turned := self._own.turned(text):
            raise ItemError(f"its rubric turns round what the person wants of: {', '.join(turned)}")

    def answer(self, text: str) -> None:
        """The one exact answer."""
        if len(text) > ANSWER_CHARS:
            raise ItemError(f"its answer is longer than {ANSWER_CHARS} characters")
        self._wanted(text)

    def _wanted(self, term: str) -> None:
        self._named(term, self._own)
        if self._own.wants(term) < 0:
            raise ItemError(f"it wants {term!r}, which the person doesn't")

    def _unwanted(self, term: str) -> None:
        if self._own.wants(term) < 0:
            self._named(term, self._own)
            return
        self._named(term, self._correcting)
        if self._own.wants(term) > 0:
            raise ItemError(f"it rules out {term!r}, which the person wants")

    def _named(self, term: str, own: Own) -> None:
        if not own.names(term):
            raise ItemError(f"the person never wrote {term!r}")
        quoted = {group.casefold() for found in _IN_QUOTES.findall(own.text) for group in found if group}
        if all(piece.neutral for piece in pieces(term)) and term.casefold() not in quoted:
            raise ItemError(f"{term!r} says nothing of what is wanted")

    def _pattern(self, source: str) -> None:
        pattern = read_pattern(source)
        words = list(pattern.words())
        for word in _distinct(words):
            self._wanted(word)
        if all(words):
            return
        spoken = [part for text in self._said.corrections for part in (text, *text.split())]
        found = next(filter(None, map(pattern.found_in, spoken)), "")
        if any(words) or not any(map(str.isalnum, found)) or pattern.found_in(_ORDINARY) is not None:
            raise ItemError("its pattern finds what any answer may hold")
        if self._own.wants(found) < 0:
            raise ItemError("its pattern finds what the person doesn't want")

    def _tool(self, name: str) -> None:
        if name.casefold() in {one.casefold() for one in self._said.rejected} and self._own.wants(name) < 1:
            raise ItemError(f"the person rejected {name!r}")
        if not (name and Own("", [self._said.ran]).names(name)):
            self._wanted(name)
        elif self._own.wants(name) < 0:
            raise ItemError(f"it calls {name!r}, which the person doesn't want")

    def _length(self, check: Check) -> None:
        if not (check.arg.isascii() and check.arg.isdecimal() and len(check.arg) <= len(str(MOST_CHARS))):
            raise ItemError(f"its {check.op} isn't a number up to {MOST_CHARS}")
        own, number = self._correcting, int(check.arg)
        shorter = check.op is Op.MAX_CHARS
        if named := last_wish(self._said.corrections).at_most:
            if not shorter or number != named:
                raise ItemError(f"the person named another length than {number}")
        elif own.names(check.arg) and own.speaks_of("characters"):
            if own.speaks_of("atleast" if shorter else "atmost"):
                raise ItemError(f"its {check.op} turns round what the person said of the length")
        elif not LEAST_CHARS <= number <= MOST_CHARS or not _asks_for(own, shorter=shorter):
            raise ItemError(f"the person asked for no length that {check.op} {number} could mean")


def _asks_for(own: Own, *, shorter: bool) -> bool:
    signs = {own.sign_of("~length"), own.sign_of("~lines")}
    return (-1 if shorter else 1) in signs and (1 if shorter else -1) not in signs


def _distinct(words: Iterable[Sequence[str]]) -> Iterable[str]:
    return dict.fromkeys(word for some in words for word in some)
