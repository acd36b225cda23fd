from datetime import timedelta

import pytest

from skillopt_sleep.reporters.decided import decided_in_words, in_few_words, told_of_all
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, WAITING, WITHDRAWN, Decided
from tests.builders import a_proposal
from tests.fakes import NOON


@pytest.mark.parametrize(
    ("state", "reason", "words"),
    [
        (ADOPTED, "", "You adopted it."),
        (REJECTED, "", "You rejected it."),
        (REJECTED, "we moved to bun", "You rejected it: «we moved to bun»"),
        (WITHDRAWN, "you took the lesson back", "It was withdrawn: you took the lesson back"),
    ],
)
def test_what_was_decided_is_told_with_its_reason(state: str, reason: str, words: str) -> None:
    assert decided_in_words(Decided(a_proposal(), state, reason, "")) == words


def test_what_was_put_off_says_until_when() -> None:
    until = NOON + timedelta(days=3)
    put_off = Decided(a_proposal(), WAITING, "", "", until=until)
    assert decided_in_words(put_off) == f"You put it off until {until.astimezone():%Y-%m-%d}."


def test_only_what_does_not_wait_now_is_told_as_decided() -> None:
    known = [Decided(a_proposal(id=name), state, "", "") for name, state in (("P-1", WAITING), ("P-2", ADOPTED))]
    assert told_of_all(known, ["P-1"]) == {"P-2": "You adopted it."}


def test_a_state_is_told_in_a_few_words() -> None:
    proposal = a_proposal(id="P-1")
    assert in_few_words(Decided(proposal, WAITING, "", ""), now=NOON) == "P-1 waits for you"
    assert in_few_words(Decided(proposal, REJECTED, "", ""), now=NOON) == "you rejected P-1"


def test_what_was_put_off_does_not_wait_until_it_is_due() -> None:
    put_off = Decided(a_proposal(id="P-1"), WAITING, "", "", until=NOON + timedelta(days=1))
    assert in_few_words(put_off, now=NOON) == "you put P-1 off"
    assert in_few_words(put_off, now=NOON + timedelta(days=2)) == "P-1 waits for you"
