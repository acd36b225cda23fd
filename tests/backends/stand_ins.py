"""Someone with an agent program and a login: small programs stand in for the agent, and speak as the genuine does."""

import base64
import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.agents.codex.program import CodexProgram
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.process import MOST
from skillopt_sleep.protocols.program import Setup
from tests.agents.claude_outcomes import CREDENTIALS
from tests.builders import a_prompt

RECORDED = Path(__file__).parent.parent / "agents" / "recorded"
DIALECTS = {"claude": Claude, "codex": CodexProgram}
VERSIONS = {"claude": "2.1.332", "codex": "0.171.0"}
SAYS = {"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0"}
KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "CODEX_API_KEY"}
HANDED = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY"}
AGENT_HOMES = {"claude": ".claude", "codex": ".codex"}
HOME_ENVS = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME"}
LOGIN_FILES = {"claude": ".credentials.json", "codex": "auth.json"}
ENDS = datetime(2100, 1, 1, tzinfo=UTC)
TONIGHT = datetime(2099, 12, 31, tzinfo=UTC)
REFRESH = "made-up-refresh-token"
ACCESS = "made-up-access-token"
KEY = "made-up-key"
# It has no network and waits for one.
WAITS = ("codex", "port_closed")
PATIENCE = 300.0
HASTE = 2.0

# What every stand-in can do: it counts its starts, tells its version, and speaks as the genuine program does.
STAND_IN = """\
#!{python} -IS
import hashlib, json, os, signal, sys, time
from pathlib import Path
HOME_ENV = {home_env!r}
def count(what):
    with open({counts!r} + "/" + what, "a") as file:
        file.write(".")
def say(text, usd=0.25):
    spent = dict(inputTokens=10, outputTokens=5, costBasis="list")
    claude = [dict(type="result", subtype="success", is_error=False, result=text, stop_reason="end_turn",
        total_cost_usd=usd, modelUsage=dict([("claude-stand-in", spent)]))]
    codex = [dict(type="thread.started"), dict(type="turn.started"),
        dict(type="item.completed", item=dict(type="agent_message", text=text)),
        dict(type="turn.completed", usage=dict(input_tokens=10, output_tokens=5))]
    for event in dict(claude=claude, codex=codex)[{name!r}]:
        print(json.dumps(event))
def tree(folder):
    return dict((str(path.relative_to(folder)), [oct(path.stat().st_mode)[-3:], path.is_file() and path.read_text()])
        for path in sorted(folder.rglob("*")))
if sys.argv[1:] == ["--version"]:
    count("versions")
    {version}
    sys.exit()
count("calls")
"""
ECHO = "say(sys.stdin.read())"
# Tells all that it is given and where it is.
TELL = """
places = [os.environ["HOME"], os.environ["TMPDIR"], os.environ[HOME_ENV], os.getcwd()]
told = sys.stdin.buffer.read()
say(json.dumps(dict(argv=sys.argv, environ=dict(os.environ), places=places,
    modes=[oct(os.stat(place).st_mode)[-3:] for place in places],
    trees=[tree(Path(place)) for place in places],
    stdin=[len(told), hashlib.sha256(told).hexdigest()])))
"""
# Keeps a history wherever it can, as the genuine programs do.
KEEP = """
for place in (os.environ["HOME"], os.environ["TMPDIR"], os.environ[HOME_ENV], "."):
    Path(place, "sessions", "today").mkdir(parents=True)
    Path(place, "sessions", "today", "history.jsonl").write_text(sys.stdin.read() + "kept")
    Path(place, "sessions", "today").chmod(0o500)
say("done")
"""
HANG = "time.sleep(600)"
FLOOD = f"sys.stdout.write('x' * {MOST + 1000}); sys.stdout.flush(); time.sleep(600)"
DIE = "os.kill(os.getpid(), signal.SIGKILL)"
ENDINGS = {
    "hangs": HANG,
    "floods": FLOOD,
    "is killed": DIE,
    "fails": "sys.exit(1)",
    "answers": ECHO,
    "garbage": "print('\\0{')",
}


def jwt(**claims: object) -> str:
    parts = ({"alg": "none"}, claims, ACCESS)
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


TOKENS = {"claude": ACCESS, "codex": jwt(exp=int(ENDS.timestamp()))}


def login_of(name: str) -> str:
    """What the program keeps of a subscription."""
    if name == "claude":
        oauth = {**CREDENTIALS["claudeAiOauth"], "accessToken": ACCESS, "refreshToken": REFRESH}
        return json.dumps({"claudeAiOauth": oauth})
    tokens = {"id_token": jwt(), "access_token": TOKENS[name], "refresh_token": REFRESH}
    return json.dumps({"auth_mode": "chatgpt", "tokens": tokens, "last_refresh": "2026-01-01T00:00:00Z"})


class User:
    """Someone with a HOME, an agent and a login, all below one folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.home, self.bin, self.replays = folder / "home", folder / "bin", folder / "data" / "replays"
        self._counts = folder / "counts"
        for made in (self.home, self.bin, self._counts):
            made.mkdir()
        self.environ = {"PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin", "LC_ALL": "C.UTF-8"}

    def has(self, does: str = ECHO, *, at: Path | None = None, version: str = "") -> Path:
        """Install a program that does this where it is asked something."""
        path = at or self.bin / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        version = version or f"print({SAYS[self.name]!r})"
        given = {"name": self.name, "home_env": HOME_ENVS[self.name], "counts": str(self._counts)}
        head = STAND_IN.format(python=sys.executable, version=version, **given)
        path.write_text(head + dedent(does), encoding="utf-8")
        path.chmod(0o755)
        return path

    def subscribes(self, *, at: Path | None = None) -> Path:
        path = (at or self.home / AGENT_HOMES[self.name]) / LOGIN_FILES[self.name]
        path.parent.mkdir(exist_ok=True)
        path.write_text(login_of(self.name), encoding="utf-8")
        path.chmod(0o600)
        return path

    def backend(
        self, *, program: str = "", timeout: float = PATIENCE, more: Mapping[str, str] | None = None, **setup: Any
    ) -> CliBackend:
        return CliBackend(
            DIALECTS[self.name](),
            setup=Setup(**setup),
            program=program,
            environ={**self.environ, **(more or {})},
            home=self.home,
            folder=self.replays,
            timeout=timeout,
        )

    def with_key(self, **how: Any) -> CliBackend:
        return self.backend(more={KEYS[self.name]: KEY}, **how)

    def told(self, backend: CliBackend, text: str = "hello") -> dict[str, Any]:
        """What the program says that it was given."""
        self.has(TELL)
        return json.loads(backend.complete(a_prompt(text)).text)

    def recorded(self, outcome: str) -> None:
        """Install a program that says what the genuine one was recorded to say."""
        kept = json.loads((RECORDED / f"{self.name}-{VERSIONS[self.name]}" / f"{outcome}.json").read_text())
        said = [f"print({line!r})" for line in kept["stdout"]] + [
            f"print({line!r}, file=sys.stderr)" for line in kept["stderr"]
        ]
        end = kept["status"]
        dies = f"os.kill(os.getpid(), {-end})" if end < 0 else f"sys.exit({end})"
        self.has("\n".join((*said, "sys.stdout.flush()", HANG if kept.get("stopped") else dies)))

    def count(self, what: str) -> int:
        path = self._counts / what
        return path.stat().st_size if path.exists() else 0

    def kept(self) -> dict[str, tuple[int, int, bytes]]:
        """Everything in HOME, with its last change."""
        found = {path: path.stat() for path in self.home.rglob("*")}
        return {
            str(path): (info.st_mode, info.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path, info in found.items()
        }

    def left(self) -> list[Path]:
        """What is left of calls."""
        return sorted(self.replays.rglob("*"))


def failed(backend: CliBackend, **prompt: Any) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        backend.complete(a_prompt("hello", **prompt))
    assert caught.value.remedy
    return caught.value
