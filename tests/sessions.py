"""Builders that write sessions in the genuine formats of Claude Code and Codex.

`claude_session` and `codex_session` turn exchanges into a session file as the programs would have written it; the
same arguments give the same bytes. Each returns the file's path. The formats themselves are in `claude_format` and
`codex_format`; genuine files to compare with are in `tests/transcripts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One tool call of the agent: a shell `command`, a file, or a `skill`.

    A file at `path` is written when there is `content`, edited when `before` (the whole file) is given too, shown when
    there is an `image` (base64), else read; what a command or a read gave back is `output`.
    """

    command: str = ""
    path: str = ""
    content: str = ""
    before: str = ""
    image: str = ""
    skill: str = ""
    output: str = ""
    exit_code: int = 0


@dataclass(frozen=True)
class Exchange:
    """What the person typed and what the agent did and said.

    `opening` is said before the tools run, `thought` is what the model thought before that, `meanwhile` was typed while
    the agent worked. With `rejected` the person refuses the last tool call, with `interrupted` they press Esc before
    the answer: in both the agent says nothing more. With `in_shell`, `user` is a command that the person ran themselves
    with `!` in the agent's prompt, and `printed` is its output (`claude_session` only).
    """

    user: str
    assistant: str = ""
    tools: Sequence[ToolCall] = ()
    rejected: bool = False
    interrupted: bool = False
    opening: str = ""
    meanwhile: str = ""
    thought: str = ""
    in_shell: bool = False
    printed: str = ""


class Clock:
    """The time of each record: a step per record, a longer pause between exchanges."""

    def __init__(self, start: datetime, pause: timedelta) -> None:
        self.now = start
        self.pause = pause

    def tick(self, milliseconds: int = 40) -> datetime:
        """Go on a little."""
        self.now += timedelta(milliseconds=milliseconds)
        return self.now

    def stamp(self) -> str:
        """Go on a little and write the time as both programs do."""
        return stamp(self.tick())

    def rest(self) -> None:
        """Let the person think."""
        self.now += self.pause


def stamp(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and a Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def session_uuid(*parts: object) -> UUID:
    """A session's id, the same for the same parts."""
    return uuid5(NAMESPACE_URL, "|".join(str(part) for part in parts))


def claude_session(
    projects: Path,
    *,
    cwd: str,
    started: datetime,
    exchanges: Sequence[Exchange],
    session_id: str | None = None,
    headless: bool = False,
    branch: str = "main",
    version: str = "2.1.329",
    model: str = "claude-opus-5-5",
    pause: timedelta = timedelta(minutes=2),
    vendor_text: str = "[vendor text removed]",
    subagent_of: Path | None = None,
) -> Path:
    """Write a Claude Code session below `projects` (the folder of that name); versions 2.1.329 and 1.0.128.

    1.0.128 has no way to tell headless from interactive. `vendor_text` stands for system prompt and tool schemas.
    `subagent_of` is the file of the session whose sub-agent this is (2.1.329 only).
    """
    from tests.claude_format import ClaudeWriter

    name = session_id or str(session_uuid("claude", cwd, started.isoformat(), exchanges[0].user if exchanges else ""))
    folder = projects / "".join(c if c.isascii() and c.isalnum() else "-" for c in cwd)
    folder.mkdir(parents=True, exist_ok=True)
    writer = ClaudeWriter(
        session=name, cwd=cwd, branch=branch, version=version, model=model, headless=headless,
        clock=Clock(started, pause), vendor_text=vendor_text, subagent_of=subagent_of.stem if subagent_of else "",
    )  # fmt: skip
    path = folder / f"{name}.jsonl"
    if subagent_of:
        path = subagent_of.with_suffix("") / "subagents" / f"agent-{name[:17].replace('-', '')}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(writer.session_bytes(exchanges))
    return path


def codex_session(
    codex_home: Path,
    *,
    cwd: str,
    started: datetime,
    exchanges: Sequence[Exchange],
    session_id: str | None = None,
    headless: bool = False,
    branch: str = "main",
    commit: str = "7756c23c9294a41fbd681b1e8dac1087902598d2",
    version: str = "0.169.0",
    model: str = "gpt-5.5",
    pause: timedelta = timedelta(minutes=2),
    archived: bool = False,
    vendor_text: str = "[vendor text removed]",
    project_text: str = "",
    subagent_of: str = "",
) -> Path:
    """Write a Codex rollout below `codex_home`, in sessions/ by day or in archived_sessions/; 0.169.0 and 0.47.0.

    `vendor_text` stands for base instructions and all the developer says, `project_text` for the project's AGENTS.md
    (0.169.0 only);
    `subagent_of` is the id of the session whose sub-agent this is (0.169.0 only).
    """
    from tests.codex_format import CodexWriter

    name = session_id or str(session_uuid("codex", cwd, started.isoformat(), exchanges[0].user if exchanges else ""))
    day = started.strftime("%Y/%m/%d")
    folder = codex_home / ("archived_sessions" if archived else f"sessions/{day}")
    folder.mkdir(parents=True, exist_ok=True)
    writer = CodexWriter(
        session=name, cwd=cwd, branch=branch, commit=commit, version=version, model=model, headless=headless,
        clock=Clock(started, pause), vendor_text=vendor_text, project_text=project_text, subagent_of=subagent_of,
    )  # fmt: skip
    path = folder / f"rollout-{started.strftime('%Y-%m-%dT%H-%M-%S')}-{name}.jsonl"
    path.write_bytes(writer.session_bytes(exchanges))
    return path
