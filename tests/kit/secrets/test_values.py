"""What a value looks like that is a secret."""

import pytest

from skillopt_sleep.kit.secrets.shapes import count_turns, is_path
from skillopt_sleep.kit.secrets.values import (
    is_harmless,
    is_nearby_password,
    is_scrambled,
    is_told_password,
    with_plain_letters,
)


@pytest.mark.parametrize("value", ["hunter2", "x9Qz!mmK2p", "123456", "kXq!mZp", "Sommer2024", "tr0ub4dor&3"])
def test_what_is_told_as_a_password_may_be_one(value: str) -> None:
    assert is_told_password(value)


@pytest.mark.parametrize(
    "value",
    [
        *(
            "SHA-256",
            "base64-encoded",
            "2024-01-15",
            "8-20",
            "JIRA-1234",
            "user1@example.com",
            "https://h.example/a1",
        ),
        *(
            "config/app2.yml",
            "required|min:8",
            "${DB_PASS1}",
            "<pass1>",
            "********",
            "erforderlich",
            "a1",
            "至少8个字符",
        ),
    ],
)
def test_what_is_something_else_is_no_password(value: str) -> None:
    assert not is_told_password(value)


def test_what_only_stands_near_a_label_has_to_look_more_like_a_password() -> None:
    assert is_nearby_password("x9Qz" + "!mmK2p")
    assert not is_nearby_password("hunter2")
    assert not is_nearby_password("user1.name2")


def test_letters_written_out_in_ascii_are_letters() -> None:
    assert with_plain_letters("Contrase\\u00f1a") == "Contraseea"
    assert with_plain_letters("a&ntilde;o") == "aeo"
    assert with_plain_letters("plain1") == "plain1"


def test_a_capital_that_begins_a_word_is_not_a_turn() -> None:
    assert count_turns("Word") == 0
    assert count_turns("word1") == 1
    assert count_turns("aB3") == 2


def test_a_path_and_the_rest_of_a_token_are_told_apart_from_words() -> None:
    assert is_path("/etc/ssl/private/server.key")
    assert is_scrambled("x7K2p9Qa")
    assert not is_scrambled("implementation")
    assert is_harmless("v1.2.3")
