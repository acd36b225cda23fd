"""Texts are read as listed phrases, names of things, other words, and breaks."""

import re
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.mining.lexicon import read_words, stem


def keys(text: str) -> list[str]:
    return [word.entry.key or word.entry.role if word.entry else word.text for word in read_words(text)]


def test_the_longest_listed_phrase_is_read() -> None:
    assert keys("write type hints") == ["empty", "=annotation"]


def test_case_hyphens_width_and_curly_apostrophes_make_no_difference() -> None:
    assert keys("ＯＮＥ line") == keys("one-line") == keys("One Line") == ["~lines"]
    assert keys("don’t") == keys("DON'T") == ["not"]


def test_words_without_spaces_between_them_are_found() -> None:
    assert keys("用pnpm") == ["but", "pnpm"]
    assert keys("绿色按钮") == ["绿色", "色按", "按钮"]


@pytest.mark.parametrize("name", ["src/app.py", "`make all`", "--no-verify", "snake_case", "getUser", ".env", "py3k"])
def test_names_of_things_are_told_from_words(name: str) -> None:
    (word,) = read_words(f"{name}")

    assert word.code


@pytest.mark.parametrize("word", ["hello", "pnpm", "C#", "42"])
def test_words_are_not_names(word: str) -> None:
    assert not any(one.code for one in read_words(word) if one.text != "c#")


def test_clauses_end_where_punctuation_says_so() -> None:
    assert keys("pnpm, not npm.")[1::2] == ["break", "npm"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("commenting", "comments"),
        ("indent", "indentation"),
        ("euro", "euros"),
        ("mocked", "mocking"),
        ("строку", "строка"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other) or stem(other).startswith(stem(one))


@pytest.mark.parametrize("word", ["css", "ls", "go", "is", "we"])
def test_short_words_are_left_alone(word: str) -> None:
    assert stem(word) == word


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for word in read_words(text):
        assert word.text


def test_long_texts_are_read_at_their_beginning_only() -> None:
    words = Counter(word.text for word in read_words("pnpm " * 10_000))

    assert words["pnpm"] == 300


def test_no_phrase_is_a_pattern() -> None:
    assert not re.search(r"[\^$*\\|\[\]]", " ".join(keys("a (b) c")))
