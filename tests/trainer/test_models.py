"""A model is a name, a function, also an async one, or an object with complete(prompt)."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.errors import ConfigError, blamed
from skillopt_sleep.records import Completion, Prompt, Purpose, Split
from skillopt_sleep.trainer import Trainer, evaluate
from skillopt_sleep.trainer.loading import load_class
from skillopt_sleep.trainer.models import as_model
from tests.trainer.toy import Scripted, Toy, a_config

PROMPT = Prompt(purpose=Purpose.ROLLOUT, text="SKILL:\nSay alpha.\nREQUEST:\nx for alpha")


def answering(text: str) -> str:
    return "alpha" if "Say alpha" in text else "no"


def failing(text: str) -> str:
    return {}[text]


async def answering_later(text: str) -> str:
    await asyncio.sleep(0)
    return answering(text)


@pytest.mark.parametrize("function", [answering, answering_later])
def test_a_function_is_a_model(function: Any) -> None:
    model: Any = as_model(function, role="target")
    assert model.complete(PROMPT).text == "alpha"
    assert model.name.startswith(f"{function.__name__}#")


def test_a_function_may_return_a_completion() -> None:
    model: Any = as_model(lambda text: Completion(text=text, usd=0.1), role="target")
    assert model.complete(PROMPT).usd == 0.1


OWN = """
WORD, OTHER = "K1", 1
def helper(text):
    return text + WORD
def model(text):
    return helper(text)
"""


def saying(word: str) -> Any:
    return lambda _text: word


def name_and_version(function: Any) -> tuple[str, str]:
    model: Any = as_model(function, role="target")
    return model.name, model.version


def test_a_functions_answers_are_kept_by_its_code_and_what_it_uses(tmp_path: Path) -> None:
    pair: Any = (lambda text: text, lambda text: "no")
    several = (answering, failing, saying("K1"), saying("Q7"), *pair)
    assert len(set(map(name_and_version, several))) == len(several)
    assert name_and_version(saying("K1")) == name_and_version(saying("K1"))
    names: list[tuple[str, str]] = []
    for number, text in enumerate((OWN, OWN.replace("1\n", "2\n"), OWN.replace("K1", "Q7"), OWN.replace("+", "or"))):
        (tmp_path / f"own{number}.py").write_text(text, encoding="utf-8")
        names.append(name_and_version(load_class(f"own{number}.py:model", tmp_path)))
    assert names[0] == names[1]
    assert len(set(names)) == 3


def test_a_callable_whose_code_can_not_be_told_keeps_no_answers_unless_it_has_a_version() -> None:
    told: Any = partial(answering)
    assert name_and_version(told)[0] == "partial"
    assert name_and_version(told) != name_and_version(told)
    told.version = "2"
    assert name_and_version(told) == ("partial#2", "")


@pytest.mark.parametrize("function", [answering, answering_later])
def test_a_skill_is_scored_with_a_function(tmp_path: Path, function: Any) -> None:
    found = evaluate(a_config(), Toy(), "Say alpha.", Split.TEST, target=function, folder=tmp_path / "run")
    assert found.kinds["alpha"][1] == 1.0


def test_one_model_has_both_roles_and_an_async_one_may_be_the_target(tmp_path: Path) -> None:
    both = Trainer(model=Scripted(), env=Toy(), folder=tmp_path / "one", wired=True, config=a_config()).train()
    assert both.best.val.hard == 1

    async def later(text: str) -> str:
        return Scripted().complete(Prompt(purpose=Purpose.ROLLOUT, text=text)).text

    other = Trainer(
        a_config(), Toy(), optimizer=Scripted(), target=later, folder=tmp_path / "two", wired=True
    ).train()
    assert other.best_skill == both.best_skill


def test_a_name_is_a_model_of_its_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    model = as_model("openai/gpt-5.4-mini", role="target")
    assert isinstance(model, OpenAIBackend)
    assert model.name.endswith("gpt-5.4-mini@http://127.0.0.1:9/v1")
    for name in ("gpt-5.4-mini", "nobody/m", "openai/"):
        with pytest.raises(ConfigError, match="nothing of that name is known"):
            as_model(name, role="target")


@pytest.mark.parametrize("odd", [3, Scripted])
def test_what_is_no_model_is_refused_with_what_could_be_one(odd: object) -> None:
    with pytest.raises(ConfigError) as refused:
        as_model(odd, role="optimizer")
    assert "openai/gpt-5.4-mini" in refused.value.remedy


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no environment is given"):
        Trainer(model=Scripted())
    with pytest.raises(ConfigError, match="no optimizer is given"):
        Trainer(env=Toy())


def test_an_error_in_a_function_is_blamed_on_it_with_its_line() -> None:
    model: Any = as_model(failing, role="target")
    with pytest.raises(KeyError) as raised:
        model.complete(PROMPT)
    line = failing.__code__.co_firstlineno + 1
    assert blamed(raised.value) == f"model failing (test_models.py, line {line})"


def test_a_function_that_returns_no_text_is_named(tmp_path: Path) -> None:
    model: Any = as_model(lambda text: 3, role="target")
    with pytest.raises(ConfigError, match="returned int, not a text"):
        model.complete(PROMPT)
