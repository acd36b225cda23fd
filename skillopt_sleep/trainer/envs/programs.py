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
from skillopt_sleep.replay.seals import SEALS, chosen
from skillopt_sleep.replay.seals.probe import interpreter
from skillopt_sleep.replay.toolchains import toolchain_of

MOST_SAID = 200
NO_PROGRAM = "it gives no code block"
MOST_FILE = 32 * 1024**2
WALL_TIMES = 6  # a machine under load takes longer on the clock than of its processor
_SIGNALLED = 128  # a shell and a seal add the number of the signal to it
_FOLDER = PurePosixPath("/home/task")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_FENCE = re.compile(
    r"^ {0,3}(?P<ticks>`{3,})[^\n`]*\n(?P<code>.*?)(?:^ {0,3}(?P=ticks)`*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_ERROR = re.compile(
    r"^(?P<name>(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit|Iteration))(?P<said>:.*)?$", re.MULTILINE
)


class Ended(NamedTuple):
    """The end of a program: its status, None if it had to be ended, and the file asked for, None if it left none.

    `printed` is the end of what it printed, as it may be shown; `stdout` is the whole, of that stream alone.
    """

    status: int | None
    printed: str = ""
    stdout: str = ""
    file: bytes | None = None


def program_of(reply: str) -> str:
    """Return the content of the last code block, closed or not; "" if there is none."""
    blocks = _FENCE.findall(reply)
    return str(blocks[-1][1]) if blocks else ""


def of_several(reply: str) -> str:
    """Say, behind why a program failed, that it was the last of several code blocks; "" if it was the only one."""
    count = len(_FENCE.findall(reply))
    return f"; it was the last of {count} code blocks, of which only that is run" if count > 1 else ""


def why_failed(ended: Ended) -> str:
    """Say how a program failed; of a failed assertion nothing but that, as it holds what is right."""
    if ended.status is None:
        return "it was ended: it took too long, or more than it may"
    errors = list(_ERROR.finditer(ended.printed))
    if not errors:
        return f"it ended with status {ended.status}"
    last = errors[-1]
    if last["name"].endswith("AssertionError"):
        return "an assertion failed"
    return f"it failed with {last['name']}{(last['said'] or '')[:MOST_SAID]}"


@cache
def usual_seal(seals: Sequence[Seal] = SEALS) -> Seal:
    """Return the first seal that holds on this machine; raise ConfigError with the remedy if none does."""
    with tempfile.TemporaryDirectory(prefix=prefix(SCRATCH), ignore_cleanup_errors=True) as folder:
        choice = chosen(seals, Path(folder).resolve())
    if choice.seal is None:
        raise ConfigError(
            f"programs that a model wrote are only run sealed, and {choice.why_not}", remedy=choice.remedy
        )
    return choice.seal


def run_sealed(
    argv: Sequence[str],
    files: Mapping[str, bytes | str],
    *,
    seconds: int,
    wanted: str = "",
    packages: Iterable[str] = (),
) -> Ended:
    """Run a program in a folder with these files, for so many `seconds` of a processor; return how it ended.

    Of what it leaves the `wanted` file is returned. It is shown these `packages` of our own Python.

    Raises ConfigError if nothing can be sealed on this machine, SealBroken if the seal can't be put up.
    """
    seal = usual_seal()
    with tempfile.TemporaryDirectory(prefix=prefix(SCRATCH), ignore_cleanup_errors=True) as name:
        place = Path(name).resolve()
        tree = place / "tree"
        for folder in (tree, place / "home"):
            folder.mkdir()
        for relative, data in files.items():
            (tree / relative).parent.mkdir(parents=True, exist_ok=True)
            # A model may write half a character.
            (tree / relative).write_bytes(data.encode(errors="replace") if isinstance(data, str) else data)
        ran = seal.run(argv, _policy(place, seconds, packages))
        printed = "\n".join(part.decode(errors="replace") for part in (ran.stdout, ran.stderr) if part)
        try:
            left = read_plain(tree / wanted, most=MOST_FILE, inside=tree)
        except OSError:
            left = None
    # What differs between two runs is left out: where it ran, and addresses of objects.
    steady = _ADDRESS.sub("0x…", end_of(printed).replace(str(tree), ".").replace(str(_FOLDER), "."))
    was_ended = ran.stopped or ran.status < 0 or ran.status > _SIGNALLED
    return Ended(None if was_ended else ran.status, steady, ran.stdout.decode(errors="replace"), left)


def _policy(place: Path, seconds: int, packages: Iterable[str]) -> Policy:
    needs = toolchain_of(place / "tree", {})
    python, reads = interpreter()
    shown: dict[PurePosixPath, Path] = {}
    for name in packages:
        found = importlib.util.find_spec(name)
        for folder in (found.submodule_search_locations if found else None) or ():
            shown[PurePosixPath(folder)] = Path(folder)
    environ = {**needs.environ, "PATH": f"{Path(python).parent}:{needs.environ['PATH']}", "PYTHONHASHSEED": "0"}
    if shown:
        environ["PYTHONPATH"] = ":".join(dict.fromkeys(str(path.parent) for path in shown))
    return Policy(
        tree=Tree(upper=place / "tree"),
        root=_FOLDER,
        cwd=_FOLDER,
        home=place / "home",
        environ=environ,
        reads={**needs.reads, **reads, **shown},
        bounds=Bounds(
            seconds=WALL_TIMES * seconds,
            cpu_seconds=seconds,
            memory=2 * 1024**3,
            file_size=256 * 1024**2,
            disk=1024**3,
            processes=128,
            output=1024**2,
        ),
    )
