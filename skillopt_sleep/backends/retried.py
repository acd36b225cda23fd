"""Retry calls, in this one place: only failures that may pass, with jitter, by stamina."""

import stamina

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt

ATTEMPTS = 3
# Retries are in the ledger; a line on stderr for each would only alarm people.
stamina.instrumentation.set_on_retry_hooks(())
HELPS = frozenset({FailureKind.UNREACHABLE, FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})


class Retried:
    """Asks again if the failure may pass; raises the CallFailed of the last attempt if none succeeds."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner
        self._retrying = stamina.RetryingCaller(
            attempts=ATTEMPTS, timeout=None, wait_initial=0.5, wait_max=20.0, wait_jitter=1.0
        )

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer of the first attempt that succeeds."""
        try:
            return self._inner.complete(prompt)
        except CallFailed as error:
            failed = [error]

        def again() -> Completion:
            # To begin with the first attempt costs stamina more than a short call, so it takes over from its failure.
            if failed:
                raise failed.pop()
            return self._inner.complete(prompt)

        return self._retrying(_may_pass, again)


def _may_pass(error: Exception) -> bool | float:
    """Tell whether a retry can help, or return the seconds that the server asked to wait."""
    if not isinstance(error, CallFailed):
        return False
    if error.retry_after is not None:
        return error.retry_after
    return error.kind in HELPS
