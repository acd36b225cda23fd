"""Every error says what happened, what to do, and with which exit code the program ends."""

import pickle
import traceback

import pytest

from skillopt_sleep.cli import refuse_windows
from skillopt_sleep.errors import (
    AdoptInterrupted,
    BackendUnavailable,
    BudgetExhausted,
    CallFailed,
    CallPending,
    ConfigError,
    Exit,
    FailureKind,
    ItemError,
    NightError,
    NightInterrupted,
    NightLocked,
    ProposalError,
    SleepError,
    StaleProposal,
    StoreError,
    UnsafeEdit,
    UnsafePath,
    blame,
    blamed,
)

CODES = {
    SleepError: 1,
    ItemError: 1,
    NightError: 1,
    ConfigError: 2,
    BackendUnavailable: 1,
    BudgetExhausted: 5,
    NightInterrupted: 1,
    NightLocked: 11,
    StoreError: 1,
    CallPending: 7,
    ProposalError: 6,
    StaleProposal: 6,
    UnsafePath: 6,
    UnsafeEdit: 6,
    AdoptInterrupted: 6,
}


def test_the_exit_codes_are_the_documented_ones() -> None:
    assert {code.name: code.value for code in Exit} == {
        "DONE": 0,
        "FAILED": 1,
        "USAGE": 2,
        "PARTIAL": 3,
        "PENDING": 7,
        "LOGIN": 4,
        "BUDGET": 5,
        "REFUSED": 6,
        "WAITING": 10,
        "LOCKED": 11,
        "STOPPED": 130,
    }


@pytest.mark.parametrize(("kind", "code"), CODES.items(), ids=lambda value: getattr(value, "__name__", str(value)))
def test_every_kind_of_error_has_its_exit_code(kind: type[SleepError], code: int) -> None:
    assert kind("something happened").exit_code == code


def test_a_model_that_needs_a_login_ends_with_the_login_code() -> None:
    assert BackendUnavailable("no key", login=True).exit_code is Exit.LOGIN
    assert BackendUnavailable("no route").exit_code is Exit.FAILED


def test_an_error_carries_its_message_and_its_remedy() -> None:
    error = ConfigError("no model is named", remedy="add --model NAME")

    assert (str(error), error.message, error.remedy) == ("no model is named", "no model is named", "add --model NAME")


def test_an_error_without_a_remedy_has_an_empty_one() -> None:
    assert SleepError("it broke").remedy == ""


def test_a_failed_call_spoils_one_item_and_never_the_night() -> None:
    error = CallFailed(FailureKind.RATE_LIMITED, "slow down", remedy="wait", retry_after=3.0)

    assert isinstance(error, ItemError)
    assert not isinstance(error, NightError)
    assert (error.kind, error.retry_after, error.remedy) == (FailureKind.RATE_LIMITED, 3.0, "wait")


@pytest.mark.parametrize(
    "kind", [ConfigError, BackendUnavailable, BudgetExhausted, NightInterrupted, NightLocked, StoreError]
)
def test_what_ends_the_night_is_a_night_error(kind: type[SleepError]) -> None:
    assert issubclass(kind, NightError)


@pytest.mark.parametrize("kind", [StaleProposal, UnsafePath, UnsafeEdit, AdoptInterrupted])
def test_a_refused_change_is_neither_an_item_nor_a_night_error(kind: type[SleepError]) -> None:
    assert issubclass(kind, ProposalError)
    assert not issubclass(kind, NightError | ItemError)


@pytest.mark.parametrize(
    "there",
    [
        *(error("it happened", remedy="do this") for error in CODES),
        BackendUnavailable("it happened", remedy="do this", login=True),
        CallFailed(FailureKind.QUOTA, "it happened", retry_after=3.0, tokens=(1, 2, 3), usd=0.5),
        CallPending("it happened", remedy="do this", waiting=7),
    ],
    ids=lambda there: type(there).__name__,
)
def test_an_error_comes_back_from_another_process_as_it_was(there: SleepError) -> None:
    back = pickle.loads(pickle.dumps(there))  # noqa: S301 - what was pickled here
    assert type(back) is type(there)
    assert (str(back), vars(back)) == (str(there), vars(there))


def test_an_error_that_is_not_ours_says_whose_it_is() -> None:
    error = KeyError("gold")
    error.add_note("a note of another library")
    assert blamed(error) == ""
    blame(error, "environment toy")
    assert blamed(error) == "environment toy"
    assert blamed(pickle.loads(pickle.dumps(error))) == "environment toy"  # noqa: S301 - what was pickled here


def test_a_traceback_shows_the_remedy_too() -> None:
    told = "".join(traceback.format_exception(ConfigError("run holds a run", remedy="name another folder")))
    assert "run holds a run\n→ name another folder" in told


def test_windows_is_refused_with_the_way_out() -> None:
    with pytest.raises(ConfigError, match="Windows isn't supported") as raised:
        refuse_windows("win32")
    assert "WSL" in raised.value.remedy
    refuse_windows("linux")
