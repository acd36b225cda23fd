"""A person's own wording of a rule waits in its place, untested; what is rejected, adopted or kept is theirs."""

import pytest

from skillopt_sleep.cli.proposals import read_rule
from skillopt_sleep.cli.review import edited
from skillopt_sleep.errors import ConfigError
from tests.cli.walked import editor, rules, states, with_three_rules
from tests.command import Home


def changed(home: Home, monkeypatch: pytest.MonkeyPatch, name: str, line: str) -> str:
    for variable, value in (home.environment | editor(home, line)).items():
        monkeypatch.setenv(variable, value)
    waiting = read_rule(name)
    assert waiting
    return edited(waiting.proposal)


@pytest.mark.slow
def test_own_words_wait_in_place_of_the_old_ones_with_no_numbers(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert changed(home, monkeypatch, "P-0001", "- Use pnpm 9.") == "P-0001.1"
    assert states(home) == {"P-0001": "withdrawn", "P-0001.1": "waiting"}
    (told,) = home.command("review", "--show", "P-0001.1", "--json").json
    tested = told["tested"]
    assert (told["proof"], tested["n"], tested["solved"], tested["before"], tested["effects"]) == (
        "edited",
        0,
        None,
        None,
        [],
    )
    assert told["evidence"]
    assert home.command("adopt", "P-0001").code == 0
    assert rules(home) == ["- Use pnpm 9."]


def test_one_rule_of_several_is_edited_and_the_others_wait_on(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with_three_rules(home)
    assert changed(home, monkeypatch, "P-0001.2", "- Be very brief.") == "P-0001.2.1"
    assert {name for name, state in states(home).items() if state == "waiting"} == {
        "P-0001.1",
        "P-0001.3",
        "P-0001.2.1",
    }


@pytest.mark.parametrize(
    ("line", "message"), [("<!-- Save and close", "no words"), ("- Be\u200b brief.", "invisible")]
)
def test_words_that_can_not_be_used_change_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        changed(home, monkeypatch, "P-0001", line)
    assert message in caught.value.message.lower()
    assert "edits/P-0001.md" in caught.value.remedy
    assert states(home) == {"P-0001": "waiting"}


def test_without_a_change_nothing_happens(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert changed(home, monkeypatch, "P-0001", "") == ""
    assert states(home) == {"P-0001": "waiting"}
