from skillopt_sleep.backends.said import said
from skillopt_sleep.records import Message, Prompt, Purpose


def test_a_prompt_without_messages_is_one_message_of_the_user() -> None:
    assert said(Prompt(purpose=Purpose.ROLLOUT, text="hello")) == [{"role": "user", "content": "hello"}]


def test_messages_keep_their_order_and_roles() -> None:
    messages = (Message(role="system", text="a"), Message(role="user", text="b"))
    laid_out = said(Prompt(purpose=Purpose.ROLLOUT, text="a\n\nb", messages=messages))
    assert [tuple(one.values()) for one in laid_out] == [("system", "a"), ("user", "b")]
