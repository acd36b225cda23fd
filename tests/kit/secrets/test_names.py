"""The names of secrets in code, and the words of many languages for a password."""

import pytest

from skillopt_sleep.kit.secrets.names import (
    COPULAS,
    LEADS,
    NAME,
    TURNS,
    as_plain,
    ascii_labels,
    find_names,
    foreign_labels,
    may_have_foreign_label,
)
from tests.kit.password_samples import LABELS


def _found(text: str) -> tuple[list[int], bool]:
    return find_names(as_plain(text.encode("ascii", "replace")))


@pytest.mark.parametrize(
    "name",
    [
        *("passwd", "passphrase", "pw", "api_key", "token", "secret", "creds", "auth", "sig1", "signature"),
        *("Bearer", "Basic", "Authorization", "mot de passe", "kata-sandi", "mdp"),
    ],
)
def test_the_place_of_a_name_is_found(name: str) -> None:
    text = f"the {name} x"
    places, _ = _found(text)
    assert any(NAME.match(text.lower().encode(), place) for place in places)


@pytest.mark.parametrize("label", [label for label in LABELS if label.isascii()])
def test_the_place_of_a_label_is_found(label: str) -> None:
    places, _ = _found(f"x {label.upper()}: y")
    assert 2 in places


def test_every_name_is_found_where_one_begins_at_the_end_of_another() -> None:
    assert _found("hookey=1 secretoken=2") == ([3, 9, 14], True)


@pytest.mark.parametrize(
    "text", ["curl -u", "rabbitmqctl add_user", "neo4j-admin", "-----BEGIN PRIVATE KEY", "<<< x", "IDENTIFIED BY"]
)
def test_what_leads_to_another_rule_is_found(text: str) -> None:
    assert _found(text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "they passed the keyword on",
        "an author's signal",
        "pw9 and kpw",
        "a-pw+ of base64",
        "basic: x",
        "mdp/",
        "a pw",
    ],
)
def test_ordinary_words_are_no_names(text: str) -> None:
    places, _ = _found(text)
    assert not any(NAME.match(text.encode(), place) for place in places)


def test_most_texts_have_neither() -> None:
    assert _found("An interpreter reads code; 42 lines of it.") == ([], False)


def test_a_label_is_found_with_its_ending() -> None:
    match = ascii_labels().match(b"adgangskoden: x")
    assert match is not None
    assert match[0] == b"adgangskoden"


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
