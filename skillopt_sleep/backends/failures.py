"""Tell a question that fails from a model that is unavailable.

A failure belongs to its question if a later question is answered. After three in a row a night ends. A training
keeps the failures of its questions, and asks a plain question before it ends: so it doesn't matter in which order
calls end, and a resumed run meets the same failures instead of asking again and getting different results.
"""

import threading
from typing import Protocol

from skillopt_sleep.errors import FOR_GOOD, OF_THE_PROMPT, BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Prompt, Purpose

IN_A_ROW = 3


def end_if_hopeless(error: CallFailed) -> None:
    """Raise BackendUnavailable if after such a failure no call can succeed."""
    if error.kind in FOR_GOOD:
        login = error.kind is FailureKind.LOGIN
        raise BackendUnavailable(redact(error.message), remedy=redact(error.remedy), login=login) from error


class FailureCounter:
    """Counts failures in a row; of several threads, only one at a time may use it."""

    def __init__(self) -> None:
        self.in_a_row = 0

    def failed(self) -> bool:
        """Count a failure, and return whether so many came in a row that the model may be gone."""
        self.in_a_row += 1
        return self.in_a_row >= IN_A_ROW

    def answered(self) -> None:
        """End the row."""
        self.in_a_row = 0


class KeptFailures(Protocol):
    """A store of the failures of a run's questions, by the key of each question."""

    def get(self, key: str) -> CallFailed | None:
        """Return the failure of a question, or None if it has none."""
        ...

    def put(self, key: str, error: CallFailed) -> None:
        """Keep the failure of a question."""
        ...


class Failures:
    """The failures of one model's questions; `model` is asked a plain question when several failed in a row."""

    def __init__(self, kept: KeptFailures, model: Backend) -> None:
        self._kept = kept
        self._model = model
        self._lock = threading.Lock()
        self._pending: dict[str, CallFailed] = {}  # failures that may be about a model that is gone
        self._counter = FailureCounter()
        self._gone: BackendUnavailable | None = None

    def known(self, key: str) -> CallFailed | None:
        """Return how this question failed before, or None if it didn't."""
        return self._kept.get(key)

    def failed(self, key: str, error: CallFailed) -> CallFailed:
        """Note that a question failed, and return the failure as it may be shown and kept: without secrets.

        Raises BackendUnavailable if the failure means that the model is gone.
        """
        end_if_hopeless(error)
        shown = CallFailed(error.kind, redact(error.message), remedy=redact(error.remedy))
        if error.kind in OF_THE_PROMPT:
            self._kept.put(key, shown)
            return shown
        with self._lock:
            if self._gone is not None:
                raise self._gone
            self._pending[key] = shown
            # Still under the lock: the other questions that fail in the meantime wait for the result.
            if self._counter.failed():
                self._probe(shown)
        return shown

    def answered(self) -> None:
        """Note that a question was answered: the questions that failed before it failed by themselves."""
        if not self._pending and not self._counter.in_a_row:
            return
        with self._lock:
            self._keep_pending()

    def _probe(self, last: CallFailed) -> None:
        """Ask a plain question, and raise BackendUnavailable if it isn't answered either."""
        try:
            self._model.complete(Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night="training")))
        except CallFailed as failure:
            self._gone = BackendUnavailable(
                f"{IN_A_ROW} calls in a row failed, and so did a plain question; the last: {last.message}",
                remedy=failure.remedy,
            )
            raise self._gone from failure
        self._keep_pending()

    def _keep_pending(self) -> None:
        self._counter.answered()
        for key, error in self._pending.items():
            self._kept.put(key, error)
        self._pending.clear()
