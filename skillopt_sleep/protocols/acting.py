"""Define what a sealed attempt has to know about an agent's program: how it acts with tools, and what it did.

An attempt is one run of the program for each message, all in the same copy and the same throw-away home.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.records import CommandRun, DocumentKind

# Failures that say that the attempt was ended by a limit: it shows nothing, and isn't tried again.
STOPPED_EARLY = frozenset(
    {FailureKind.TIMED_OUT, FailureKind.FLOODED, FailureKind.OUT_OF_TURNS, FailureKind.OVER_BUDGET}
)


class Installed(NamedTuple):
    """An agent's program on the disk: the command that starts it, and the files and folders it has to read.

    Each of them stands inside where it is on the disk. `path` are folders to put at the end of PATH.
    """

    command: tuple[str, ...]
    reads: frozenset[Path]
    path: tuple[Path, ...] = ()


class ProgramCommand(NamedTuple):
    """One run of the program: its whole command, its input, and its whole environment."""

    argv: tuple[str, ...]
    stdin: bytes
    environ: Mapping[str, str]


class AgentRun(NamedTuple):
    """What a sealed program did, as far as it told.

    `turns` counts the model's answers. `session` is what the next message needs to go on. `problem` says why the
    program didn't come to its own end.
    """

    response: str = ""
    tool_calls: tuple[str, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    turns: int = 0
    model: str = ""
    session: str = ""
    problem: CallFailed | None = None

    @property
    def stopped_early(self) -> bool:
        """Return whether a limit ended the attempt, so that it is neither good nor bad."""
        return self.problem is not None and self.problem.kind in STOPPED_EARLY


class GivenDocument(NamedTuple):
    """A document as it was given to the agent: where it stood inside, and its text."""

    place: PurePosixPath
    kind: DocumentKind
    text: str


@dataclass(frozen=True, kw_only=True)
class RelayRoute:
    """How the relay asks the model in the agent's place: its address, and the headers that hold the login.

    Without a login that can be used so, `problem` says why. `environ` is what the program in the seal gets in the
    login's place. A subscription isn't billed by the token.
    """

    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    subscription: bool = False
    problem: str = ""
    remedy: str = ""


class Acting(Protocol):
    """The way to let one agent act in a seal, in pure functions but for a look at the program's own files."""

    files: Mapping[PurePosixPath, bytes]  # the files that the throw-away home must have, by their path in it
    sessions: str  # the pattern of the session files in the throw-away home

    def installed(self, program: Path, /) -> Installed:
        """Find the program's own files; raise CallFailed (not_installed) if they can't be found."""
        ...

    def turn(
        self,
        message: str,
        installed: Installed,
        way: RelayRoute,
        *,
        setup: Setup,
        turns: int,
        session: str,
    ) -> ProgramCommand:
        """Return how to run the program for one message, in which the model may answer so many `turns`.

        `session` is "" for the first one.
        """
        ...

    def read(self, runs: Sequence[ProcessResult], transcript: bytes, /) -> AgentRun:
        """Return what the program did in all its runs; the session file adds what it doesn't print."""
        ...

    def place(self, document: Path, /, *, root: Path, home: Path, agent_home: Path) -> PurePosixPath | None:
        """Return where the document has to stand inside, or None if the agent wouldn't load it from there."""
        ...

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> RelayRoute:
        """Return how the relay can use the user's login, found as by `Dialect.account`."""
        ...
