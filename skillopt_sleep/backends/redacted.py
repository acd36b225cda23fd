"""Redact every prompt once more before it is sent, so that nothing secret leaves."""

from msgspec.structs import replace

from skillopt_sleep.kit.redact import redact
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt


class Redacted:
    """Removes everything that looks like a secret from a prompt before it is sent."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer to the redacted prompt."""
        messages = tuple(replace(message, text=redact(message.text)) for message in prompt.messages)
        return self._inner.complete(replace(prompt, text=redact(prompt.text), messages=messages))
