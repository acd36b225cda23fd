import pytest

from skillopt_sleep.reporters.costs import Total, price, spent, total
from skillopt_sleep.stores.ledger import LedgerLine


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
