"""No question is paid twice: completed calls are kept by content before their answer is used."""

import hashlib
import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.kit.codec import schema
from skillopt_sleep.protocols import Backend, Calls
from skillopt_sleep.records import Completion, Prompt


class Cached:
    """Answers from the store where the same question was answered before, else asks and keeps the answer."""

    def __init__(self, inner: Backend, calls: Calls, *, model: str, version: Callable[[], str]) -> None:
        self._inner, self._calls, self._model, self._version = inner, calls, model, version
        self._lock = threading.Lock()
        self._asking: dict[str, tuple[threading.Lock, int]] = {}

    def complete(self, prompt: Prompt) -> Completion:
        """The stored or the fresh answer; failures are never kept."""
        key = self._key(prompt)
        with self._alone(key):
            stored = self._calls.get(key)
            if stored is not None:
                return decoded(prompt, stored)
            completion = self._inner.complete(prompt)
            self._calls.put(key, purpose=prompt.purpose, completion=completion)
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
        parts = (prompt.purpose, prompt.text, asked, self._model, self._version(), str(prompt.sample))
        digest = hashlib.blake2b(digest_size=20)
        for part in parts:
            digest.update(f"{len(part)}:{part}".encode())
        return digest.hexdigest()
