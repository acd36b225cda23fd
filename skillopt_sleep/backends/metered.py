"""The one choke point of spending: every call of a model is reserved before it and reconciled after it."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.protocols import Backend, Ledger
from skillopt_sleep.records import Completion, Prompt, Purpose, Spend, Usage

FAILURES_IN_A_ROW = 3
CHARS_PER_TOKEN = 4
REMEDY = "raise it in config.toml, or let the next night go on: what was paid for is kept"


class NightMeter:
    """Counts calls, tokens and failures of a night against its limits; safe for threads.

    Calls never exceed their limit; tokens by at most the calls in flight; no call starts after the minutes are over.
    """

    def __init__(
        self, ledger: Ledger, *, calls: int, tokens: int, minutes: int, clock: Callable[[], datetime]
    ) -> None:
        self._ledger = ledger
        self._most_calls, self._most_tokens, self._minutes = calls, tokens, minutes
        self._clock = clock
        self._until = clock() + timedelta(minutes=minutes)
        self._lock = threading.Lock()
        self._estimated = 0
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
            usd=tally.usd,
            unnamed=tally.unnamed,
            purposes=dict(tally.purposes),
        )

    def check(self) -> None:
        """Raise BackendUnavailable if structured replies were asked for all night and none was decoded."""
        if self._structured[False] and not self._structured[True]:
            last = self._last_failure
            raise BackendUnavailable(
                f"no structured reply could be used all night; the last of {self._structured[False]}: {last}",
                remedy="use a model that can answer in JSON",
            )

    def reserve(self, prompt: Prompt, model: str) -> int:
        """Take one call out of the budget, durably; raises BudgetExhausted where none is left."""
        with self._lock:
            tally = self._ledger.spent()
            if tally.calls >= self._most_calls:
                raise BudgetExhausted(f"the limit of {self._most_calls} calls is reached", remedy=REMEDY)
            if tally.usage.tokens + self._estimated >= self._most_tokens:
                raise BudgetExhausted(f"the limit of {self._most_tokens} tokens is reached", remedy=REMEDY)
            if self._clock() >= self._until:
                raise BudgetExhausted(f"the limit of {self._minutes} minutes is reached", remedy=REMEDY)
            return self._ledger.reserve(purpose=prompt.purpose, model=model)

    def settle(self, entry: int, *, usage: Usage | None, usd: float | None, failed: bool) -> None:
        """Write down what a reserved call took; only a call that was really answered ends a row of failures."""
        if not failed:
            self._failed_in_a_row = 0
        self._ledger.reconcile(entry, usage=usage, usd=usd, failed=failed)

    def estimate(self, characters: int) -> None:
        """Count an answer whose tokens nobody named towards the limit, by its length; it is not reported as known."""
        with self._lock:
            self._estimated += characters // CHARS_PER_TOKEN

    def answered(self, prompt: Prompt) -> None:
        """A question was answered, by the model or from the store."""
        with self._lock:
            self._structured[True] += prompt.schema is not None

    def failed(self, prompt: Prompt, error: CallFailed) -> None:
        """A question failed for good; raises BackendUnavailable where that means that the model is gone."""
        if error.kind is FailureKind.LOGIN:
            raise BackendUnavailable(error.message, remedy=error.remedy, login=True) from error
        with self._lock:
            self._last_failure = error
            self._failed_in_a_row += prompt.purpose is not Purpose.PREFLIGHT
            self._structured[False] += prompt.schema is not None
            if self._failed_in_a_row >= FAILURES_IN_A_ROW:
                raise BackendUnavailable(
                    f"{FAILURES_IN_A_ROW} calls in a row failed; the last: {error.message}", remedy=error.remedy
                ) from error


class Metered:
    """Lets a call through only where the meter has room for it."""

    def __init__(self, inner: Backend, meter: NightMeter, *, model: str) -> None:
        self._inner, self._meter, self._model = inner, meter, model

    def complete(self, prompt: Prompt) -> Completion:
        """One counted call."""
        entry = self._meter.reserve(prompt, self._model)
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            usage = _usage(error.tokens) if error.tokens else None
            self._meter.settle(entry, usage=usage, usd=None, failed=True)
            raise
        self._meter.settle(entry, usage=completion.usage, usd=completion.usd, failed=False)
        if completion.usage is None:
            self._meter.estimate(len(prompt.text) + len(completion.text))
        return completion


def _usage(tokens: tuple[int, int, int]) -> Usage:
    return Usage(input_tokens=tokens[0], output_tokens=tokens[1], cached_tokens=tokens[2])
