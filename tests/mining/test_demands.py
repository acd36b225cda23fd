import pytest

from skillopt_sleep.mining.demands import (
    demand_in_known_words,
    in_known_words,
    orders,
    signs_of_demand,
    signs_of_speech,
)


@pytest.mark.parametrize(
    ("text", "known"),
    [("npm is forbidden", "npm is not"), ("avoid skipping tests", "avoid skip tests"), ("use nothing", "not use")],
)
def test_a_text_is_put_into_words_whose_meaning_is_known(text: str, known: str) -> None:
    assert in_known_words(text) == known


@pytest.mark.parametrize(
    ("text", "known"),
    [("no more than five", "at most five"), ("pnpm is there", "pnpm  "), ("use pnpm, not another one", "use pnpm")],
)
def test_of_a_demand_little_words_go_too(text: str, known: str) -> None:
    assert demand_in_known_words(text) == known


def test_what_a_person_only_reports_is_not_wanted() -> None:
    assert "npm" not in signs_of_speech("npm breaks it")
    assert signs_of_demand("npm breaks it")["npm"] == 1
    assert signs_of_speech("use pnpm, never npm") == signs_of_demand("use pnpm, never npm") == {"pnpm": 1, "npm": -1}


@pytest.mark.parametrize("text", ["read the logs before you edit", "edit after you read the logs"])
def test_an_order_is_read_from_either_side(text: str) -> None:
    ((first, then),) = orders(text)
    assert any("log" in key for key in first)
    assert any("edit" in key for key in then)
