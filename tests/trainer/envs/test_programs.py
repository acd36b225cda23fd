import pytest

from skillopt_sleep.trainer.envs.programs import of_several, program_of, why_failed
from skillopt_sleep.trainer.envs.sealed_runs import Ended


@pytest.mark.parametrize(
    ("reply", "program"),
    [
        ("So:\n```python\nx = 1\n```\nDone.", "x = 1\n"),
        ("```\na\n```\nbetter:\n```py\nb\n```", "b\n"),
        ("````md\n```\nb\n```\n````", "```\nb\n```\n"),
        ("```python\nx = 1\ny", "x = 1\ny"),
        ("x = 1", ""),
        ("", ""),
    ],
)
def test_the_last_code_block_is_the_program(reply: str, program: str) -> None:
    assert program_of(reply) == program


def test_that_a_reply_has_several_code_blocks_is_said() -> None:
    assert of_several("```\na\n```\n") == ""
    assert of_several("```\na\n```\nUse:\n```\nb\n```\n").startswith("; it was the last of 2 code blocks")


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        (Ended(None, "Killed"), "it was ended: it took too long, or more than it may"),
        (
            Ended(1, "Traceback …\nNameError: name 'x' is not defined"),
            "it failed with NameError: name 'x' is not defined",
        ),
        (
            Ended(1, "  File …\njson.decoder.JSONDecodeError: Extra data"),
            "it failed with json.decoder.JSONDecodeError: Extra data",
        ),
        (Ended(1, "AssertionError: 17 != 18"), "a test failed"),
        (Ended(1, "assert f(2) == 17\nAssertionError"), "a test failed"),
        (Ended(3, "2 failed in 0.31 s"), "the tests ended with status 3"),
    ],
)
def test_why_a_program_failed_is_said_without_what_was_expected(ended: Ended, why: str) -> None:
    assert why_failed(ended) == why
