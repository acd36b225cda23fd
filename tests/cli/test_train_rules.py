"""A training says of each learned rule what it is worth, with its n and interval."""

from skillopt_sleep.cli.train_shown import rule_lines
from skillopt_sleep.trainer.summary import Action, Gated, Rules, RuleWorth


def a_worth(rule: str, *, n: int = 8, gain: float = 0.5, removed: bool = False) -> RuleWorth:
    return RuleWorth(
        rule=rule, step=1, items=(), n=n, without=0.25, with_it=0.25 + gain, interval=(-0.1, 0.9), removed=removed
    )


def test_each_rule_has_its_gain_with_n_and_interval() -> None:
    unknown = RuleWorth(rule="- Three.", step=2, items=())
    head, one, two, three = rule_lines(
        Rules(rules=(a_worth("- One."), a_worth("- Two.", gain=0.0, removed=True), unknown))
    )
    assert "3 learned rules, 1 taken out" in head
    assert one == "  +0.50, 90 % interval -0.10 to +0.90 (n=8): - One."
    assert "(taken out)" in two
    assert "(taken out)" not in one
    assert three == "  not measured: - Three."


def test_rules_that_val_keeps_are_said_to_be_kept_by_val_and_none_without_rules() -> None:
    head, _ = rule_lines(Rules(rules=(a_worth("- One."),), gated=Gated(action=Action.REJECT, reason="it is worse")))
    assert "none taken out, by val: it is worse" in head
    assert list(rule_lines(Rules())) == []
