"""What a mining prompt shows is read back as it was."""

from skillopt_sleep.example.shown import read_sessions
from skillopt_sleep.mining.shown import shown_sessions
from skillopt_sleep.records import Origin, ToolEvent
from tests.builders import a_session, a_turn


def test_sessions_turns_and_what_was_done_are_read_back() -> None:
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
        {
            "session": "S1",
            "turns": [
                {"turn": 0, "origin": "user", "text": "mend\nthe cart", "then": [], "deeds": [], "ran": []},
                {
                    "turn": 1,
                    "origin": "assistant",
                    "text": "I ran it.",
                    "then": ["rejected: git push"],
                    "deeds": [1],
                    "ran": ["make"],
                },
            ],
        },
        {"session": "S2", "turns": [{"turn": 0, "origin": "user", "text": "go", "then": [], "deeds": [], "ran": []}]},
    ]
