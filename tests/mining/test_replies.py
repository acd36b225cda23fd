import msgspec
import pytest

from skillopt_sleep.mining.replies import MinedCheck, MinedQuote, MinedTask, MineReply

TASK = '{"session": "S1", "ask": 0, "prompt": "p", "corrections": [{"turn": 2, "quote": "no"}]'


def test_what_a_task_needs_not_have_is_empty() -> None:
    reply = msgspec.json.decode(f'{{"tasks": [{TASK}}}]}}', type=MineReply)
    quote = MinedQuote(turn=2, quote="no")
    assert reply.tasks == (MinedTask(session="S1", ask=0, prompt="p", corrections=(quote,)),)


@pytest.mark.parametrize("arg", ['"9"', "9"])
def test_the_argument_of_a_check_may_be_a_number(arg: str) -> None:
    assert msgspec.json.decode(f'{{"op": "max_chars", "arg": {arg}}}', type=MinedCheck).arg in {"9", 9}


@pytest.mark.parametrize("text", ["{}", '{"tasks": [{}]}', '{"tasks": 3}'])
def test_a_reply_of_another_shape_is_none(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=MineReply)
