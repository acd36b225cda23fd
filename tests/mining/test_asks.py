"""Each typed turn is a request, a correction, or small talk."""

import pytest

from skillopt_sleep.mining.requests import Ask, Take, asks, takes
from skillopt_sleep.records import Origin, Session, ToolEvent
from tests.builders import a_session, a_turn


def talk(*prompts: str, **fields: object) -> Session:
    """A session in which the agent answers every prompt: prompts are turns 0, 2, 4, …"""
    turns = [turn for text in prompts for turn in (a_turn(text), a_turn("Done.", origin=Origin.ASSISTANT))]
    return a_session(*turns, **fields)


def kinds(session: Session) -> list[Take]:
    return [take for _, take in takes(session)]


def test_a_correction_belongs_to_the_request_before_it() -> None:
    session = talk("create a run script", "no, use pnpm, never npm", "write the release notes")
    assert asks(session) == (Ask(0, (2,)), Ask(4))


def test_corrections_in_a_row_belong_to_the_same_request() -> None:
    session = talk("create a run script", "no, use pnpm, never npm", "that's still wrong", "add a test")
    assert asks(session) == (Ask(0, (2, 4)), Ask(6))


def test_small_talk_between_a_request_and_its_correction_changes_nothing() -> None:
    session = talk("create a run script", "thanks", "no, use pnpm, never npm")
    assert asks(session) == (Ask(0, (4,)),)


def test_the_first_thing_asked_is_a_request_whatever_its_words() -> None:
    assert kinds(talk("never use npm, use pnpm")) == [Take.REQUEST]
    assert kinds(talk("hello", "no, use pnpm, never npm")) == [Take.SMALL_TALK, Take.REQUEST]
    assert asks(talk("hello")) == ()


def test_what_is_typed_after_a_rejected_call_is_a_correction() -> None:
    rejected = ToolEvent(name="Bash", turn=1, error=True, rejected=True)
    assert asks(talk("publish my branch", "open a pull request", tools=(rejected,))) == (Ask(0, (2,)),)
    failed = ToolEvent(name="Bash", turn=1, error=True)
    assert asks(talk("publish my branch", "open a pull request", tools=(failed,))) == (Ask(0), Ask(2))


def test_what_is_typed_after_the_agent_was_stopped_is_a_correction() -> None:
    assert asks(talk("publish my branch", "open a pull request", stops=(1,))) == (Ask(0, (2,)),)


def test_a_stop_counts_for_the_next_thing_typed_only() -> None:
    session = talk("publish my branch", "open a pull request", "write the notes", stops=(1,))
    assert asks(session) == (Ask(0, (2,)), Ask(4))


def test_what_others_said_is_taken_for_nothing() -> None:
    harness = a_turn("no, that's wrong", origin=Origin.HARNESS)
    assert asks(a_session(a_turn("create a run script"), harness)) == (Ask(0),)


@pytest.mark.parametrize(
    "text",
    [
        *("thanks!", "ok", "Yes, go ahead.", "continue please", "go on", "looks good, thanks"),
        *("danke", "mach weiter", "merci beaucoup", "d’accord", "muchas gracias", "sigue", "obrigado", "sim"),
        *("спасибо", "продолжай", "谢谢", "继续", "好的", "ありがとうございます", "続けて"),
    ],
)
def test_thanks_and_going_on_ask_for_nothing(text: str) -> None:
    assert kinds(talk("create a run script", text)) == [Take.REQUEST, Take.SMALL_TALK]


@pytest.mark.parametrize(
    "text",
    [
        "continue with the tests",
        "ok, now add a readme",
        "thanks, now write the release notes for it",
        "danke, schreib jetzt bitte einen Test für das Skript",
    ],
)
def test_thanks_with_a_request_are_a_request(text: str) -> None:
    assert kinds(talk("create a run script", text)) == [Take.REQUEST, Take.REQUEST]


def test_every_typed_turn_is_exactly_one_of_the_three() -> None:
    session = talk("create a run script", "thanks", "no, use pnpm, never npm", "add a test", "ok", stops=(7,))
    found = [index for index, _ in takes(session)]
    assert found == [index for index, turn in enumerate(session.turns) if turn.origin is Origin.USER]
    of_asks = [turn for ask in asks(session) for turn in (ask.turn, *ask.corrections)]
    talked = [index for index, take in takes(session) if take is Take.SMALL_TALK]
    assert sorted([*of_asks, *talked]) == found


def test_a_correction_whose_request_could_not_be_read_is_no_request() -> None:
    answer = a_turn("npm start", origin=Origin.ASSISTANT)
    half_read = a_session(answer, a_turn("no, use pnpm, never npm"), answer, a_turn("add a test"))
    assert kinds(half_read) == [Take.CORRECTION, Take.REQUEST]
    assert asks(half_read) == (Ask(3),)
    assert kinds(a_session(answer, a_turn("add a test"))) == [Take.REQUEST]
