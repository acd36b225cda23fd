import pytest

from skillopt_sleep.reporters.decided import decided_in_words
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, WITHDRAWN, Decided
from tests.builders import a_proposal


@pytest.mark.parametrize(
    ("state", "reason", "words"),
    [
        (ADOPTED, "", "You adopted it."),
        (REJECTED, "", "You turned it down."),
        (REJECTED, "we moved to bun", "You turned it down: «we moved to bun»"),
        (WITHDRAWN, "you took the lesson back", "It was withdrawn: you took the lesson back"),
    ],
)
def test_what_was_decided_is_told_with_its_reason(state: str, reason: str, words: str) -> None:
    assert decided_in_words(Decided(a_proposal(), state, reason, "")) == words
