"""The pastes whose end can be seen are found, and no others."""

import time

import pytest

from skillopt_sleep.mining.spans import fenced, looks_typed, visible_paste


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a\n```\nb\n```\nc", "```\nb\n```"),
        ("a\n```\nb\n```\nc\n~~~\nd\n~~~\ne", "```\nb\n```\nc\n~~~\nd\n~~~"),
        ("a\n```\nb\n```\nc\n```\nd", "```\nb\n```\nc\n```\nd"),
        ("```npm i```\na", "```npm i```"),
        ("a ```b``` c", ""),
    ],
)
def test_fences_hold_everything_from_the_first_to_the_last(text: str, part: str) -> None:
    assert text[slice(*fenced(text))] == part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a\n> b\n> c\nd", "> b\n> c\n"),
        ("a\n| b |\n| c |\n\nd", "| b |\n| c |\n\n"),
        ("a\n| b |\n\n| c |\n\nd", "| b |\n\n| c |\n\n"),
        ("a\n| b |", "| b |"),
        ("a [Pasted text #1 +12 lines] b", "[Pasted text #1 +12 lines]"),
        ("[Pasted text #1 +12 lines]\nb", "[Pasted text #1 +12 lines]"),
        ("a\n> b\n```\nc\n```", "> b\n"),
    ],
)
def test_the_first_paste_is_found_with_its_end(text: str, part: str) -> None:
    paste = visible_paste(text, 0)
    assert paste is not None
    assert text[paste.start : paste.end] == part


@pytest.mark.parametrize("text", ["", "a\nb", "a\n| b |\nc", "a\nValueError: b\nc\n\nd"])
def test_a_paste_without_an_end_is_none(text: str) -> None:
    assert visible_paste(text, 0) is None


def test_words_of_a_page_or_a_letter_do_not_look_typed() -> None:
    assert looks_typed("use pnpm\nand test it")
    assert not looks_typed("use pnpm\n\nand test it")
    assert not looks_typed("word " * 200)
    for text in (
        "## Setup\nuse it",
        "**Note**\nuse it",
        "[here](x)",
        "Hi Ada,\nuse it",
        "use it\nBest, Alex",
        "</p>",
    ):
        assert not looks_typed(text)


@pytest.mark.parametrize("piece", ["```\n", "```a```a", "> a\n", "| a |\n\n", "````", "[Pasted text "])
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    began = time.process_time()
    visible_paste(piece * (200_000 // len(piece)), 0)
    assert time.process_time() - began < 2
