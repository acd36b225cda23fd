"""A question to a model, and its answer."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.record import Record
from skillopt_sleep.records.sessions import Usage


class Purpose(StrEnum):
    """What a call of a model is for."""

    PREFLIGHT = "preflight"
    MINE = "mine"
    PROVE = "prove"
    ROLLOUT = "rollout"
    JUDGE = "judge"
    REFLECT = "reflect"
    AGGREGATE = "aggregate"
    SELECT = "select"


class Prompt(Record, frozen=True, kw_only=True):
    """One question to a model: `schema` is the type its structured reply is decoded into, or none for text."""

    purpose: Purpose
    text: str
    schema: type[msgspec.Struct] | None = None
    sample: int = 0


class Completion(Record, frozen=True, kw_only=True):
    """A model's answer: `structured` is an instance of the prompt's schema; an unknown cost is None."""

    text: str
    structured: msgspec.Struct | None = None
    usage: Usage | None = None
    usd: float | None = None
    model: str = ""
