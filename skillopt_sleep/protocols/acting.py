"""Define what a sealed attempt has to know about an agent's program: how it acts with tools, and what it did.

An attempt is one run of the program for each message, all in the same copy and the same throw-away home.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.program import Setup
from skillopt_sleep.protocols.sealing import HOME, SOCKET
from skillopt_sleep.records import CommandRun, DocumentKind

# Failures that say that the attempt was ended by a limit: it shows nothing, and isn't tried again.
STOPPED_EARLY = frozenset(
    {FailureKind.TIMED_OUT, FailureKind.FLOODED, FailureKind.OUT_OF_TURNS, FailureKind.OVER_BUDGET}
)


class Limits(NamedTuple):
    """The most that one attempt may take: answers of the model, dollars (0: no limit), seconds for one command."""

    turns: int = 40
    usd: float = 0.0
    command_seconds: int = 300


class Inside(NamedTuple):
    """Where the throw-away home and the relay's socket stand for the sealed program."""

    home: PurePosixPath = HOME
    socket: PurePosixPath = SOCKET


class Installed(NamedTuple):
    """An agent's program on the disk: the command that starts it, and the files and folders it has to read.

    Each of them stands inside where it is on the disk. `path` are folders to put at the end of PATH.
    """

    command: tuple[str, ...]
    reads: frozenset[Path]
    path: tuple[Path, ...] = ()


class Turn(NamedTuple):
    """One run of the program: its whole command, its input, and its whole environment."""

    argv: tuple[str, ...]
    stdin: bytes
    environ: Mapping[str, str]


class Acted(NamedTuple):
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


class Given(NamedTuple):
    """A document as it was given to the agent: where it stood inside, its text, and the text that it replaces.

    `instead_of` is what must not have reached the model, "" if nothing was replaced.
    """

    place: PurePosixPath
    kind: DocumentKind
    text: str
    instead_of: str = ""


class Arrival(NamedTuple):
    """Which proofs that a document reached the model hold, and which don't; `opened` says that a skill was read."""

    held: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    opened: bool = False

    @property
    def proven(self) -> bool:
        """Return whether all proofs hold that exist for this agent and this kind of document."""
        return bool(self.held) and not self.missing


@dataclass(frozen=True, kw_only=True)
class Way:
    """How the relay asks the model in the agent's place: its address, and the headers that hold the login.

    Without a login that can be used so, `problem` says why. `environ` is what the program in the seal gets in the
    login's place. `how` describes the login; one of a subscription isn't billed by the token.
    """

    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    how: str = ""
    subscription: bool = False
    problem: str = ""
    remedy: str = ""


class Acting(Protocol):
    """The way to let one agent act in a seal, in pure functions but for a look at the program's own files."""

    @property
    def files(self) -> Mapping[PurePosixPath, bytes]:
        """The files that the throw-away home must have, by their path in it."""
        ...

    @property
    def sessions(self) -> str:
        """The pattern of the session files in the throw-away home."""
        ...

    def installed(self, program: Path, /) -> Installed:
        """Find the program's own files; raise CallFailed (not_installed) if they can't be found."""
        ...

    def turn(
        self,
        message: str,
        installed: Installed,
        way: Way,
        *,
        setup: Setup,
        limits: Limits,
        inside: Inside,
        session: str,
    ) -> Turn:
        """Return how to run the program for one message; `session` is "" for the first one."""
        ...

    def read(self, runs: Sequence[Ran], transcript: bytes, /) -> Acted:
        """Return what the program did in all its runs; the session file adds what it doesn't print."""
        ...

    def place(
        self, document: Path, /, *, root: Path, home: Path, agent_home: Path, inside: Inside
    ) -> PurePosixPath | None:
        """Return where the document has to stand inside, or None if the agent wouldn't load it from there."""
        ...

    def arrived(self, given: Given, /, *, first_request: bytes, transcript: bytes) -> Arrival:
        """Return which proofs hold that the document reached the model."""
        ...

    def way(self, files: Mapping[str, bytes], environ: Mapping[str, str], setup: Setup) -> Way:
        """Return how the relay can use the user's login, found as by `Dialect.account`."""
        ...
