"""The kinds of records that Claude Code writes, and the parts of them that we decode.

Everything else in a line is passed over. Fields are in the order in which the program writes them, because msgspec
finds them fastest so.
"""

from typing import Any, cast

import msgspec

from skillopt_sleep.agents.transcripts.draft import MOST_ITEMS, ToolInput

# The kinds of the conversation itself; of all others, only the queue is of use.
CONVERSATION = frozenset({"user", "assistant", "attachment", "system"})
QUEUE = "queue-operation"
# All kinds that the tested version writes.
KINDS = CONVERSATION | frozenset(
    f"""agent-color agent-name agent-setting ai-title api-request api-request-blob api-request-resumed
    api-request-shape
    artifact-autoreact-ledger artifact-comment-monitor atis-latch attribution-snapshot bridge-session
    content-replacement continued-in cost-state custom-title data-flow-incomplete data-flow-records derived-from
    dev-mods ended-by-model file-history-delta file-history-snapshot fork-context-ref frame-link
    history-suppression isolation-latch last-prompt memory-mode mode observer-ref permission-mode pr-link
    progress {QUEUE} relocated resume-head-vouch session-owner summary tag tools-used worktree-state""".split()
)
# All kinds of blocks in a record of the user's role.
USER_BLOCKS = frozenset({"text", "tool_result", "image", "document", "search_result"})
# The attachments that hold instruction files: those in force from the start, and one that a folder brought along.
INSTRUCTIONS = ("instructions", "nested_memory")

# No more records of a file are looked at.
MOST_RECORDS = 2 * MOST_ITEMS

# Who made a prompt of the user's role, where it wasn't the person.
NOT_TYPED = ("harness", "hook", "recorded")


class ContentBlock(msgspec.Struct, gc=False):
    """One block of a message's content: text, tool_use or tool_result."""

    tool_use_id: str | None = None
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: ToolInput | str | None = None
    content: msgspec.Raw = msgspec.Raw()
    is_error: bool | None = None


class ApiMessage(msgspec.Struct, gc=False):
    """A message of the person or of the model."""

    content: str | list[ContentBlock] | None = None


class Attachment(msgspec.Struct, rename="camel", gc=False):
    """Something the program added to the conversation.

    A `queued_command` was typed while the agent worked; an `edited_text_file` changed on disk after the agent saw it.
    """

    type: str | None = None
    files: msgspec.Raw = msgspec.Raw()
    content: msgspec.Raw = msgspec.Raw()
    prompt: Any = None
    command_mode: Any = None
    origin: Any = None
    row_source: Any = None
    is_meta: Any = None
    filename: Any = None
    snippet: Any = None


class InstructionFile(msgspec.Struct, gc=False):
    """An instruction file that the program gave to the model."""

    path: str = ""
    content: str = ""


class SessionRecord(msgspec.Struct, rename="camel", gc=False):
    """One line of a session's file."""

    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    is_sidechain: bool | None = None
    attachment: Attachment | None = None
    type: str = ""
    operation: str | None = None
    message: ApiMessage | None = None
    is_meta: bool | None = None
    turn_companion: Any = None
    is_visible_in_transcript_only: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    uuid: str | None = None
    timestamp: str | float | None = None
    origin: Any = None
    prompt_source: str | None = None
    turn_origin: str | None = None
    row_source: Any = None
    scheduled_task_id: Any = None
    tool_use_result: msgspec.Raw = msgspec.Raw()
    tool_denial_kind: str | None = None
    permission_decision: msgspec.Raw = msgspec.Raw()
    entrypoint: str | None = None
    cwd: str | None = None
    session_id: str | None = None
    version: Any = None


# The parent of a record that names none; a root names null.
UNKNOWN = "?"


class TreeLink(msgspec.Struct, rename="camel", gc=False):
    """A record's place in the conversation's tree."""

    type: str = ""
    uuid: str | None = None
    parent_uuid: str | None = UNKNOWN
    logical_parent_uuid: str | None = None
    is_sidechain: bool | None = None
    session_id: str | None = None


class PermissionDecision(msgspec.Struct):
    """A decision on whether a tool may run, and who took it."""

    source: str | None = None


class DialogAnswers(msgspec.Struct):
    """The person's answers in a dialog, chosen or typed, by question."""

    answers: dict[str, str] = {}


DIALOG = "AskUserQuestion"
PLAN = "ExitPlanMode"
_records = msgspec.json.Decoder(SessionRecord)
_links = msgspec.json.Decoder(TreeLink)
_results = msgspec.json.Decoder(str | list[ContentBlock])
_answers = msgspec.json.Decoder(DialogAnswers)
_decisions = msgspec.json.Decoder(PermissionDecision)
_files = msgspec.json.Decoder(list[InstructionFile])
_file = msgspec.json.Decoder(InstructionFile)


def decode_record(line: bytes) -> SessionRecord:
    """Return the record in a line; of a kind that isn't the conversation's, any form will do."""
    try:
        return _records.decode(line)
    except msgspec.ValidationError:
        kind = _links.decode(line).type
        if kind in CONVERSATION:
            raise
        return SessionRecord(type=kind)


def decode_link(line: bytes) -> TreeLink:
    """Return a record's place in the tree."""
    return _links.decode(line)


def kind_of(origin: Any) -> str:
    """Return the kind of an origin, or "" if it isn't known."""
    kind = origin
    if isinstance(origin, dict):
        kind = cast("dict[str, Any]", origin).get("kind")
    return kind if isinstance(kind, str) else ""


def may_be_typed(record: SessionRecord, origin: str) -> bool:
    """Return whether a person, or a program in their place, may have typed this record's texts."""
    if is_hidden(record) or record.turn_companion or record.scheduled_task_id is not None:
        return False
    if record.row_source in NOT_TYPED or record.prompt_source == "system":
        return False
    return origin in {"", "human"} and record.turn_origin in {None, "", "human", "sdk"}


def is_hidden(record: SessionRecord) -> bool | None:
    """Return whether the program shows the record to the model only, or to the person only."""
    return record.is_meta or record.is_compact_summary or record.is_visible_in_transcript_only


def is_sent(record: SessionRecord) -> bool:
    """Return whether somebody sent this as a prompt, or the program hides it: then it is no note on what was done."""
    return bool(is_hidden(record)) or record.origin is not None or record.prompt_source is not None


def says_program(record: SessionRecord) -> bool:
    """Return whether the record says that a program sent it."""
    return record.prompt_source == "sdk" or (record.entrypoint or "").startswith("sdk")


def decided_by(decision: msgspec.Raw) -> str:
    """Return who took a permission decision, or "" if it isn't known."""
    try:
        return _decisions.decode(decision).source or ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def instruction_files(attached: Attachment) -> list[InstructionFile]:
    """Return the instruction files that an attachment holds."""
    try:
        return _files.decode(attached.files) if attached.files else [_file.decode(attached.content)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []


def answers_in(result: msgspec.Raw) -> str:
    """Return the questions of a dialog with the person's answers, a line each, or "" if there are none."""
    try:
        answers = _answers.decode(result).answers
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return "\n".join(f"{question}: {answer}" for question, answer in answers.items() if answer.strip())


def blocks_of(record: SessionRecord) -> list[ContentBlock]:
    """Return the blocks of a record's message; a text alone is one block."""
    content = record.message.content if record.message else None
    if isinstance(content, list):
        return content
    return [ContentBlock(type="text", text=content)]


def texts_of(prompt: object) -> list[str]:
    """Return the texts of a prompt, which is a text itself or a list of blocks."""
    if isinstance(prompt, str):
        return [prompt]
    try:
        blocks = msgspec.convert(prompt, list[ContentBlock])
    except msgspec.ValidationError:
        return []
    return [block.text for block in blocks if block.type == "text" and block.text]


def result_text(content: msgspec.Raw) -> str:
    """Return the text of a tool's result, or "" if it has none."""
    try:
        result = _results.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    if isinstance(result, str):
        return result
    return "\n".join(block.text or "" for block in result)
