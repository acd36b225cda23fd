"""What is looked at before anything is spent: whether every model answers at all."""

from collections.abc import Sequence
from datetime import datetime

from skillopt_sleep.errors import BackendUnavailable, CallFailed
from skillopt_sleep.prompts import fill
from skillopt_sleep.protocols import Preflight
from skillopt_sleep.records import Prompt, Purpose


def preflight(checks: Sequence[Preflight], *, night: str, until: datetime) -> None:
    """Raise BackendUnavailable for a model that can't be used until then; ask it for a word where only that tells.

    The night is named in the question, so that a night that goes on doesn't ask it again and another one does.
    """
    for check in checks:
        if check.ready(until):
            continue
        try:
            check.backend.complete(Prompt(purpose=Purpose.PREFLIGHT, text=fill("preflight", night=night)))
        except CallFailed as error:
            raise BackendUnavailable(error.message, remedy=error.remedy) from error
