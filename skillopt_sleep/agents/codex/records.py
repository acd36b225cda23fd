"""The kinds of lines in a Codex rollout, and the parts of them that we decode.

Everything else in a line is passed over. Fields are in the order in which the program writes them, because msgspec
finds them fastest so.
"""

import msgspec

# All kinds of lines that the tested version writes.
KINDS = frozenset(
    (
        *("compacted", "dynamic_tools_updated", "event_msg", "inter_agent_communication", "realtime_item"),
        *("inter_agent_communication_metadata", "response_item", "security_risk_score", "session_meta"),
        *("token_usage_record", "turn_context", "world_state"),
    )
)
OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output")
CALL_TYPES = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")


class ContentPart(msgspec.Struct, gc=False):
    """One part of a message's content: a text, an image, or a skill by its name."""

    type: str = ""
    text: str | None = None
    name: str | None = None


class Git(msgspec.Struct, gc=False):
    """The repository in which a session began."""

    commit_hash: str | None = None


class Passed(msgspec.Struct, gc=False):
    """Data passed along with a message: from 0.169 on, the kind of each part."""

    content_item_kinds: list[str | None] | None = None


class Review(msgspec.Struct, gc=False):
    """The subject of a review; `instructions` is set if the person wrote what to look at."""

    instructions: str | None = None


class FinishedItem(msgspec.Struct, gc=False):
    """A finished item: a message of the person or the agent, a plan, a command, or the begin of a review."""

    type: str = ""
    id: str | None = None
    target: msgspec.Raw = msgspec.Raw()
    content: list[ContentPart] | None = None
    text: str | None = None
    command: list[str] | str | None = None
    source: str | None = None
    exit_code: int | None = None


class Attribution(msgspec.Struct, gc=False):
    """The initiator of a turn: a person, or `exec`."""

    turn_trigger: str | None = None


class HistoryBase(msgspec.Struct, gc=False):
    """The rollout whose first lines belong to this one too: its own id, and where these lines end."""

    thread_id: str | None = None
    end_byte_offset: int | None = None


class Payload(msgspec.Struct, gc=False):
    """The content of a line; which fields are set depends on the line's type and the payload's."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    name: str | None = None
    arguments: str | None = None
    call_id: str | None = None
    content: list[ContentPart] | None = None
    internal_chat_message_metadata_passthrough: Passed | None = None
    message: str | None = None
    kind: str | None = None
    thread_id: str | None = None
    item: FinishedItem | None = None
    reason: str | None = None
    turn_attribution: Attribution | None = None
    input: str | None = None
    output: msgspec.Raw = msgspec.Raw()
    action: msgspec.Raw = msgspec.Raw()
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: msgspec.Raw = msgspec.Raw()
    thread_source: str | None = None
    history_base: HistoryBase | None = None
    git: Git | None = None


class Metadata(msgspec.Struct, gc=False):
    """The program's notes on a response item."""

    compaction_output: bool | None = None


class RecordLine(msgspec.Struct, gc=False):
    """One line of a rollout."""

    timestamp: str | float | None = None
    type: str = ""
    payload: Payload | None = None
    metadata: Metadata | None = None


class _PayloadType(msgspec.Struct, gc=False):
    type: str | None = None


class _LineType(msgspec.Struct, gc=False):
    timestamp: str | float | None = None
    type: str = ""
    payload: _PayloadType | None = None


class PlanStep(msgspec.Struct, gc=False):
    """One step of a plan."""

    step: str = ""
    status: str = ""


class Steps(msgspec.Struct, gc=False):
    """The input of the tool with which the agent tells its plan."""

    explanation: str | None = None
    plan: list[PlanStep] = []


# The types of response items and of events that we use.
_USED = frozenset(
    (
        *CALL_TYPES,
        *OUTPUT_TYPES,
        "message",
        "item_completed",
        "task_started",
        "turn_aborted",
        "user_message",
        "agent_message",
    )
)
_lines = msgspec.json.Decoder(RecordLine)
_types = msgspec.json.Decoder(_LineType)
_reviews = msgspec.json.Decoder(Review)
_steps = msgspec.json.Decoder(Steps)
_DONE = "completed"


def decode_line(line: bytes) -> RecordLine:
    """Return the line of a rollout; of a type that we don't use, any form will do."""
    try:
        return _lines.decode(line)
    except msgspec.ValidationError:
        found = _types.decode(line)
        payload = found.payload
        if payload is None or payload.type in _USED or found.type in ("session_meta", "turn_context"):
            raise
        return RecordLine(timestamp=found.timestamp, type=found.type, payload=Payload(type=payload.type))


def asked_of_review(target: msgspec.Raw) -> str:
    """Return what a person wrote for a review, or "" if they chose one of the program's."""
    try:
        return _reviews.decode(target).instructions or ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def new_plan(arguments: str) -> str:
    """Return a plan as the agent first tells it, or "" if a step of it is done or there is none."""
    try:
        steps = _steps.decode(arguments)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""
    if any(step.status == _DONE for step in steps.plan):
        return ""
    lines = [f"{number}. {step.step}" for number, step in enumerate(steps.plan, start=1) if step.step]
    if lines and steps.explanation:
        lines.insert(0, steps.explanation)
    return "\n".join(lines)


def joined(parts: list[ContentPart] | None) -> str:
    """Return the texts of a message's parts as one; nearly always there is a single part."""
    if parts and len(parts) == 1:
        return parts[0].text or ""
    return "\n".join(part.text for part in parts or () if part.text)
