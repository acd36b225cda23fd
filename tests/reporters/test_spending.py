import pytest

from skillopt_sleep.records import Spend
from skillopt_sleep.reporters.spending import calls, dollars, tokens
from tests.builders import a_report


def test_calls_are_told_with_their_limit() -> None:
    assert calls(a_report(spend=Spend(calls=1), limits={})) == "1 call"
    assert calls(a_report(spend=Spend(calls=41), limits={"calls": 300.0})) == "41 calls (limit 300)"


@pytest.mark.parametrize(
    ("spend", "words"),
    [
        (Spend(tokens=12_345), "12,345 tokens"),
        (Spend(tokens=12_345, unnamed=2), "at least 12,345 tokens"),
        (Spend(tokens=12_345, cached_tokens=1_000), "12,345 tokens (1,000 of them cached)"),
        (Spend(tokens=None), "an unknown number of tokens"),
    ],
)
def test_tokens_that_are_not_known_are_not_none(spend: Spend, words: str) -> None:
    assert tokens(spend) == words


@pytest.mark.parametrize(
    ("usd", "words"), [(None, "dollars unknown"), (0.0, "$0.00"), (0.0123, "$0.0123"), (1.5, "$1.50")]
)
def test_dollars_that_are_not_known_are_not_none(usd: float | None, words: str) -> None:
    assert dollars(Spend(usd=usd)) == words
