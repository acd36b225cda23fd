"""Read the events that `codex exec --json` prints, one a line: its answer, its usage, its errors, and what it did."""

import shlex
from io import BytesIO

import msgspec

from skillopt_sleep.agents.sealed.actions import Actions
from skillopt_sleep.protocols.agent import ToolNames
from skillopt_sleep.records import Tokens, Usage

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
_EVENTS = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "error"})
_ITEM_EVENTS = frozenset({"item.started", "item.updated", "item.completed"})
_ITEMS = frozenset({"agent_message", "reasoning", "error", "todo_list", *_TOOLS})


class _Spent(msgspec.Struct):
    input_tokens: Tokens = 0
    cached_input_tokens: Tokens = 0
    output_tokens: Tokens = 0


class _Item(msgspec.Struct):
    type: str
    id: str = ""
    text: str = ""
    command: str = ""
    aggregated_output: str = ""
    exit_code: int | None = None


class _Error(msgspec.Struct):
    message: str = ""


class _Event(msgspec.Struct):
    """The parts of an output line that we read."""

    type: str
    item: _Item | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")
    error: _Error | None = None
    message: str = ""
    thread_id: str = ""


_spent = msgspec.json.Decoder(_Spent)
_event = msgspec.json.Decoder(_Event)


class CodexOutput:
    """The program's output: answer, usage and errors of its last run, and its actions in all runs.

    `odd` counts the lines of the last run that we don't know.
    """

    def __init__(self) -> None:
        self.session = ""
        self.actions = Actions()
        self._runs = 0
        self._begin_run()

    def _begin_run(self) -> None:
        self._runs += 1
        self.answer = ""
        self.complaint = ""
        self.failure: str | None = None
        self.usage: Usage | None = None
        self.is_begun = False
        self.is_completed = False
        self.odd = 0

    @property
    def tokens(self) -> tuple[int, int, int] | None:
        """Return the tokens for input, output and from the cache, or None if they are unknown."""
        if self.usage is None:
            return None
        return self.usage.input_tokens, self.usage.output_tokens, self.usage.cached_tokens

    def read(self, stdout: bytes) -> "CodexOutput":
        """Read the events of one run, and return this."""
        self._begin_run()
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            try:
                event = _event.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.odd += bool(line.strip())
                continue
            self.session = event.thread_id or self.session
            self._take(event)
        return self

    def _take(self, event: _Event) -> None:
        match event.type:
            case "turn.started":
                self.is_begun = True
            case "turn.completed":
                self.is_completed = True
                self.usage = _usage(event.usage)
            case "turn.failed":
                self.failure = event.error.message if event.error else ""
            case "error":
                self.complaint = event.message
            case _:
                if event.type in _ITEM_EVENTS and event.item is not None and event.item.type in _ITEMS:
                    self._take_item(event.item, is_completed=event.type == "item.completed")
                elif event.type not in _EVENTS:
                    self.odd += 1

    def _take_item(self, item: _Item, *, is_completed: bool) -> None:
        if item.type == "agent_message" and is_completed:
            self.answer = item.text
        name = f"{self._runs} {item.id}"  # each run counts its items anew
        if tool := _TOOLS.get(item.type):
            self.actions.call(name, tool)
        if item.type == "command_execution":
            self.actions.begin(name, _typed(item.command))
            # It says -1 of what still ran when it ended.
            if is_completed and item.exit_code is not None and item.exit_code >= 0:
                self.actions.end(name, item.exit_code, item.aggregated_output)
            else:
                self.actions.end(name, None, item.aggregated_output)


def _usage(reported: msgspec.Raw) -> Usage | None:
    """Return the usage, or None if it is unknown: all zeros if the server doesn't report it."""
    try:
        spent = _spent.decode(reported)
    except msgspec.DecodeError:
        return None
    if not spent.input_tokens and not spent.output_tokens:
        return None
    cached = min(spent.cached_input_tokens, spent.input_tokens)
    return Usage(input_tokens=spent.input_tokens, output_tokens=spent.output_tokens, cached_tokens=cached)


def _typed(command: str) -> str:
    """Return the command as the model wrote it: the event shows the shell that runs it too, as one line."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    if len(words) == _SHELL_WORDS and words[1] in _SHELL_OPTIONS:
        return words[2]
    return command
