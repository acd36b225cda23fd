"""What the lines of one Codex rollout amount to."""

import re
from collections.abc import Callable
from typing import ClassVar

from skillopt_sleep.agents.codex.records import Attribution, Info, Item, Line, Part, Payload
from skillopt_sleep.agents.codex.text import (
    exit_code,
    is_image,
    is_wrapper,
    joined,
    patched_files,
    skill_name,
    trouble,
    typed_part,
)
from skillopt_sleep.agents.transcripts.briefs import brief_of
from skillopt_sleep.agents.transcripts.draft import Called, Draft, Said, held
from skillopt_sleep.records import LeftOut, Origin, Usage

# The type of a line and that of its payload are told apart from others' as they stand there, in one piece.
_TYPES = b'%b","payload":{"type":"%b'
_TYPE = b'%b","payload":{'
HEAD = re.compile(
    rb'\{"timestamp":"(?P<time>[^"]*)",(?:"ordinal":[0-9]+,)?"type":"(?P<types>[^"]*","payload":\{(?:"type":"[^"]*)?)"?'
)
# What follows the head of a line, in the order in which the program writes it.
_ROLE = re.compile(rb'(?:,"id":(?:null|"[^"]*"))?,"role":"([^"]*)"')
_CALL_OUTPUT = re.compile(rb'(?:,"id":(?:null|"[^"]*"))?,"call_id":"([^"]*)","output":')
_ITEM = re.compile(rb',"thread_id":"[^"]*","turn_id":"[^"]*","item":\{"type":"([^"]*)"(?:,"id":"([^"]*)")?')
_MODEL = re.compile(rb'"model":"([^"]*)"')
_TRIGGER = re.compile(rb'"turn_trigger":"(\w+)"')
_EXIT = b'"exit_code":'
_EXIT_CODE = re.compile(rb'(-?\d+),"duration":')
_COMMAND_TAIL = 400
_INTERRUPTED = b'"reason":"interrupted"'
_SPOKEN_ITEMS = frozenset({b"UserMessage", b"AgentMessage"})
_OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output"})
_CALL_TYPES = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})


Look = Callable[["RolloutReader", re.Match[bytes], bytes, int], bool]


def decode(_reader: "RolloutReader", _head: re.Match[bytes], _block: bytes, _end: int) -> bool:
    """The look at a line that is decoded in any case."""
    return False


class RolloutReader:
    """Takes the lines in order.

    Codex writes a message twice: as a response item, where the harness's texts stand in the user's role too, and as
    an event. The event tells what was really typed or said; a response item counts where there is no event for it.
    """

    def __init__(self) -> None:
        self.draft = Draft()
        self.name = ""
        self.tokens: tuple[bytes, int, int] | None = None
        self.last: re.Match[bytes] | str | float | None = None
        self.is_subagent = False
        self._headless = False
        self._trigger = ""
        self._heard_person = False
        self._heard_agent = False
        self._unproved: list[Said] = []
        self._unsure: list[Said] = []
        self._announced = ""
        self._replies: list[Said] = []
        self._calls: dict[str, Called] = {}

    def begin(self, head: re.Match[bytes]) -> None:
        """Note the time of the first line, of which only the head is looked at."""
        self.draft.first = self.draft.first or _as_text(head)

    def _glance_message(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        found = _ROLE.match(block, head.end(), end)
        return found is not None and (found[1] == b"developer" or (found[1] == b"assistant" and self._heard_agent))

    def _glance_output(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        found = _CALL_OUTPUT.match(block, head.end(), end)
        if found is None:
            return False
        self._output(found[1].decode("utf-8", "replace"), block, found.end(), end)
        return True

    def _glance_item(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        found = _ITEM.match(block, head.end(), end)
        if found is None or found[1] in _SPOKEN_ITEMS:
            return False
        return found[1] != b"CommandExecution" or self._glance_command(found, block, end)

    def _glance_started(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        found = _TRIGGER.search(block, head.end(), end)
        self._trigger = found[1].decode() if found else ""
        return True

    def _glance_aborted(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        if block.find(_INTERRUPTED, head.end(), end) >= 0:
            self.draft.stop()
        return True

    def _glance_tokens(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        if block.startswith(b',"info":{', head.end()):
            self.tokens = block, head.start(), end
        return True

    def _glance_command(self, item: re.Match[bytes], block: bytes, end: int) -> bool:
        call = self._calls.get(item[2].decode("utf-8", "replace")) if item[2] else None
        at = block.rfind(_EXIT, max(end - _COMMAND_TAIL, item.end()), end) if call else -1
        code = _EXIT_CODE.match(block, at + len(_EXIT), end) if at >= 0 else None
        if call is None or code is None:
            return False
        call.exit_code = int(code[1])
        call.error = bool(call.exit_code)
        return True

    def _glance_meta(self, _head: re.Match[bytes], _block: bytes, _end: int) -> bool:
        return bool(self.name)

    def _glance_context(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        found = _MODEL.search(block, head.end(), end)
        if found is None or not self.draft.cwd:
            return False
        self.draft.models[found[1].decode("utf-8", "replace")] = None
        return True

    # What is learnt from a line's head, by the line's type and its payload's; each says whether the line needn't be
    # decoded. Of all other lines only the time is of use, which `last` keeps.
    LOOKS: ClassVar[dict[bytes, Look]] = {
        _TYPE % b"session_meta": _glance_meta,
        _TYPE % b"turn_context": _glance_context,
        _TYPE % b"response_item": decode,
        _TYPES % (b"response_item", b"message"): _glance_message,
        **{_TYPES % (b"response_item", name.encode()): decode for name in _CALL_TYPES},
        _TYPES % (b"response_item", b"function_call_output"): _glance_output,
        _TYPES % (b"response_item", b"custom_tool_call_output"): _glance_output,
        _TYPE % b"event_msg": decode,
        _TYPES % (b"event_msg", b"item_completed"): _glance_item,
        _TYPES % (b"event_msg", b"task_started"): _glance_started,
        _TYPES % (b"event_msg", b"token_count"): _glance_tokens,
        _TYPES % (b"event_msg", b"turn_aborted"): _glance_aborted,
        _TYPES % (b"event_msg", b"user_message"): decode,
        _TYPES % (b"event_msg", b"agent_message"): decode,
    }

    def take(self, line: Line, payload: Payload) -> None:
        """Use one decoded line."""
        if line.timestamp:
            self.draft.first = self.draft.first or line.timestamp
            self.last = line.timestamp
        if line.type == "session_meta":
            self._meta(payload)
        elif line.type == "turn_context":
            self.draft.cwd = self.draft.cwd or payload.cwd or ""
            if payload.model:
                self.draft.models[payload.model] = None
        elif line.type == "event_msg":
            self._event(payload)
        elif line.type == "response_item" and not (line.metadata and line.metadata.compaction_output):
            self._response(payload)

    def spent(self, info: Info | None) -> None:
        """Note the tokens of the whole session."""
        total = info.total_token_usage if info else None
        if total is not None:
            self.draft.usage = Usage(
                input_tokens=total.input_tokens or 0,
                output_tokens=total.output_tokens or 0,
                cached_tokens=total.cached_input_tokens or 0,
            )

    def end(self, time: str) -> None:
        """Note the time of the last line, where not all were taken."""
        self.last = time or self.last

    def left_out(self) -> LeftOut | None:
        """Why the session is left out by itself; settles first which texts count."""
        if self.is_subagent:
            return LeftOut.SUBAGENT
        self.draft.saw(_as_text(self.last))
        if self._heard_person:
            for said in self._unsure:
                said.origin = Origin.HARNESS
        if self._heard_agent:
            echoes = {id(said) for said in self._replies}
            self.draft.items = [item for item in self.draft.items if id(item) not in echoes]
        if self.draft.by_program():
            return LeftOut.HEADLESS
        if any(isinstance(item, Said) and item.origin is Origin.USER for item in self.draft.items):
            return None
        return LeftOut.HEADLESS if self._headless else LeftOut.NO_USER_TURN

    def _meta(self, payload: Payload) -> None:
        if self.name:
            return
        draft = self.draft
        self.name = payload.id or ""
        draft.cwd = payload.cwd or draft.cwd
        draft.entrypoint = payload.originator or ""
        if payload.git:
            draft.commit = payload.git.commit_hash or ""
        source = bytes(payload.source)
        self.is_subagent = payload.thread_source == "subagent" or b'"subagent"' in source
        self._headless = payload.originator == "codex_exec" or source == b'"exec"'

    # messages -----------------------------------------------------------------------------------------------

    def _event(self, payload: Payload) -> None:
        item = payload.item
        if payload.type == "task_started":
            self._trigger = (payload.turn_attribution or Attribution()).turn_trigger or ""
        elif payload.type == "token_count":
            self.spent(payload.info)
        elif payload.type == "turn_aborted" and payload.reason == "interrupted":
            self.draft.stop()
        elif payload.type == "user_message" and payload.kind in {None, "plain"}:
            self._typed(payload.message or "", "")
        elif payload.type == "agent_message" and payload.message:
            self._heard_agent = True
            self.draft.items.append(Said(Origin.ASSISTANT, payload.message))
        elif item is None:
            return
        elif item.type == "UserMessage":
            parts = item.content or []
            self.draft.skills.update((part.name, None) for part in parts if part.type == "skill" and part.name)
            self._typed("\n".join(part.text for part in parts if part.type == "text" and part.text), item.id or "")
        elif item.type == "AgentMessage":
            self._heard_agent = True
            self.draft.items.append(Said(Origin.ASSISTANT, joined(item.content), item.id or ""))
        elif item.type == "CommandExecution" and item.source != "user_shell":
            self._command(item)

    def _typed(self, text: str, name: str) -> None:
        """An event says that this was typed: it proves a response item, or stands for itself."""
        text = held(typed_part(text), Origin.USER)
        if not text:
            return
        self._heard_person = True
        same = (said for said in self._unproved if said.text == text)
        last = (said for said in self._unproved if self.draft.items and said is self.draft.items[-1])
        said = next(same, None) or next(last, None)
        if said is None:
            self._announced = text
            self.draft.items.append(Said(Origin.USER, text, name, self._by_program()))
            return
        self._unproved = [other for other in self._unproved if other is not said]
        self._unsure = [other for other in self._unsure if other is not said]
        said.text, said.id = text, name or said.id

    def _response(self, payload: Payload) -> None:
        if payload.type == "message" and payload.role == "user":
            self._user(payload, payload.content or [])
        elif payload.type == "message" and payload.role == "assistant":
            said = Said(Origin.ASSISTANT, joined(payload.content), payload.id or "")
            self._replies.append(said)
            self.draft.items.append(said)
        elif payload.type in _OUTPUT_TYPES:
            output = bytes(payload.output)
            self._output(payload.call_id or "", output, 0, len(output))
        elif payload.type in _CALL_TYPES:
            self._call(payload)

    def _user(self, payload: Payload, parts: list[Part]) -> None:
        passed = payload.internal_chat_message_metadata_passthrough
        kinds = passed.content_item_kinds if passed else None
        typed: list[str] = []
        others: list[str] = []
        for number, part in enumerate(parts):
            if not part.text or is_image(part.text):
                continue
            kind = kinds[number] if kinds and number < len(kinds) else None
            human = kind == "user.text" if kinds else not is_wrapper(part.text)
            (typed if human else others).append(part.text)
            if skill := "" if human else skill_name(part.text):
                self.draft.skills[skill] = None
        if others:
            self.draft.items.append(Said(Origin.HARNESS, "\n".join(others), payload.id or ""))
        text = held(typed_part("\n".join(typed)), Origin.USER)
        if not text:
            return
        if text == self._announced:
            self._announced = ""
            return
        said = Said(Origin.USER, text, payload.id or "", self._by_program())
        self.draft.items.append(said)
        self._unproved.append(said)
        if not kinds:
            self._unsure.append(said)

    def _by_program(self) -> bool:
        return self._trigger == "exec" if self._trigger else self._headless

    # tools --------------------------------------------------------------------------------------------------

    def _call(self, payload: Payload) -> None:
        name = payload.name or (payload.type or "").removesuffix("_call")
        if payload.input is not None:
            brief = patched_files(payload.input)
        else:
            brief = brief_of(payload.arguments if payload.arguments is not None else payload.action)
        self._calls[payload.call_id or ""] = call = Called(name=name, brief=brief)
        self.draft.items.append(call)

    def _command(self, item: Item) -> None:
        call = self._calls.get(item.id or "")
        if call is None:
            # A command run from within another tool has no call of its own.
            command = item.command[-1] if isinstance(item.command, list) and item.command else item.command
            call = Called(name="exec_command", brief=command if isinstance(command, str) else "")
            self.draft.items.append(call)
        call.exit_code = item.exit_code
        call.error = bool(item.exit_code)

    def _output(self, name: str, block: bytes, at: int, end: int) -> None:
        call = self._calls.get(name)
        if call is None:
            return
        # An event that told of the command's end came before its output.
        if call.exit_code is None:
            call.exit_code = exit_code(block, at, end)
        failed, call.rejected = trouble(block, at)
        call.error = call.error or bool(call.exit_code) or failed


def _as_text(time: re.Match[bytes] | str | float | None) -> str | float | None:
    return time["time"].decode("ascii", "replace") if isinstance(time, re.Match) else time
