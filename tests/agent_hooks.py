"""The hooks' scripts, run as an agent runs them, and a project for them to look at."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
HOOKS = ROOT / "hooks"
SCRIPT = HOOKS / "scripts" / "session.py"
SESSION = "5e5510a0-0000-4000-8000-000000000001"
_SECONDS = 120


@dataclass(frozen=True)
class Hooked:
    """A person whose agent has the hooks: `environ` is all that a hook gets to see."""

    folder: Path
    agent: str = "claude_code"
    python: str = sys.executable

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "SKILLOPT_SLEEP_HOME": str(self.folder / "sleep"),
            "PATH": os.environ["PATH"],
        }

    @property
    def state(self) -> Path:
        return self.folder / "sleep" / "data" / "state"

    @property
    def spool(self) -> Path:
        return self.state / "spool"

    def note(self, kind: str, session: str = SESSION) -> Path:
        """Where a note of the session is."""
        return self.spool / self.agent / f"{session}.{kind}"

    def run(
        self, event: str, *, session: str = SESSION, environ: dict[str, str] | None = None, **said: Any
    ) -> "subprocess.CompletedProcess[str]":
        """A hook from its start to the end of its pipes."""
        told = {"session_id": session, "hook_event_name": event, "cwd": str(self.folder / "project"), **said}
        return self.raw(json.dumps(told), environ=environ)

    def raw(
        self, told: str, *arguments: str, environ: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """A hook that is told something."""
        return subprocess.run(
            [self.python, "-I", "-S", str(SCRIPT), *(arguments or (self.agent,))],
            input=told,
            capture_output=True,
            text=True,
            env=self.environ if environ is None else environ,
            cwd=self.folder,
            timeout=_SECONDS,
            check=False,
        )

    def started(self, session: str = SESSION, **said: Any) -> list[str]:
        """The lines that the hook at the start has git note, once git is done behind it."""
        self.run("SessionStart", session=session, source="startup", **said)
        return lines_of(self.note("started", session))

    def waits(self, count: object) -> None:
        """So many proposals wait."""
        self.state.mkdir(parents=True, exist_ok=True)
        (self.state / "proposals_waiting.json").write_text(json.dumps({"schema_version": 1, "waiting": count}))


def lines_of(path: Path) -> list[str]:
    """The lines of a note that git writes, as soon as they are there."""
    wait_for(lambda: path.exists() and path.stat().st_size > 0)
    return path.read_text().splitlines()


def wait_for(true: Callable[[], bool]) -> None:
    """Until it is, as git works on behind a hook that is over."""
    until = time.monotonic() + _SECONDS
    while not true():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.01)


def git(folder: Path, *arguments: str) -> str:
    """What git says."""
    named = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main")
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *named, *arguments], cwd=folder, env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def repository(folder: Path, **files: str) -> str:
    """A repository with one commit of these files; its name."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    for name, text in (files or {"code_py": "one\n"}).items():
        (folder / name.replace("_", ".")).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "begin")
    return git(folder, "rev-parse", "HEAD")
