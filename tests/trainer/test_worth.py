"""What a rule is worth is measured in fresh attempts at train items that it was learned from, without it and with it."""

from pathlib import Path

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer.summary import Rules, RuleWorth
from skillopt_sleep.trainer.worth import AT_ONCE, PAIRS
from tests.trainer.test_removal import Chatty, trained


def by_rule(found: Rules) -> dict[str, RuleWorth]:
    return {worth.rule: worth for worth in found.rules}


def gain(worth: RuleWorth) -> float:
    assert worth.with_it is not None
    assert worth.without is not None
    return worth.with_it - worth.without


def test_a_useful_rule_is_clear_soon_and_a_useless_one_is_asked_to_the_end(tmp_path: Path) -> None:
    summary = trained(tmp_path)
    worth = by_rule(summary.learned)
    useful, useless = worth["- Say alpha."], worth["- Be kind."]
    assert AT_ONCE <= useful.n < PAIRS
    assert gain(useful) > 0
    assert (useless.n, useless.without == useless.with_it) == (PAIRS, True)
    assert useless.interval is not None
    assert useless.interval[0] < 0 < useless.interval[1]
    assert all(item.startswith("train-") for one in worth.values() for item in one.items)
    assert from_json((tmp_path / "rules.json").read_bytes(), Rules) == summary.learned


def test_a_rule_that_another_one_hides_is_measured_without_that_one(tmp_path: Path) -> None:
    worth = by_rule(trained(tmp_path, Silencing()).learned)
    assert worth["- Say nothing."].removed
    assert not worth["- Say alpha."].removed
    assert gain(worth["- Say alpha."]) > 0


def test_an_attempt_without_a_score_says_nothing_of_a_rule(tmp_path: Path) -> None:
    summary = trained(tmp_path, Failing())
    assert by_rule(summary.learned)["- Say alpha."].n < PAIRS
    assert not any(worth.removed for worth in summary.learned.rules if worth.n == 0)


class Silencing(Chatty):
    """Adds a rule that silences the target at some requests, whatever else it is told."""

    extra = "- Say nothing."

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.ROLLOUT and self.extra in prompt.text and prompt.text.endswith("for alpha"):
            return "..."
        return super()._answer(prompt)


class Failing(Chatty):
    """Fails at one item as soon as the skill is long."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.ROLLOUT and "train request 0 " in prompt.text and "Be kind" in prompt.text:
            raise CallFailed(FailureKind.REFUSED, "no", remedy="ask less")
        return super()._answer(prompt)
