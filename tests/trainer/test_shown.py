"""A training decides for itself how much of an attempt the optimizer is shown, and keeps no limit that it can't keep."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Purpose
from skillopt_sleep.trainer import Item, Result
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


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
