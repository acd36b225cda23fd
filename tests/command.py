"""The installed command in a subprocess with a home of its own, and a history for it to read."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests import warm
from tests.sessions import Exchange, ToolCall, claude_session, codex_session, session_uuid

PROGRAM = Path(sys.executable).parent / "skillopt-sleep"
KEY = "dummy-key-for-tests"
PATIENCE = 500  # seconds until a command is taken to hang; a night on a busy machine may take minutes
# The variables of a night that attempts each task once: for tests that aren't about the gate, as each attempt by a
# genuine agent takes a second or more.
ONE_ROUND = {"SKILLOPT_SLEEP_GATE_RULE": "strict"}
ASKS = (
    ("create a run script", "no, that's wrong - we always use pnpm here, never npm"),
    ("add an install script", "again: we always use pnpm here, never npm"),
    ("how do I start the server", "no - we always use pnpm here, never npm"),
    ("write down the release steps", "wrong, we always use pnpm here, never npm"),
    ("update the lock file", "stop, we always use pnpm here, never npm"),
)


@dataclass(frozen=True)
class Done:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Home:
    """A person's home: agents' folders, one project, and the command pointed at them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "work" / "shop-api"
        self.project.mkdir(parents=True)
        (self.project / "CLAUDE.md").write_text("# shop-api\n\nTests run with vitest.\n", encoding="utf-8")

    @property
    def environment(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "SKILLOPT_SLEEP_HOME": str(self.folder / "sleep"),
            "CLAUDE_CONFIG_DIR": str(self.folder / ".claude"),
            "CODEX_HOME": str(self.folder / ".codex"),
            "OPENAI_API_KEY": KEY,
            # Where nobody watches, a night tells the desktop, which on macOS would be the real one.
            "SKILLOPT_SLEEP_NOTIFY_WHEN": "never",
            "PATH": os.environ["PATH"],
            "NO_PROXY": "127.0.0.1,localhost",
        }

    def command(self, *arguments: str, cwd: Path | str | None = None, **environment: str) -> Done:
        """Run the command to its end, with these variables too, from the home or another folder."""
        words = [str(PROGRAM), *arguments]
        variables = self.environment | _of_a_key(arguments) | environment
        if warm.can_run(variables):
            done = warm.run(words, variables, Path(cwd or self.folder), PATIENCE)
        else:
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                env=variables,
                cwd=cwd or self.folder,
                check=False,
                timeout=PATIENCE,
            )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start the command and leave it running."""
        return subprocess.Popen(
            [str(PROGRAM), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment | _of_a_key(arguments),
            cwd=self.folder,
        )

    def night(self, base_url: str, *more: str, **environment: str) -> Done:
        """A night against a model server, answered in JSON."""
        return self.command(*night_arguments(base_url), *more, cwd=None, **environment)

    def had_sessions(self, asks: Sequence[tuple[str, str]] = ASKS, *, days_ago: float = 3) -> None:
        """Sessions of both agents in which the same correction came up again and again."""
        self.had_sessions_in(self.project, asks, days_ago=days_ago)

    def had_sessions_in(self, project: Path, asks: Sequence[tuple[str, str]], *, days_ago: float = 3) -> None:
        """The same in a project of choice.

        The ids of sessions depend on neither the folder nor the clock: the simulated model's noise hangs on them.
        """
        project.mkdir(parents=True, exist_ok=True)
        start = datetime.now(UTC).replace(microsecond=0) - timedelta(days=days_ago)
        for number, (ask, correction) in enumerate(asks):
            exchanges = (
                Exchange(ask, "Done with npm.", tools=(ToolCall(command="npm install", output="ok"),)),
                Exchange(correction, "Sorry, changed."),
            )
            started = start + number * min(timedelta(hours=3), timedelta(days=days_ago * 0.8) / len(asks))
            name = str(session_uuid(project.name, str(days_ago), str(number), ask, correction))
            if number % 3 == 2:
                codex = self.folder / ".codex"
                codex_session(codex, cwd=str(project), started=started, exchanges=exchanges, session_id=name)
            else:
                projects = self.folder / ".claude" / "projects"
                claude_session(projects, cwd=str(project), started=started, exchanges=exchanges, session_id=name)


def _of_a_key(arguments: Sequence[str]) -> dict[str, str]:
    """Name the key of a server that is named on the command line: so it counts as any model, not as one at home."""
    return {"SKILLOPT_SLEEP_BACKEND_API_KEY_ENV": "OPENAI_API_KEY"} if "--base-url" in arguments else {}


def night_arguments(base_url: str) -> tuple[str, ...]:
    """The command line of a night against a model server."""
    return ("run", "--json", "--backend", "openai", "--model", "scripted-1", "--base-url", base_url)
