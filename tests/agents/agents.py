"""The same small sessions in the lines of both agents, for tests that damage them."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.agents.claude_code.sessions import ClaudeCode
from skillopt_sleep.agents.codex.sessions import Codex
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import Session

NAME = "01a1fb91-c719-73f2-b8e0-d4d777a841bc"
START = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
SKIPPED = 9000  # bytes of a tool result that is passed over without being decoded


class Agent(NamedTuple):
    """One agent: its source, the file of a session, and the lines it writes: what was typed, a tool's result, bookkeeping."""

    name: str
    source: Callable[[Path], SessionSource]
    place: str
    head: bytes
    typed: Callable[..., bytes]
    result: Callable[[int], bytes]
    note: Callable[[int], bytes]

    def write(self, home: Path, lines: Sequence[bytes], ending: bytes = b"\n") -> Path:
        """The session with these lines after its head."""
        return self.write_bytes(home, b"\n".join([self.head, *lines]) + ending)

    def write_bytes(self, home: Path, body: bytes) -> Path:
        path = home / self.place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path

    def read(self, home: Path) -> Session:
        """The one session, read as a night would find it."""
        source = self.source(home)
        paths = [path for path, _ in source.stamps()]
        ((_, _, reading),) = source.read(paths)
        (packed,) = reading.sessions
        return packed.session


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()


def _when(number: int) -> str:
    return (START + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _claude(number: int, kind: str, parent: int | None = None, **fields: Any) -> bytes:
    before = number - 1 if parent is None else parent
    return _line(
        {
            "parentUuid": f"u{before}" if before > 0 else None, "isSidechain": False, "type": kind, **fields,
            "uuid": f"u{number}", "timestamp": _when(number), "userType": "external", "entrypoint": "cli",
            "cwd": "/home/dev/shop", "sessionId": NAME, "version": "2.1.329", "gitBranch": "main",
        } | {key: fields[key] for key in ("timestamp", "cwd", "sessionId", "entrypoint") if key in fields}
    )  # fmt: skip


def _claude_typed(number: int, text: str, **fields: Any) -> bytes:
    message = {"role": "user", "content": text}
    return _claude(number, "user", promptSource="typed", message=message, **fields)


def _claude_result(number: int) -> bytes:
    block = {"tool_use_id": f"t{number}", "type": "tool_result", "content": "x = 1\n" * (SKIPPED // 6)}
    return _claude(number, "user", message={"role": "user", "content": [block]}, toolUseResult={"stdout": ""})


def _claude_note(number: int) -> bytes:
    return _line({"type": "last-prompt", "lastPrompt": f"note {number}", "leafUuid": f"u{number}", "sessionId": NAME})


def _codex(number: int, kind: str, payload: dict[str, Any], **fields: Any) -> bytes:
    return _line({"timestamp": _when(number), "type": kind, "payload": payload, **fields})


def _codex_typed(number: int, text: str, **fields: Any) -> bytes:
    content = [{"type": "text", "text": text}]
    item = {"type": "UserMessage", "id": f"u{number}", "content": content}
    return _codex(number, "event_msg", {"type": "item_completed", "thread_id": NAME, "item": item}, **fields)


def _codex_result(number: int) -> bytes:
    output = "x = 1\n" * (SKIPPED // 6)
    return _codex(
        number, "response_item", {"type": "function_call_output", "call_id": f"c{number}", "output": output}
    )


def _codex_note(number: int) -> bytes:
    return _codex(number, "event_msg", {"type": "token_count", "info": None, "rate_limits": {"plan": number}})


_META = {"id": NAME, "cwd": "/home/dev/shop", "originator": "codex-tui", "source": "cli", "git": {"branch": "main"}}
AGENTS = (
    Agent(
        "claude", ClaudeCode, f"projects/-home-dev-shop/{NAME}.jsonl",
        _line({"type": "mode", "mode": "normal", "sessionId": NAME}), _claude_typed, _claude_result, _claude_note,
    ),
    Agent(
        "codex", Codex, f"sessions/2026/11/20/rollout-2026-11-20T08-00-00-{NAME}.jsonl",
        _codex(0, "session_meta", _META), _codex_typed, _codex_result, _codex_note,
    ),
)  # fmt: skip
