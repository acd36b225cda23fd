"""The tool calls of a Codex rollout: a call, its output, and the event that tells how a command ended."""

from skillopt_sleep.agents.codex.deeds import TOOLS
from skillopt_sleep.agents.codex.records import Item, Payload, new_plan
from skillopt_sleep.agents.codex.text import exit_code, patched_files, trouble
from skillopt_sleep.agents.transcripts.briefs import brief_of
from skillopt_sleep.agents.transcripts.draft import Call, Draft, Message
from skillopt_sleep.records import Origin

_PLANS = "update_plan"

# Of these the program itself writes how the output begins; a server's tool could say that the person refused.
_OWN_TOOLS = TOOLS.shells | TOOLS.writers | {"write_stdin"}


class Tools:
    """Adds the tool calls of one rollout, with their results, to its draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._calls: dict[str, Call] = {}

    def add_call(self, payload: Payload) -> None:
        """Add a call from its response item."""
        name = payload.name or (payload.type or "").removesuffix("_call")
        if payload.input is not None:
            brief = patched_files(payload.input)
        elif payload.arguments is not None:
            brief = brief_of(payload.arguments)
        else:
            brief = brief_of(payload.action)
        call = Call(name=name, brief=brief)
        self._calls[payload.call_id or ""] = call
        self._draft.items.append(call)
        if name == _PLANS and (plan := new_plan(payload.arguments or "")):
            self._draft.items.append(Message(Origin.ASSISTANT, plan))

    def note_command(self, item: Item) -> None:
        """Note how a command ended; one that was run from within another tool is a call by itself."""
        call = self._calls.get(item.id or "")
        if call is None:
            command = item.command
            if isinstance(command, list) and command:
                command = command[-1]
            call = Call(name="exec_command", brief=command if isinstance(command, str) else "")
            self._draft.items.append(call)
        call.exit_code = item.exit_code
        call.error = bool(item.exit_code)

    def note_exit(self, call_id: str, code: int) -> None:
        """Note the exit code of a command that is a known call."""
        call = self._calls[call_id]
        call.exit_code = code
        call.error = bool(code)

    def is_known(self, call_id: str) -> bool:
        """Return whether a call of this id was read."""
        return call_id in self._calls

    def note_output(self, call_id: str, block: bytes, at: int, end: int) -> None:
        """Note what the undecoded output in this part of the block says about its call."""
        call = self._calls.get(call_id)
        if call is None:
            return
        # If an event told how the command ended, it came before the output.
        if call.exit_code is None:
            call.exit_code = exit_code(block, at, end)
        failed, refused = trouble(block, at)
        call.rejected = refused and call.name in _OWN_TOOLS
        call.error = call.error or bool(call.exit_code) or failed
