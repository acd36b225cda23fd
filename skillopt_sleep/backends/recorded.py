"""Keep evidence in the night's folder: every prompt with its answer or failure, redacted, one JSON line each.

An answer is written once, however often it is used: a resumed night gets the answers that it had before.
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
    """Writes every prompt with its answer or failure to `calls.jsonl` in the folder."""

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
