"""Evidence: every prompt with its answer or failure, one JSON line each, redacted, in the night's folder."""

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
        path = self._folder() / "calls.jsonl"
        with self._lock:
            path.touch(mode=PRIVATE_FILE)
            with path.open("ab") as file:
                file.write(to_json(row) + b"\n")
