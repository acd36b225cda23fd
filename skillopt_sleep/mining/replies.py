"""The replies of the model miner. The model reads these docstrings: they are in the schema of its reply."""

from typing import Literal

import msgspec


class MinedQuote(msgspec.Struct, frozen=True):
    """A user turn and words copied from it."""

    turn: int
    quote: str


class MinedCheck(msgspec.Struct, frozen=True):
    """A check as the miner writes it."""

    op: str
    arg: str | int = ""
    section: str = ""


class MinedTask(msgspec.Struct, frozen=True):
    """One thing that the person wants, and the request that tests it."""

    session: str
    ask: int
    prompt: str
    corrections: tuple[MinedQuote, ...] = ()
    deeds: tuple[int, ...] = ()
    context: str = ""
    checks: tuple[MinedCheck, ...] = ()
    rubric: str = ""
    answer: str = ""
    lesson: str = ""
    lasts: Literal["from now on", "this time", "unclear"] = "from now on"
    where: str = "project"
    takes_back: str = ""


class MineReply(msgspec.Struct, frozen=True):
    """What the model miner answers."""

    tasks: tuple[MinedTask, ...]
