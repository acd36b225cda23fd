"""Keep of what a program printed as much as a person or a judge looks at, without its secrets."""

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


def command(text: str, status: int | None, output: str) -> CommandRun:
    """Return a command that ran, bounded and redacted."""
    return CommandRun(text=clip(text, MOST_COMMAND), status=status, output=ending(output))


def ending(output: str) -> str:
    """Return the end of an output, redacted, beginning in '…' if something was cut off."""
    near = output[-(MOST_OUTPUT + _MARGIN) :]
    clean = redact(near)
    if len(near) == len(output) and len(clean) <= MOST_OUTPUT:
        return clean
    return "…" + clean[-(MOST_OUTPUT - 1) :]


def response(text: str) -> str:
    """Return a final answer, bounded and redacted."""
    return clip(text, MOST_RESPONSE)


def session(name: str) -> str:
    """Return the name of a session as an argument; raise CallFailed if what ran in the seal has made up another."""
    try:
        return str(UUID(name))
    except ValueError as error:
        message = "what the agent printed names no session that it can go on with"
        raise CallFailed(FailureKind.MALFORMED, message) from error
