"""Where a proposal stands is said in one set of words, with when and why."""

from datetime import timedelta

import pytest

from skillopt_sleep.records import Proof
from skillopt_sleep.reporters.status import NEXT, STATES, happened, next_night_tests, notes, status, told_of_all
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, WITHDRAWN, Decided
from tests.builders import a_proposal
from tests.fakes import NOON

AT = (NOON - timedelta(days=2)).isoformat()
DAY = f"{(NOON - timedelta(days=2)).astimezone():%-d %b}"


@pytest.mark.parametrize(
    ("state", "reason", "words"),
    [
        (WAITING, "", "it waits for you"),
        (ADOPTED, "", f"you adopted it on {DAY}"),
        (REJECTED, "", f"you rejected it on {DAY}"),
        (REJECTED, "we moved to bun", f"you rejected it on {DAY}: «we moved to bun»"),
        (UNDONE, "", f"you adopted it, and took it back on {DAY}"),
        (WITHDRAWN, "you took the lesson back", f"it was withdrawn on {DAY}: you took the lesson back"),
    ],
)
def test_a_status_is_told_with_its_day_and_its_reason(state: str, reason: str, words: str) -> None:
    assert status(Decided(a_proposal(), state, reason, AT), now=NOON) == words


def test_a_proposal_is_called_by_its_name_where_several_are_told() -> None:
    assert status(Decided(a_proposal(id="P-1"), ADOPTED, "", ""), now=NOON, name="P-1") == "you adopted P-1"


def test_what_was_put_off_says_until_when_and_waits_again_then() -> None:
    until = NOON + timedelta(days=3)
    put_off = Decided(a_proposal(), WAITING, "", "", until=until)
    assert status(put_off, now=NOON).startswith("you put it off until ")
    assert status(put_off, now=until + timedelta(days=1)) == "it waits for you"


def test_every_state_has_a_next_step() -> None:
    assert set(NEXT) == {WAITING, ADOPTED, UNDONE, REJECTED, WITHDRAWN}
    assert set(NEXT) < set(STATES)


def test_only_what_does_not_wait_now_is_told_as_decided() -> None:
    known = [Decided(a_proposal(id=name), state, "", "") for name, state in (("P-1", WAITING), ("P-2", ADOPTED))]
    assert told_of_all(known, ["P-1"], now=NOON) == {"P-2": "You adopted it."}


def test_own_words_that_the_next_night_tests_are_said_to_be_tested() -> None:
    own = a_proposal(proof=Proof.EDITED)
    assert notes(Decided(own, WAITING, "", "", again=True)) == [next_night_tests("it")]
    assert notes(Decided(own, WAITING, "", "")) == []


@pytest.mark.parametrize(
    ("decided", "words"),
    [
        (Decided(a_proposal(), ADOPTED, "", ""), "Adopted P-0001: wrote"),
        (Decided(a_proposal(), UNDONE, "", ""), "P-0001 is taken back: it isn't in shop:CLAUDE.md."),
        (Decided(a_proposal(), WAITING, "", ""), "P-0001 waits for you again."),
        (
            Decided(a_proposal(), REJECTED, "", ""),
            "Rejected P-0001: this edit of shop:CLAUDE.md will not be tried again.",
        ),
        (Decided(a_proposal(proof=Proof.EDITED), WAITING, "", ""), "Your words wait as P-0001, untested."),
        (Decided(a_proposal(), WAITING, "", "", again=True), next_night_tests("P-0001")),
    ],
)
def test_what_a_decision_did_is_said_alike_everywhere(decided: Decided, words: str) -> None:
    assert happened(decided, now=NOON) == words
