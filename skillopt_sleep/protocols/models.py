"""Define where answers come from and what they cost."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple, Protocol

from skillopt_sleep.records import CallState, Completion, Prompt, Purpose, Spend, Usage


class Backend(Protocol):
    """A model that answers one prompt."""

    def complete(self, prompt: Prompt) -> Completion:
        """Answer the prompt; raise CallFailed for this call, BackendUnavailable or BudgetExhausted for the night."""
        ...


class Model(Backend, Protocol):
    """A model as it is reached, before any wrapper."""

    @property
    def name(self) -> str:
        """The name under which its answers are stored and shown."""
        ...

    @property
    def version(self) -> str:
        """The version of the agent program, "" without one; raises CallFailed if the program can't be run."""
        ...

    def ready(self, until: datetime, /) -> bool:
        """Return whether it will surely answer until then; raise BackendUnavailable if it surely won't."""
        ...

    def price(self, model: str, usage: Usage, /) -> float | None:
        """Return the cost of these tokens in dollars, or None if unknown."""
        ...


class Preflight(NamedTuple):
    """The check of a model before any spending: one call to `backend`, unless `ready` makes that unnecessary."""

    ready: Callable[[datetime], bool]
    backend: Backend


class Meter(Protocol):
    """Counts what a night spends and how its calls end."""

    def spend(self) -> Spend:
        """Return what this night has spent so far, including the calls made before it was resumed."""
        ...

    def left(self) -> int:
        """Return how many calls like those so far fit into what this night may still spend."""
        ...

    def check(self) -> None:
        """Raise BackendUnavailable if the model answered no attempt all night, or gave no structured reply of use."""
        ...


class SpendTally(NamedTuple):
    """Calls by purpose, the reported usage, dollars (None if unknown), and the number of calls without usage.

    `tokens` and `dollars` are what counts against a limit. They add to the reported usage what was reserved for calls
    that reported none, are under way or were lost; without a price, a call counts as much as the most expensive one.
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
        """The number of all calls."""
        return sum(self.purposes.values())


class Reservation(NamedTuple):
    """A call about to be made, with the least that it will take."""

    purpose: Purpose
    model: str
    project: str = ""
    repair: bool = False
    tokens: int = 0
    usd: float | None = None


class ReservedCost(NamedTuple):
    """The cost that a call counts for while its usage is unknown; dollars are None if no price is known."""

    tokens: int
    usd: float | None = None


class Ledger(Protocol):
    """The stored side of the meter: after a crash, a reservation counts as spent."""

    def reserve(self, call: Reservation) -> int:
        """Record a call that is about to be made, and return the number of its entry."""
        ...

    def settle(
        self,
        entry: int,
        state: CallState,
        *,
        usage: Usage | None,
        usd: float | None,
        odd_events: int = 0,
        held: ReservedCost | None = None,
    ) -> None:
        """Record how the call ended and what it took.

        `held` replaces what was reserved, and is counted if the call reported no tokens or no price.
        """
        ...

    def spent(self, *, project: str | None = None) -> SpendTally:
        """Return what this night spent, before and after it was resumed: in all, or on one project."""
        ...

    def spent_in_month(self, moment: datetime) -> SpendTally:
        """Return what all nights spent in the month of this moment (UTC) and later."""
        ...


class Calls(Protocol):
    """Completed calls by content, so that no question is paid for twice."""

    def get(self, key: str) -> Completion | None:
        """Return the stored answer, not yet decoded, or None."""
        ...

    def draws(self) -> "Calls":
        """Return only the calls of this night, and of the nights right before it that were cut short."""
        ...

    def put(self, key: str, completion: Completion) -> None:
        """Store an answer before it is used."""
        ...
