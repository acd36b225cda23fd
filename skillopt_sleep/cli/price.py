"""Say to whom a night sends, and what it costs at most."""

import math

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.replies import price
from skillopt_sleep.records import Usage
from skillopt_sleep.settings import BackendSettings, Settings
from skillopt_sleep.wiring.models import Prices, of_roles, tariff_of


def recipients(settings: Settings) -> tuple[BackendSettings, ...]:
    """Return the backends of optimizer, target and judge, each once; none if nothing is sent to another machine."""
    if not settings.backend.name:
        return ()
    asked = models(settings)
    if all(model.name == "simulated" or model.is_local for model in asked):
        return ()
    return asked


def dollars(settings: Settings) -> float | None:
    """Return the most a night can cost: all its tokens as output of the most expensive model, within the limit.

    None if there is no limit and the price of one of the models isn't known.
    """
    budget = settings.budget
    if not_priced(settings):
        return budget.usd or None
    most = max(_cost(backend, settings.prices, budget.tokens) or 0.0 for backend in models(settings))
    return min(most, budget.usd or math.inf)


def not_priced(settings: Settings) -> tuple[BackendSettings, ...]:
    """Return the models whose price isn't known."""
    return tuple(model for model in models(settings) if _cost(model, settings.prices, 1) is None)


def unpriced(settings: Settings) -> str:
    """Say that a night's price isn't known or will be told, and what a limit in dollars does then."""
    agents = [AGENTS.get(model.name) for model in not_priced(settings)]
    budget = settings.budget
    if all(agent and agent.program.tells_price for agent in agents):
        most = f"at most ${budget.usd:,.2f}, " if budget.usd else ""
        names = " and ".join(dict.fromkeys(agent.title for agent in agents if agent))
        return f"{most}as {names} reports them, call by call (none with a subscription)"
    stops = ", so a night with a limit in dollars stops at its first call" if budget.usd or budget.month_usd else ""
    return f"unknown: no price is known for this model{stops}"


def models(settings: Settings) -> tuple[BackendSettings, ...]:
    """Return the backends of optimizer, target and judge, each once."""
    return tuple(dict.fromkeys(of_roles(settings)))


def _cost(backend: BackendSettings, prices: Prices, tokens: int) -> float | None:
    """Return the price of that many tokens at the dearer of a model's two prices, None if it isn't known."""
    tariff = tariff_of(backend, prices)
    if tariff:
        return max(tariff.price(Usage(output_tokens=tokens)), tariff.price(Usage(input_tokens=tokens)))

    if backend.name in {"simulated", "handoff"}:
        return 0.0
    if backend.base_url:
        return None
    return price(backend.name, backend.model, Usage(output_tokens=tokens))
