"""The tool calls of a Codex rollout: a call, its output, and the event that tells how a command ended."""

import re

from skillopt_sleep.agents.codex.output import TOOLS
from skillopt_sleep.agents.codex.records import FinishedItem, Payload, new_plan
from skillopt_sleep.agents.transcripts.draft import DraftCall, DraftMessage, SessionDraft, brief_of
from skillopt_sleep.records import Origin

_PLANS = "update_plan"

# Of these the program itself writes how the output begins; a server's tool could say that the person refused.
_OWN_TOOLS = TOOLS.shells | TOOLS.writers | {"write_stdin"}

_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
# A tool's output as the line holds it: a JSON string with escaped quotes and line ends.
_EXIT = re.compile(rb"(?:Process exited with code|Exit code:) (-?\d+)")
_EXIT_JSON = re.compile(rb'\\"exit_code\\":\s*(-?\d+)')
_TROUBLE = re.compile(
    rb'"(?:(?P<refused>(?:Wall time: [\d.]+ seconds\\n)?'
    rb'(?:aborted by user|(?:exec command|patch) rejected by user)[^"\\]{0,40}")'
    rb"|unsupported call|failed to parse function arguments|apply_patch verification failed)"
)
_HEAD = 400
_PATCH = 8_000
_TAIL = 300


class Tools:
    """Adds the tool calls of one rollout, with their results, to its draft."""

    def __init__(self, draft: SessionDraft) -> None:
        self._draft = draft
        self._calls: dict[str, DraftCall] = {}

    def add_call(self, payload: Payload) -> None:
        """Add a call from its response item."""
        name = payload.name or (payload.type or "").removesuffix("_call")
        if payload.input is not None:
            brief = ", ".join(_PATCHED.findall(payload.input[:_PATCH])) or payload.input
        elif payload.arguments is not None:
            brief = brief_of(payload.arguments)
        else:
            brief = brief_of(payload.action)
        call = DraftCall(name=name, brief=brief)
        self._calls[payload.call_id or ""] = call
        self._draft.add(call)
        if name == _PLANS and (plan := new_plan(payload.arguments or "")):
            self._draft.add(DraftMessage(Origin.ASSISTANT, plan))

    def note_command(self, item: FinishedItem) -> None:
        """Note how a command ended; one that was run from within another tool is a call by itself."""
        call = self._calls.get(item.id or "")
        if call is None:
            command = item.command
            if isinstance(command, list) and command:
                command = command[-1]
            call = DraftCall(name="exec_command", brief=command if isinstance(command, str) else "")
            self._draft.add(call)
        call.exit_code = item.exit_code
        call.error = bool(item.exit_code)

    def note_output(self, call_id: str, output: bytes) -> None:
        """Note what a call's output, as the line holds it, says about the call."""
        call = self._calls.get(call_id)
        if call is None:
            return
        # If an event told how the command ended, it came before the output.
        if call.exit_code is None:
            call.exit_code = _exit_code(output)
        failed, refused = _trouble(output)
        call.rejected = refused and call.name in _OWN_TOOLS
        call.error = call.error or bool(call.exit_code) or failed


def _exit_code(output: bytes) -> int | None:
    """Return the exit code in an output: in its head or, if the output is JSON itself, at its end."""
    code = _EXIT.search(output, 0, _HEAD)
    if code is None and output.startswith(b'"{'):
        code = _EXIT_JSON.search(output, max(len(output) - _TAIL, 0))
    return int(code[1]) if code else None


def _trouble(output: bytes) -> tuple[bool, bool]:
    """Return whether an output says that the call failed, and whether the person refused or stopped it."""
    failure = _TROUBLE.match(output)
    if failure is None:
        return False, False
    return True, failure["refused"] is not None
