"""Nights and session hooks in hostile repositories, each beside a good one that must have its night all the same."""

import json
import os
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from bench.abuse_corpus.repositories import REPOSITORIES, Repository, remove, snapshot
from tests.agent_hooks import Hooked
from tests.command import PROGRAM, Home, night_arguments
from tests.server import ModelServer

TOGETHER = 24
SECONDS = 240
MEMORY = 2 << 30
ONE_ASK = (("write a release note", "no, keep it to three lines please"),)


class Harm(NamedTuple):
    """What repositories did, by their names: `stopped` is empty where the good project had its whole night."""

    stopped: tuple[str, ...]
    ran: tuple[str, ...]
    leaked: tuple[str, ...]
    written: tuple[str, ...]


def harm_of(repositories: Sequence[Repository] = tuple(REPOSITORIES)) -> Harm:
    """Have nights over all of them, a few dozen at a time; those of a night that is stopped are tried one by one."""
    groups = [repositories[at : at + TOGETHER] for at in range(0, len(repositories), TOGETHER)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(_harm_together, groups))
    return Harm(*(tuple(name for part in found for name in part[kind]) for kind in range(len(Harm._fields))))


def _harm_together(group: Sequence[Repository]) -> Harm:
    found = _night(group)
    if not found.stopped or len(group) == 1:
        return found
    alone = [_night([one]) for one in group]
    return Harm(*(tuple(name for part in alone for name in part[kind]) for kind in range(len(Harm._fields))))


def _night(group: Sequence[Repository]) -> Harm:
    """One history over these repositories and a good one: the hook, a harvest, a plan and a night."""
    names = tuple(one.name for one in group)
    with tempfile.TemporaryDirectory(prefix="bench-abuse-", ignore_cleanup_errors=True) as name:
        root = Path(name)
        (root / "home").mkdir()
        (root / "outside").mkdir()
        home, canary = Home(root / "home"), root / "outside" / "canary"
        home.had_sessions()
        folders = [root / "home" / "work" / f"x-{one.name}" for one in group]
        for one, folder in zip(group, folders, strict=True):
            folder.mkdir()
            one.build(folder, canary)
            home.had_sessions_in(folder, ONE_ASK)
        before = snapshot(canary)
        environ = home.environment | {key: value for one in group for key, value in one.environment.items()}
        for folder in folders:
            _hook(home, folder, environ)
        why = _commands(home, environ)
        if why:
            print(f"  stopped by {', '.join(names)}: {why}")
        told = _everything_told(root / "home" / "sleep")
        harm = Harm(
            stopped=names if why else (),
            ran=tuple(canary.read_text().split()) if canary.exists() else (),
            leaked=tuple(one.name for one in group if f"CANARY-OUTSIDE-{one.name}".encode() in told),
            written=names if snapshot(canary) != before else (),
        )
        for folder in folders:
            remove(folder)
    return harm


def _hook(home: Home, folder: Path, environ: dict[str, str]) -> None:
    """The hook at a session's start, and what git does behind it, to its end."""
    hooked = Hooked(home.folder)
    told = {
        "session_id": folder.name[:100],
        "hook_event_name": "SessionStart",
        "cwd": str(folder),
        "source": "startup",
    }
    hooked.raw(json.dumps(told), environ=environ)


def _commands(home: Home, environ: dict[str, str]) -> str:
    """Why the good project did not have its night; empty where it did."""
    with ModelServer() as server:
        for arguments in (
            ("harvest", "--json"),
            ("run", "--plan", "--json", "--backend", "simulated"),
            night_arguments(server.base_url),
        ):
            try:
                done = subprocess.run(
                    [str(PROGRAM), *arguments],
                    capture_output=True,
                    text=True,
                    env=environ,
                    cwd=home.folder,
                    timeout=SECONDS,
                    check=False,
                    preexec_fn=_bounded,
                )
            except subprocess.TimeoutExpired:
                return f"{arguments[:2]} hangs"
            if done.returncode not in {0, 3} or "Traceback" in done.stderr or "a bug" in done.stderr:
                return f"{arguments[:2]} ends with {done.returncode}: {done.stderr[-300:]}"
    answer = json.loads(done.stdout)
    document = str(home.project / "CLAUDE.md")
    if not any(proposal["path"] == document for proposal in answer["proposals"]):
        return f"nothing was proposed for the good project: {answer['verdict']}"
    return ""


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _everything_told(folder: Path) -> bytes:
    """All that is kept or was sent."""
    files = [Path(at) / name for at, _, names in os.walk(folder) for name in names]
    return b"".join(path.read_bytes() for path in files if path.is_file() and not path.is_symlink())
