"""Before val is asked at the end, the skill loses the learned rules that show nothing on train."""

import json
from pathlib import Path

from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Prompt, Purpose, Split
from skillopt_sleep.trainer import Summary
from skillopt_sleep.trainer.parts import State
from skillopt_sleep.trainer.removal import AT_ONCE, PAIRS, remove_useless_rules
from skillopt_sleep.trainer.summary import History, Rules, RuleWorth, Scores
from tests.trainer.test_gate import held, some_parts
from tests.trainer.test_rules import a_step, an_edit
from tests.trainer.toy import Scripted, a_config, a_trainer, bytes_of


class Chatty(Scripted):
    """Proposes a rule that does nothing beside each that helps, and selects all.

    The useless rule seems to help while the skill is short, so that the screen lets it through.
    """

    extra = "- Be kind."

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.ROLLOUT and self.extra in prompt.text and "Say" not in prompt.text:
            return "alpha beta gamma delta"
        answer = super()._answer(prompt)
        if prompt.purpose is Purpose.SELECT:
            return json.dumps({"selected_indices": list(range(9))})
        edits = json.loads(answer).get("edits") if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE} else None
        if not edits:
            return answer
        return json.dumps({"edits": [{"op": "append", "content": self.extra}, *edits]})


def trained(folder: Path, model: Scripted | None = None, preset: str = "evidence") -> Summary:
    config = a_config(preset, optimizer={"edit_budget": 5})
    return a_trainer(folder, model or Chatty(), config=config).train()


def by_rule(found: Rules) -> dict[str, RuleWorth]:
    return {worth.rule: worth for worth in found.rules}


def gain(worth: RuleWorth) -> float:
    assert worth.with_it is not None
    assert worth.without is not None
    return worth.with_it - worth.without


def test_the_rules_that_show_nothing_are_gone_before_val_is_asked_and_no_other_is(tmp_path: Path) -> None:
    model = Chatty()
    summary = trained(tmp_path, model)
    assert "Be kind" not in summary.best_skill
    assert all(word in summary.best_skill for word in ("alpha", "beta", "gamma", "delta"))
    assert summary.best.version.origin == "removal"
    assert [worth.rule for worth in summary.learned.rules if worth.removed] == ["- Be kind."]
    assert (tmp_path / summary.best.file).read_text(encoding="utf-8") == summary.best_skill
    assert not [one for one in model.prompts if "val request" in one.text and "Be kind" in one.text]


def test_other_presets_measure_no_rule(tmp_path: Path) -> None:
    summary = trained(tmp_path, preset="default")
    assert summary.learned == Rules()
    assert "removal" not in summary.costs


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
    assert from_json((tmp_path / "summary.json").read_bytes(), Summary).learned == summary.learned


def test_a_run_that_goes_on_comes_to_the_same_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    first = trained(tmp_path / "one")
    before = bytes_of(tmp_path / "one")
    model = Chatty()
    assert (trained(tmp_path / "one", model), model.prompts) == (first, [])
    assert bytes_of(tmp_path / "one") == before


def test_a_rule_whose_attempts_without_the_others_have_no_score_stays(tmp_path: Path) -> None:
    def grade(skill: str, _n: int, _sample: int) -> float | None:
        return 0.5 if "- One." in skill or "- Two." in skill else None

    parts = some_parts(tmp_path, grade, "evidence")
    task = parts.items[Split.TRAIN][0].id
    step = a_step(1, an_edit("- One.", task), an_edit("- Two.", task))
    initial, current = held("- Old."), held("- Old.\n- One.\n- Two.")
    state = State(current=current, best=initial)
    after, learned = remove_useless_rules(parts, state, initial, History(baseline=Scores(), calls=0, steps=(step,)))
    assert after == state
    assert not [worth.rule for worth in learned.rules if worth.removed]
