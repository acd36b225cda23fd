"""The words of many languages for a password."""

import pytest

from skillopt_sleep.kit.secrets.password_words import (
    COPULAS,
    LEADS,
    TURNS,
    ascii_labels,
    foreign_labels,
    may_have_foreign_label,
)
from tests.kit.password_samples import LABELS


@pytest.mark.parametrize("label", [label for label in LABELS if not label.isascii()])
def test_a_label_beyond_ascii_is_found_where_it_begins_however_it_is_written(label: str) -> None:
    labels, before = foreign_labels()
    for written in (label, label.capitalize(), label.upper()):
        text = f"x {written}: y"
        assert may_have_foreign_label(text)
        match = labels.search(text)
        assert match is not None
        assert match.start() - before.get(match[0][:2], 0) == 2


def test_a_label_of_ascii_may_be_of_several_words() -> None:
    assert ascii_labels().match(b"mot de passe : x")
    assert ascii_labels().match(b"palavra-passe: x")
    assert not ascii_labels().match(b"motto: x")


def test_the_words_between_are_in_small_letters() -> None:
    assert all(word == word.lower() for word in (*COPULAS, *TURNS, *LEADS))
