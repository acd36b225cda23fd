"""A prompt as messages, and a reply as the struct that was asked for."""

import pytest

from skillopt_sleep.backends.replies import decoded, messages_of
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.reflect import LearnedEdit, ReflectReply
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.records import EditOp, Message, Prompt, Purpose, Usage
from tests.builders import a_completion, a_prompt

SELECT = a_prompt(purpose=Purpose.SELECT, schema=SelectReply)


@pytest.mark.parametrize(
    "text",
    [
        '{"selected_indices": [1, 0]}',
        'My choice:\n```json\n{"selected_indices": [1, 0]}\n```',
        'I chose {"selected_indices": [1, 0]} as asked.',
        '{"selected_indices": [1, 0], "confidence": "high"}',
    ],
)
def test_the_object_in_a_reply_is_decoded(text: str) -> None:
    completion = decoded(SELECT, a_completion(text, usage=Usage(input_tokens=1)))
    assert completion.structured == SelectReply(selected_indices=(1, 0))
    assert (completion.text, completion.usage) == (text, Usage(input_tokens=1))


def test_a_text_that_was_asked_for_stays_a_text() -> None:
    completion = a_completion('{"selected_indices": [1]}')
    assert decoded(a_prompt(), completion) is completion


@pytest.mark.parametrize("text", ["", " \n\t"])
@pytest.mark.parametrize("prompt", [a_prompt(), SELECT], ids=["text", "structured"])
def test_an_empty_reply_is_a_failure(prompt: Prompt, text: str) -> None:
    with pytest.raises(CallFailed) as caught:
        decoded(prompt, a_completion(text))
    assert caught.value.kind is FailureKind.EMPTY


@pytest.mark.parametrize(
    "text",
    [
        "I'd rather not.",
        "[0, 1]",
        "null",
        "{}",
        '{"selected_indices": "0"}',
        '{"selected_indices": ["0"]}',
        '{"selected_indices": [0.5]}',
        '{"selected_indices": [NaN]}',
        '{"selected_indices": [0',
        '{"a":' * 50_000,
    ],
)
def test_a_reply_that_is_not_what_was_asked_for_is_a_failure(text: str) -> None:
    with pytest.raises(CallFailed) as caught:
        decoded(SELECT, a_completion(text))
    assert caught.value.kind is FailureKind.MALFORMED
    assert "select" in caught.value.message
    assert len(caught.value.message) < 400


def test_what_an_edit_leaves_out_is_empty() -> None:
    reply = '{"edits": [{"op": "append"}]}'
    structured = decoded(a_prompt(purpose=Purpose.REFLECT, schema=ReflectReply), a_completion(reply)).structured
    assert structured == ReflectReply(edits=(LearnedEdit(op=EditOp.APPEND),))


def test_an_unknown_edit_op_is_a_failure() -> None:
    with pytest.raises(CallFailed, match="add"):
        decoded(a_prompt(purpose=Purpose.REFLECT, schema=ReflectReply), a_completion('{"edits": [{"op": "add"}]}'))


def test_a_prompt_without_messages_is_one_message_of_the_user() -> None:
    assert messages_of(Prompt(purpose=Purpose.ROLLOUT, text="hello")) == [{"role": "user", "content": "hello"}]


def test_messages_keep_their_order_and_roles() -> None:
    messages = (Message(role="system", text="a"), Message(role="user", text="b"))
    laid_out = messages_of(Prompt(purpose=Purpose.ROLLOUT, text="a\n\nb", messages=messages))
    assert [tuple(one.values()) for one in laid_out] == [("system", "a"), ("user", "b")]
