"""With an API as the target, the agent that speaks it acts: with the API's model, address and key, and no other login."""

import json
from pathlib import Path

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.settings import BackendSettings, Settings, find_paths
from skillopt_sleep.wiring.models import make_model
from skillopt_sleep.wiring.sealed import find_actor

KEY = "sk-ant-api03-the-real-key-of-the-user"


def test_an_api_is_asked_with_its_own_key_and_never_with_the_agents_own_login(tmp_path: Path) -> None:
    home = tmp_path / "claude"
    home.mkdir()
    elsewhere = {"ANTHROPIC_BASE_URL": "https://gateway.example", "ANTHROPIC_AUTH_TOKEN": "the-agents-own"}
    (home / "settings.json").write_text(json.dumps({"env": elsewhere}))
    environ = {"CLAUDE_CONFIG_DIR": str(home), "ANTHROPIC_API_KEY": KEY, "CLAUDE_CODE_USE_BEDROCK": "1"}
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    backend = BackendSettings(name="anthropic", model="m")
    actor = find_actor(Settings(backend=backend), make_model(backend, paths, environ), paths, environ)
    way = AGENTS["claude"].acting.way(actor.login_files, actor.environ, actor.program.setup)
    assert (way.address, dict(way.headers)) == ("https://api.anthropic.com", {"x-api-key": KEY})


def test_an_address_that_needs_no_key_is_asked_without_one(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    backend = BackendSettings(name="openai", model="qwen", base_url="http://127.0.0.1:9/v1", api="responses")
    actor = find_actor(Settings(backend=backend), make_model(backend, paths, {}), paths, {})
    way = AGENTS["codex"].acting.way(actor.login_files, actor.environ, actor.program.setup)
    assert (way.problem, way.address) == ("", "http://127.0.0.1:9/v1")
    assert "Bearer not-needed" in way.headers.values()
