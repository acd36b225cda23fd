"""Wrap a model, one job each: retry, repair a reply, redact a prompt, notice an outage, keep evidence."""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

import stamina
from msgspec.structs import replace

from skillopt_sleep.backends.metered import NightMeter
from skillopt_sleep.errors import BackendUnavailable, CallFailed, FailureKind
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Prompt

ATTEMPTS = 3
# Retries are in the ledger; a line on stderr for each would only alarm people.
stamina.instrumentation.set_on_retry_hooks(())
HELPS = frozenset({FailureKind.UNREACHABLE, FailureKind.RATE_LIMITED, FailureKind.OVERLOADED})


class Repaired:
    """Asks again, once, if a structured reply was asked for and something else came."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        """Return the inner answer, or the one to the repair prompt."""
        try:
            return self._inner.complete(prompt)
        except CallFailed as error:
            if error.kind is not FailureKind.MALFORMED or prompt.schema is None:
                raise
            text = fill("repair", prompt=prompt.text, problem=error.message)
            return self._inner.complete(replace(prompt, text=text, repair=True))


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


class Redacted:
    """Removes everything that looks like a secret from a prompt before it is sent."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer to the redacted prompt."""
        messages = tuple(replace(message, text=redact(message.text)) for message in prompt.messages)
        return self._inner.complete(replace(prompt, text=redact(prompt.text), messages=messages))


class Watched:
    """Tells the meter how each question ended; the meter raises BackendUnavailable if another one is pointless."""

    def __init__(self, inner: Backend, meter: NightMeter) -> None:
        self._inner, self._meter = inner, meter

    def complete(self, prompt: Prompt) -> Completion:
        """Return the inner answer."""
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            self._meter.failed(prompt, error)
            raise
        self._meter.answered(prompt)
        return completion


class Recorded:
    """Writes every prompt with its answer or failure to `calls.jsonl` in the night's folder, redacted.

    An answer is written once, however often it is used: a resumed night gets the answers that it had before.
    """

    def __init__(self, inner: Backend, folder: Callable[[], Path]) -> None:
        self._inner, self._folder = inner, folder
        self._lock = threading.Lock()
        self._written: dict[Path, set[bytes]] = {}

    def complete(self, prompt: Prompt) -> Completion:
        """Return the inner answer, or raise its failure, after writing it down."""
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            self._write(prompt, failure=f"{error.kind}: {error.message}", reply=error.reply)
            raise
        except BackendUnavailable as error:
            self._write(prompt, failure=error.message, reply="")
            raise
        self._write(prompt, failure="", reply=completion.text)
        return completion

    def _write(self, prompt: Prompt, *, failure: str, reply: str) -> None:
        row = {
            "purpose": prompt.purpose,
            "sample": prompt.sample,
            "about": redact(prompt.about),
            "prompt": redact(prompt.text),
            "reply": redact(reply),
            "failure": redact(failure),
        }
        path = self._folder() / "calls.jsonl"
        line = to_json(row) + b"\n"
        digest = _digest(line)
        with self._lock:
            path.touch(mode=PRIVATE_FILE)
            if path not in self._written:
                with path.open("rb") as file:
                    self._written = {path: set(map(_digest, file))}
            if failure or digest not in self._written[path]:
                self._written[path].add(digest)
                with path.open("ab") as file:
                    file.write(line)


def _digest(line: bytes) -> bytes:
    return hashlib.blake2b(line, digest_size=16).digest()
