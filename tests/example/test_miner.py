"""The simulated miner names lessons by their terms, and finds deeds, what is for once, and what is taken back."""

import json
from typing import Any

import pytest

from skillopt_sleep.example.miner import mine
from skillopt_sleep.mining.shown import shown_sessions
from skillopt_sleep.records import Origin, Session, TypedCommand
from tests.builders import a_session, a_turn


def entries(session: Session) -> list[dict[str, Any]]:
    return json.loads(mine("\n# Sessions\n" + shown_sessions([session])))["lessons"]


@pytest.mark.parametrize(
    ("said", "name", "lasts", "takes_back"),
    [
        ("no, use pnpm, never npm", "Use pnpm, never npm", "from now on", "Use npm, never pnpm"),
        ("wrong: pnpm, not npm", "Use pnpm, never npm", "from now on", "Use npm, never pnpm"),
        ("no, use pnpm, not npm, just this once", "Use pnpm, never npm", "this time", "Use npm, never pnpm"),
        ("no, that is wrong", "no, that is wrong", "from now on", ""),
        ("that is wrong, please be more careful with it, ok?", "Be more careful with it", "from now on", ""),
    ],
)
def test_a_correction_names_its_lesson(said: str, name: str, lasts: str, takes_back: str) -> None:
    (entry,) = entries(a_session("install it", "I ran npm.", said))

    assert (entry["lesson"], entry["lasts"], entry["takes_back"]) == (name, lasts, takes_back)
    assert entry["quotes"] == [said]


def test_a_check_that_the_person_ran_themselves_is_an_entry_of_its_own() -> None:
    ran = a_turn("<bash-input>make lint</bash-input>", origin=Origin.HARNESS)
    session = a_session("mend the cart", "Done.", ran, "ok", commands=(TypedCommand(turn=2, text="make lint"),))

    (entry,) = entries(session)

    assert (entry["quotes"], entry["lesson"]) == (["D1"], "Run make lint before you say that it is done")


def test_a_request_that_was_answered_well_is_none() -> None:
    assert entries(a_session("install it", "I ran pnpm.", "thanks")) == []
