"""Session: what was said and done in one conversation with one agent."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, NamedTuple

from msgspec import Meta

from skillopt_sleep.records.record import Record


class Role(StrEnum):
    """The speaker of a turn."""

    USER = "user"
    ASSISTANT = "assistant"


class Origin(StrEnum):
    """The source of a turn's text; only USER text was typed by the person."""

    USER = "user"
    ASSISTANT = "assistant"
    HARNESS = "harness"


class Turn(Record, frozen=True, kw_only=True, gc=False):
    """One message of a session; `id` is the agent's own record id, if it has one, and `at` when it was written.

    `pasted` are the parts of the text that are known to be pasted, from a start up to an end, in order; empty if the
    agent didn't write down which they are.
    """

    role: Role
    origin: Origin
    text: str
    id: str = ""
    at: datetime | None = None
    pasted: tuple[tuple[int, int], ...] = ()


EMPTIED = Turn(role=Role.USER, origin=Origin.HARNESS, text="")  # in the place of a turn that is no longer kept


class ToolEvent(Record, frozen=True, kw_only=True, gc=False):
    """One tool call: `turn` is the index of the turn it followed; `exit_code` is None if no program reported one.

    `rejected` says that the person refused it, `changed` that they changed the edit before it was made. Only of these
    `at`, the time of the call, is kept.
    """

    name: str
    turn: int
    brief: str = ""
    error: bool = False
    exit_code: int | None = None
    rejected: bool = False
    changed: bool = False
    at: datetime | None = None


class TypedCommand(Record, frozen=True, kw_only=True, gc=False):
    """A shell command that the person ran in the agent's prompt; `turn` is the index of the turn that says so."""

    turn: int
    text: str
    at: datetime | None = None


class ChangedOnDisk(Record, frozen=True, kw_only=True, gc=False):
    """A file that the agent wrote after turn `since` and that somebody changed on disk before the end of turn `turn`.

    A person, a formatter or a build may have done it. `restored` says that it is as it was before the agent wrote it.
    """

    turn: int
    since: int
    path: str
    restored: bool = False
    at: datetime | None = None


class InForce(Record, frozen=True, kw_only=True, gc=False):
    """An instruction file that the agent was given in a session, and its text."""

    path: str
    text: str


MOST_TOKENS = 10**9  # more than any call takes
Tokens = Annotated[int, Meta(ge=0, le=MOST_TOKENS)]


class Usage(Record, frozen=True, kw_only=True, gc=False):
    """The tokens of one or more calls; cached input tokens are part of `input_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    @property
    def possible(self) -> bool:
        """Return whether a single call can have used this many tokens."""
        return all(0 <= count <= MOST_TOKENS for count in (self.input_tokens, self.output_tokens, self.cached_tokens))

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


class LeftOut(StrEnum):
    """Why a session isn't read; a closed set, in the order in which the reasons are checked."""

    UNREADABLE = "unreadable"
    SUBAGENT = "subagent"
    OWN_REPLAY = "own_replay"
    HEADLESS = "headless"
    NO_USER_TURN = "no_user_turn"
    OTHER_PROJECT = "other_project"
    EXCLUDED = "excluded"
    ACTIVE = "active"
    OLDER = "older"
    LATER = "later"


LEFT_OUT_WORDS = {
    LeftOut.UNREADABLE: "that can't be read",
    LeftOut.SUBAGENT: "of sub-agents",
    LeftOut.OWN_REPLAY: "replayed by skillopt-sleep",
    LeftOut.HEADLESS: "started by a program",
    LeftOut.NO_USER_TURN: "in which nothing new was typed (a copy, no message, or in records of unknown kinds)",
    LeftOut.OTHER_PROJECT: "of other projects",
    LeftOut.EXCLUDED: "in excluded projects",
    LeftOut.ACTIVE: "still active",
    LeftOut.OLDER: "older than the first night looks back",
    LeftOut.LATER: "left for a later night",
}
"""The reasons in a few words, after a number of sessions."""


class HalfRead(NamedTuple):
    """The kinds of records in a session that its reader doesn't know: how many of all records a version wrote so."""

    version: str
    kinds: tuple[str, ...]
    unknown: int
    records: int


class Gaps(Record, frozen=True, kw_only=True):
    """What of a session could not be read: so many damaged lines, and records of kinds that its reader lacks."""

    damaged: int = 0
    half_read: HalfRead | None = None


class Session(Record, frozen=True, kw_only=True):
    """One conversation with one agent, redacted; `id` is `<source>:<the agent's own session id>`.

    `stops` are the indices of the turns after which the person interrupted the agent, and `commands` what they ran in
    its prompt; `instructions` are the files that were in force, if the agent wrote down which.
    """

    id: str
    source: str
    project: str
    cwd: str
    started: datetime
    ended: datetime
    turns: tuple[Turn, ...]
    commit: str = ""
    entrypoint: str = ""
    tools: tuple[ToolEvent, ...] = ()
    stops: tuple[int, ...] = ()
    commands: tuple[TypedCommand, ...] = ()
    changed_files: tuple[ChangedOnDisk, ...] = ()
    skills: tuple[str, ...] = ()
    instructions: tuple[InForce, ...] = ()
    gaps: Gaps = Gaps()

    @property
    def typed(self) -> tuple[str, ...]:
        """The person's typed texts, in order."""
        return tuple(turn.text for turn in self.turns if turn.origin is Origin.USER)

    def turn_with(self, words: str, near: int) -> int | None:
        """Return the number of the turn with these words, the one `near` if it has them; None if they are gone.

        A fork's turns are numbered without those that it copied.
        """
        wanted = " ".join(words.split())
        for number in (near, *range(len(self.turns))):
            if number < len(self.turns) and wanted in " ".join(self.turns[number].text.split()):
                return number
        return None

    @property
    def is_answered(self) -> bool:
        """Whether the agent is known to have said or done anything: if not, nothing could be corrected."""
        return bool(self.tools or self.stops) or any(turn.origin is Origin.ASSISTANT for turn in self.turns)

    @property
    def is_emptied(self) -> bool:
        """Whether it is so old that most of what was said in it is no longer kept."""
        return not self.turns or EMPTIED in self.turns


class Snapshot(Record, frozen=True, kw_only=True):
    """The repository's folder and the commit that was checked out there when a session began."""

    session: str
    root: str
    commit: str
