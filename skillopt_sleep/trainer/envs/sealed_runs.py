"""Run programs that a model wrote, each in a seal without network, on files of its own; nothing runs unsealed."""

import importlib.util
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.kit.scratch import SCRATCH, prefix
from skillopt_sleep.protocols.sealing import Bounds, Policy, Seal, Tree
from skillopt_sleep.replay.checking import end_of
from skillopt_sleep.replay.seals import SEALS, SealChoice, chosen
from skillopt_sleep.replay.seals.probe import interpreter
from skillopt_sleep.replay.toolchains import toolchain_of

MOST_FILE = 32 * 1024**2
WALL_TIMES = 6  # a machine under load takes longer on the clock than of its processor
_SIGNALLED = 128  # a shell and a seal add the number of the signal to it
_FOLDER = PurePosixPath("/home/task")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


class Ended(NamedTuple):
    """The end of a program: its status, None if it had to be ended, and the files asked for.

    `printed` is the end of what it printed, as it may be shown; `stdout` is the whole, of that stream alone.
    """

    status: int | None
    printed: str = ""
    stdout: str = ""
    files: Mapping[str, bytes] = {}


class SealedRuns:
    """Runs programs in one seal; any thread may call it. A program gets so many `seconds` of a processor."""

    def __init__(self, seal: Seal, *, seconds: int) -> None:
        self._seal = seal
        self._bounds = Bounds(
            seconds=WALL_TIMES * seconds,
            cpu_seconds=seconds,
            memory=2 * 1024**3,
            file_size=256 * 1024**2,
            disk=1024**3,
            processes=128,
            output=1024**2,
        )

    def run(
        self,
        argv: Sequence[str],
        files: Mapping[str, bytes | str],
        *,
        wanted: Iterable[str] = (),
        packages: Iterable[str] = (),
    ) -> Ended:
        """Run the program in a folder with these files; raise SealBroken if the seal can't be put up.

        Of what it leaves the `wanted` files are returned. It is shown these `packages` of our own Python.
        """
        with tempfile.TemporaryDirectory(prefix=prefix(SCRATCH), ignore_cleanup_errors=True) as name:
            place = Path(name).resolve()
            tree, home = place / "tree", place / "home"
            home.mkdir()
            tree.mkdir()
            for relative, data in files.items():
                _write(tree, relative, data)
            ran = self._seal.run(argv, self._policy(tree, home, packages))
            ended = ran.stopped or ran.status < 0 or ran.status > _SIGNALLED
            status = None if ended else ran.status
            printed = "\n".join(part.decode(errors="replace") for part in (ran.stdout, ran.stderr) if part)
            left = {relative: data for relative in wanted if (data := _left(tree, relative)) is not None}
            stdout = ran.stdout.decode(errors="replace")
            return Ended(status, _steady(end_of(printed), tree), stdout, left)

    def _policy(self, tree: Path, home: Path, packages: Iterable[str]) -> Policy:
        needs = toolchain_of(tree, {})
        python, reads = interpreter()
        shown = _packages(packages)
        environ = {**needs.environ, "PATH": f"{Path(python).parent}:{needs.environ['PATH']}", "PYTHONHASHSEED": "0"}
        if shown:
            environ["PYTHONPATH"] = ":".join(dict.fromkeys(str(path.parent) for path in shown))
        return Policy(
            tree=Tree(upper=tree),
            root=_FOLDER,
            cwd=_FOLDER,
            home=home,
            environ=environ,
            reads={**needs.reads, **reads, **shown},
            bounds=self._bounds,
        )


@cache
def usual_seal() -> Seal:
    """Return the first seal that holds on this machine; raise ConfigError with the remedy if none does."""
    with tempfile.TemporaryDirectory(prefix=prefix(SCRATCH), ignore_cleanup_errors=True) as folder:
        return required(chosen(SEALS, Path(folder).resolve()))


def required(choice: SealChoice) -> Seal:
    """Return the seal that was chosen; raise ConfigError if there is none: what a model wrote isn't run unsealed."""
    if choice.seal is None:
        raise ConfigError(
            f"programs that a model wrote are only run sealed, and {choice.why_not}", remedy=choice.remedy
        )
    return choice.seal


def is_inside(relative: str) -> bool:
    """Return whether a path stays in the folder that it is relative to."""
    path = PurePosixPath(relative)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _write(tree: Path, relative: str, data: bytes | str) -> None:
    if isinstance(data, str):
        data = data.encode(errors="replace")  # a model may write half a character
    path = tree / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _left(tree: Path, relative: str) -> bytes | None:
    """Return a file that the program left, None if it isn't a plain file in its folder, or is too large."""
    try:
        return read_plain(tree / relative, most=MOST_FILE, inside=tree)
    except OSError:
        return None


def _packages(names: Iterable[str]) -> dict[PurePosixPath, Path]:
    folders: dict[PurePosixPath, Path] = {}
    for name in names:
        found = importlib.util.find_spec(name)
        for place in (found.submodule_search_locations if found else None) or ():
            folders[PurePosixPath(place)] = Path(place)
    return folders


def _steady(printed: str, tree: Path) -> str:
    """Return what was printed without what differs between two runs: where it ran, and addresses of objects."""
    return _ADDRESS.sub("0x…", printed.replace(str(tree), ".").replace(str(_FOLDER), "."))
