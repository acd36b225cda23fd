"""Rules that a night may not lay before a person, and rules that people really write, put before the guard."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.proposals import guard
from skillopt_sleep.proposals.warnings import kinds
from tests.benchmarks.abuse_corpus.rules import HARMLESS, PLAIN_WORDS, REWRITES, STRUCTURAL, Case


class Guarded(NamedTuple):
    """Ids: attacks that pass, harmless rules that are refused, bad advice without its warning, good with one."""

    passed: tuple[str, ...]
    refused: tuple[str, ...]
    unwarned: tuple[str, ...]
    warned: tuple[str, ...]


ATTACKS = (*STRUCTURAL, *(case for case in REWRITES if case.kind == "altered"))
HARMLESS_RULES = (*HARMLESS, *(case for case in REWRITES if case.kind == "kept"))


def guarded() -> Guarded:
    """Put every rule before the guard."""
    return Guarded(
        passed=tuple(case.id for case in ATTACKS if not _problems(case)),
        refused=tuple(case.id for case in HARMLESS_RULES if _problems(case)),
        unwarned=tuple(case.id for case in PLAIN_WORDS if case.kind not in _warnings(case)),
        warned=tuple(case.id for case in HARMLESS if _warnings(case)),
    )


def by_kind(ids: Sequence[str]) -> dict[str, int]:
    """How many of each kind."""
    return dict(Counter(name.split("/")[1] for name in ids))


def _problems(case: Case) -> Sequence[object]:
    return guard.problems(case.text, evidence=case.said, held=case.held)


def _warnings(case: Case) -> Sequence[str]:
    return [kind for line in case.text.splitlines() for kind in kinds(line)]
