import pytest

from skillopt_sleep.records import Spend
from skillopt_sleep.reporters.costs import Total, calls, dollars, price, spent, tokens, total
from skillopt_sleep.stores.ledger import LedgerLine
from tests.builders import a_report


def a_line(*, unpriced: int = 0, unnamed: int = 0) -> LedgerLine:
    return LedgerLine("2026-03-02", "mine", "m", 1, 10, 2, 1, 0.5, unpriced, unnamed)


def test_lines_are_added_up() -> None:
    assert total([]) == Total()
    assert total([a_line(), a_line(unpriced=1, unnamed=1)]) == Total(2, 20, 4, 2, 1.0, 1, 1)


@pytest.mark.parametrize(
    ("summed", "words", "cost"),
    [
        (Total(1, 10, 2, 0, 0.5), "1 call, 10 tokens in and 2 out", "$0.50"),
        (Total(2, 10, 2, 0, 0.5, 1, 1), "2 calls, at least 10 tokens in and 2 out", "at least $0.50"),
        (Total(2, 0, 0, 0, 0, 2, 2), "2 calls, tokens unknown", "unknown"),
    ],
)
def test_what_is_not_known_is_said_to_be_unknown(summed: Total, words: str, cost: str) -> None:
    assert (spent(summed), price(summed)) == (words, cost)


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
    assert dollars(Spend(calls=1, usd=usd)) == words
