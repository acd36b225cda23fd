"""The simulated miner names lessons by their terms, and finds deeds, what is for once, and what is taken back."""

from typing import Any

import pytest

from skillopt_sleep.example.miner import ShownTurn, mine, read_sessions
from skillopt_sleep.mining.session_text import shown_sessions
from skillopt_sleep.records import Origin, Session, ToolEvent, TypedCommand
from tests.builders import a_session, a_turn


def entries(session: Session) -> list[dict[str, Any]]:
    return mine("\n# Sessions\n" + shown_sessions([session]))["lessons"]


@pytest.mark.parametrize(
    ("said", "name", "lasts", "takes_back"),
    [
        ("no, use pnpm, never npm", "Use pnpm, never npm", "from now on", "Use npm, never pnpm"),
        ("wrong: use pnpm, not npm", "Use pnpm, never npm", "from now on", "Use npm, never pnpm"),
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


def test_what_a_prompt_shows_is_read_back_as_it_was() -> None:
    first = a_session(
        "mend\nthe cart",
        a_turn("I ran it.", origin=Origin.ASSISTANT),
        tools=(
            ToolEvent(name="Bash", turn=1, brief="make"),
            ToolEvent(name="Bash", turn=1, brief="git push", error=True, rejected=True),
        ),
    )
    prompt = "person: no\n# Sessions\n" + shown_sessions([first, a_session("go")])
    assert read_sessions(prompt) == [
        [
            ShownTurn("person", "mend\nthe cart", (), {}),
            ShownTurn("agent", "I ran it.", ("make",), {"D1": "rejected: git push"}),
        ],
        [ShownTurn("person", "go", (), {})],
    ]
