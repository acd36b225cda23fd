"""Give a reply that can't be decoded one more chance: tell the model, once, what was wrong with it."""

from msgspec.structs import replace

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt


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
