"""Evidence: every prompt with its answer or failure, one JSON line each, redacted, in the night's folder.

An answer stands there once, however often it is used: a night that goes on is given again what it had.
"""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from skillopt_sleep.errors import BackendUnavailable, CallFailed
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.files import PRIVATE_FILE
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt


class Recorded:
    """Writes down what was asked and what came back."""

    def __init__(self, inner: Backend, folder: Callable[[], Path]) -> None:
        self._inner, self._folder = inner, folder
        self._lock = threading.Lock()
        self._written: dict[Path, set[bytes]] = {}

    def complete(self, prompt: Prompt) -> Completion:
        """The inner answer, written down."""
        try:
            completion = self._inner.complete(prompt)
        except (CallFailed, BackendUnavailable) as error:
            kind = f"{error.kind}: " if isinstance(error, CallFailed) else ""
            self._write(prompt, failure=f"{kind}{error.message}", reply="")
            raise
        self._write(prompt, failure="", reply=completion.text)
        return completion

    def _write(self, prompt: Prompt, *, failure: str, reply: str) -> None:
        row = {
            "purpose": prompt.purpose,
            "sample": prompt.sample,
            "prompt": redact(prompt.text),
            "reply": redact(reply),
            "failure": redact(failure),
        }
        path, line = self._folder() / "calls.jsonl", to_json(row) + b"\n"
        digest = hashlib.blake2b(line, digest_size=16).digest()
        with self._lock:
            path.touch(mode=PRIVATE_FILE)
            if path not in self._written:
                with path.open("rb") as file:
                    self._written = {path: {hashlib.blake2b(old, digest_size=16).digest() for old in file}}
            if failure or digest not in self._written[path]:
                self._written[path].add(digest)
                with path.open("ab") as file:
                    file.write(line)
