import subprocess
import sys

import pytest

from skillopt_sleep.backends.replies import Tariff, price
from skillopt_sleep.records import Usage

MILLION = 1_000_000


def test_input_and_output_have_their_prices() -> None:
    assert price("openai", "gpt-5", Usage(input_tokens=MILLION, output_tokens=MILLION)) == pytest.approx(11.25)


def test_cached_tokens_are_priced_as_such() -> None:
    cached = Usage(input_tokens=MILLION, cached_tokens=MILLION)
    assert price("openai", "gpt-5", cached) == pytest.approx(0.125)
    assert price("anthropic", "claude-opus-4-7", cached) == pytest.approx(0.5)


def test_what_is_written_to_a_cache_is_priced_as_such() -> None:
    usage = Usage(input_tokens=MILLION)
    assert price("anthropic", "claude-opus-4-7", usage, written=MILLION) == pytest.approx(6.25)


def test_a_tariff_is_for_a_million_tokens_each_way() -> None:
    tariff = Tariff(0.2, 0.6)
    assert tariff.price(Usage(input_tokens=MILLION, output_tokens=2 * MILLION)) == pytest.approx(1.4)
    assert tariff.price(Usage()) == 0


def test_nothing_costs_nothing() -> None:
    assert price("openai", "gpt-5", Usage()) == 0.0


def test_a_provider_may_be_named_by_its_address() -> None:
    usage = Usage(input_tokens=MILLION)
    assert price("https://api.openai.com/v1", "gpt-5", usage) == price("openai", "gpt-5", usage)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "m-1"),
        ("openai", ""),
        ("anthropic", "gpt-5"),
        ("nobody", "gpt-5"),
        ("", "gpt-5"),
        ("http://127.0.0.1:11434/v1", "gpt-5"),
        ("openrouter", "qwen/qwen3-coder:free"),
        ("openai", "text-embedding-3-small"),
    ],
)
def test_a_price_that_is_not_on_the_list_is_unknown_and_not_nothing(provider: str, model: str) -> None:
    assert price(provider, model, Usage(input_tokens=MILLION)) is None


def test_a_usage_that_can_not_be_has_no_price() -> None:
    assert price("openai", "gpt-5", Usage(input_tokens=1, cached_tokens=2)) is None


def test_nothing_is_fetched_and_nothing_is_imported_before_it_is_needed() -> None:
    script = (
        "import sys\nimport skillopt_sleep.backends.replies as prices\n"
        "assert 'genai_prices' not in sys.modules\n"
        "from skillopt_sleep.records import Usage\n"
        "asked = []\n"
        "sys.addaudithook(lambda name, args: asked.append(name) if name.startswith('socket.') else None)\n"
        "assert prices.price('openai', 'gpt-5', Usage(input_tokens=1))\n"
        "print('ASKED', asked)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "ASKED []\n"
