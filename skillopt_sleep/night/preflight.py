"""Check that every model can be used before anything is spent."""

from collections.abc import Sequence
from datetime import datetime

from skillopt_sleep.errors import BackendUnavailable, CallFailed
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Preflight
from skillopt_sleep.records import Prompt, Purpose


def preflight(checks: Sequence[Preflight], *, night: str, until: datetime) -> None:
    """Raise BackendUnavailable if a model can't be used until then; make one small call if only that can tell.

    The call's prompt holds the night's id, so that a resumed night uses the stored answer and a new night asks again.
    """
    for check in checks:
        if check.ready(until):
            continue
        try:
            check.backend.complete(Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night=night)))
        except CallFailed as error:
            raise BackendUnavailable(error.message, remedy=error.remedy) from error
