"""Texts are read as listed phrases and words, in any language."""

import pytest

from skillopt_sleep.mining.alike import lists, meanings_in, pieces, plain


def test_the_longest_listed_phrase_counts() -> None:
    words = [piece.word for piece in pieces("It leaves out the bullet points")]

    assert words == ["it", "leaves out", "the", "bullet points"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("remove it", "entferne das"),
        ("les tests", "тесты"),
        ("commit", "提交"),
        ("three", "三条"),
        ("short", "shroter"),
        ("log", "ログ"),
    ],
)
def test_one_meaning_in_two_languages(one: str, other: str) -> None:
    assert meanings_in(plain(one)) & meanings_in(plain(other))


def test_what_is_not_listed_means_nothing_and_demands_something() -> None:
    (piece,) = pieces("pwned")

    assert (piece.means, piece.neutral) == (frozenset(), False)


def test_writing_without_spaces_is_cut_at_listed_words() -> None:
    assert [piece.word for piece in pieces("回答使用测试甲乙")] == ["回答", "使用", "测试", "甲乙"]


def test_what_may_be_added_is_listed() -> None:
    known = {name for names in lists().means.values() for name in names}

    assert lists().mild <= known
