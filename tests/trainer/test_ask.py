"""Asking the target in one line reaches an API as messages, and everything else as one text."""

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from skillopt_sleep.backends.anthropic import AnthropicBackend
from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.backends.openai import OpenAIBackend
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer import ask
from tests.fakes import FakeBackend

BEFORE = (("user", "hello"), ("assistant", "yes?"))


def _served(server: HTTPServer, answer: dict[str, Any]) -> list[dict[str, Any]]:
    bodies: list[dict[str, Any]] = []

    def handle(request: Request) -> Response:
        bodies.append(json.loads(request.get_data()))
        return Response(json.dumps(answer), content_type="application/json")

    server.expect_request("/v1/chat/completions").respond_with_handler(handle)
    server.expect_request("/v1/messages").respond_with_handler(handle)
    return bodies


def test_an_api_gets_messages_and_the_temperature(httpserver: HTTPServer) -> None:
    choice = {"message": {"role": "assistant", "content": "2026"}, "finish_reason": "stop"}
    bodies = _served(httpserver, {"choices": [choice], "model": "m"})
    url = httpserver.url_for("/v1")
    model = OpenAIBackend(model="m", base_url=url, api_key="k", api_key_env="K", timeout=20)
    assert ask(model, "which year?", system="Be brief.", messages=BEFORE, temperature=0.5) == "2026"
    assert [(one["role"], one["content"]) for one in bodies[0]["messages"]] == [
        ("system", "Be brief."),
        ("user", "hello"),
        ("assistant", "yes?"),
        ("user", "which year?"),
    ]
    assert bodies[0]["temperature"] == 0.5
    ask(model, "which year?")
    assert bodies[1]["messages"] == [{"role": "user", "content": "which year?"}]
    assert "temperature" not in bodies[1]


def test_anthropics_api_gets_the_system_prompt_in_its_own_place(httpserver: HTTPServer) -> None:
    bodies = _served(
        httpserver, {"content": [{"type": "text", "text": "2026"}], "stop_reason": "end_turn", "model": "m"}
    )
    model = AnthropicBackend(model="m", base_url=httpserver.url_for(""), api_key="k", api_key_env="K", timeout=20)
    assert ask(model, "which year?", system="Be brief.", messages=BEFORE, temperature=0.5) == "2026"
    assert bodies[0]["system"] == "Be brief."
    assert [one["role"] for one in bodies[0]["messages"]] == ["user", "assistant", "user"]
    assert bodies[0]["temperature"] == 0.5


def test_any_other_model_gets_all_of_it_as_one_text() -> None:
    model = FakeBackend(otherwise="2026")
    ask(model, "which year?", system="Be brief.")
    ask(model, "which year?", system="Be brief.", messages=BEFORE)
    assert model.prompts[0].text == "Be brief.\n\nwhich year?"
    assert model.prompts[1].text.index("hello") < model.prompts[1].text.index("which year?")


def test_another_temperature_or_role_is_another_question(tmp_path: Path) -> None:
    model = FakeBackend(otherwise="2026")
    store = CallStore(tmp_path / "calls.db", utc_now)
    kept = Cached(model, store.calls, model="m", version=lambda: "")
    for temperature in (None, 0.0, 1.0, 1.0):
        ask(kept, "which year?", temperature=temperature)
    ask(kept, "b", system="a")
    ask(kept, "a\n\nb")
    assert len(model.prompts) == 5
    store.close()


def test_an_impossible_role_or_temperature_is_refused() -> None:
    model = FakeBackend(otherwise="2026")
    wrong: Any = (("robot", "hello"),)
    with pytest.raises(ConfigError, match="no role 'robot'"):
        ask(model, "which year?", messages=wrong)
    with pytest.raises(ConfigError, match="temperature of 3"):
        ask(model, "which year?", temperature=3)
    assert not model.prompts
