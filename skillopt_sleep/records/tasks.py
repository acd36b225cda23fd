"""Task: a request that can be asked again, with the lesson it tests and the reference that scores its answer."""

from datetime import datetime, timedelta
from enum import StrEnum

from skillopt_sleep.records.judging import KnownAnswer
from skillopt_sleep.records.lessons import Deed, Evidence, Place
from skillopt_sleep.records.record import Record

BY_HAND = "tasks_file"  # the source of tasks that a person wrote


class Op(StrEnum):
    """The checks that code can decide."""

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
    """One check that code can decide; `arg` is its operand, `section` the heading for `section_contains`."""

    op: Op
    arg: str = ""
    section: str = ""


class Exact(Record, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """The answer must be this text, ignoring case and surrounding white space."""

    answer: str


class Checks(Record, frozen=True, kw_only=True, tag_field="kind", tag="checks"):
    """All of these checks must pass; checks of shape alone are never the whole reference."""

    items: tuple[Check, ...]


class Rubric(Record, frozen=True, kw_only=True, tag_field="kind", tag="rubric"):
    """A requirement in words, graded by the judge's model."""

    text: str


Reference = Exact | Checks | Rubric


def wants_a_tool(reference: Reference) -> bool:
    """Return whether one of the reference's checks is for a call of a tool, which no answer in words makes."""
    return isinstance(reference, Checks) and any(check.op is Op.TOOL_CALLED for check in reference.items)


class Split(StrEnum):
    """Which side a task is on: reflection sees train only, val gates, test is only ever reported."""

    TRAIN = "train"
    VAL = "val"
    TEST = "test"


class TaskOrigin(StrEnum):
    """The origin of a task."""

    REAL = "real"
    RECALLED = "recalled"
    AUGMENTED = "augmented"


class Task(Record, frozen=True, kw_only=True):
    """A request that can be asked again, with the lesson it tests and the reference that scores its answer.

    `project`, `source` and the `skills` its session used decide whose documents it may teach. `lesson` and `split`
    are empty until those stages ran; `at` orders the occurrences of a lesson. `wording` is the lesson in the miner's
    words, "" if it named none; it groups tasks and proves nothing. `holds` is where the miner says that the lesson
    holds, and `takes_back` names the lesson that it ends. It is `unclear` if its session alone can't tell whether the
    person wants that again. `evidence` is what the person said, `deeds` what they did.
    `rejected` is the answer the person corrected and `accepted` the one they continued from; both are excerpts and
    never count as evidence. `in_words` says that its session answered the request in words alone; `needs_repository`
    that no answer in words can show what is wanted, so only a replay with the repository tries it; `not_followed`
    that the instructions in force said it already. `known_answers` are what its reference was proved with.
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
    deeds: tuple[Deed, ...] = ()
    rejected: str = ""
    accepted: str = ""
    skills: tuple[str, ...] = ()
    in_words: bool = False
    needs_repository: bool = False
    not_followed: bool = False
    known_answers: tuple[KnownAnswer, ...] = ()
    wording: str = ""
    holds: Place = Place()
    takes_back: str = ""
    unclear: bool = False
    lesson: str = ""
    split: Split | None = None
    document: str = ""
    origin: TaskOrigin = TaskOrigin.REAL

    @property
    def quotes(self) -> tuple[str, ...]:
        """Return what the person said about it, in their words."""
        return tuple(evidence.quote for evidence in self.evidence)


class RecallRules(Record, frozen=True, kw_only=True):
    """The earlier tasks to recall: the `per_side` newest of a lesson, and `similar` ones for each train task.

    Tasks older than `retire` aren't asked again, unless a person pinned them or they guard a rule that stands.
    """

    per_side: int = 14
    similar: int = 2
    retire: timedelta = timedelta(days=90)
