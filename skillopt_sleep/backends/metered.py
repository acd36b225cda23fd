"""Control spending in one place: reserve the cost of every call before it, and record the real cost afterwards."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.backends.failures import IN_A_ROW, FailureCounter, end_if_hopeless
from skillopt_sleep.errors import OF_THE_PROMPT, BackendUnavailable, BudgetExhausted, CallFailed, FailureKind
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.models import Backend, Ledger, Reservation, ReservedCost, SpendTally
from skillopt_sleep.records import CallState, Completion, Limit, Prompt, Purpose, Spend, Usage

CHARS_PER_TOKEN = 4
UNLIMITED = 10**9
MOST_USD = 1_000_000.0  # more than any call costs
REMEDY = "raise it in config.toml, or let the next night continue; paid results are kept"
MONTH = "raise it in config.toml, or wait until next month (UTC); paid results are kept"
UNPRICED = "limit calls and tokens instead: set budget.usd and budget.month_usd to 0"
# The model may have worked on these calls, and be paid for it.
_ANSWERS = frozenset({FailureKind.EMPTY, FailureKind.MALFORMED})  # a model that is there gave them
_LOST = frozenset({FailureKind.TIMED_OUT, FailureKind.KILLED, FailureKind.FLOODED})

Price = Callable[[str, Usage], float | None]


class Limits(NamedTuple):
    """The most that may be spent: by this night, in this month (UTC), and by this night on each project."""

    night: Limit
    minutes: int
    month_usd: float = 0.0
    project: Callable[[str], Limit] = lambda _: Limit()


class NightMeter:
    """Counts calls, tokens, dollars and failures of a night against its limits; safe for threads.

    Calls never exceed a limit; tokens and dollars exceed it at most by the calls in flight; no call starts after the
    minutes are over. A night with a limit in dollars stops at the first call whose price isn't known. `remedy` says
    what to do at a limit, `unpriced` what to do at such a call.
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
        self._ledger = ledger
        self._limits = limits
        self._clock = clock
        self._remedy = remedy
        self._unpriced = unpriced
        self._most = timedelta(minutes=limits.minutes)
        self._passed = timedelta()
        self._last = clock()
        self._reserved = 0
        self._lock = threading.Lock()
        self._counter = FailureCounter()
        self._structured_answers = 0
        self._structured_failures = 0
        self._attempts_answered = 0
        self._attempts_failed = 0
        self._last_structured: CallFailed | None = None
        self._last_failure: CallFailed | None = None

    def spend(self) -> Spend:
        """Return what this night spent, in all its runs; tokens or dollars that no reply reported are unknown."""
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
        """Return how many calls like those so far fit into what is left of the night's own limits."""
        night, spent = self._limits.night, self._ledger.spent()
        with self._lock:
            self._pass_time(self._clock())
            reserved, passed = self._reserved, self._passed
        left = [night.calls - spent.calls] if night.calls else [UNLIMITED]
        if night.tokens and spent.tokens:
            left.append((night.tokens - spent.tokens) * spent.calls // spent.tokens)
        if night.usd and spent.dollars:
            left.append(int((night.usd - spent.dollars) * spent.calls / spent.dollars))
        if reserved and passed:
            left.append(int((self._most - passed) * reserved / passed))
        return max(0, min(left))

    def check(self) -> None:
        """Raise BackendUnavailable if the model was gone when the night ended, or gave no structured reply of use.

        It was gone if no attempt was answered all night, and attempts or the last question failed, other than by an
        answer of no use.
        """
        if self._last_structured and not self._structured_answers:
            count = self._structured_failures
            raise BackendUnavailable(
                f"no structured reply could be used all night; the last of {count}: {self._last_structured}",
                remedy=self._last_structured.remedy,
            )
        failure = self._last_failure
        last_failed = self._counter.in_a_row and failure and failure.kind not in _ANSWERS
        if failure and not self._attempts_answered and (self._attempts_failed or last_failed):
            raise BackendUnavailable(
                f"no attempt was answered all night; the last failure: {failure}", remedy=failure.remedy
            )

    def reserve(self, prompt: Prompt, model: str, price: Price) -> int:
        """Take one call out of the budget, durably, and return its entry in the ledger.

        Raises BudgetExhausted if no call is left, and CallFailed (over_budget) if only its project has none left.
        """
        tokens = len(prompt.text) // CHARS_PER_TOKEN
        usd = price(model, Usage(input_tokens=tokens))
        with self._lock:
            now = self._clock()
            self._check_minutes(now)
            self._check_limits(now)
            if prompt.project:
                self._check_project(prompt.project)
            self._reserved += 1
            return self._ledger.reserve(
                Reservation(prompt.purpose, model, prompt.project, prompt.repair, tokens, usd)
            )

    def _pass_time(self, now: datetime) -> None:
        # A clock that is set back while the night runs gives it no more time.
        self._passed += max(now - self._last, timedelta())
        self._last = now

    def _check_minutes(self, now: datetime) -> None:
        self._pass_time(now)
        if self._passed >= self._most:
            raise BudgetExhausted(
                f"the limit of {counted(self._limits.minutes, 'minute')} is reached", remedy=self._remedy
            )

    def _check_limits(self, now: datetime) -> None:
        """Raise BudgetExhausted if a limit of the night or month is reached, or one in dollars can't be kept."""
        night, month_usd = self._limits.night, self._limits.month_usd
        # Adding up a long ledger takes longer than a short call, so it is done only for limits that are set.
        spent = self._ledger.spent() if any(night) or month_usd else SpendTally({})
        reached = _reached(spent, night)
        if reached:
            raise BudgetExhausted(f"the limit of {reached} is reached", remedy=self._remedy)
        if month_usd:
            reached = _reached(self._ledger.spent_in_month(now), Limit(usd=month_usd))
            if reached:
                raise BudgetExhausted(f"the month's limit of {reached} is reached", remedy=MONTH)
        if (night.usd or month_usd) and spent.unpriced:
            message = "what a call cost isn't known, so a limit in dollars can't be kept"
            raise BudgetExhausted(message, remedy=self._unpriced)

    def _check_project(self, project: str) -> None:
        """Raise CallFailed if a limit of the project is reached, or its limit in dollars can't be kept."""
        limit = self._limits.project(project)
        if not any(limit):
            return
        spent = self._ledger.spent(project=project)
        reached = _reached(spent, limit)
        if reached:
            raise CallFailed(FailureKind.OVER_BUDGET, f"the limit of {reached} for {project} is reached")
        if limit.usd and spent.unpriced:
            message = f"what a call for {project} cost isn't known, so its limit in dollars can't be kept"
            raise CallFailed(FailureKind.OVER_BUDGET, message)

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
        """Record what a reserved call cost; only a call that the model answered ends a row of failures.

        `held` replaces what was reserved, and is counted if the call reports no tokens or no price.
        """
        if state is CallState.DONE and self._counter.in_a_row:
            with self._lock:
                self._counter.answered()
        self._ledger.settle(entry, state, usage=usage, usd=usd, odd_events=odd_events, held=held)

    def answered(self, prompt: Prompt) -> None:
        """Note that a question was answered, by the model or from the store."""
        with self._lock:
            if prompt.schema is not None:
                self._structured_answers += 1
            if prompt.purpose is Purpose.ROLLOUT:
                self._attempts_answered += 1

    def failed(self, prompt: Prompt, error: CallFailed) -> None:
        """Note that a question failed for good; raise BackendUnavailable if that means that the model is gone."""
        end_if_hopeless(error)
        if error.kind in OF_THE_PROMPT:
            return
        with self._lock:
            is_row = prompt.purpose is not Purpose.PREFLIGHT and self._counter.failed()
            self._last_failure = error
            if prompt.schema is not None:
                self._structured_failures += 1
                self._last_structured = error
            if prompt.purpose is Purpose.ROLLOUT:
                self._attempts_failed += 1
            if is_row:
                raise BackendUnavailable(
                    f"{IN_A_ROW} calls in a row failed; the last: {error.message}", remedy=error.remedy
                ) from error


class Metered:
    """Lets a call through only if the meter has room for it; the provider's own price counts before ours.

    An impossible bill (negative or absurd token counts, or none for an answer with text) isn't believed: the call's
    cost is unknown then, and counts against the limits by the length of question and answer.
    """

    def __init__(
        self, inner: Backend, meter: NightMeter, *, model: str, price: Price = lambda _model, _usage: None
    ) -> None:
        self._inner = inner
        self._meter = meter
        self._model = model
        self._price = price

    def complete(self, prompt: Prompt) -> Completion:
        """Reserve the cost of one call, make it, and record its real cost."""
        entry = self._meter.reserve(prompt, self._model, self._price)
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            usage = _believed(_usage(error.tokens), answered=error.paid)
            is_unknown = error.kind in _LOST or (error.paid and usage is None)
            state = CallState.LOST if is_unknown else CallState.FAILED
            self._meter.settle(entry, state, usage=usage, usd=self._paid(usage, error.usd))
            raise
        # A local model may return half of a surrogate pair, which can be neither stored nor sent.
        text = completion.text.encode(errors="replace").decode()
        usage = _believed(completion.usage, answered=bool(text.strip()))
        usd = self._paid(usage, completion.usd)
        tokens = (len(prompt.text) + len(text)) // CHARS_PER_TOKEN
        held = ReservedCost(tokens, self._price(self._model, Usage(input_tokens=tokens)))
        self._meter.settle(entry, CallState.DONE, usage=usage, usd=usd, odd_events=completion.odd_events, held=held)
        if (completion.text, completion.usage, completion.usd) == (text, usage, usd):
            return completion
        return replace(completion, text=text, usage=usage, usd=usd)

    def _paid(self, usage: Usage | None, named: float | None) -> float | None:
        """Return the dollars that the provider reported, if they are plausible, else the price of the tokens."""
        if named is not None:
            return named if 0 <= named <= MOST_USD else None
        if usage is None:
            return None
        return self._price(self._model, usage)


def _believed(usage: Usage | None, *, answered: bool) -> Usage | None:
    """Return the bill of one call, or None if it is impossible: no answer is free of tokens."""
    if usage is None or not usage.possible or (answered and not usage.tokens):
        return None
    return usage


def _reached(tally: SpendTally, limit: Limit) -> str:
    """Return, in words, which of the limits is reached, or ""."""
    if limit.calls and tally.calls >= limit.calls:
        return f"{limit.calls} calls"
    if limit.tokens and tally.tokens >= limit.tokens:
        return f"{limit.tokens} tokens"
    if limit.usd and tally.dollars >= limit.usd:
        return f"${limit.usd:g}"
    return ""


def _usage(tokens: tuple[int, int, int] | None) -> Usage | None:
    if not tokens:
        return None
    return Usage(input_tokens=tokens[0], output_tokens=tokens[1], cached_tokens=tokens[2])
