"""What fails while the model is there is the answer to that question; what fails because it is gone ends the run.

A refusal is about its question. Any other failure is so too once another question was answered after it, or a plain
word was when several failed in a row. So it doesn't depend on the order in which calls end, and a run that goes on
meets the same failures instead of asking again and coming to something else.
"""

import threading
from typing import Protocol

from skillopt_sleep.errors import FOR_GOOD, OF_THE_PROMPT, BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Purpose

IN_A_ROW = 3


class KeptFailures(Protocol):
    """Where the failures of a run's questions stand, by the key of each."""

    def get(self, key: str) -> CallFailed | None:
        """The failure of a question, None where it has none."""
        ...

    def put(self, key: str, error: CallFailed) -> None:
        """Keep it."""
        ...


class Failures:
    """The failures of one model's questions; `model` is asked for a word where several failed in a row."""

    def __init__(self, kept: KeptFailures, model: Backend) -> None:
        self._kept, self._model = kept, model
        self._lock = threading.Lock()
        self._held: dict[str, CallFailed] = {}
        self._in_a_row = 0
        self._gone: BackendUnavailable | None = None

    def known(self, key: str) -> CallFailed | None:
        """How this question failed before."""
        return self._kept.get(key)

    def failed(self, key: str, error: CallFailed) -> CallFailed:
        """A question failed: the failure as it is told and kept, without what may be secret in its words.

        Raises BackendUnavailable where it means that the model is gone.
        """
        told = CallFailed(error.kind, redact(error.message), remedy=redact(error.remedy))
        if error.kind in FOR_GOOD:
            login = error.kind is FailureKind.LOGIN
            raise BackendUnavailable(told.message, remedy=told.remedy, login=login) from error
        if error.kind in OF_THE_PROMPT:
            self._kept.put(key, told)
            return told
        with self._lock:
            if self._gone is not None:
                raise self._gone
            self._held[key] = told
            self._in_a_row += 1
            # The others that fail meanwhile wait for what comes of it.
            if self._in_a_row >= IN_A_ROW:
                self._look(told)
        return told

    def answered(self) -> None:
        """A question was answered: what failed before it failed by itself."""
        with self._lock:
            self._settle()

    def _look(self, last: CallFailed) -> None:
        """Ask for a word, and say that the model is gone where none comes."""
        try:
            self._model.complete(Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night="training")))
        except CallFailed as silent:
            self._gone = BackendUnavailable(
                f"{IN_A_ROW} calls in a row failed, and so did a plain question; the last: {last.message}",
                remedy=silent.remedy,
            )
            raise self._gone from silent
        self._settle()

    def _settle(self) -> None:
        self._in_a_row = 0
        for key, error in self._held.items():
            self._kept.put(key, error)
        self._held.clear()
