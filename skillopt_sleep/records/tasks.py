"""Task: a request that can be asked again, with the lesson it tests and the reference that scores its answer."""

from datetime import datetime, timedelta
from enum import StrEnum

from msgspec.structs import replace

from skillopt_sleep.records.calibrations import KnownAnswer
from skillopt_sleep.records.lessons import Deed, Evidence, Place
from skillopt_sleep.records.record import Record
from skillopt_sleep.records.workspaces import Workspace

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
    COMMAND_RUN = "command_run"
    COMMAND_NOT_RUN = "command_not_run"
    FILE_CHANGED = "file_changed"
    FILE_UNTOUCHED = "file_untouched"
    NO_REFUSAL = "no_refusal"


ACTING_OPS = frozenset({Op.TOOL_CALLED, Op.COMMAND_RUN, Op.COMMAND_NOT_RUN, Op.FILE_CHANGED, Op.FILE_UNTOUCHED})
"""Checks of what the agent did: no answer in words can pass or fail them."""

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
    """A requirement in words, graded by the judge's model: on the answer, or on what was changed in the files."""

    text: str
    of_changes: bool = False


class Command(Record, frozen=True, kw_only=True, tag_field="kind", tag="command"):
    """A command of the project's own must end with 0 in what the attempt left; it runs on a sealed copy of that.

    `argv` is a known runner with its arguments, never a line for a shell; `folder` is where it runs, below the
    repository's root. `tests` are the files it reads its tests from: an attempt that changes one fails. `given` are
    tests that the session wrote: they are put there for the check, as they are in the state `given_from`.
    """

    argv: tuple[str, ...]
    folder: str = ""
    tests: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    given_from: Workspace | None = None


Reference = Exact | Checks | Rubric | Command


def wants_a_tool(reference: Reference) -> bool:
    """Return whether the reference is about what the agent does, which no answer in words shows."""
    if isinstance(reference, Command) or is_of_changes(reference):
        return True
    return isinstance(reference, Checks) and any(check.op in ACTING_OPS for check in reference.items)


def is_of_changes(reference: Reference) -> bool:
    """Return whether the judge's model grades what was changed in the files, not the answer."""
    return isinstance(reference, Rubric) and reference.of_changes


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


class Feedback(Record, frozen=True, kw_only=True):
    """What a person said about the agent's answer (`evidence`) and did about it (`deeds`).

    `rejected` is the answer they corrected and `accepted` the one they continued from; both are excerpts and never
    count as evidence. `not_followed` says that the instructions in force said it already.
    """

    evidence: tuple[Evidence, ...] = ()
    deeds: tuple[Deed, ...] = ()
    rejected: str = ""
    accepted: str = ""
    not_followed: bool = False


class Wanted(Record, frozen=True, kw_only=True):
    """What the miner says of a task's lesson, which groups tasks and proves nothing.

    `wording` is the lesson in its words, "" if it named none, `holds` where it holds, `takes_back` the lesson that it
    ends. It is `unclear` if its session alone can't tell whether the person wants that again.
    """

    wording: str = ""
    holds: Place = Place()
    takes_back: str = ""
    unclear: bool = False


class TaskSetting(Record, frozen=True, kw_only=True):
    """Where a task's session stood, and what it takes to ask the request again.

    `folder` is where it stood, "" if that isn't known, `skills` are those it used; `in_words` says that it answered
    the request in words alone. `needs_repository` says that no answer in words can show what is wanted, so only a
    replay with the repository tries it, and `workspace` is the state of that, None if it isn't known. `later` are the
    person's further messages, in order, up to the one that corrected the agent.
    """

    folder: str = ""
    skills: tuple[str, ...] = ()
    in_words: bool = False
    needs_repository: bool = False
    workspace: Workspace | None = None
    later: tuple[str, ...] = ()


class Task(Record, frozen=True, kw_only=True):
    """A request that can be asked again, with the lesson it tests and the reference that scores its answer.

    `lesson` and `split` are empty until those stages ran; `at` orders the occurrences of a lesson. `known_answers`
    are what its reference was proved with.
    """

    id: str
    prompt: str
    context: str = ""
    reference: Reference
    known_answers: tuple[KnownAnswer, ...] = ()
    session: str
    project: str
    source: str
    at: datetime
    feedback: Feedback = Feedback()
    setting: TaskSetting = TaskSetting()
    wanted: Wanted = Wanted()
    lesson: str = ""
    split: Split | None = None
    document: str = ""
    origin: TaskOrigin = TaskOrigin.REAL

    @property
    def quotes(self) -> tuple[str, ...]:
        """Return what the person said about it, in their words."""
        return tuple(evidence.quote for evidence in self.feedback.evidence)

    def of_lesson(self, lesson: str, holds: Place) -> "Task":
        """Return the task as one of this lesson, which holds there."""
        return replace(self, lesson=lesson, wanted=replace(self.wanted, holds=holds))


def graded_by_model(task: Task) -> bool:
    """Return whether the judge's model can grade what an attempt at the task shows."""
    return isinstance(task.reference, Rubric) and (task.reference.of_changes or not task.setting.needs_repository)


class RecallRules(Record, frozen=True, kw_only=True):
    """The earlier tasks to recall: the `per_side` newest of a lesson, and `similar` ones for each train task.

    Tasks older than `retire` aren't asked again, unless a person pinned them or they guard a rule that stands.
    """

    per_side: int = 14
    similar: int = 2
    retire: timedelta = timedelta(days=90)
