"""Seal programs by Anthropic's sandbox-runtime: Seatbelt on macOS, bubblewrap of its own kind on Linux.

It moves nothing and has no layers. It is a research preview, so one version is pinned. How it is started and what it
is told are pure functions; on macOS itself this has not been tried, and it is used there only if the probe finds that
it denies everything. Seatbelt lets a process outlive its parent: what is left is found by a mark in its environment
and killed, which does not find a process that has given up its environment.
"""

import json
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from skillopt_sleep.errors import SealBroken
from skillopt_sleep.kit import process
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.sealing import Policy, Probe
from skillopt_sleep.replay.seals.bubblewrap import SAFE, is_at_least, system_program, version_of as bubblewrap_version
from skillopt_sleep.replay.seals.probe import probed
from skillopt_sleep.replay.seals.remedies import SRT_VERSION, linux_remedy, srt_remedy
from skillopt_sleep.replay.seals.sandlock import check_in_place
from skillopt_sleep.replay.seals.watching import Watch

MARK = "SKILLOPT_SLEEP_SEAL"
_VERSION_SECONDS = 10.0
_DEAD_SECONDS = 2.0
_TICK = 0.02
# What a program of the system reads, on Linux and on macOS; anything else of the disk is hidden.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ssl", "/etc/alternatives", "/etc/ld.so.cache"),
    *("/System", "/Library/Apple", "/Library/Developer/CommandLineTools", "/private/etc/ssl", "/private/var/select"),
    *("/private/var/db/timezone", "/private/var/db/dyld", "/dev", "/nix/store"),
)


class SandboxRuntime:
    """The command `srt`, at the version that is pinned."""

    name = "sandbox-runtime"
    layers = False
    moves = False
    loopback = sys.platform != "darwin"  # to allow it there would let the host's own be reached

    def __init__(self, find: Callable[[], Path | None]) -> None:
        self._find = find

    def probe(self, folder: Path, /) -> Probe:
        """Try what it must refuse, in this empty folder."""
        program = self._find()
        if program is None:
            return Probe(self.name, problem="it isn't installed", remedy=srt_remedy())
        version = version_of(program)
        if version != SRT_VERSION:
            return Probe(self.name, version, problem=f"version {SRT_VERSION} is needed", remedy=srt_remedy())
        if problem := too_old_below(system_program() if sys.platform == "linux" else None):
            return Probe(self.name, version, problem=problem, remedy=linux_remedy())
        return probed(self, version, folder, remedy=srt_remedy())

    def run(self, argv: Sequence[str], policy: Policy, *, stdin: bytes = b"") -> Ran:
        """Run the program sealed, and end it with all it started; raise SealBroken if the seal can't be put up."""
        program = self._find()
        if program is None:
            raise SealBroken("sandbox-runtime isn't installed", remedy=srt_remedy())
        check_in_place(policy)
        if policy.tree.lower:
            raise SealBroken("sandbox-runtime needs a whole copy of the repository")
        mark = secrets.token_hex(16)
        with tempfile.TemporaryDirectory(prefix="skillopt-sleep-") as place:
            file = Path(place, "settings.json")
            file.write_text(json.dumps(settings(policy, platform=sys.platform)))
            try:
                ran = process.run(
                    command(program, file, argv, mark=mark, policy=policy),
                    stdin=stdin,
                    cwd=policy.tree.upper,
                    environ=own_environ(program, place, mark),
                    timeout=policy.bounds.seconds,
                    most=policy.bounds.output,
                    watch=Watch(policy.bounds, policy.tree.upper),
                )
            except OSError as error:
                raise SealBroken(f"the seal can't be started: {error}") from error
            finally:
                end_marked(mark)
        began = policy.home / mark
        if began.is_symlink() or began.exists():
            began.unlink()
        elif not ran.stopped:
            says = ran.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
            raise SealBroken(f"the seal didn't start: {says[0][:300]}")
        return ran


def too_old_below(bubblewrap: Path | None) -> str:
    """Say why the bubblewrap that it starts on Linux is too old, or ""."""
    # It has bubblewrap make mount points in the copy (.gitconfig, .vscode …): see mountpoints.py.
    if bubblewrap is None or is_at_least(bubblewrap_version(bubblewrap), SAFE):
        return ""
    return "it makes mount points in the copy, which is safe only with bubblewrap 0.12 or later"


def settings(policy: Policy, *, platform: str) -> dict[str, object]:
    """Return the policy in the words of its settings file."""
    sockets = [str(policy.socket)] if policy.socket else []
    read = [*_SYSTEM, str(policy.tree.upper), str(policy.home), *map(str, policy.reads.values()), *sockets]
    return {
        "network": {
            "allowedDomains": [],
            "deniedDomains": [],
            "strictAllowlist": True,
            "allowUnixSockets": sockets,
            # On Linux a filter can't tell sockets apart, so all or none; only those that can be seen are reached.
            "allowAllUnixSockets": bool(sockets) and platform == "linux",
            "allowLocalBinding": False,
        },
        "filesystem": {
            "denyRead": ["/"],
            "allowRead": [path for path in read if os.path.exists(path)],  # noqa: PTH110
            "allowWrite": [str(policy.tree.upper), str(policy.home)],
            # Without being asked it lets a folder be written that all its users share.
            "denyWrite": ["/tmp/claude", "/private/tmp/claude"] if platform == "darwin" else [],  # noqa: S108
        },
    }


def command(program: Path, file: Path, argv: Sequence[str], *, mark: str, policy: Policy) -> tuple[str, ...]:
    """Return the command line: limits, a file that shows that it began, a clean environment, the program."""
    values = [f"{name}={value}" for name, value in {**policy.environ, MARK: mark}.items()]
    # Limits are set inside: srt itself writes and starts more than the program may.
    limits = (
        f"ulimit -c 0; ulimit -t {policy.bounds.cpu_seconds}; ulimit -f {policy.bounds.file_size // 512}; "
        'cd "$1" && : > "$2" && shift 2 && exec "$@"'
    )
    began = str(policy.home / mark)
    inside = ("/bin/sh", "-c", limits, "sh", str(policy.cwd), began, "/usr/bin/env", "-i", *values, *argv)
    return (str(program), "--settings", str(file), "--", *inside)


def own_environ(program: Path, place: str, mark: str) -> dict[str, str]:
    """Return the environment of srt itself: it finds its own tools, and a home without any settings."""
    return {"PATH": f"{program.parent}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin", "HOME": place, MARK: mark}


def end_marked(mark: str) -> None:
    """Kill every process of this user that carries the mark, until none is left."""
    until = time.monotonic() + _DEAD_SECONDS
    while time.monotonic() < until:
        left = list(_marked(mark))
        if not left:
            return
        for found in left:
            with suppress(psutil.Error):
                found.kill()
        time.sleep(_TICK)


def _marked(mark: str) -> Iterator[psutil.Process]:
    own = os.getuid()
    for found in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if found.uids().real == own and found.environ().get(MARK) == mark:
                yield found


def version_of(program: Path) -> str:
    """Return the version that it prints, "" if it can't be run."""
    try:
        ran = process.run(
            [str(program), "--version"],
            stdin=b"",
            cwd=Path("/"),
            environ=own_environ(program, "/nonexistent", ""),
            timeout=_VERSION_SECONDS,
        )
    except OSError:
        return ""
    return ran.stdout.decode(errors="replace").strip()[:40] if ran.status == 0 else ""


def find_srt() -> Path | None:
    """Return the command `srt`, where npm put it."""
    found = shutil.which("srt")
    return Path(found) if found else None
