"""Mine, cluster, split: a request that can be asked again, and the reference its answer is scored by."""

from datetime import datetime, timedelta
from enum import StrEnum

from skillopt_sleep.records.record import Record

BY_HAND = "tasks_file"  # the source of a task that a person wrote themselves


class Op(StrEnum):
    """The checks a program can decide."""

    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"
    SECTION_CONTAINS = "section_contains"
    MAX_CHARS = "max_chars"
    MIN_CHARS = "min_chars"
    JSON_VALID = "json_valid"
    TOOL_CALLED = "tool_called"
    NO_REFUSAL = "no_refusal"


SHAPE_OPS = frozenset({Op.MAX_CHARS, Op.MIN_CHARS, Op.JSON_VALID, Op.NO_REFUSAL})


class Check(Record, frozen=True, kw_only=True):
    """One decidable demand; `section` names the heading for `section_contains`, `arg` is the operand."""

    op: Op
    arg: str = ""
    section: str = ""


class Exact(Record, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """The answer must be this text, up to case and white space at its ends."""

    answer: str


class Checks(Record, frozen=True, kw_only=True, tag_field="kind", tag="checks"):
    """All of these must hold; shape-only checks never stand alone."""

    items: tuple[Check, ...]


class Rubric(Record, frozen=True, kw_only=True, tag_field="kind", tag="rubric"):
    """A demand in words, graded by the judge's model."""

    text: str


Reference = Exact | Checks | Rubric


class Split(StrEnum):
    """Which side a task is on: reflection sees train only, val gates, test is only ever reported."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class TaskOrigin(StrEnum):
    """Where a task comes from."""

    REAL = "real"
    RECALLED = "recalled"
    AUGMENTED = "augmented"


class Evidence(Record, frozen=True, kw_only=True):
    """Words of the user that found a reference: the session, the index of the turn, the quoted span."""

    session: str
    turn: int
    quote: str


class SignalKind(StrEnum):
    """What a person did that tells how an answer was taken; from what they did, before what they said."""

    REJECTED = "rejected"
    STOPPED = "stopped"
    CORRECTED = "corrected"
    ASKED_AGAIN = "asked_again"
    UNDONE = "undone"
    FIXED = "fixed"
    TESTS_PASSED = "tests_passed"
    ACCEPTED = "accepted"


class Task(Record, frozen=True, kw_only=True):
    """A request that can be asked again, with the reference its answer is scored by.

    `project`, `source` and the `skills` its session used say whose documents it may teach; `cluster` and `split` are
    empty until those stages ran; `at` orders the occurrences of a cluster. `rejected` is the answer the person
    corrected and `accepted` the one they went on from, both excerpts and never authority; `signals` tell what they
    did; `in_words` says that it can be asked again without the repository. `lesson` is what the model miner calls the
    wish behind the correction, in the same words where it is the same: it groups tasks, and founds nothing.
    """

    id: str
    prompt: str
    reference: Reference
    session: str
    project: str
    source: str
    at: datetime
    context: str = ""
    evidence: tuple[Evidence, ...] = ()
    rejected: str = ""
    accepted: str = ""
    signals: tuple[SignalKind, ...] = ()
    skills: tuple[str, ...] = ()
    in_words: bool = False
    lesson: str = ""
    cluster: str = ""
    split: Split | None = None
    document: str = ""
    origin: TaskOrigin = TaskOrigin.REAL


class RecallRules(Record, frozen=True, kw_only=True):
    """How much comes back: the `per_side` newest tasks of a lesson on each side, `similar` ones a train task.

    What is older than `retire` isn't asked again, unless a person pinned it.
    """

    per_side: int = 14
    similar: int = 2
    retire: timedelta = timedelta(days=90)
