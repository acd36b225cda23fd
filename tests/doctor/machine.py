"""A person's machine in a folder: home, project, and agent programs that say what they are told to."""

import json
import stat
from datetime import datetime
from pathlib import Path

from skillopt_sleep.doctor.checks import look
from skillopt_sleep.doctor.findings import Finding, FindingState, Topic
from skillopt_sleep.settings import Paths, find_paths

KEY = "dummy-key-for-tests"
CLAUDE_VERSION = "2.1.332 (Claude Code)"
SIMULATED = '[backend]\nname = "simulated"\n'
CODEX_VERSION = "codex-cli 0.171.0"


def script(path: Path, text: str) -> Path:
    """A program of a few shell lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


class Machine:
    """All of it below one folder; what is looked at is told in `environ`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.project = folder / "home" / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.environ = {
            "HOME": str(self.home),
            "SKILLOPT_SLEEP_HOME": str(folder / "sleep"),
            "PATH": f"{self.bin}:/usr/bin:/bin",
        }
        self.configured(SIMULATED)

    @property
    def paths(self) -> Paths:
        return find_paths(self.environ)

    def configured(self, text: str) -> None:
        self.paths.config.mkdir(mode=0o700, exist_ok=True)
        self.paths.config_file.write_text(text, encoding="utf-8")
        self.paths.config_file.chmod(0o600)

    def has_claude(self, says: str = CLAUDE_VERSION) -> None:
        script(self.bin / "claude", f"echo '{says}'")

    def has_codex(self, says: str = CODEX_VERSION) -> None:
        script(self.bin / "codex", f"echo '{says}'")

    def logged_in_to_claude(self, until: datetime) -> None:
        oauth = {
            "accessToken": KEY,
            "refreshToken": KEY,
            "expiresAt": int(until.timestamp() * 1000),
            "scopes": ["user:inference"],
            "subscriptionType": "max",
        }
        self.write(self.home / ".claude" / ".credentials.json", json.dumps({"claudeAiOauth": oauth}))

    def write(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def skill(self, folder: Path, *, front: str = "description: Does it.") -> Path:
        return self.write(folder / "SKILL.md", f"---\nname: {folder.name}\n{front}\n---\n\nThe body.\n")

    def look(self) -> tuple[Finding, ...]:
        return look(self.paths, folder=self.project, home=self.home, environ=self.environ)

    def problems(self, topic: Topic | None = None) -> list[Finding]:
        return [f for f in self.look() if f.state is FindingState.PROBLEM and topic in (None, f.topic)]

    def says(self, topic: Topic) -> str:
        return "\n".join(finding.says for finding in self.look() if finding.topic is topic)

    def files(self) -> dict[str, tuple[int, int]]:
        """Every file and folder there is, with its size and the moment of its last change."""
        found = {str(path): path.lstat() for path in self.folder.rglob("*")}
        return {
            name: (info.st_size, info.st_mtime_ns) for name, info in found.items() if not stat.S_ISSOCK(info.st_mode)
        }
