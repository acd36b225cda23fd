"""The one choke point of spending: every call of a model is reserved before it and settled after it."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import (
    FOR_GOOD,
    OF_THE_PROMPT,
    BackendUnavailable,
    BudgetExhausted,
    CallFailed,
    FailureKind,
)
from skillopt_sleep.protocols import Backend, Held, Ledger, Reservation, Tally
from skillopt_sleep.records import CallState, Completion, Limit, Prompt, Purpose, Spend, Usage

FAILURES_IN_A_ROW = 3
CHARS_PER_TOKEN = 4
UNLIMITED = 10**9
MOST_USD = 1_000_000.0  # more than any call costs
REMEDY = "raise it in config.toml, or let the next night go on: what was paid for is kept"
MONTH = "raise it in config.toml, or let the nights rest until the month is over (UTC): what was paid for is kept"
UNPRICED = "limit calls and tokens instead: set budget.usd and budget.month_usd to 0"
# The model may have worked on them, and be paid for it.
_LOST = frozenset({FailureKind.TIMED_OUT, FailureKind.KILLED, FailureKind.FLOODED})

Price = Callable[[str, Usage], float | None]


class Limits(NamedTuple):
    """What may be spent at most: by this night, in this month (UTC), and by this night on a project."""

    night: Limit
    minutes: int
    month: Limit = Limit()
    project: Callable[[str], Limit] = lambda _: Limit()


def month_of(now: datetime) -> datetime:
    """When the calendar month began whose limits hold now."""
    return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


class NightMeter:
    """Counts calls, tokens, dollars and failures of a night against its limits; safe for threads.

    Calls never exceed a limit; tokens and dollars by at most the calls in flight; no call starts after the minutes.
    A night that may spend so many dollars stops at the first call whose price isn't known. `remedy` is what to do at
    a limit, `unpriced` at such a call.
    """

    def __init__(
        self,
        ledger: Ledger,
        limits: Limits,
        *,
        clock: Callable[[], datetime],
        remedy: str = REMEDY,
        unpriced: str = UNPRICED,
    ) -> None:
        self._ledger, self._limits, self._clock = ledger, limits, clock
        self._remedy, self._unpriced = remedy, unpriced
        self._most = timedelta(minutes=limits.minutes)
        self._passed, self._last = timedelta(), clock()
        self._lock = threading.Lock()
        self._failed_in_a_row = 0
        self._structured = {True: 0, False: 0}
        self._last_failure: CallFailed | None = None

    def spend(self) -> Spend:
        """What this night spent, by all its lives; tokens or dollars that no reply named are unknown."""
        tally = self._ledger.spent()
        known = tally.unnamed < tally.calls or not tally.calls
        return Spend(
            calls=tally.calls,
            tokens=tally.usage.tokens if known else None,
            cached_tokens=tally.usage.cached_tokens,
            usd=tally.usd,
            unnamed=tally.unnamed,
            repairs=tally.repairs,
            odd_events=tally.odd_events,
            purposes=dict(tally.purposes),
        )

    def left(self) -> int:
        """How many calls the night's own limit leaves."""
        most = self._limits.night.calls
        return max(0, most - self._ledger.spent().calls) if most else UNLIMITED

    def check(self) -> None:
        """Raise BackendUnavailable if structured replies were asked for all night and none was decoded."""
        if self._structured[False] and not self._structured[True]:
            last = self._last_failure
            raise BackendUnavailable(
                f"no structured reply could be used all night; the last of {self._structured[False]}: {last}",
                remedy="use a model that can answer in JSON",
            )

    def reserve(self, prompt: Prompt, model: str, price: Price) -> int:
        """Take one call out of the budget, durably.

        Raises BudgetExhausted where none is left, CallFailed (over_budget) where only its project has none left.
        """
        limits = self._limits
        tokens = len(prompt.text) // CHARS_PER_TOKEN
        usd = price(model, Usage(input_tokens=tokens))
        with self._lock:
            now = self._clock()
            # A clock that is set back while the night runs gives it no time back.
            self._passed += max(now - self._last, timedelta())
            self._last = now
            if self._passed >= self._most:
                raise BudgetExhausted(f"the limit of {limits.minutes} minutes is reached", remedy=self._remedy)
            # Adding up a long ledger takes longer than a short call.
            tally = self._ledger.spent() if any(limits.night) or limits.month.usd else Tally({})
            if reached := _reached(tally, limits.night):
                raise BudgetExhausted(f"the limit of {reached} is reached", remedy=self._remedy)
            month = self._ledger.spent_since(month_of(now)) if any(limits.month) else Tally({})
            if reached := _reached(month, limits.month):
                raise BudgetExhausted(f"the month's limit of {reached} is reached", remedy=MONTH)
            if (limits.night.usd or limits.month.usd) and tally.unpriced:
                raise BudgetExhausted(
                    "what a call cost isn't known, so a limit in dollars can't be kept",
                    remedy=self._unpriced,
                )
            own = limits.project(prompt.project) if prompt.project else Limit()
            if any(own):
                tally = self._ledger.spent(project=prompt.project)
                if reached := _reached(tally, own):
                    said = f"the limit of {reached} for {prompt.project} is reached"
                    raise CallFailed(FailureKind.OVER_BUDGET, said)
                if own.usd and tally.unpriced:
                    said = f"what a call for {prompt.project} cost isn't known, so its limit in dollars can't be kept"
                    raise CallFailed(FailureKind.OVER_BUDGET, said)
            return self._ledger.reserve(
                Reservation(prompt.purpose, model, prompt.project, prompt.repair, tokens, usd)
            )

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
        """Write down what a reserved call took; only a call that was really answered ends a row of failures.

        `held` is what to count for it where it names no tokens, or no price, if that is more than was reserved.
        """
        if state is CallState.DONE:
            with self._lock:
                self._failed_in_a_row = 0
        self._ledger.settle(entry, state, usage=usage, usd=usd, odd_events=odd_events, held=held)

    def answered(self, prompt: Prompt) -> None:
        """A question was answered, by the model or from the store."""
        with self._lock:
            self._structured[True] += prompt.schema is not None

    def failed(self, prompt: Prompt, error: CallFailed) -> None:
        """A question failed for good; raises BackendUnavailable where that means that the model is gone."""
        if error.kind in FOR_GOOD:
            login = error.kind is FailureKind.LOGIN
            raise BackendUnavailable(error.message, remedy=error.remedy, login=login) from error
        if error.kind in OF_THE_PROMPT:
            return
        with self._lock:
            self._last_failure = error
            self._failed_in_a_row += prompt.purpose is not Purpose.PREFLIGHT
            self._structured[False] += prompt.schema is not None
            if self._failed_in_a_row >= FAILURES_IN_A_ROW:
                raise BackendUnavailable(
                    f"{FAILURES_IN_A_ROW} calls in a row failed; the last: {error.message}", remedy=error.remedy
                ) from error


class Metered:
    """Lets a call through only where the meter has room for it; the provider's own price comes before ours.

    A bill that can't be (tokens below 0 or beyond counting, none at all for an answer that has text) isn't believed:
    what the call took is unknown then, and counts against the limits by the length of what was asked and answered.
    """

    def __init__(
        self, inner: Backend, meter: NightMeter, *, model: str, price: Price = lambda _model, _usage: None
    ) -> None:
        self._inner, self._meter, self._model, self._price = inner, meter, model, price

    def complete(self, prompt: Prompt) -> Completion:
        """One counted call."""
        entry = self._meter.reserve(prompt, self._model, self._price)
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            usage = _believed(_usage(error.tokens) if error.tokens else None, answered=error.paid)
            unknown = error.kind in _LOST or (error.paid and usage is None)
            state = CallState.LOST if unknown else CallState.FAILED
            self._meter.settle(entry, state, usage=usage, usd=self._paid(usage, error.usd))
            raise
        # A model of the user's own may give half of a surrogate pair, which can be neither kept nor sent.
        text = completion.text.encode(errors="replace").decode()
        usage = _believed(completion.usage, answered=bool(text.strip()))
        usd = self._paid(usage, completion.usd)
        held = self._estimate(len(prompt.text) + len(text))
        self._meter.settle(entry, CallState.DONE, usage=usage, usd=usd, odd_events=completion.odd_events, held=held)
        if (completion.text, completion.usage, completion.usd) == (text, usage, usd):
            return completion
        return replace(completion, text=text, usage=usage, usd=usd)

    def _estimate(self, characters: int) -> Held:
        tokens = characters // CHARS_PER_TOKEN
        return Held(tokens, self._price(self._model, Usage(input_tokens=tokens)))

    def _paid(self, usage: Usage | None, named: float | None) -> float | None:
        if named is not None:
            return named if 0 <= named <= MOST_USD else None
        return None if usage is None else self._price(self._model, usage)


def _believed(usage: Usage | None, *, answered: bool) -> Usage | None:
    """The bill of one call, unless it can't be: nobody answers for nothing."""
    if usage is None or not usage.possible or (answered and not usage.tokens):
        return None
    return usage


def _reached(tally: Tally, limit: Limit) -> str:
    """Which of the limits is reached, in words, or nothing."""
    if limit.calls and tally.calls >= limit.calls:
        return f"{limit.calls} calls"
    if limit.tokens and tally.tokens >= limit.tokens:
        return f"{limit.tokens} tokens"
    if limit.usd and tally.dollars >= limit.usd:
        return f"${limit.usd:g}"
    return ""


def _usage(tokens: tuple[int, int, int]) -> Usage:
    return Usage(input_tokens=tokens[0], output_tokens=tokens[1], cached_tokens=tokens[2])
