"""A training decides for itself how much of an attempt the optimizer is shown, and keeps no limit that it can't keep."""

from pathlib import Path

import pytest

from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.errors import ConfigError
from tests.trainer.toy import a_config, a_trainer


def test_a_limit_in_dollars_is_refused_before_the_first_call_if_nothing_says_the_price(tmp_path: Path) -> None:
    model = OpenAIBackend(model="my-own", base_url="http://127.0.0.1:9/v1", api_key="k", api_key_env="K", timeout=5)
    with pytest.raises(ConfigError, match=r"what .*my-own.* costs isn't known") as refused:
        a_trainer(tmp_path / "one", optimizer=model, config=a_config(limits={"usd": 1.0})).train()
    assert "limits.usd" in refused.value.remedy
    assert not (tmp_path / "one").exists()
