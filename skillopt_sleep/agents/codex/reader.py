"""Build a session from the lines of one Codex rollout."""

import re
from collections import Counter
from collections.abc import Callable
from typing import ClassVar

from skillopt_sleep.agents.codex.messages import Messages
from skillopt_sleep.agents.codex.records import (
    CALL_TYPES,
    KINDS,
    OUTPUT_TYPES,
    Attribution,
    Item,
    Line,
    Payload,
    asked_of_review,
)
from skillopt_sleep.agents.codex.text import joined
from skillopt_sleep.agents.codex.tools import Tools
from skillopt_sleep.agents.transcripts.draft import Draft, Message
from skillopt_sleep.records import LeftOut, Origin

# The type of a line and that of its payload are compared in one piece, as they are written.
_TYPES = b'%b","payload":{"type":"%b'
_TYPE = b'%b","payload":{'
HEAD = re.compile(
    rb'\{"timestamp":"(?P<time>[^"]*)",(?:"ordinal":[0-9]+,)?"type":"(?P<types>[^"]*","payload":\{(?:"type":"[^"]*)?)"?'
)
# What follows the head of a line, in the order in which the program writes it.
_ROLE = re.compile(rb'(?:,"id":(?:null|"[^"]*"))?,"role":"([^"]*)"')
_CALL_OUTPUT = re.compile(rb'(?:,"id":(?:null|"[^"]*"))?,"call_id":"([^"]*)","output":')
_ITEM = re.compile(
    rb',"thread_id":"(?P<thread>[^"]*)","turn_id":"[^"]*","item":\{"type":"(?P<type>[^"]*)"(?:,"id":"(?P<id>[^"]*)")?'
)
_TRIGGER = re.compile(rb'"turn_trigger":"(\w+)"')
_EXIT = b'"exit_code":'
_EXIT_CODE = re.compile(rb'(-?\d+),"duration":')
_COMMAND_TAIL = 400
_INTERRUPTED = b'"reason":"interrupted"'
_SPOKEN_ITEMS = frozenset({b"UserMessage", b"AgentMessage", b"Plan", b"EnteredReviewMode"})

Look = Callable[["RolloutReader", re.Match[bytes], bytes, int], bool]


def decode(_reader: "RolloutReader", _head: re.Match[bytes], _block: bytes, _end: int) -> bool:
    """Use no shortcut: the line must be decoded."""
    return False


class RolloutReader:
    """Takes the lines of a rollout in order: most of them by a look at their bytes, the others decoded.

    `unknown` counts the lines of kinds that we don't know.

    `last` is the time of the last line, or the match that holds it.
    """

    def __init__(self) -> None:
        self.draft = Draft()
        self.name = ""
        self.version = ""
        self.unknown = Counter[str]()
        self.last: re.Match[bytes] | str | float | None = None
        self.is_subagent = False
        self._messages = Messages(self.draft)
        self._tools = Tools(self.draft)
        self._records: set[tuple[str, str | None, str, str | None, str]] = set()

    # Looks at undecoded lines: each uses what it can, and returns whether the line needn't be decoded. -------

    def begin(self, head: re.Match[bytes]) -> None:
        """Note the time of the first line, of which only the head is looked at."""
        self.draft.first = self.draft.first or _as_text(head)

    def _look_at_message(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        role = _ROLE.match(block, head.end(), end)
        if role is None:
            return False
        return role[1] == b"developer" or (role[1] == b"assistant" and self._messages.agent_was_heard)

    def _look_at_output(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        call = _CALL_OUTPUT.match(block, head.end(), end)
        if call is None:
            return False
        self._tools.note_output(call[1].decode("utf-8", "replace"), block, call.end(), end)
        return True

    def _look_at_item(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        item = _ITEM.match(block, head.end(), end)
        if item is None or item["type"] in _SPOKEN_ITEMS:
            return False
        return item["type"] != b"CommandExecution" or self._look_at_command(item, block, end)

    def _look_at_command(self, item: re.Match[bytes], block: bytes, end: int) -> bool:
        call_id = item["id"].decode("utf-8", "replace") if item["id"] else ""
        if not call_id or not self._tools.is_known(call_id):
            return False
        at = block.rfind(_EXIT, max(end - _COMMAND_TAIL, item.end()), end)
        if at < 0:
            return False
        code = _EXIT_CODE.match(block, at + len(_EXIT), end)
        if code is None:
            return False
        self._tools.note_exit(call_id, int(code[1]))
        return True

    def _look_at_start(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        trigger = _TRIGGER.search(block, head.end(), end)
        self._messages.trigger = trigger[1].decode() if trigger else ""
        return True

    def _look_at_abort(self, head: re.Match[bytes], block: bytes, end: int) -> bool:
        if block.find(_INTERRUPTED, head.end(), end) >= 0:
            self.draft.stop()
        return True

    def _look_at_meta(self, _head: re.Match[bytes], _block: bytes, _end: int) -> bool:
        return bool(self.name)

    def _look_at_context(self, _head: re.Match[bytes], _block: bytes, _end: int) -> bool:
        return bool(self.draft.cwd)

    # By the line's type and its payload's. Of the time of all other lines `last` is enough.
    LOOKS: ClassVar[dict[bytes, Look]] = {
        _TYPE % b"session_meta": _look_at_meta,
        _TYPE % b"turn_context": _look_at_context,
        _TYPE % b"response_item": decode,
        _TYPES % (b"response_item", b"message"): _look_at_message,
        **{_TYPES % (b"response_item", name.encode()): decode for name in CALL_TYPES},
        _TYPES % (b"response_item", b"function_call_output"): _look_at_output,
        _TYPES % (b"response_item", b"custom_tool_call_output"): _look_at_output,
        _TYPE % b"event_msg": decode,
        _TYPES % (b"event_msg", b"item_completed"): _look_at_item,
        _TYPES % (b"event_msg", b"task_started"): _look_at_start,
        _TYPES % (b"event_msg", b"turn_aborted"): _look_at_abort,
        _TYPES % (b"event_msg", b"user_message"): decode,
        _TYPES % (b"event_msg", b"agent_message"): decode,
    }

    # Decoded lines. ------------------------------------------------------------------------------------------

    def take(self, line: Line, payload: Payload) -> None:
        """Use one decoded line."""
        if line.timestamp:
            self.draft.first = self.draft.first or line.timestamp
            self.last = line.timestamp
        item = payload.item or Item()
        if name := payload.id or item.id:
            record = (line.type, payload.type, name, payload.call_id, joined(payload.content or item.content))
            if record in self._records:
                return
            self._records.add(record)
        begin = len(self.draft.items)
        self._use(line, payload)
        self.draft.date(begin, line.timestamp)

    def _use(self, line: Line, payload: Payload) -> None:
        if line.type == "session_meta":
            self._take_meta(payload)
        elif line.type == "turn_context":
            self._take_context(payload)
        elif line.type == "event_msg":
            self._take_event(payload)
        elif line.type == "response_item" and not (line.metadata and line.metadata.compaction_output):
            self._take_response_item(payload)
        elif line.type not in KINDS:
            self.unknown[line.type] += 1

    def end(self, time: str) -> None:
        """Note the time of the last line, if not all lines were taken."""
        self.last = time or self.last

    def left_out(self) -> LeftOut | None:
        """Settle which texts count, and return why the session by itself is left out, if it is."""
        if self.is_subagent:
            return LeftOut.SUBAGENT
        self.draft.saw(_as_text(self.last))
        self._messages.settle()
        if self.draft.by_program():
            return LeftOut.HEADLESS
        if any(isinstance(item, Message) and item.origin is Origin.USER for item in self.draft.items):
            return None
        return LeftOut.HEADLESS if self._messages.is_headless else LeftOut.NO_USER_TURN

    def _take_meta(self, payload: Payload) -> None:
        if self.name:
            return
        self.name = payload.id or ""
        self.draft.cwd = payload.cwd or self.draft.cwd
        self.draft.entrypoint = payload.originator or ""
        self.version = payload.cli_version or ""
        if payload.git:
            self.draft.commit = payload.git.commit_hash or ""
        source = bytes(payload.source)
        self.is_subagent = payload.thread_source == "subagent" or b'"subagent"' in source
        self._messages.is_headless = payload.originator == "codex_exec" or source == b'"exec"'

    def _take_context(self, payload: Payload) -> None:
        self.draft.cwd = self.draft.cwd or payload.cwd or ""

    def _take_event(self, payload: Payload) -> None:
        match payload.type:
            case "task_started":
                self._messages.trigger = (payload.turn_attribution or Attribution()).turn_trigger or ""
            case "turn_aborted" if payload.reason == "interrupted":
                self.draft.stop()
            case "user_message" if payload.kind in {None, "plain"}:
                self._messages.add_typed(payload.message or "", "")
            case "agent_message" if payload.message:
                self._messages.add_reply(payload.message)
            case _:
                if payload.item is not None and not self._is_of_another(payload.thread_id):
                    self._take_item(payload.item)

    def _is_of_another(self, thread: str | None) -> bool:
        """Return whether an item belongs to another thread, such as that of a review, which the program writes to."""
        return bool(thread and self.name) and thread != self.name

    def _take_item(self, item: Item) -> None:
        if item.type == "UserMessage":
            self._take_user_message(item)
        elif item.type == "AgentMessage":
            self._messages.add_reply(joined(item.content), item.id or "")
        elif item.type == "Plan":
            self._messages.add_reply(item.text or "", item.id or "")
        elif item.type == "EnteredReviewMode":
            self._messages.add_typed(asked_of_review(item.target), item.id or "")
        elif item.type == "CommandExecution" and item.source != "user_shell":
            self._tools.note_command(item)

    def _take_user_message(self, item: Item) -> None:
        texts: list[str] = []
        for part in item.content or []:
            if part.type == "skill" and part.name:
                self.draft.skills[part.name] = None
            elif part.type == "text" and part.text:
                texts.append(part.text)
        self._messages.add_typed("\n".join(texts), item.id or "")

    def _take_response_item(self, payload: Payload) -> None:
        if payload.type == "message":
            self._messages.add_response_item(payload)
        elif payload.type in OUTPUT_TYPES:
            output = bytes(payload.output)
            self._tools.note_output(payload.call_id or "", output, 0, len(output))
        elif payload.type in CALL_TYPES:
            self._tools.add_call(payload)


def _as_text(time: re.Match[bytes] | str | float | None) -> str | float | None:
    if isinstance(time, re.Match):
        return time["time"].decode("ascii", "replace")
    return time
