"""Price calls by what the user says a model costs, else by the list that genai-prices brings along."""

from typing import NamedTuple

from skillopt_sleep.records import Usage

_MILLION = 1_000_000


class Tariff(NamedTuple):
    """The price of a model as the user gives it, in dollars per million tokens in and out."""

    input: float
    output: float

    def price(self, usage: Usage) -> float:
        """Return the price in US dollars; tokens from a cache cost as much as others."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION


def price(provider: str, model: str, usage: Usage, *, written: int = 0) -> float | None:
    """Return the price in US dollars, or None if the list doesn't have the model's prices.

    `provider` is a name (`openai`, `azure`, `anthropic`, …) or the address of its API; `written` are the input tokens
    that went into a cache.
    """
    from genai_prices import Usage as Priced, calc_price

    priced = Priced(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=written,
    )
    try:
        if "://" in provider:
            found = calc_price(priced, model, provider_api_url=provider)
        else:
            found = calc_price(priced, model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    if found.model_price.input_mtok is None or found.model_price.output_mtok is None:
        return None
    return float(found.total_price)
