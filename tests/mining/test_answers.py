"""What the agent answered between two typed turns."""

from skillopt_sleep.mining.requests import ANSWERED_CHARS, answer_between, referred_to
from skillopt_sleep.records import Origin, ToolEvent
from tests.builders import a_session, a_turn

SESSION = a_session(
    "add a login page",
    a_turn("I will use npm.", origin=Origin.ASSISTANT),
    a_turn("a reminder", origin=Origin.HARNESS),
    a_turn("Done.", origin=Origin.ASSISTANT),
    "no, use pnpm",
    a_turn("I ran pnpm.", origin=Origin.ASSISTANT),
    tools=(ToolEvent(name="Bash", turn=1, brief="npm install"), ToolEvent(name="Bash", turn=5, brief="pnpm install")),
)


def test_an_answer_is_what_was_said_and_run_in_order() -> None:
    assert answer_between(SESSION, 0, 4) == "I will use npm.\nnpm install\nDone."
    assert answer_between(SESSION, 4, 6) == "I ran pnpm.\npnpm install"


def test_an_answer_is_cut() -> None:
    long = a_session("go", a_turn("x" * 9_000, origin=Origin.ASSISTANT))
    assert len(answer_between(long, 0, 9)) == ANSWERED_CHARS


def test_a_request_refers_to_the_last_answer_before_it() -> None:
    assert referred_to(SESSION, 4) == "Done."
    assert referred_to(SESSION, 0) == ""
