"""Pay for each question only once: store every completed call, by its content, before its answer is used.

Attempts are kept for their own night only, and for nights cut short before it. So both arms of a trial are drawn
close in time: a model that changed under the same name isn't taken for a gain, and a new trial doesn't reuse the
baseline that decided an earlier one.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache

import msgspec

from skillopt_sleep.backends.failures import Failures
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.codec import schema, to_json
from skillopt_sleep.protocols.models import Backend, Calls
from skillopt_sleep.records import Completion, Prompt, Purpose


class Cached:
    """Answers from the store if the same question was answered before; else asks, and keeps the answer.

    With `failures` a question that failed by itself isn't asked again: it fails as it did before.
    """

    def __init__(
        self,
        inner: Backend,
        calls: Calls,
        *,
        model: str,
        version: Callable[[], str],
        failures: Failures | None = None,
    ) -> None:
        self._inner = inner
        self._calls = calls
        self._model = model
        self._version = version
        self._failures = failures
        self._draws = calls.draws()
        self._lock = threading.Lock()
        self._asking: dict[str, tuple[threading.Lock, int]] = {}  # and how many threads ask each question

    def complete(self, prompt: Prompt) -> Completion:
        """Return the stored or a new answer; a failure is never kept as an answer."""
        key = self._key(prompt)
        calls = self._draws if prompt.purpose is Purpose.ROLLOUT else self._calls
        with self._alone(key):
            stored = calls.get(key)
            if stored is not None:
                return decoded(prompt, stored)
            completion = self._ask(prompt, key)
            calls.put(key, completion)
            return completion

    def _ask(self, prompt: Prompt, key: str) -> Completion:
        if self._failures is None:
            return self._inner.complete(prompt)
        known = self._failures.known(key)
        if known is not None:
            raise known
        try:
            completion = self._inner.complete(prompt)
        except CallFailed as error:
            raise self._failures.failed(key, error) from error
        self._failures.answered()
        return completion

    @contextmanager
    def _alone(self, key: str) -> Generator[None]:
        """Let one thread at a time ask a question, so that equal questions at the same time are paid for once."""
        with self._lock:
            lock, threads = self._asking.get(key, (threading.Lock(), 0))
            self._asking[key] = (lock, threads + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, threads = self._asking.pop(key)
                if threads > 1:
                    self._asking[key] = (lock, threads - 1)

    def _key(self, prompt: Prompt) -> str:
        wanted = _schema_text(prompt.schema) if prompt.schema else ""
        parts = (prompt.purpose, prompt.text, wanted, self._model, self._version(), str(prompt.sample), prompt.asker)
        if prompt.messages or prompt.temperature is not None:
            parts = (*parts, to_json([prompt.messages, prompt.temperature]).decode())
        digest = hashlib.blake2b(digest_size=20)
        for part in parts:
            digest.update(f"{len(part)}:{part}".encode())
        return digest.hexdigest()


@cache
def _schema_text(reply: type[msgspec.Struct]) -> str:
    return json.dumps(schema(reply), sort_keys=True)
