"""Wrap a training's models: calls are kept, retried, repaired and counted; end a training that measures nothing."""

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from numbers import Real
from typing import Any, NoReturn

import msgspec
from msgspec.structs import replace

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.failures import Failures, KeptFailures
from skillopt_sleep.backends.handoff import Answered, HandoffBackend
from skillopt_sleep.backends.metered import Limits, Metered, NightMeter
from skillopt_sleep.backends.replies import decoded, unusable
from skillopt_sleep.backends.wrappers import Repaired, Retried
from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError
from skillopt_sleep.protocols.models import Backend, Calls, Ledger
from skillopt_sleep.records import Completion, Limit, Prompt, Usage
from skillopt_sleep.trainer.attempts import Counting, FinishedAttempt
from skillopt_sleep.trainer.config import LimitsSection
from skillopt_sleep.trainer.env import blaming, kind_of
from skillopt_sleep.trainer.run import RunFolder

LIMITED = "raise it in [limits] (0 = none) and run it again: it goes on, and what was paid for is kept"
UNPRICED = "limit calls and tokens instead: set limits.usd to 0"
_FOR_EVER = 10 * 365 * 24 * 60
MANY = 5  # attempts without a score, or failed calls: so many aren't an accident
_REMEDY = "fix that and train again: it goes on, and what was paid for is kept"


def meter(limits: LimitsSection, ledger: Ledger, clock: Callable[[], datetime]) -> NightMeter:
    """Return the meter that counts a run's calls against its limits."""
    most = Limit(limits.calls, limits.tokens, limits.usd)
    within = Limits(night=most, minutes=limits.minutes or _FOR_EVER)
    return NightMeter(ledger, within, clock=clock, remedy=LIMITED, unpriced=UNPRICED)


def calls_left(meter: NightMeter, used: Callable[[], int]) -> Callable[[], int]:
    """Return what tells how many calls the limits leave to a training that has used so many of those it paid for.

    One that goes on uses first what it has paid for: until it pays again, only the answers it has used are counted.
    """
    paid = meter.spend().calls

    def left() -> int:
        unused = max(0, paid - used()) if meter.spend().calls == paid else 0
        return meter.left() + unused

    return left


def check_priced(models: Mapping[str, Backend], limits: LimitsSection) -> None:
    """Raise ConfigError if dollars are limited and a model's price can't become known.

    It is known if the model has a price, or if its answers tell theirs (`tells_price`).
    """
    if not limits.usd:
        return
    for model in models.values():
        known = priced(model, Usage(input_tokens=1, output_tokens=1)) is not None
        if known or getattr(model, "tells_price", False):
            continue
        remedy = f"{UNPRICED}, or add the model to [prices] in config.toml"
        if getattr(model, "price", None) is None:
            remedy = f"{UNPRICED}, or give the model a method price(model, usage)"
        raise ConfigError(
            f"what {name_of(model)} costs isn't known, so a limit in dollars can't be kept", remedy=remedy
        )


def wrap_model(model: Backend, *, calls: Calls, failures: KeptFailures, meter: NightMeter) -> Backend:
    """Wrap the model for a training: no completed call is paid twice, and an outage of the model ends the run.

    A question that fails while others are answered fails for the whole run. The dataset is what its owner chose to
    send: nothing in its prompts is taken out.
    """
    named = CheckedModel(model, name_of(model))
    metered = Metered(named, meter, model=name_of(model), price=lambda _name, usage: priced(model, usage))
    retried = Retried(Repaired(metered))
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


class CheckedModel:
    """A model whose own mistakes are said of it, and not of the environment that asked it."""

    def __init__(self, inner: Backend, name: str) -> None:
        self._inner = inner
        self._name = name

    def complete(self, prompt: Prompt) -> Completion:
        """Return the model's answer, with the structured reply that was asked for; raise ConfigError if it isn't one.

        If the model gave its text alone, the reply is read from it. Raises CallFailed if it isn't in there, or if
        there is no text: nothing is no answer.
        """
        with blaming(self._inner, f"model {self._name}"):
            completion: Any = self._inner.complete(prompt)
        if not isinstance(completion, Completion):
            raise self._wrong(f"returned {kind_of(completion)}, not a Completion")
        completion = self._plain(completion)
        if completion.structured is None:
            return self._read(prompt, completion)
        if prompt.schema is None or isinstance(completion.structured, prompt.schema):
            return completion
        wanted, came = prompt.schema.__name__, kind_of(completion.structured)
        raise self._wrong(f"answered the {prompt.purpose} prompt with {came} as `structured`, not a {wanted}")

    def _plain(self, completion: Completion) -> Completion:
        """Return the completion with its cost as Python's own numbers; raise ConfigError if a field isn't valid."""
        usage, usd = completion.usage, completion.usd
        try:
            counts = usage and {name: operator.index(getattr(usage, name)) for name in Usage.__struct_fields__}
            dollars = float(usd) if isinstance(usd, Real) else usd
            valid = msgspec.convert({"text": completion.text, "usage": counts, "usd": dollars}, Completion)
        except (AttributeError, TypeError, msgspec.ValidationError) as error:
            raise self._wrong(f"returned a Completion that can't be used: {error}") from error
        return replace(completion, usage=valid.usage, usd=valid.usd)

    def _read(self, prompt: Prompt, completion: Completion) -> Completion:
        try:
            return decoded(prompt, completion)
        except CallFailed as error:
            message = f"model {self._name}: {error.message}"
            raise unusable(
                error.kind, message, completion.usage, completion.usd, reply=error.reply, remedy=error.remedy
            ) from error

    def _wrong(self, what: str) -> ConfigError:
        return ConfigError(
            f"the model {self._name} {what}",
            remedy="let its complete return Completion(text=…), with the JSON in it if the prompt asks for some, or "
            "raise CallFailed",
        )


def name_of(model: Any) -> str:
    """Return the name that its answers are kept under: its own, or that of its class."""
    return str(getattr(model, "name", "") or type(model).__name__)


def priced(model: Any, usage: Usage) -> float | None:
    """Return the dollars that this model takes for so many tokens, None if that isn't known."""
    price: Callable[[str, Usage], object] | None = getattr(model, "price", None)
    if price is None:
        return None
    with blaming(model, f"model {name_of(model)}, its price"):
        dollars = price(name_of(model), usage)
    if dollars is None:
        return None
    if isinstance(dollars, Real) and 0 <= float(dollars) < math.inf:
        return float(dollars)
    raise ConfigError(
        f"the price of the model {name_of(model)} was given as {dollars!r}",
        remedy="let its price return dollars, a number from 0 on, or None if it isn't known",
    )


def _version(model: Any) -> str:
    return str(getattr(model, "version", ""))


def check_scored(made: Sequence[FinishedAttempt], folder: RunFolder, *, what: str) -> None:
    """Raise BackendUnavailable if no attempt could be scored, or at least MANY and more than half couldn't."""
    unscored = [attempted.rollout.note for attempted in made if attempted.rollout.score is None]
    most = len(unscored) >= MANY and 2 * len(unscored) > len(made)
    if most or len(unscored) == len(made):
        ((reason, count),) = Counter(unscored).most_common(1)
        _end(f"{len(unscored)} of {len(made)} {what} could not be scored; of {count}: {reason}", folder)


def check_answers(optimizer: Counting, folder: RunFolder, *, least: int) -> None:
    """Raise BackendUnavailable if none of the optimizer's calls gave a usable answer, and `least` failed."""
    if not optimizer.answered and len(optimizer.failed) >= least:
        last = optimizer.failed[-1].message
        _end(
            f"none of the optimizer's {len(optimizer.failed)} questions got a usable answer; the last: {last}", folder
        )


def _end(summary: str, folder: RunFolder) -> NoReturn:
    folder.store.failures.forget()
    raise BackendUnavailable(summary, remedy=_REMEDY)
