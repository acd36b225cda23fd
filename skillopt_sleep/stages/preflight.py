"""One small call before anything is spent, to see whether the model answers at all."""

from skillopt_sleep.errors import BackendUnavailable, CallFailed
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Purpose


def preflight(backend: Backend, *, night: str) -> None:
    """Ask for one word; raises BackendUnavailable where no answer comes.

    The night is named in the question, so that a night that goes on doesn't ask it again and another one does.
    """
    try:
        backend.complete(Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night=night)))
    except CallFailed as error:
        raise BackendUnavailable(error.message, remedy=error.remedy) from error
