"""The parts of a Codex rollout that we use, decoded; everything else in a line is passed over.

Fields stand in the order in which the program writes them, for so they are found fastest.
"""

import msgspec


class Part(msgspec.Struct, gc=False):
    """One part of a message's content: a text, an image, or a skill by its name."""

    type: str = ""
    text: str | None = None
    name: str | None = None


class Git(msgspec.Struct, gc=False):
    """The repository a session began in."""

    commit_hash: str | None = None


class Passed(msgspec.Struct, gc=False):
    """What is told beside a message: the kind of each part, from 0.169."""

    content_item_kinds: list[str | None] | None = None


class Item(msgspec.Struct, gc=False):
    """A finished item: a message of the person or the agent, a command."""

    type: str = ""
    id: str | None = None
    content: list[Part] | None = None
    command: list[str] | str | None = None
    source: str | None = None
    exit_code: int | None = None


class Tokens(msgspec.Struct, gc=False):
    """Tokens of a session so far."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None


class Info(msgspec.Struct, gc=False):
    """What a token count tells."""

    total_token_usage: Tokens | None = None


class Attribution(msgspec.Struct, gc=False):
    """Who began a turn: a person, or `exec`."""

    turn_trigger: str | None = None


class Payload(msgspec.Struct, gc=False):
    """What a line is about; which fields there are depends on the line's and the payload's type."""

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


class Beside(msgspec.Struct, gc=False):
    """What the program notes beside a response."""

    compaction_output: bool | None = None


class Line(msgspec.Struct, gc=False):
    """One line."""

    timestamp: str | float | None = None
    type: str = ""
    payload: Payload | None = None
    metadata: Beside | None = None
