"""Define the seal: what keeps a program that a model steers from everything but its copy and the model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from skillopt_sleep.kit.process import ProcessResult

SOCKET = PurePosixPath("/run/model.sock")
HOME = PurePosixPath("/home/replay")
TEMPORARY = PurePosixPath("/tmp")  # noqa: S108 - the sealed program's own


class Denial(StrEnum):
    """What a seal must refuse; the probe tries each of them."""

    READ_OUTSIDE = "read_outside"
    WRITE_OUTSIDE = "write_outside"
    WRITE_BASE = "write_base"
    LOOPBACK = "loopback"
    ABSTRACT_SOCKET = "abstract_socket"
    OUTSIDE_ADDRESS = "outside_address"
    NAMESPACE = "namespace"
    SIGNAL_OUTSIDE = "signal_outside"
    OUTLIVE = "outlive"


class Probe(NamedTuple):
    """How a seal did when it was tried: `denied` is what it really refused, `problem` why it can't be used.

    `problem` is "" for a seal that refused everything; `remedy` is the one command or step that helps.
    """

    seal: str
    version: str = ""
    denied: frozenset[Denial] = frozenset()
    problem: str = ""
    remedy: str = ""

    @property
    def holds(self) -> bool:
        """Return whether the seal refused everything that it must refuse."""
        return not self.problem and self.denied == frozenset(Denial)


class Bounds(NamedTuple):
    """The most that one run may take: seconds on the clock and of a processor, bytes, and processes with threads.

    `disk` is how much of the free space may go, `file_size` how large one file may get.
    """

    seconds: float = 900.0
    cpu_seconds: int = 900
    memory: int = 4 * 1024**3
    file_size: int = 1024**3
    disk: int = 8 * 1024**3
    files: int = 500_000
    processes: int = 1024
    output: int = 8 * 1024**2


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A disposable copy of a repository on the disk.

    If `lower` is given, it is a read-only folder that many copies share: what is written goes to `upper`, and `work`
    is an empty folder beside it that the kernel needs. Otherwise `upper` holds the whole copy.
    """

    upper: Path
    lower: Path | None = None
    work: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What a sealed program sees: nothing of the machine but this, the system's own programs and no network.

    `tree` stands at `root` inside, the repository's own path, and the program starts in `cwd`. `home` is a throw-away
    folder that stands at HOME. `reads` are files and folders to be read, by the path at which they stand inside;
    those below `root` are folders of dependencies. `socket` is the relay's, which stands at SOCKET. `environ` is the
    whole environment.
    """

    tree: Tree
    root: PurePosixPath
    cwd: PurePosixPath
    home: Path
    environ: Mapping[str, str]
    reads: Mapping[PurePosixPath, Path] = field(default_factory=dict[PurePosixPath, Path])
    socket: Path | None = None
    bounds: Bounds = field(default_factory=Bounds)


class Seal(Protocol):
    """One way to run a program sealed."""

    name: str  # the name, as in report and settings

    def probe(self, folder: Path, /) -> Probe:
        """Try what it must refuse, in this empty folder; a seal that isn't there or can't start says so."""
        ...

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> ProcessResult:
        """Run the program sealed, and end it with all it started; raise SealBroken if the seal itself can't start."""
        ...
