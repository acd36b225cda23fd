"""Where answers come from, and what they cost."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from skillopt_sleep.records import CallState, Completion, Prompt, Purpose, Spend, Usage


class Backend(Protocol):
    """A model that answers one prompt."""

    def complete(self, prompt: Prompt) -> Completion:
        """Answer, or raise CallFailed (this call), BackendUnavailable or BudgetExhausted (the night)."""
        ...


class Model(Backend, Protocol):
    """A model as it is reached, before anything is wrapped around it."""

    @property
    def name(self) -> str:
        """Under which its answers are kept and shown."""
        ...

    @property
    def version(self) -> str:
        """Of the program that is asked, "" where there is none; raises CallFailed where it can't be run."""
        ...

    def ready(self, until: datetime, /) -> bool:
        """Whether it is known without a call that it will answer until then; BackendUnavailable where it won't."""
        ...

    def price(self, model: str, usage: Usage, /) -> float | None:
        """What so many tokens cost in dollars, None where that is unknown."""
        ...


class Preflight(NamedTuple):
    """What tells before any spending whether a model can be used: it is asked only where `ready` says no."""

    ready: Callable[[datetime], bool]
    backend: Backend


class Meter(Protocol):
    """Counts what is spent in a night and how its calls fare."""

    def spend(self) -> Spend:
        """What was spent so far in this night, calls of earlier lives of it included."""
        ...

    def left(self) -> int:
        """How many calls this night may still make."""
        ...

    def check(self) -> None:
        """Raise BackendUnavailable if structured replies were asked for all night and none was decoded."""
        ...


class Tally(NamedTuple):
    """Calls by purpose, the tokens that were named, dollars (None where unknown), calls that named no usage.

    `tokens` and `dollars` are what to hold against a limit: what was named, and for calls that named nothing, are on
    their way or were lost on it, what was reserved, or where no price could be, as much as the dearest call cost.
    `unpriced` calls were answered at an unknown price.
    """

    purposes: Mapping[str, int]
    usage: Usage = Usage()
    usd: float | None = 0.0
    unnamed: int = 0
    tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0
    repairs: int = 0
    odd_events: int = 0

    @property
    def calls(self) -> int:
        """All calls together."""
        return sum(self.purposes.values())


class Reservation(NamedTuple):
    """A call about to be made, with what it takes at least."""

    purpose: Purpose
    model: str
    project: str = ""
    repair: bool = False
    tokens: int = 0
    usd: float | None = None


class Held(NamedTuple):
    """What a call counts for as long as nobody tells what it took; dollars are None where no price is known."""

    tokens: int
    usd: float | None = None


class Ledger(Protocol):
    """The durable side of the meter: a reservation survives a crash as spent."""

    def reserve(self, call: Reservation) -> int:
        """Write down that a call is about to be made."""
        ...

    def settle(
        self,
        entry: int,
        state: CallState,
        *,
        usage: Usage | None,
        usd: float | None,
        odd_events: int = 0,
        held: Held | None = None,
    ) -> None:
        """Write down how the call ended and what it took.

        `held` is what to count where it named no tokens, or no price, if that is more than was reserved.
        """
        ...

    def spent(self, *, project: str | None = None) -> Tally:
        """What this night spent, by all its lives: altogether, or on one project."""
        ...

    def spent_since(self, moment: datetime) -> Tally:
        """What all nights spent since then."""
        ...


class Calls(Protocol):
    """Completed calls by content, so that no question is paid twice."""

    def get(self, key: str) -> Completion | None:
        """The stored answer, undecoded, or None."""
        ...

    def draws(self) -> "Calls":
        """Those of this night, and of the nights that were cut short right before it."""
        ...

    def put(self, key: str, *, purpose: Purpose, completion: Completion) -> None:
        """Keep an answer before it is used."""
        ...
