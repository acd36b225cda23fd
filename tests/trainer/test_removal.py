"""At its end a training tries its skill without the rules that show nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.records import Prompt, Purpose, Split
from skillopt_sleep.trainer import Summary, TrainerConfig
from skillopt_sleep.trainer.summary import Action, History, Rules
from tests.trainer.toy import SIZES, Scripted, a_config, a_trainer, bytes_of


class Chatty(Scripted):
    """Proposes a rule that does nothing beside each that helps, and selects all."""

    extra = "- Be kind."

    def _answer(self, prompt: Prompt) -> str:
        answer = super()._answer(prompt)
        if prompt.purpose is Purpose.SELECT:
            return json.dumps({"selected_indices": list(range(9))})
        edits = json.loads(answer).get("edits") if prompt.purpose in {Purpose.REFLECT, Purpose.AGGREGATE} else None
        if not edits:
            return answer
        return json.dumps({"edits": [{"op": "append", "content": self.extra}, *edits]})


def trained(folder: Path, model: Scripted | None = None, *, gate: str = "greedy", **keys: Any) -> Summary:
    config = a_config(
        optimizer={"removal": True, "edit_budget": 5, "slow_update": False} | keys, evaluation={"gate": gate}
    )
    return a_trainer(folder, model or Chatty(), config=config).train()


@pytest.mark.parametrize("gate", ["greedy", "strict"])
def test_a_rule_that_shows_nothing_leaves_the_best_skill_and_no_other_does(tmp_path: Path, gate: str) -> None:
    summary = trained(tmp_path, gate=gate)
    assert "Be kind" not in summary.best_skill
    assert all(word in summary.best_skill for word in ("alpha", "beta", "gamma", "delta"))
    assert summary.best.standing.origin == "removal"
    assert summary.learned.gated is not None
    assert summary.learned.gated.action is Action.ACCEPT
    assert [worth.rule for worth in summary.learned.rules if worth.removed] == ["- Be kind."]
    assert (tmp_path / summary.best.file).read_text(encoding="utf-8") == summary.best_skill
    assert summary.best.val.hard == 1.0


def test_without_the_key_nothing_is_measured(tmp_path: Path) -> None:
    summary = trained(tmp_path, removal=False)
    assert "Be kind" in summary.best_skill
    assert summary.learned == Rules()
    assert "removal" not in summary.costs
    assert not (tmp_path / "rules.json").exists()


def test_val_keeps_what_it_needs_though_train_shows_nothing_of_it(tmp_path: Path) -> None:
    summary = trained(tmp_path, Needed())
    assert summary.learned.gated is not None
    assert summary.learned.gated.action is Action.REJECT
    assert "Be kind" in summary.best_skill
    assert not any(worth.removed for worth in summary.learned.rules)


def test_where_val_is_asked_at_the_end_the_rules_are_gone_before(tmp_path: Path) -> None:
    model = Talkative()
    summary = trained(tmp_path, model, gate="sequential", screen=2)
    assert summary.learned.gated is None
    assert [worth.rule for worth in summary.learned.rules if worth.removed] == ["- Be kind."]
    assert "Be kind" not in summary.best_skill
    assert not [one for one in model.prompts if "val request" in one.text and "Be kind" in one.text]


def test_a_resumed_run_comes_to_the_same_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    first = trained(tmp_path / "one")
    model = Chatty()
    config = a_config(
        optimizer={"removal": True, "edit_budget": 5, "slow_update": False}, evaluation={"gate": "greedy"}
    )
    before = bytes_of(tmp_path / "one")
    again = a_trainer(tmp_path / "one", model, config=config).train(resume=True)
    assert (again, model.prompts) == (first, [])
    assert bytes_of(tmp_path / "one") == before


def test_at_a_limit_while_rules_are_measured_the_run_ends_and_goes_on_later(tmp_path: Path) -> None:
    optimizer = {"removal": True, "edit_budget": 5, "slow_update": False}
    keys = {"optimizer": optimizer, "evaluation": {"gate": "greedy"}}
    whole = trained(tmp_path / "whole")
    most = whole.total.calls - whole.costs["test"].calls - SIZES[Split.VAL] - 2
    model = Chatty()
    with pytest.raises(BudgetExhausted, match="calls"):
        a_trainer(tmp_path / "cut", model, config=a_config(**keys, limits={"calls": most})).train()
    history = from_json((tmp_path / "cut" / "history.json").read_bytes(), History)
    assert len(history.steps) == whole.steps
    assert a_trainer(tmp_path / "cut", model, config=a_config(**keys)).train(resume=True) == whole
    assert len(model.prompts) == whole.total.calls


class Needed(Chatty):
    """On val the target answers only if it was told to be kind."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.ROLLOUT and "val request" in prompt.text and self.extra not in prompt.text:
            return "..."
        return super()._answer(prompt)


class Talkative(Chatty):
    """The useless rule seems to help while the skill is short, so that the screen lets it through."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.ROLLOUT and self.extra in prompt.text and "Say" not in prompt.text:
            return "alpha beta gamma delta"
        return super()._answer(prompt)


@pytest.mark.parametrize("judge", ["end", "epoch"])
def test_rules_that_were_taken_out_at_the_horizon_stay_out_when_epochs_are_added(tmp_path: Path, judge: str) -> None:
    def config(**train: Any) -> TrainerConfig:
        own = {"removal": True, "edit_budget": 5, "slow_update": False, "meta_skill": False, "screen": 2}
        own["horizon"] = train.pop("horizon", 0)
        return a_config(train=train, optimizer=own, evaluation={"gate": "sequential", "judge": judge})

    first, second = Talkative(), Talkative()
    a_trainer(tmp_path, first, config=config(epochs=2)).train()
    before = from_json((tmp_path / "history.json").read_bytes(), History)
    a_trainer(tmp_path, second, config=config(epochs=4, horizon=2)).train(resume=True)
    after = from_json((tmp_path / "history.json").read_bytes(), History)
    assert [epoch for epoch in after.epochs if epoch.epoch <= 2] == list(before.epochs)
    assert after.epochs[-1].epoch == 4
    assert not set(first.keys()) & set(second.keys())
