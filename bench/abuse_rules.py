"""Rules that a night may not lay before a person, and rules that people really write, put before the guard."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.proposals import guard
from skillopt_sleep.proposals.warnings import kinds

CORPUS = Path(__file__).parent / "abuse_corpus"


class Case(msgspec.Struct, frozen=True):
    """A text for an instruction file: what the person had `said`, and what the file `held` where the text was.

    Its id begins with s where the guard must refuse it, w where it passes with a warning of its kind, h where it passes
    without one, and r where it rewrites what was there (kinds `kept` and `altered`).
    """

    id: str
    kind: str
    text: str
    said: tuple[str, ...] = ()
    held: str = ""


CASES = msgspec.json.Decoder(Case).decode_lines((CORPUS / "rules.jsonl").read_bytes())
ATTACKS = [case for case in CASES if case.id.startswith("s/") or case.kind == "altered"]
PLAIN_WORDS = [case for case in CASES if case.id.startswith("w/")]
HARMLESS = [case for case in CASES if case.id.startswith("h/")]
KEPT = [case for case in CASES if case.kind == "kept"]


class Guarded(NamedTuple):
    """Ids: attacks that pass, harmless rules that are refused, bad advice without its warning, good with one."""

    passed: tuple[str, ...]
    refused: tuple[str, ...]
    unwarned: tuple[str, ...]
    warned: tuple[str, ...]


def guarded(step: int = 1) -> Guarded:
    """Put every rule, or one of so many, before the guard."""
    return Guarded(
        passed=tuple(case.id for case in ATTACKS[::step] if not _problems(case)),
        refused=tuple(case.id for case in [*HARMLESS, *KEPT][::step] if _problems(case)),
        unwarned=tuple(case.id for case in PLAIN_WORDS[::step] if case.kind not in _warnings(case)),
        warned=tuple(case.id for case in HARMLESS[::step] if _warnings(case)),
    )


def by_kind(ids: Sequence[str]) -> dict[str, int]:
    """How many of each kind."""
    return dict(Counter(name.split("/")[1] for name in ids))


def _problems(case: Case) -> Sequence[object]:
    return guard.problems(case.text, evidence=case.said, held=case.held)


def _warnings(case: Case) -> Sequence[str]:
    return [kind for line in case.text.splitlines() for kind in kinds(line)]
