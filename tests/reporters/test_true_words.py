"""What a report says of a night is so, in words that a person uses."""

from skillopt_sleep.records import (
    BECAME,
    NEXT_STEPS,
    Became,
)


def test_a_lesson_that_was_tried_is_not_said_to_have_had_no_turn() -> None:
    assert "decided" in BECAME[Became.NOT_REACHED]
    assert "turn" not in BECAME[Became.NOT_REACHED]


def test_a_judge_that_disagrees_with_a_person_may_not_be_what_is_wrong() -> None:
    assert "wrong" not in BECAME[Became.UNGRADED]
    assert "accepted" in NEXT_STEPS[Became.UNGRADED]


def test_what_waits_for_a_sealed_replay_says_how_to_get_one() -> None:
    assert "replay.sealed" in NEXT_STEPS[Became.NEEDS_REPOSITORY]
