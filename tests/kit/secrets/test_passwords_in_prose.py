"""Passwords in sentences and forms of many languages."""

import random
from collections import defaultdict

import pytest

from skillopt_sleep.kit.redact import redact
from tests.growth import LINEAR_WITH_NOISE, growth
from tests.kit.password_samples import BENIGN_LANGUAGES, LABELS, PROSE, a_password, benign_lines, spoken
from tests.sweeps import thinned


def leaks(password: str, clean: str) -> bool:
    """Whether five characters of the password in a row are left to see."""
    return any(password[at : at + 5] in clean for at in range(max(1, len(password) - 4)))


def test_of_the_passwords_people_tell_hardly_one_is_left_to_see_in_any_language() -> None:
    chance = random.Random(15)
    told: dict[str, list[bool]] = defaultdict(list)
    for _ in range(20):
        for language, text, password in spoken(chance):
            told[language].append(not leaks(password, redact(text)))
    shares = {language: sum(hidden) / len(hidden) for language, hidden in told.items()}
    assert len(shares) >= 15
    assert {language: share for language, share in shares.items() if share < 0.95} == {}


@pytest.mark.parametrize("form", ["¤: §", '¤ = "§"', '"¤": "§"', "¤=§", "¤：§", "  - ¤ : `§`", "¤ -> §"])
def test_a_label_in_any_language_names_its_value(form: str) -> None:
    for label in LABELS:
        text = form.replace("¤", label)
        for password in ("x9Qz" + "!mmK2p", "k3y" + "Board77x", "qT5" + "bN8vL2"):
            clean = redact(text.replace("§", password))
            assert not leaks(password, clean), label
            assert redact(clean) == clean, label


def test_a_sentence_stays_but_for_the_password() -> None:
    password = "x9Qz" + "!mmK2p"
    assert redact(f"das Passwort für die DB ist {password}.") == "das Passwort für die DB ist [redacted:password]."
    assert redact(f"パスワードは{password}です") == "パスワードは[redacted:password]です"
    assert redact(f"use password {password} for user1") == "use password [redacted:password] for user1"


@pytest.mark.parametrize("label", [*BENIGN_LANGUAGES])
def test_no_line_of_a_form_or_a_translation_is_altered(label: str) -> None:
    lines = [line for line in benign_lines() if label.lower() in line.lower()]
    assert len(lines) >= 50
    assert [line for line in lines if redact(line) != line] == []


def test_thousands_of_lines_that_name_a_password_stay() -> None:
    lines = benign_lines()
    assert len(lines) >= 2_000
    assert [line for line in lines if redact(line) != line] == []
    text = "\n".join(lines)
    assert redact(text) == text


def test_a_password_of_words_only_stays_as_documented() -> None:
    for line in ("das Passwort ist Sommerregen", "пароль: вишня", "use password letmein for it"):
        assert redact(line) == line


@pytest.mark.parametrize("language", PROSE)
def test_redacting_twice_is_redacting_once(language: str) -> None:
    chance = random.Random(language)
    for phrase in PROSE[language]:
        clean = redact(phrase.replace("§", a_password(chance)))
        assert redact(clean) == clean


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    thinned(
        [
            "Passwort a1 ",
            "пароль ",
            "密码",
            "密码a1",
            "password is ",
            "the password a-1 ",
            "login a / ",
            "senha ",
            "with a/b1 ",
            "with a/aaaaaa ",
            "Gurke_Hafen12 password ",
            "a şifresini ",
            "passwort",
        ],
        every=3,
    ),
)
def test_labels_over_and_over_take_no_quadratic_time(piece: str) -> None:
    assert growth(redact, piece, length=65_536) < LINEAR_WITH_NOISE
