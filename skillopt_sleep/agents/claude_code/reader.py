"""What the records of one Claude Code session amount to."""

import re
from collections.abc import Collection

import msgspec

from skillopt_sleep.agents.claude_code.headless import Queue
from skillopt_sleep.agents.claude_code.records import (
    DIALOG,
    Block,
    Record,
    Spent,
    answers_in,
    decided_by,
    kind_of,
)
from skillopt_sleep.agents.claude_code.text import (
    is_interruption,
    is_of_editor,
    is_preface,
    is_refusal,
    is_wrapper,
    said_with_refusal,
    skill_folder,
    without_reminders,
)
from skillopt_sleep.agents.transcripts.briefs import ToolInput
from skillopt_sleep.agents.transcripts.draft import MOST_ITEMS, Called, Draft, Said
from skillopt_sleep.records import LeftOut, Origin, Usage

_results = msgspec.json.Decoder(str | list[Block])
_SPOKEN = frozenset({"user", "assistant", "attachment", "system"})
_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d+)")


class SessionReader:
    """Takes the records in the order of the file, but for those of `strangers`: sessions that don't belong here."""

    def __init__(self, name: str, strangers: Collection[str] = ()) -> None:
        self.draft = Draft()
        self.forked = False
        self.mixed = False
        self.misplaced = 0
        self._name = name
        self._strangers = strangers
        self._queue = Queue()
        self._editor = False
        self._main = False
        self._side = False
        self._parents: set[str | None] = set()
        self._calls: dict[str, Called] = {}
        self._spent: dict[str, Spent] = {}

    def take(self, record: Record) -> bool:
        """Use one record; whether it belongs to the conversation."""
        kind = record.type
        if kind == "queue-operation":
            self._queue.note(record.operation, record.timestamp)
        if kind not in _SPOKEN:
            return False
        if record.session_id != self._name and self._strays(record):
            return False
        side = record.is_sidechain
        if side:
            self._side = True
            if self._main:
                return False
        draft = self.draft
        if record.timestamp:
            draft.last = record.timestamp
        if not draft.cwd:
            self._place(record)
        if not side:
            self._use(kind, record)
        return True

    def _use(self, kind: str, record: Record) -> None:
        if kind == "assistant":
            self._main = True
            self._assistant(record)
        elif kind == "user":
            self._main = True
            self._user(record)
        elif kind == "attachment":
            self._attachment(record)

    def _strays(self, record: Record) -> bool:
        """Whether the record is another session's, which was written into this file by mistake."""
        self.mixed = self.mixed or bool(record.session_id)
        stray = record.session_id in self._strangers
        self.misplaced += stray
        return stray

    def _place(self, record: Record) -> None:
        draft = self.draft
        draft.first = draft.first or record.timestamp
        draft.cwd = draft.cwd or record.cwd or ""
        draft.entrypoint = draft.entrypoint or record.entrypoint or ""

    def left_out(self) -> LeftOut | None:
        """Why the session is left out by itself."""
        self.draft.usage = _sum(self._spent)
        if self._side and not self._main:
            return LeftOut.SUBAGENT
        if self.draft.by_program() and not self._editor:
            return LeftOut.HEADLESS
        if self.typed():
            return None
        return LeftOut.HEADLESS if self.draft.entrypoint.startswith("sdk") else LeftOut.NO_USER_TURN

    def is_full(self) -> bool:
        """Let go of what is of no use; whether this is all that a session holds."""
        return self.draft.is_full() or len(self._spent) > MOST_ITEMS

    def typed(self) -> set[str]:
        """The ids of the records that a person, or a program in their place, typed."""
        return {item.id for item in self.draft.items if isinstance(item, Said) and item.origin is Origin.USER}

    def drop(self, gone: frozenset[str]) -> None:
        """Leave out what stands in these records."""
        self.draft.items = [item for item in self.draft.items if item.id not in gone]

    def _user(self, record: Record) -> None:
        content = record.message.content if record.message else None
        blocks = content if isinstance(content, list) else [Block(type="text", text=content)]
        for block in blocks:
            if block.type == "tool_result":
                self._result(record, block)
        texts = [block.text for block in blocks if block.type == "text" and block.text]
        if not texts:
            return
        self._note_parent(record)
        if skill := skill_folder(texts[0]) if record.is_meta else "":
            self.draft.skills[skill] = None
        self._say(record, texts, kind_of(record.origin))

    def _say(self, record: Record, texts: list[str], origin: str, *, ahead: bool = False) -> None:
        by_program = self._is_programs(record, texts, ahead=ahead)
        hidden = record.is_meta or record.is_compact_summary or record.is_visible_in_transcript_only
        if hidden or origin not in {"", "human"} or record.turn_origin not in {None, "", "human", "sdk"}:
            typed: list[str] = []
        elif origin == "human":
            typed = [text for text in texts if not is_wrapper(text)]
        else:
            typed = [without_reminders(text) for text in texts if not is_wrapper(text) and not is_preface(text)]
        name = record.uuid or ""
        if text := "\n".join(typed):
            self.draft.items.append(Said(Origin.USER, text, name, by_program))
        else:
            if any(is_interruption(text) for text in texts):
                self.draft.stop(name)
            self.draft.items.append(Said(Origin.HARNESS, "\n".join(texts), name))

    def _is_programs(self, record: Record, texts: list[str], *, ahead: bool) -> bool:
        """Whether a program typed this, as the record says, or where it names no entrypoint, the queue."""
        if record.entrypoint is not None or record.prompt_source is not None:
            return _by_program(record)
        self._editor = self._editor or any(is_of_editor(text) for text in texts)
        return not record.is_meta and self._queue.is_programs(record.timestamp, ahead=ahead)

    def _assistant(self, record: Record) -> None:
        message = record.message
        if message is None or record.is_api_error_message:
            return
        if message.model and message.model != "<synthetic>":
            self.draft.models[message.model] = None
        if message.usage is not None:
            self._spent[message.id or f"#{len(self._spent)}"] = message.usage
        name = record.uuid or ""
        blocks = message.content if isinstance(message.content, list) else [Block(type="text", text=message.content)]
        for block in blocks:
            if block.type == "text" and block.text:
                self.draft.items.append(Said(Origin.ASSISTANT, block.text, name))
            elif block.type == "tool_use":
                given = block.input if isinstance(block.input, ToolInput) else ToolInput()
                call = Called(block.name or "", given.brief, name)
                self.draft.items.append(call)
                self._calls[block.id or ""] = call
                if block.name == "Skill" and isinstance(given.skill, str):
                    self.draft.skills[given.skill] = None

    def _result(self, record: Record, block: Block) -> None:
        call = self._calls.get(block.tool_use_id or "")
        if call is None:
            return
        if call.name == DIALOG and not block.is_error and (chosen := answers_in(record.tool_use_result)):
            self.draft.items.append(Said(Origin.USER, chosen, record.uuid or "", _by_program(record)))
        if not block.is_error:
            return
        call.error = True
        text = _text(block.content)
        if found := _EXIT.match(text):
            call.exit_code = int(found[1])
        if is_refusal(text) and decided_by(record.permission_decision) != "config":
            call.rejected = True
            if said := said_with_refusal(text):
                self.draft.items.append(Said(Origin.USER, said, record.uuid or ""))

    def _attachment(self, record: Record) -> None:
        attached = record.attachment
        if attached is None or attached.type != "queued_command" or attached.is_meta:
            return
        if attached.command_mode not in {None, "", "prompt"}:
            return
        prompt = attached.prompt
        texts = [prompt] if isinstance(prompt, str) else [block.text for block in _blocks(prompt) if block.text]
        if texts:
            self._note_parent(record)
            self._say(record, texts, kind_of(attached.origin), ahead=True)

    def _note_parent(self, record: Record) -> None:
        """Two prompts after the same record: one of them was edited and taken back."""
        self.forked = self.forked or record.parent_uuid in self._parents
        self._parents.add(record.parent_uuid)


def _by_program(record: Record) -> bool:
    return record.prompt_source == "sdk" or (record.entrypoint or "").startswith("sdk")


def _blocks(prompt: object) -> list[Block]:
    try:
        return [block for block in msgspec.convert(prompt, list[Block]) if block.type == "text"]
    except msgspec.ValidationError:
        return []


def _text(content: msgspec.Raw) -> str:
    try:
        found = _results.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    return found if isinstance(found, str) else "\n".join(block.text or "" for block in found)


def _sum(spent: dict[str, Spent]) -> Usage:
    total = Usage()
    for one in spent.values():
        cached = one.cache_read_input_tokens or 0
        given = (one.input_tokens or 0) + (one.cache_creation_input_tokens or 0) + cached
        total += Usage(input_tokens=given, output_tokens=one.output_tokens or 0, cached_tokens=cached)
    return total
