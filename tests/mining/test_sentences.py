import pytest

from skillopt_sleep.mining.words import sentences, whole_sentences


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("Fine. But don't use npm here! Thanks", "use npm", "But don't use npm here!"),
        ("no npm", "npm", "no npm"),
        ("one\ntwo", "two", "two"),
        ("see v1.2.3 of it. Done", "2.3", "see v1.2.3 of it."),
        ("不要用npm。用pnpm。", "用npm", "不要用npm。"),
        ("a. b. c", "a. b", "a. b."),
        ("use pnpm", "yarn", "yarn"),
    ],
)
def test_a_part_is_widened_to_its_sentences(text: str, part: str, whole: str) -> None:
    assert whole_sentences(text, part) == whole


def test_sentences_end_at_their_signs_and_at_line_ends() -> None:
    assert sentences("Use pnpm. Not npm!\nIs v1.2 ok?") == ["Use pnpm.", "Not npm!", "Is v1.2 ok?"]
