"""A question to a model, and its answer."""

from enum import StrEnum
from typing import NamedTuple

import msgspec

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import Usage


class Purpose(StrEnum):
    """What a call of a model is for."""

    PREFLIGHT = "preflight"
    MINE = "mine"
    LESSONS = "lessons"
    PROVE = "prove"
    ROLLOUT = "rollout"
    JUDGE = "judge"
    REFLECT = "reflect"
    DIAGNOSE = "diagnose"
    REFLECT_DEEP = "reflect_deep"
    AGGREGATE = "aggregate"
    BUDGET = "budget"
    SELECT = "select"
    REWRITE = "rewrite"
    REWRITE_FULL = "rewrite_full"
    VARY = "vary"
    AUGMENT = "augment"
    SLOW_UPDATE = "slow_update"
    META_SKILL = "meta_skill"
    APPENDIX = "appendix"


class CallState(StrEnum):
    """How far a call in the ledger is: `reserved` or `lost` ones may have been paid for, a `failed` one wasn't."""

    RESERVED = "reserved"
    DONE = "done"
    FAILED = "failed"
    LOST = "lost"


class Limit(NamedTuple):
    """What may be spent at most; 0 is no limit."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0

    def lowered(self, other: "Limit") -> "Limit":
        """The lesser of both, each by itself."""
        return Limit(
            calls=min(filter(None, (self.calls, other.calls)), default=0),
            tokens=min(filter(None, (self.tokens, other.tokens)), default=0),
            usd=min(filter(None, (self.usd, other.usd)), default=0.0),
        )


class Prompt(Record, frozen=True, kw_only=True):
    """One question to a model: `schema` is the type its structured reply is decoded into, or none for text.

    `asker` and `sample` tell draws apart: two tasks in the same words are asked each by itself. `project` is whose
    limit it counts towards; `repair` says that it asks again for a reply that couldn't be used; neither is a part of
    the question.
    """

    purpose: Purpose
    text: str
    schema: type[msgspec.Struct] | None = None
    sample: int = 0
    asker: str = ""
    project: str = ""
    repair: bool = False


class Completion(Record, frozen=True, kw_only=True):
    """A model's answer: `structured` is an instance of the prompt's schema; an unknown cost is None.

    `odd_events` counts what a program said on the way that we don't know.
    """

    text: str
    structured: msgspec.Struct | None = None
    usage: Usage | None = None
    usd: float | None = None
    model: str = ""
    odd_events: int = 0
