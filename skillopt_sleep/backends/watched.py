"""End the night when the model is unavailable, instead of taking its silence for a result."""

from skillopt_sleep.backends.metered import NightMeter
from skillopt_sleep.errors import CallFailed
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Completion, Prompt


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
