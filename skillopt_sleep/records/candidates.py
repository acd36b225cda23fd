"""Search: the candidates a step tries, what became of each edit, and what later nights need to know of them."""

from enum import StrEnum

from skillopt_sleep.records.comparisons import Earlier
from skillopt_sleep.records.edits import Edit
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.trials import Trial, Verdict


class CandidateKind(StrEnum):
    """Which edits a candidate consists of: all, one half, all but one, what pruning left over, guidance.

    A removal takes a standing rule away, and need only be no worse.
    """

    BUNDLE = "bundle"
    HALF = "half"
    WITHOUT = "without"
    PRUNED = "pruned"
    GUIDANCE = "guidance"
    REMOVAL = "removal"


class Judged(Record, frozen=True, kw_only=True):
    """A candidate, as the edits that make it out of its document, with its trial and verdict."""

    kind: CandidateKind
    edits: tuple[Edit, ...]
    trial: Trial
    verdict: Verdict


class Waiting(Record, frozen=True, kw_only=True):
    """An undecided candidate between two nights, born in `night`.

    Its trial goes on only against the document with the sha `base`, and attempted and graded by the same `crew`.
    """

    night: str
    path: str
    base: str
    crew: str
    tested: Judged


class Effect(StrEnum):
    """What an edit did by itself."""

    HELPED = "helped"
    NEUTRAL = "neutral"
    HARMFUL = "harmful"
    UNDECIDED = "undecided"


class EditEffect(Record, frozen=True, kw_only=True):
    """What an edit did, told by the candidate with and the one without it: means over `n` pairs, calls spent on it.

    `because` says what the numbers don't: how it was told, and what would settle an undecided one.
    """

    edit: Edit
    effect: Effect
    because: str = ""
    n: int = 0
    before: float | None = None
    after: float | None = None
    interval: tuple[float, float] | None = None
    calls: int = 0


class PastEdit(Record, frozen=True, kw_only=True):
    """An edit that an earlier night tried on a document, and what it did there."""

    night: str
    edit: Edit
    effect: Effect


class Fared(Record, frozen=True, kw_only=True):
    """How an earlier step's attempts went: so many `made`, so many `failed`, and of how many what was wrong."""

    night: str
    made: int
    failed: int
    reasons: tuple[tuple[str, int], ...] = ()


class Past(Record, frozen=True, kw_only=True):
    """What earlier nights know of a document.

    The edits a person refused, those they adopted, the candidates that wait, the edits that were tried and how
    attempts fared (both newest first), the optimizer's own notes, and the body that a slow night looks back on.
    """

    refused: tuple[Edit, ...] = ()
    adopted: tuple[Edit, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    tried: tuple[PastEdit, ...] = ()
    fared: tuple[Fared, ...] = ()
    notes: str = ""
    snapshot: Earlier | None = None
