"""A place to run programs in a seal: a base, a copy, a home, and things outside that must not be touched."""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.kit.scratch import remove_tree
from skillopt_sleep.protocols.sealing import Bounds, Policy, Seal, Tree
from skillopt_sleep.replay.seals.probe import interpreter
from skillopt_sleep.replay.workspaces.layers import layers_work

PROJECT = PurePosixPath("/home/somebody/project")
BOUNDS = Bounds(seconds=60, cpu_seconds=60, memory=512 * 1024**2, file_size=4 * 1024**2, processes=100)
# What each piece of code run inside may use: `given` is what the test handed it, `tried` tells what came of a deed.
_PROLOGUE = """
import ctypes, errno, fcntl, json, os, signal, socket, sys, time
given = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def tried(deed, *values):
    try:
        done = deed(*values)
    except (OSError, ValueError) as error:
        return f"refused: {error}"
    return "done" if done is None or done == 0 else f"done: {done}"
def called(name, *values):
    ctypes.set_errno(0)
    if getattr(libc, name)(*values) == -1:
        raise OSError(ctypes.get_errno(), name)
"""


@dataclass
class Place:
    """Where a seal is tried."""

    seal: Seal
    folder: Path
    policy: Policy
    secret: str
    sleeper: subprocess.Popen[bytes]

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    @property
    def upper(self) -> Path:
        return self.policy.tree.upper

    def run(self, argv: Sequence[str], *, stdin: bytes = b"", **changed: Any) -> ProcessResult:
        return self.seal.run(argv, replace(self.policy, **changed), stdin=stdin)

    def sh(self, script: str, *values: str, **changed: Any) -> ProcessResult:
        return self.run(["/bin/sh", "-c", script, "sh", *values], **changed)

    def python(self, code: str, *, changed: dict[str, Any] | None = None, **given: Any) -> ProcessResult:
        """Run the code inside; `given` is what it gets to know."""
        program, _ = interpreter()
        return self.run([program, "-I", "-S", "-c", _PROLOGUE + code, json.dumps(given)], **(changed or {}))

    def is_untouched(self) -> bool:
        """Tell whether nothing outside was written, ended or added."""
        return (
            sorted(path.name for path in self.outside.iterdir()) == ["secret"]
            and (self.outside / "secret").read_text() == self.secret
            and (self.folder / "base" / "file").read_text() == "base\n"
            and self.sleeper.poll() is None
        )


@contextmanager
def a_place(seal: Seal, *, whole: bool = False) -> Generator[Place]:
    """Lay out a place for this seal, with a `whole` copy or layers; its path is short, as those of sockets are."""
    folder = Path(tempfile.mkdtemp(prefix="seal-", dir="/tmp")).resolve()
    for name in ("base", "upper", "work", "home", "outside"):
        (folder / name).mkdir()
    secret = secrets.token_hex(16)
    (folder / "outside" / "secret").write_text(secret)
    (folder / "base" / "file").write_text("base\n")
    tree = Tree(upper=folder / "upper", lower=folder / "base", work=folder / "work")
    if whole or not layers_work(folder):
        (folder / "upper" / "file").write_text("base\n")
        tree = Tree(upper=folder / "upper")
    relay = folder / "s"
    program, reads = interpreter()
    assert program
    with socket.socket(socket.AF_UNIX) as server, subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as sleeper:
        server.bind(str(relay))
        server.listen()
        policy = Policy(
            tree=tree,
            root=PROJECT,
            cwd=PROJECT,
            home=folder / "home",
            socket=relay,
            reads=reads,
            environ={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            bounds=BOUNDS,
        )
        try:
            yield Place(seal, folder, policy, secret, sleeper)
        finally:
            sleeper.kill()
            remove_tree(folder)


def alive_with(word: str) -> list[str]:
    """Return the command lines of running processes that hold this word."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in line and process.name != str(os.getpid()):
            found.append(line)
    return found


def is_linux() -> bool:
    return sys.platform == "linux"
