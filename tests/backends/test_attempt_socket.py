"""One attempt keeps to one model, and has so much room for what is being read and no more."""

import pytest

from skillopt_sleep.backends.attempt_socket import MOST_READ, AttemptSocket, Upstream


def test_room_is_given_once_and_can_be_had_again() -> None:
    line = AttemptSocket("", "", 1)
    assert [line.hold(MOST_READ), line.hold(1)] == [True, False]
    line.let_go(MOST_READ)
    assert line.hold(1)


def test_it_keeps_to_the_first_model() -> None:
    line = AttemptSocket("", "", 1)
    assert [line.keeps_to(name) for name in ("a", "b", "a")] == [True, False, True]


@pytest.mark.parametrize(
    ("named", "model", "agrees"),
    [("", "a-1", True), ("opus", "claude-opus-5", True), ("a-1", "a-1", True), ("a-1[1m]", "a-1", True), ("a-1", "a-2", False)],
)  # fmt: skip
def test_a_model_that_was_set_by_its_whole_name_is_the_only_one(named: str, model: str, agrees: bool) -> None:
    assert Upstream("", {}, named).agrees(model) is agrees


def test_the_key_is_taken_out_of_what_a_server_said_with_its_word_and_without() -> None:
    upstream = Upstream("", {"authorization": "Bearer sk-1", "x-api-key": "sk-2"})
    assert upstream.without_key(b"Bearer sk-1, sk-1 or sk-2") == b"[key], [key] or [key]"
