"""Read the events that `codex exec --json` prints, one a line, and why they end without an answer."""

from io import BytesIO

import msgspec

from skillopt_sleep.agents.codex.failures import failure, kind_of
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.program import MOST_READ
from skillopt_sleep.records import Tokens, Usage

INSTALL = "run: npm install -g @openai/codex@latest, or name its path in backend.program"
_UPDATE = f"read what it says; if it isn't the newest version: {INSTALL}"
# The statuses of a program that can't be run, and after SIGKILL and SIGTERM.
_NOT_FOUND = frozenset({126, 127})
_SIGNALLED = frozenset({128 + 9, 128 + 15})


class _Spent(msgspec.Struct):
    input_tokens: Tokens = 0
    cached_input_tokens: Tokens = 0
    output_tokens: Tokens = 0


class _Item(msgspec.Struct):
    type: str
    text: str = ""


class _Error(msgspec.Struct):
    message: str = ""


class _Event(msgspec.Struct):
    """The parts of an output line that we read."""

    type: str
    item: _Item | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")
    error: _Error | None = None
    message: str = ""


_spent = msgspec.json.Decoder(_Spent)
_event = msgspec.json.Decoder(_Event)

_EVENTS = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "error"})
_ITEM_EVENTS = frozenset({"item.started", "item.updated", "item.completed"})
_ITEMS = frozenset(
    {"agent_message", "reasoning", "error", "todo_list", "web_search", "command_execution"}
    | {"file_change", "mcp_tool_call", "collab_tool_call"}
)


class Output:
    """The output of a run: its answer, its usage, its error messages; `odd` counts the lines that we don't know."""

    def __init__(self, stdout: bytes) -> None:
        self.answer = ""
        self.complaint = ""
        self.failure: str | None = None
        self.usage: Usage | None = None
        self.is_begun = False
        self.is_completed = False
        self.odd = 0
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            if line.strip():
                self._read(line)

    @property
    def tokens(self) -> tuple[int, int, int] | None:
        """Return the tokens for input, output and from the cache, or None if they are unknown."""
        if self.usage is None:
            return None
        return self.usage.input_tokens, self.usage.output_tokens, self.usage.cached_tokens

    def _read(self, line: bytes) -> None:
        try:
            event = _event.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self.odd += 1
            return
        match event:
            case _Event(type="turn.started"):
                self.is_begun = True
            case _Event(type="turn.completed"):
                self.is_completed = True
                self.usage = _usage(event.usage)
            case _Event(type="turn.failed"):
                self.failure = event.error.message if event.error else ""
            case _Event(type="error"):
                self.complaint = event.message
            case _Event(type="item.completed", item=_Item(type="agent_message", text=text)):
                self.answer = text
            case _:
                if not _is_known(event):
                    self.odd += 1


def problem(output: Output, ran: Ran) -> CallFailed | None:
    """Return why this isn't a completed turn, or None if it is one."""
    tokens = output.tokens
    if ran.stopped:
        return _stopped(output, ran)
    if output.failure is not None:
        return failure(output.failure or output.complaint, tokens)
    if ran.status < 0 or ran.status in _SIGNALLED:
        return CallFailed(FailureKind.KILLED, f"codex was killed (status {ran.status})", tokens=tokens)
    if ran.status:
        return _refusal(output, ran)
    if output.is_completed:
        return None
    # If stopped in the middle of a turn, some versions exit with status 0.
    if output.is_begun:
        return CallFailed(FailureKind.KILLED, "codex ended in the middle of its turn")
    shown = one_line(ran.stdout[:MOST_READ].decode(errors="replace"), limit=80)
    kind = FailureKind.MALFORMED if shown else FailureKind.EMPTY
    return CallFailed(kind, f"codex ended without an answer; it printed: {shown!r}")


def _stopped(output: Output, ran: Ran) -> CallFailed:
    """Return why we had to end the program."""
    if ran.stopped == "flooded":
        return CallFailed(FailureKind.FLOODED, "codex printed far more than an answer", tokens=output.tokens)
    # Without a network it waits forever, and says so meanwhile.
    if kind_of(output.complaint) is FailureKind.UNREACHABLE:
        return failure(output.complaint, output.tokens)
    message = f"codex had not ended after {ran.seconds:.0f} s"
    return CallFailed(FailureKind.TIMED_OUT, message, tokens=output.tokens)


def _refusal(output: Output, ran: Ran) -> CallFailed:
    """Return why it ended with a failing status, by an error event or by a sentence on stderr before any event."""
    if output.complaint:
        return failure(output.complaint, output.tokens)
    lines = ran.stderr[:MOST_READ].decode(errors="replace").splitlines()
    shown = one_line(" ".join(line for line in lines if not line.startswith("WARNING")), limit=300) or "nothing"
    kind = FailureKind.NOT_INSTALLED if ran.status in _NOT_FOUND else FailureKind.BAD_REQUEST
    message = f"codex ended with status {ran.status} and printed: {shown}"
    return CallFailed(kind, message, remedy=_UPDATE, tokens=output.tokens)


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


def _is_known(event: _Event) -> bool:
    if event.type in _ITEM_EVENTS:
        return event.item is not None and event.item.type in _ITEMS
    return event.type in _EVENTS
