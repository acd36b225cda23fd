"""Read from Codex's events what it did: the tools it called, the commands it ran and how they ended."""

import shlex
from io import BytesIO

import msgspec

from skillopt_sleep.agents.sealed import bounded
from skillopt_sleep.protocols.agent import ToolNames
from skillopt_sleep.records import CommandRun

TOOLS = ToolNames(
    shells=frozenset(
        {"container.exec", "exec", "exec_command", "local_shell", "shell", "shell_command", "unified_exec"}
    ),
    writers=frozenset({"apply_patch"}),
)
_TOOLS = {
    "command_execution": "exec_command",
    "file_change": "apply_patch",
    "mcp_tool_call": "mcp",
    "collab_tool_call": "collab",
    "web_search": "web_search",
}
_SHELL_OPTIONS = frozenset({"-c", "-lc"})
_SHELL_WORDS = 3  # the shell, its option, the command


class _Item(msgspec.Struct):
    type: str
    id: str = ""
    text: str = ""
    command: str = ""
    aggregated_output: str = ""
    exit_code: int | None = None


class _Event(msgspec.Struct):
    """The parts of an output line that we read."""

    type: str
    item: _Item | None = None
    thread_id: str = ""


_event = msgspec.json.Decoder(_Event)


class Deeds:
    """What the events tell, run after run."""

    def __init__(self) -> None:
        self.session = ""
        self.response = ""
        self._runs = 0
        self._tools: dict[tuple[int, str], str] = {}
        self._commands: dict[tuple[int, str], CommandRun] = {}

    @property
    def commands(self) -> tuple[CommandRun, ...]:
        """Return the commands that ran, in order."""
        return tuple(self._commands.values())

    @property
    def tool_calls(self) -> tuple[str, ...]:
        """Return the tools that were called, in order."""
        return tuple(self._tools.values())

    def read(self, stdout: bytes) -> None:
        """Read the events of one run; what isn't one is left out."""
        self._runs += 1
        self.response = ""
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            try:
                event = _event.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            self.session = event.thread_id or self.session
            if event.item is not None:
                self._take(event.item, is_completed=event.type == "item.completed")

    def _take(self, item: _Item, *, is_completed: bool) -> None:
        key = (self._runs, item.id)  # each run counts its items anew
        if item.type == "agent_message" and is_completed:
            self.response = item.text
        if item.type in _TOOLS and len(self._tools) < bounded.MOST_TOOL_CALLS:
            self._tools.setdefault(key, _TOOLS[item.type])
        if item.type != "command_execution":
            return
        if key not in self._commands and len(self._commands) >= bounded.MOST_COMMANDS:
            return
        status = item.exit_code if is_completed else None
        # It says -1 of what still ran when it ended.
        if status is not None and status < 0:
            status = None
        self._commands[key] = bounded.command(_typed(item.command), status, item.aggregated_output)


def _typed(command: str) -> str:
    """Return the command as the model wrote it: the event shows the shell that runs it too, as one line."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    if len(words) == _SHELL_WORDS and words[1] in _SHELL_OPTIONS:
        return words[2]
    return command
