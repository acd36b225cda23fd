"""A question to a model, and its answer."""

import re
from enum import StrEnum
from typing import Literal, NamedTuple

import msgspec

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import Usage

_PROVIDER = "openai|azure|anthropic|claude|codex"
_MODEL = re.compile(rf"\b({_PROVIDER}):([^@\s,()]+)(?:@https?://[^\s,()]+)?|(?<!\S)([^@\s,()]+)@https?://[^\s,()]+")


def model_names(models: str) -> str:
    """Return the names of models, as they are kept, without provider and address."""
    return _MODEL.sub(lambda found: found[3] or (found[1] if found[2] == "default" else found[2]), models)


class Purpose(StrEnum):
    """The purpose of a model call."""

    PREFLIGHT = "preflight"
    MINE = "mine"
    LESSONS = "lessons"
    CONTROLS = "controls"
    PROVE = "prove"
    ROLLOUT = "rollout"
    JUDGE = "judge"
    REFLECT = "reflect"
    DIAGNOSE = "diagnose"
    REFLECT_DEEP = "reflect_deep"
    AGGREGATE = "aggregate"
    BUDGET = "budget"
    SELECT = "select"
    FIT = "fit"
    REWRITE = "rewrite"
    REWRITE_FULL = "rewrite_full"
    AUGMENT = "augment"
    SLOW_UPDATE = "slow_update"
    META_SKILL = "meta_skill"


class CallState(StrEnum):
    """The state of a call in the ledger: `reserved` and `lost` calls may have cost money, `failed` ones did not."""

    RESERVED = "reserved"
    DONE = "done"
    FAILED = "failed"
    LOST = "lost"


class Limit(NamedTuple):
    """The most that may be spent; 0 means no limit."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class Message(Record, frozen=True, kw_only=True):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    text: str


class Prompt(Record, frozen=True, kw_only=True):
    """One question to a model: `schema` is the type of the structured reply, or None for plain text.

    `text` is the whole question. Where a model is reached by an API, it is sent as these `messages` instead, if there
    are any, with the `temperature`, if there is one.

    `asker` and `sample` tell draws apart, so that two tasks in the same words are asked separately. `project` is the
    project whose limit the call counts towards, `about` the id of the document that the optimizer is asked about;
    `repair` marks a second try after a reply that couldn't be used. None of these is part of the question.
    """

    purpose: Purpose
    text: str
    schema: type[msgspec.Struct] | None = None
    sample: int = 0
    asker: str = ""
    project: str = ""
    about: str = ""
    repair: bool = False
    messages: tuple[Message, ...] = ()
    temperature: float | None = None


class Completion(Record, frozen=True, kw_only=True):
    """A model's answer: `structured` is an instance of the prompt's schema; an unknown cost is None.

    `odd_events` counts the events of an agent program whose type we don't know.
    """

    text: str
    structured: msgspec.Struct | None = None
    usage: Usage | None = None
    usd: float | None = None
    model: str = ""
    odd_events: int = 0
