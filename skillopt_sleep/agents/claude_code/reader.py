"""Build a session from the records of one Claude Code file."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from skillopt_sleep.agents.claude_code.history import NO_PASTES, Pastes, pasted_in
from skillopt_sleep.agents.claude_code.records import (
    CONVERSATION,
    DIALOG,
    INSTRUCTIONS,
    KINDS,
    MOST_RECORDS,
    NOT_TYPED,
    PLAN,
    QUEUE,
    USER_BLOCKS,
    ContentBlock,
    SessionRecord,
    TreeLink,
    answers_in,
    blocks_of,
    decided_by,
    instruction_files,
    is_sent,
    kind_of,
    may_be_typed,
    result_text,
    says_program,
    texts_of,
)
from skillopt_sleep.agents.claude_code.tree import abandoned
from skillopt_sleep.agents.claude_code.written import USER_MODIFIED, WRITERS, WrittenFiles
from skillopt_sleep.agents.transcripts.draft import (
    MOST_TEXT,
    DraftCall,
    DraftMessage,
    SessionDraft,
    ToolInput,
    TypedShell,
)
from skillopt_sleep.agents.transcripts.harness import (
    Queue,
    custom_command,
    is_command_output,
    is_interruption,
    is_of_editor,
    is_preface,
    is_refusal,
    is_wrapper,
    said_with_refusal,
    skill_folder,
    typed_command,
    without_reminders,
)
from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.records import LeftOut, Origin

_FROM_SERVERS = "mcp__"
_REJECTED = b'"User rejected tool use"'
_MINUTE = len("2026-11-21T00:53")
_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d+)")


class SessionReader:
    """Takes the records of a file in order, but for those of `strangers`: sessions that don't belong here.

    `forked` tells that two prompts follow the same record, `mixed` that records name another session; `misplaced`
    counts the records of strangers, `unknown` those of kinds that we don't know. `pastes` tells what was pasted in
    the session's prompts. `drafts` are the conversations of the file, and `draft` is that of the last record.
    """

    def __init__(self, name: str, strangers: Collection[str] = (), pastes: Pastes = NO_PASTES) -> None:
        self.draft = SessionDraft()
        self.drafts = [self.draft]
        self.forked = False
        self.mixed = False
        self.misplaced = 0
        self.version = ""
        self.unknown = Counter[str]()
        self._name = name
        self._strangers = strangers
        self._pastes = pastes
        self._cwd: str | None = None  # of the last record
        self._queue = Queue()
        self._from_editor = False
        self._has_main = False
        self._has_sidechain = False
        self._parents: set[str | None] = set()
        self._records: dict[str, SessionDraft] = {}  # the conversation of each, by id
        self._calls: dict[str, DraftCall] = {}
        self._written = WrittenFiles()
        self._typed: TypedShell | None = None  # a command that the person ran, until its output comes

    def take(self, record: SessionRecord) -> None:
        """Use one record."""
        kind = record.type
        if kind not in CONVERSATION:
            self._note_loose(record)
            return
        if isinstance(record.version, str):
            self.version = record.version or self.version
        if (record.session_id != self._name and self._is_strangers(record)) or record.uuid in self._records:
            return
        if record.is_sidechain:
            self._has_sidechain = True
            if self._has_main:
                return
        self.draft = draft = self._conversation_of(record)
        self._cwd = record.cwd
        if record.uuid:
            self._records[record.uuid] = draft
        if record.timestamp:
            draft.last = record.timestamp
        if not draft.cwd:
            draft.first = draft.first or record.timestamp
            draft.cwd = record.cwd or ""
            draft.entrypoint = draft.entrypoint or record.entrypoint or ""
        if not record.is_sidechain:
            draft.at = record.timestamp
            self._use(kind, record)

    def left_out(self, draft: SessionDraft) -> LeftOut | None:
        """Return why one of the conversations by itself is left out, if it is; to be called once, at the end."""
        if self._has_sidechain and not self._has_main:
            return LeftOut.SUBAGENT
        if draft.by_program() and not self._from_editor:
            return LeftOut.HEADLESS
        if _typed_in([draft]):
            return None
        return LeftOut.HEADLESS if draft.entrypoint.startswith("sdk") else LeftOut.NO_USER_TURN

    @property
    def is_full(self) -> bool:
        """Return whether the conversations can hold no more."""
        if self.draft.is_full or len(self._records) > MOST_RECORDS:
            return True
        return len(self.drafts) > 1 and sum(draft.size for draft in self.drafts) >= MOST_TEXT

    def drop(self, links: Sequence[TreeLink]) -> None:
        """Leave out what was taken back, as the records' places in the tree tell."""
        gone = abandoned(links, _typed_in(self.drafts))
        for draft in self.drafts:
            draft.items = [item for item in draft.items if item.id not in gone]

    def _conversation_of(self, record: SessionRecord) -> SessionDraft:
        """Return the conversation of the record that this one follows, else the current; a new one if one begins."""
        draft = self._records.get(record.parent_uuid or record.logical_parent_uuid or "", self.draft)
        if record.cwd != self._cwd and self._begins_anew(record, draft):
            draft = SessionDraft()
            self.drafts.append(draft)
        return draft

    def _begins_anew(self, record: SessionRecord, draft: SessionDraft) -> bool:
        """Return whether a record of another project begins another conversation, or is left of one from before."""
        if not record.cwd or not draft.cwd or project_root(record.cwd) == project_root(draft.cwd):
            return False
        if record.parent_uuid is None and record.logical_parent_uuid is None:
            return not record.is_sidechain
        # By whole minutes: the first few records of a session aren't always in order.
        at, first = record.timestamp, draft.first
        return isinstance(at, str) and isinstance(first, str) and at[:_MINUTE] < first[:_MINUTE]

    def _note_loose(self, record: SessionRecord) -> None:
        if record.type == QUEUE:
            self._queue.note(record.operation, record.timestamp)
        elif record.type not in KINDS:
            self.unknown[record.type] += 1

    def _is_strangers(self, record: SessionRecord) -> bool:
        """Return whether the record is another session's and was written into this file by mistake."""
        if record.session_id:
            self.mixed = True
        if record.session_id in self._strangers:
            self.misplaced += 1
            return True
        return False

    def _use(self, kind: str, record: SessionRecord) -> None:
        if kind == "assistant":
            self._has_main = True
            self._take_assistant(record)
        elif kind == "user":
            self._has_main = True
            self._take_user(record)
        elif kind == "attachment":
            self._take_attachment(record)

    # The person, and the program in their role. --------------------------------------------------------------

    def _take_user(self, record: SessionRecord) -> None:
        texts: list[str] = []
        blocks = blocks_of(record)
        for block in blocks:
            if block.type == "tool_result":
                self._take_result(record, block)
            elif block.type == "text" and block.text:
                texts.append(block.text)
        if unknown := {block.type for block in blocks} - USER_BLOCKS:
            self.unknown.update(unknown)
        if not texts:
            return
        self._note_parent(record)
        self._note_shell(record, texts)
        if record.is_meta and (skill := skill_folder(texts[0])):
            self.draft.skills[skill] = None
        self._add_texts(record, texts, kind_of(record.origin))

    def _take_attachment(self, record: SessionRecord) -> None:
        attached = record.attachment
        if attached is None:
            return
        if changed := self._written.changed(attached):
            changed.id = record.uuid or ""
            self.draft.add(changed)
        if attached.is_meta:
            return
        if attached.type in INSTRUCTIONS:
            for file in instruction_files(attached):
                self.draft.note_instructions(file.path, file.content)
        if attached.type != "queued_command":
            return
        if attached.command_mode not in {None, "", "prompt"} or attached.row_source in NOT_TYPED:
            return
        texts = texts_of(attached.prompt)
        if texts:
            self._note_parent(record)
            self._add_texts(record, texts, kind_of(attached.origin), ahead=True)

    def _add_texts(self, record: SessionRecord, texts: list[str], origin: str, *, ahead: bool = False) -> None:
        """Add what was typed as the person's, or all of it as the harness's if nothing was."""
        by_program = self._is_by_program(record, texts, ahead=ahead)
        name = record.uuid or ""
        command, said = self._custom_command(record, texts, origin)
        if said:
            self.draft.add(DraftMessage(Origin.HARNESS, command, name))
            self.draft.add(DraftMessage(Origin.USER, said, name, by_program))
            return
        if typed := "\n".join(_typed(record, texts, origin)):
            pasted = pasted_in(typed, self._pastes)
            self.draft.add(DraftMessage(Origin.USER, typed, name, by_program, pasted=pasted))
            return
        if not is_sent(record) and any(is_interruption(text) for text in texts):
            self.draft.stop(name)
        self.draft.add(DraftMessage(Origin.HARNESS, "\n".join(texts), name))

    def _custom_command(self, record: SessionRecord, texts: list[str], origin: str) -> tuple[str, str]:
        """Return a custom command and what was typed behind it; nothing if the agent itself began the command."""
        if len(texts) > 1 or not may_be_typed(record, origin):
            return "", ""
        if not origin and self.draft.items and isinstance(self.draft.items[-1], DraftCall):
            return "", ""
        return custom_command(texts[0])

    def _note_shell(self, record: SessionRecord, texts: list[str]) -> None:
        """Note a command that the person ran in the prompt, once its output follows: a pasted one has none."""
        typed = self._typed
        self._typed = None
        if is_sent(record) or len(texts) != 1:
            return
        if typed is not None and record.parent_uuid == typed.id and is_command_output(texts[0]):
            self.draft.add(typed)
        elif command := typed_command(texts[0]):
            self._typed = TypedShell(command, record.uuid or "")

    def _is_by_program(self, record: SessionRecord, texts: list[str], *, ahead: bool) -> bool:
        """Return whether a program typed this, by the record itself or, if it names no entrypoint, by the queue."""
        if record.entrypoint is not None or record.prompt_source is not None:
            return says_program(record)
        if any(is_of_editor(text) for text in texts):
            self._from_editor = True
        return not record.is_meta and self._queue.is_by_program(record.timestamp, ahead=ahead)

    def _note_parent(self, record: SessionRecord) -> None:
        """Note that a prompt follows this record; of two that follow the same one, one was edited and taken back."""
        if record.parent_uuid in self._parents:
            self.forked = True
        self._parents.add(record.parent_uuid)

    # The model and its tools. --------------------------------------------------------------------------------

    def _take_assistant(self, record: SessionRecord) -> None:
        message = record.message
        if message is None or record.is_api_error_message:
            return
        name = record.uuid or ""
        for block in blocks_of(record):
            if block.type == "text" and block.text:
                self.draft.add(DraftMessage(Origin.ASSISTANT, block.text, name))
            elif block.type == "tool_use":
                self._add_call(block, name)

    def _add_call(self, block: ContentBlock, name: str) -> None:
        tool_input = block.input if isinstance(block.input, ToolInput) else ToolInput()
        if block.name == PLAN and isinstance(tool_input.plan, str):
            self.draft.add(DraftMessage(Origin.ASSISTANT, tool_input.plan, name))
        call = DraftCall(block.name or "", tool_input.brief, name)
        self.draft.add(call)
        self._calls[block.id or ""] = call
        self._written.note(call, tool_input)
        if block.name == "Skill" and isinstance(tool_input.skill, str):
            self.draft.skills[tool_input.skill] = None

    def _take_result(self, record: SessionRecord, block: ContentBlock) -> None:
        call = self._calls.get(block.tool_use_id or "")
        if call is None:
            return
        if block.is_error:
            self._take_error(record, block, call)
        elif call.name in WRITERS:
            call.changed = USER_MODIFIED in bytes(record.tool_use_result)
        elif call.name == DIALOG and (answers := answers_in(record.tool_use_result)):
            self.draft.add(DraftMessage(Origin.USER, answers, record.uuid or "", says_program(record)))

    def _take_error(self, record: SessionRecord, block: ContentBlock, call: DraftCall) -> None:
        call.error = True
        text = result_text(block.content)
        if code := _EXIT.match(text):
            call.exit_code = int(code[1])
        if is_refusal(text) and _is_the_persons(record, call):
            call.rejected = True
            if said := said_with_refusal(text):
                self.draft.add(DraftMessage(Origin.USER, said, record.uuid or ""))


def _typed_in(drafts: Iterable[SessionDraft]) -> set[str]:
    """Return the ids of the records that a person, or a program in their place, typed."""
    items = chain.from_iterable(draft.items for draft in drafts)
    return {item.id for item in items if isinstance(item, DraftMessage) and item.origin is Origin.USER}


def _typed(record: SessionRecord, texts: list[str], origin: str) -> list[str]:
    """Return what of a record's texts was typed, by a person or by a program in their place."""
    if not may_be_typed(record, origin):
        return []
    texts = [text for text in texts if not is_wrapper(text)]
    if origin == "human":
        return texts
    return [without_reminders(text) for text in texts if not is_preface(text)]


def _is_the_persons(record: SessionRecord, call: DraftCall) -> bool:
    """Return whether a refusal is the person's: no setting refused, and no server only says that they did."""
    if decided_by(record.permission_decision) == "config":
        return False
    if not call.name.startswith(_FROM_SERVERS):
        return True
    return record.tool_denial_kind == "user-rejected" or bytes(record.tool_use_result) == _REJECTED
