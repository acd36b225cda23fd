"""What a value looks like that is a secret."""

import pytest

from skillopt_sleep.kit.secret_values import changes, harmless, is_path, near, scrambled, spelled, told


@pytest.mark.parametrize("value", ["hunter2", "x9Qz!mmK2p", "123456", "kXq!mZp", "Sommer2024", "tr0ub4dor&3"])
def test_what_is_told_as_a_password_may_be_one(value: str) -> None:
    assert told(value)


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
    assert not told(value)


def test_what_only_stands_near_a_label_has_to_look_more_like_a_password() -> None:
    assert near("x9Qz" + "!mmK2p")
    assert not near("hunter2")
    assert not near("user1.name2")


def test_letters_written_out_in_ascii_are_letters() -> None:
    assert spelled("Contrase\\u00f1a") == "Contraseea"
    assert spelled("a&ntilde;o") == "aeo"
    assert spelled("plain1") == "plain1"


def test_changes_are_counted_but_for_a_capital_that_begins_a_word() -> None:
    assert changes("Word") == 0
    assert changes("word1") == 1
    assert changes("aB3") == 2


def test_a_path_and_the_rest_of_a_token_are_told_apart_from_words() -> None:
    assert is_path("/etc/ssl/private/server.key")
    assert scrambled("x7K2p9Qa")
    assert not scrambled("implementation")
    assert harmless("v1.2.3")
