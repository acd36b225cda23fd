"""A person whose own agents are the models of a night, and what such a night may not touch."""

import json
import os
import socketserver
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from skillopt_sleep.agents.claude_code.program import Claude
from skillopt_sleep.agents.codex.program import CodexProgram
from skillopt_sleep.protocols.program import Dialect
from tests.command import KEY, Home
from tests.server import ModelServer

LOGINS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")


class Agent(NamedTuple):
    """One program: how it is asked for, at which version, and in what protocol it asks."""

    name: str
    model: str
    protocol: str
    dialect: Dialect

    def address(self, server: ModelServer) -> str:
        """What the program takes as the base URL."""
        return server.root_url if self.protocol == "messages" else server.base_url

    def shown(self, server: ModelServer, version: str) -> str:
        """How a report names it."""
        return f"{self.name}:{self.model}@{self.address(server)} ({version})"


CLAUDE = Agent("claude", "claude-sonnet-5", "messages", Claude())
CODEX = Agent("codex", "gpt-5.5", "responses", CodexProgram())
AGENTS = (CLAUDE, CODEX)


class Fence:
    """A proxy on loopback that lets nothing through; `met` is where someone wanted to go, by request line."""

    def __init__(self) -> None:
        self.met: list[str] = []
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), self._handler(), bind_and_activate=True)
        self._server.daemon_threads = True

    @property
    def environ(self) -> dict[str, str]:
        """Sends every program that asks for an address elsewhere than on loopback to the fence."""
        url = f"http://127.0.0.1:{self._server.server_address[1]}"
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        return {name: url for upper in names for name in (upper, upper.lower())} | {
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[socketserver.StreamRequestHandler]:
        met = self.met

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                met.append(self.rfile.readline(1000).decode(errors="replace").strip())
                self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        return Handler


class Person(Home):
    """A home whose environment can be added to, and whose configuration names programs."""

    def __init__(self, folder: Path, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(folder)
        self.added: dict[str, str] = dict.fromkeys(LOGINS, KEY) | dict(environ or {})
        self.left_out: set[str] = set()

    @property
    def environment(self) -> dict[str, str]:
        everything = super().environment | self.added
        return {name: value for name, value in everything.items() if name not in self.left_out}

    @property
    def data(self) -> Path:
        return self.folder / "sleep" / "data"

    def configured(self, text: str) -> None:
        """The whole configuration."""
        (self.folder / "sleep").mkdir(exist_ok=True)
        (self.folder / "sleep" / "config.toml").write_text(text, encoding="utf-8")

    def own_files(self) -> dict[str, tuple[bytes, int]]:
        """Every file that isn't ours, with its bytes and the moment of its last change; folders count as empty."""
        found: dict[str, tuple[bytes, int]] = {}
        for at, folders, files in os.walk(self.folder):
            if Path(at) == self.folder:
                folders.remove("sleep")
            for name in files:
                path = Path(at, name)
                found[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns)
            found |= {str(Path(at, name)): (b"", 0) for name in folders}
        return found


def section(title: str, /, **keys: Any) -> str:
    """One section of a configuration."""
    lines = "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items())
    return f"[{title}]\n{lines}"


def _toml(value: Any) -> str:
    return json.dumps(value if isinstance(value, int | float) else str(value))


SAYS = {"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0"}
ROOT = Path(__file__).parents[1]
# The scripted model behind each program's own output; `does` is what it does with the answer.
_STAND_IN = """\
#!{python}
import hashlib, json, os, signal, sys, time
def say(text, usd={usd}, tokens={tokens}):
    spent = dict(inputTokens=tokens, outputTokens=0, costBasis="list")
    claude = [dict(type="result", subtype="success", is_error=False, result=text, stop_reason="end_turn",
        total_cost_usd=usd, modelUsage=dict([("claude-stand-in", spent)]))]
    codex = [dict(type="turn.started"), dict(type="item.completed", item=dict(type="agent_message", text=text)),
        dict(type="turn.completed", usage=dict(input_tokens=tokens, output_tokens=0))]
    for event in dict(claude=claude, codex=codex)[{name!r}]:
        print(json.dumps(event), flush=True)
if sys.argv[1:] == ["--version"]:
    print({version!r})
    sys.exit()
with open({starts!r}, "a") as file:
    file.write(".")
told = sys.stdin.buffer.read()
sys.path.insert(0, {root!r})
from tests.server_answers import ScriptedModel, recognised
purpose, prompt = recognised([told.decode()])
answer = ScriptedModel(want="pnpm", avoid="npm").answer(purpose, prompt)
{does}
"""


def stand_in(folder: Path, agent: Agent, does: str = "say(answer)", *, usd: float = 0.25, tokens: int = 120) -> Path:
    """A program that speaks as this agent's does and knows what the scripted model knows."""
    text = _STAND_IN.format(
        python=sys.executable,
        usd=usd,
        tokens=tokens,
        name=agent.name,
        version=SAYS[agent.name],
        starts=str(folder / "starts"),
        root=str(ROOT),
        does=does,
    )
    return _program(folder, agent, text)


def shell(folder: Path, agent: Agent, does: str, *, version: str = "") -> Path:
    """A program that tells its version and else does these shell lines."""
    asked = version or f"echo '{SAYS[agent.name]}'; exit"
    text = f'#!/bin/sh\n[ "$1" = --version ] && {{ {asked}; }}\necho . >> "{folder / "starts"}"\n{does}\n'
    return _program(folder, agent, text)


def starts(folder: Path) -> int:
    """How often such a program was asked."""
    log = folder / "starts"
    return log.read_text().count(".") if log.exists() else 0


def _program(folder: Path, agent: Agent, text: str) -> Path:
    path = folder / "programs" / agent.name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path
