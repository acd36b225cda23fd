"""Wrap a training's models: calls and failures are kept, retried, repaired, and counted against limits."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.failures import Failures, KeptFailures
from skillopt_sleep.backends.handoff import Answered, HandoffBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.repaired import Repaired
from skillopt_sleep.backends.retried import Retried
from skillopt_sleep.protocols import Backend, Calls, Ledger
from skillopt_sleep.records import Limit, Usage
from skillopt_sleep.trainer.config import LimitsSection

LIMITED = "raise it in [limits]: what was paid for is kept, and train --resume goes on"
UNPRICED = "limit calls and tokens instead: set limits.usd to 0"
_FOR_EVER = 10 * 365 * 24 * 60


def meter(limits: LimitsSection, ledger: Ledger, clock: Callable[[], datetime]) -> NightMeter:
    """Return the meter that counts a run's calls against its limits."""
    most = Limit(limits.calls, limits.tokens, limits.usd)
    within = Limits(night=most, minutes=limits.minutes or _FOR_EVER)
    return NightMeter(ledger, within, clock=clock, remedy=LIMITED, unpriced=UNPRICED)


def asked(model: Backend, *, calls: Calls, failures: KeptFailures, meter: NightMeter) -> Backend:
    """Wrap the model for a training: no completed call is paid twice, and an outage of the model ends the run.

    A question that fails while others are answered fails for the whole run. The dataset is what its owner chose to
    send: nothing in its prompts is taken out.
    """
    retried = Retried(Repaired(Metered(model, meter, model=name_of(model), price=_price(model))))
    # A missing answer doesn't count as a call, and an unusable one not as a failure: it is asked for again.
    backend: Backend = retried
    if isinstance(model, HandoffBackend):
        backend = Answered(retried, model)
    return Cached(
        backend,
        calls,
        model=name_of(model),
        version=lambda: _version(model),
        failures=Failures(failures, backend),
    )


def name_of(model: Any) -> str:
    """Return the name that its answers are kept under: its own, or that of its class."""
    return str(getattr(model, "name", "") or type(model).__name__)


def _version(model: Any) -> str:
    return str(getattr(model, "version", ""))


def _price(model: Any) -> Callable[[str, Usage], float | None]:
    return getattr(model, "price", None) or (lambda _model, _usage: None)
