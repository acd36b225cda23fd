"""The kinds of lines in a Codex rollout, and the parts of them that we decode.

Everything else in a line is passed over. Fields are in the order in which the program writes them, because msgspec
finds them fastest so.
"""

import re

import msgspec

OUTPUT_TYPES = ("function_call_output", "custom_tool_call_output")
CALL_TYPES = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call")

# How a line begins, for finding whole records in a damaged one.
RECORD_START = re.compile(rb'\{\s*"(?:timestamp|type"\s*:\s*"(?:event_msg|response_item|session_meta|turn_context))"')


class Part(msgspec.Struct, gc=False):
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


class Item(msgspec.Struct, gc=False):
    """A finished item: a message of the person or the agent, or a command."""

    type: str = ""
    id: str | None = None
    content: list[Part] | None = None
    command: list[str] | str | None = None
    source: str | None = None
    exit_code: int | None = None


class Tokens(msgspec.Struct, gc=False):
    """The tokens of a session so far."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None


class Info(msgspec.Struct, gc=False):
    """The content of a token count."""

    total_token_usage: Tokens | None = None


class Attribution(msgspec.Struct, gc=False):
    """The initiator of a turn: a person, or `exec`."""

    turn_trigger: str | None = None


class Payload(msgspec.Struct, gc=False):
    """The content of a line; which fields are set depends on the line's type and the payload's."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    name: str | None = None
    arguments: str | None = None
    call_id: str | None = None
    content: list[Part] | None = None
    internal_chat_message_metadata_passthrough: Passed | None = None
    message: str | None = None
    kind: str | None = None
    item: Item | None = None
    reason: str | None = None
    turn_attribution: Attribution | None = None
    input: str | None = None
    output: msgspec.Raw = msgspec.Raw()
    action: msgspec.Raw = msgspec.Raw()
    info: Info | None = None
    cwd: str | None = None
    model: str | None = None
    originator: str | None = None
    source: msgspec.Raw = msgspec.Raw()
    thread_source: str | None = None
    git: Git | None = None


class Metadata(msgspec.Struct, gc=False):
    """The program's notes on a response item."""

    compaction_output: bool | None = None


class Line(msgspec.Struct, gc=False):
    """One line of a rollout."""

    timestamp: str | float | None = None
    type: str = ""
    payload: Payload | None = None
    metadata: Metadata | None = None
