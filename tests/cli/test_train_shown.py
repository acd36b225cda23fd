from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.cli.train_shown import best_line, partial, rule_lines, scored, summary_lines
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.records import Note, Prompt
from skillopt_sleep.trainer.summary import Rules, RuleWorth, Scores
from tests.trainer.toy import Scripted, a_config, a_trainer


def test_what_of_a_training_is_in_part_is_told(tmp_path: Path) -> None:
    def refuse(prompt: Prompt, number: int) -> None:
        if "test request 3" in prompt.text:
            raise CallFailed(FailureKind.REFUSED, "no")

    whole = a_trainer(tmp_path / "whole").train()
    assert partial(whole) == []
    assert "The best skill is in" in best_line(whole, Path("run"))
    summary = a_trainer(tmp_path / "elsewhere" / "part", Scripted(refuse)).train()
    assert partial(summary) == [
        "1 of 8 test items of the initial skill have no score (refused: no)",
        "1 of 8 test items of the best skill have no score",
        "1 of 8 test items of the final skill have no score",
    ]
    assert partial(replace(whole, notes=(Note(stage="reflect", summary="no"),))) == ["failed on the way: reflect: no"]
    told = Note(stage="gate", summary="12 val items can only prove a gain of 0.50 or more", expected=True)
    assert partial(replace(whole, notes=(told,))) == []


def test_a_training_without_a_step_says_nothing_of_steps(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path / "run", config=a_config("default", limits={"calls": 50})).train()
    assert summary_lines(summary, None)[0] == "toy: 0 of 4 steps"
    assert best_line(summary, Path("run")).startswith("No step was made, so run/best_skill.md is your initial skill")


def test_a_mixed_score_stands_beside_the_two_that_it_is_made_of() -> None:
    assert (
        scored(Scores(hard=0.5, soft=0.75, metric=0.625, n=8, items=8)) == "hard 0.500, soft 0.750, mixed 0.625 (n=8)"
    )
    assert scored(Scores(hard=0.5, soft=0.75, metric=0.75, n=8, items=8)) == "hard 0.500, soft 0.750 (n=8)"


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


def test_nothing_is_said_without_rules() -> None:
    head, _ = rule_lines(Rules(rules=(a_worth("- One."),)))
    assert "none taken out" in head
    assert list(rule_lines(Rules())) == []
