"""What the agent answered between two typed turns."""

from skillopt_sleep.mining.requests import ANSWERED_CHARS, answer_between, request_context
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
    assert answer_between(SESSION, 0, 4) == "I will use npm.\n$ npm install\nDone."
    assert answer_between(SESSION, 4, 6) == "I ran pnpm.\n$ pnpm install"


def test_of_a_long_answer_the_beginning_and_the_end_stay() -> None:
    long = a_session("go", a_turn(f"First.{'x' * 9_000}Last.", origin=Origin.ASSISTANT))
    answer = answer_between(long, 0, 9)
    assert len(answer) == ANSWERED_CHARS
    assert answer.startswith("First.x")
    assert answer.endswith("xLast.")


def test_a_file_is_told_with_what_was_done_to_it() -> None:
    calls = (("Edit", "a.py"), ("Read", "b.py"), ("WebSearch", "how to c"))
    session = a_session("go", "on", tools=[ToolEvent(name=name, turn=0, brief=brief) for name, brief in calls])
    assert answer_between(session, 0, 1).splitlines() == ["changed a.py", "Read: b.py", "WebSearch: how to c"]


def test_a_request_that_points_back_is_asked_with_the_last_answer_before_it() -> None:
    answers = [a_turn(f"The {nth} answer of the agent.", origin=Origin.ASSISTANT) for nth in ("first", "last")]
    context = request_context(
        a_session("add a page", *answers, a_turn("now test that too", origin=Origin.USER)), 3, (0,)
    )
    assert "The last answer" in context
    assert "The first answer" not in context
