"""A text's features are wanted, unwanted, or only mentioned."""

import pytest

from skillopt_sleep.mining.meanings import features


def signs(text: str) -> dict[str, int]:
    return {feature.key: feature.sign for feature in features(text)}


@pytest.mark.parametrize(
    "text",
    [
        "use pnpm not npm",
        "use pnpm, never npm",
        "no, never npm here. pnpm only",
        "pnpm instead of npm",
        "we prefer pnpm over npm",
        "npm? we use pnpm",
        "npm again, we use pnpm",
        "why did you call npm again? it's pnpm in this repo",
        "you called npm, we use pnpm",
        "nimm pnpm statt npm",
        "wir benutzen pnpm, npm bitte nicht verwenden",
        "utilise pnpm, jamais npm",
        "usa pnpm en vez de npm",
        "use pnpm, não npm",
        "используй pnpm, а не npm",
        "我们用的是pnpm，别用npm",
        "npm ではなく pnpm を使って",
    ],
)
def test_what_is_wanted_and_what_is_not(text: str) -> None:
    found = signs(text)

    assert (found["pnpm"], found["npm"]) == (1, -1)


@pytest.mark.parametrize(
    "text", ["too long", "shorter please", "viel zu lang", "trop long", "太长了", "長すぎる", "слишком длинно"]
)
def test_too_long_is_a_wish_for_less(text: str) -> None:
    assert signs(text) == {"~length": -1}


def test_what_was_forgotten_or_not_done_is_wanted() -> None:
    assert signs("you forgot the ticket number")["=ticket"] == 1
    assert signs("you didn't run the tests")["=test"] == 1
    assert signs("du hast die Tests nicht laufen lassen")["=test"] == 1
    assert signs("the docstrings are missing")["=docstring"] == 1
    assert signs("there's no timeout on that call")["=timeout"] == 1


def test_what_was_left_out_or_is_to_be_is_not() -> None:
    assert signs("leave out the emojis")["=emoji"] == -1
    assert signs("remove all these comments")["=comment"] == -1


def test_not_enough_of_something_is_not_it() -> None:
    assert signs("one line is not enough")["~lines"] == 1


def test_what_is_only_told_has_no_sign() -> None:
    assert signs("the password is hardcoded") == {"=hardcode": 0, "=secret": 0}


def test_a_reason_and_a_time_weigh_less_than_the_wish() -> None:
    weights = {feature.key: feature.weight for feature in features("use -d, otherwise my terminal is blocked")}

    assert weights["-d" if "-d" in weights else "=detached"] > 3 * weights["terminal"]
    assert signs("ask me before you delete something")["=remove"] == 0


def test_said_both_ways_it_says_little() -> None:
    (feature,) = [one for one in features("it's docker compose, not docker-compose") if one.key == "docker"]

    assert feature.weight < 1


@pytest.mark.parametrize("text", ["", "no", "nope, that's wrong", "try again", "!?", "...", "no no no", "不对"])
def test_words_without_a_wish_say_nothing(text: str) -> None:
    assert not [feature for feature in features(text) if feature.weight > 0.5]


@pytest.mark.parametrize("text", ["without ` `", "no --again` `budget.calls`,", "is harvest` `undo`", 'never " "'])
def test_a_quote_of_nothing_says_nothing(text: str) -> None:
    assert "" not in {feature.key for feature in features(text)}
