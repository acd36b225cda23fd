"""Collect what an agent did in a seal: its tool calls and commands, cut to size and without secrets."""

from uuid import UUID

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.redact import clip, redact
from skillopt_sleep.records import CommandRun

MOST_COMMANDS = 300
MOST_TOOL_CALLS = 1_000
MOST_COMMAND = 2_000  # characters, of which the beginning is kept
MOST_OUTPUT = 4_000  # characters, of which the end is kept
MOST_RESPONSE = 40_000

_MARGIN = 2_000  # so many characters before the end that is kept are read too: a secret may begin there


class Actions:
    """The tool calls and commands of an agent in all its runs, by the ids that it gives them."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}
        self._commands: dict[str, CommandRun] = {}

    @property
    def tool_calls(self) -> tuple[str, ...]:
        """Return the tools that were called, in order."""
        return tuple(self._tools.values())

    @property
    def commands(self) -> tuple[CommandRun, ...]:
        """Return the commands that ran, in order."""
        return tuple(self._commands.values())

    def call(self, name: str, tool: str) -> None:
        """Note a call of a tool, once."""
        if len(self._tools) < MOST_TOOL_CALLS:
            self._tools.setdefault(name, tool)

    def begin(self, name: str, command: str) -> None:
        """Record that a command began; the same name again starts it anew."""
        if name in self._commands or len(self._commands) < MOST_COMMANDS:
            self._commands[name] = CommandRun(text=clip(command, MOST_COMMAND), status=None)

    def end(self, name: str, status: int | None, output: str = "") -> None:
        """Note how a command ended."""
        begun = self._commands.get(name)
        if begun is not None:
            self._commands[name] = CommandRun(text=begun.text, status=status, output=ending(output))

    def drop(self, name: str) -> None:
        """Forget a command that didn't run."""
        self._commands.pop(name, None)


def ending(output: str) -> str:
    """Return the end of an output, redacted, beginning in '…' if something was cut off."""
    near = output[-(MOST_OUTPUT + _MARGIN) :]
    clean = redact(near)
    if len(near) == len(output) and len(clean) <= MOST_OUTPUT:
        return clean
    return "…" + clean[-(MOST_OUTPUT - 1) :]


def answer(text: str) -> str:
    """Return a final answer, cut and redacted."""
    return clip(text, MOST_RESPONSE)


def checked_session(name: str) -> str:
    """Return the name of a session as an argument; raise CallFailed if what ran in the seal has made up another."""
    try:
        return str(UUID(name))
    except ValueError as error:
        message = "what the agent printed names no session that it can go on with"
        raise CallFailed(FailureKind.MALFORMED, message) from error
