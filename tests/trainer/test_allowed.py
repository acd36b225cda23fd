"""A training decides for itself what a rule may hold and how much of an attempt the optimizer is shown."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Prompt, Purpose
from skillopt_sleep.trainer import Item, Result
from skillopt_sleep.trainer.wording import words
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer

RULE = "- Say alpha, beta, gamma, delta. See https://example.test/api and [the form](https://example.test/form)."


class Teaching(Scripted):
    """Teaches one rule that holds addresses."""

    def _answer(self, prompt: Prompt) -> str:
        if prompt.purpose is Purpose.REFLECT:
            return json.dumps({"edits": [{"op": "append", "content": RULE}]})
        return super()._answer(prompt)


def _edits(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "steps" / "step_0001" / "edits.json").read_text(encoding="utf-8"))


def test_a_rule_with_an_address_is_refused_with_the_key_that_allows_it(tmp_path: Path) -> None:
    model = Teaching()
    a_trainer(tmp_path, model).train()
    [edit] = _edits(tmp_path)
    assert edit["fate"] == "refused"
    assert 'optimizer.allow = ["link"]' in edit["because"]
    assert "guard.allow" not in edit["because"]
    assert any("no links" in prompt.text for prompt in model.prompts)


def test_a_rule_may_hold_what_the_training_allows_and_the_optimizer_is_told_so(tmp_path: Path) -> None:
    model = Teaching()
    config = a_config(optimizer={"allow": ["link", "address", "length"]})
    a_trainer(tmp_path, model, config=config).train()
    [edit] = _edits(tmp_path)
    assert edit["fate"] == "applied"
    asked = [prompt.text for prompt in model.prompts if prompt.purpose is not Purpose.ROLLOUT]
    assert not any("no links" in text or "2,000" in text for text in asked)


def test_what_no_setting_allows_stays_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"optimizer\.allow"):
        a_trainer(tmp_path, config=_allowing("secret"))


def _allowing(kind: str) -> Any:
    config = a_config()
    return replace(config, optimizer=replace(config.optimizer, allow=(kind,)))


class Long(Toy, frozen=True):
    """Attempts of 40 turns, of which the one in the middle tells what went wrong."""

    def rollout_one(self, item: Item, skill: str, target: Any, *, sample: int) -> Result:
        result = super().rollout_one(item, skill, target, sample=sample)
        turns = tuple(f"turn {number}: " + ("the needle" if number == 20 else "hay " * 60) for number in range(40))
        return replace(result, turns=turns)


@pytest.mark.parametrize(("most", "shown"), [(4_000, False), (40_000, True)])
def test_as_much_of_an_attempt_is_shown_as_the_training_says(tmp_path: Path, most: int, shown: bool) -> None:
    model = Scripted()
    a_trainer(tmp_path, model, env=Long(), config=a_config(gradient={"shown_chars": most})).train()
    asked = [prompt.text for prompt in model.prompts if prompt.purpose is Purpose.REFLECT]
    assert asked
    assert all(("the needle" in text) is shown for text in asked)


def test_a_limit_in_dollars_is_refused_before_the_first_call_if_nothing_says_the_price(tmp_path: Path) -> None:
    model = OpenAIBackend(model="my-own", base_url="http://127.0.0.1:9/v1", api_key="k", api_key_env="K", timeout=5)
    with pytest.raises(ConfigError, match=r"what .*my-own.* costs isn't known") as refused:
        a_trainer(tmp_path / "one", optimizer=model, config=a_config(limits={"usd": 1.0})).train()
    assert "limits.usd" in refused.value.remedy
    assert not (tmp_path / "one").exists()


def test_the_words_of_a_training_are_those_of_a_night_where_nothing_more_is_allowed() -> None:
    assert "no links" in words("reflect")
    assert "no links" not in words("reflect", allowed=("link",))
    assert "2,000" not in words("slow_update", allowed=("length",))
