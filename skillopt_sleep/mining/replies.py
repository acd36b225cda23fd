"""The replies of the model miner. The model reads these docstrings: they are in the schema of its reply."""

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
    """A task as the miner writes it."""

    session: str
    ask: int
    prompt: str
    corrections: tuple[MinedQuote, ...]
    context: str = ""
    checks: tuple[MinedCheck, ...] = ()
    rubric: str = ""
    answer: str = ""
    lesson: str = ""


class MineReply(msgspec.Struct, frozen=True):
    """What the model miner answers."""

    tasks: tuple[MinedTask, ...]
