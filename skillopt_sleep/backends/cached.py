"""No question is paid twice: completed calls are kept by content before their answer is used.

Attempts hold for their own night only, and for those that were cut short before it: both arms of a trial are drawn
close in time, so that a model which changed under the same name isn't taken for a gain, and a new trial's baseline
isn't what an earlier verdict hung on.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from skillopt_sleep.backends.failures import Failures
from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.kit.codec import schema
from skillopt_sleep.protocols import Backend, Calls
from skillopt_sleep.records import Completion, Prompt, Purpose


class Cached:
    """Answers from the store where the same question was answered before, else asks and keeps the answer.

    With `failures` a question that failed by itself fails again as it did, and isn't asked.
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
        self._inner, self._calls, self._model, self._version = inner, calls, model, version
        self._failures = failures
        self._draws = calls.draws()
        self._lock = threading.Lock()
        self._asking: dict[str, tuple[threading.Lock, int]] = {}

    def complete(self, prompt: Prompt) -> Completion:
        """The stored or the fresh answer; a failure is never kept as one."""
        key = self._key(prompt)
        calls = self._draws if prompt.purpose is Purpose.ROLLOUT else self._calls
        with self._alone(key):
            stored = calls.get(key)
            if stored is not None:
                return decoded(prompt, stored)
            completion = self._asked(prompt, key)
            calls.put(key, purpose=prompt.purpose, completion=completion)
            return completion

    def _asked(self, prompt: Prompt, key: str) -> Completion:
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
        """Lets one thread at a time ask a question, so that equal ones in flight are paid once."""
        with self._lock:
            asking, waiting = self._asking.get(key, (threading.Lock(), 0))
            self._asking[key] = (asking, waiting + 1)
        try:
            with asking:
                yield
        finally:
            with self._lock:
                asking, waiting = self._asking.pop(key)
                if waiting > 1:
                    self._asking[key] = (asking, waiting - 1)

    def _key(self, prompt: Prompt) -> str:
        asked = json.dumps(schema(prompt.schema), sort_keys=True) if prompt.schema else ""
        parts = (prompt.purpose, prompt.text, asked, self._model, self._version(), str(prompt.sample), prompt.asker)
        digest = hashlib.blake2b(digest_size=20)
        for part in parts:
            digest.update(f"{len(part)}:{part}".encode())
        return digest.hexdigest()
