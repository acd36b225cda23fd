"""Which login is found, and that nothing which could renew or end it is handed on."""

import json
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.agents.claude_code.login import PASSED, find_login
from skillopt_sleep.protocols.program import Login, Setup
from tests.agents.claude_outcomes import CREDENTIALS

FILE = {".credentials.json": json.dumps(CREDENTIALS).encode()}


def found(files: dict[str, bytes], environ: dict[str, str] | None = None, **setup: Any) -> Login:
    return find_login(files, environ or {}, Setup(**setup))


def laid(account: Login, name: str) -> Any:
    return json.loads(account.files[name])


def test_a_subscription_is_handed_on_without_what_renews_it() -> None:
    account = found(FILE)

    assert laid(account, ".credentials.json") == {
        "claudeAiOauth": {
            "accessToken": "sk-ant-oat01-made-up",
            "scopes": ["user:inference"],
            "expiresAt": 4102444800000,
            "subscriptionType": "max",
        }
    }
    assert account.subscription
    assert account.expires == datetime(2100, 1, 1, tzinfo=UTC)
    assert "max" in account.how
    assert not account.problem


def test_a_login_that_may_not_ask_is_none() -> None:
    oauth = {"accessToken": "x", "scopes": ["org:create_api_key"]}

    assert found({".credentials.json": json.dumps({"claudeAiOauth": oauth}).encode()}).problem


@pytest.mark.parametrize("environ", [{}, {"CLAUDE_CONFIG_DIR": "/somewhere"}])
def test_the_key_of_a_console_login_is_found_where_the_program_has_it(environ: dict[str, str]) -> None:
    config = json.dumps({"primaryApiKey": "sk-1", "projects": {"/home/me": {"history": ["secret"]}}}).encode()
    here, elsewhere = (".claude.json", "../.claude.json") if environ else ("../.claude.json", ".claude.json")

    account = found({here: config}, environ)
    assert laid(account, ".claude.json") == {"primaryApiKey": "sk-1"}
    assert not account.subscription
    assert found({elsewhere: config}, environ).problem


@pytest.mark.parametrize(
    ("name", "subscription"),
    [("ANTHROPIC_API_KEY", False), ("ANTHROPIC_AUTH_TOKEN", False), ("CLAUDE_CODE_OAUTH_TOKEN", True)],
)
def test_a_variable_comes_before_the_files(name: str, subscription: bool) -> None:
    account = found(FILE, {name: "value"})

    assert account.files == {}
    assert name in account.how
    assert account.subscription is subscription
    assert "value" not in account.how


def test_an_empty_variable_is_none() -> None:
    assert ".credentials.json" in found(FILE, {"ANTHROPIC_API_KEY": ""}).files


@pytest.mark.parametrize("switch", ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"])
def test_another_provider_comes_first(switch: str) -> None:
    assert switch in found(FILE, {switch: "1", "ANTHROPIC_API_KEY": "x"}).how
    assert switch not in found(FILE, {switch: "0"}).how


def test_a_named_variable_is_the_only_login() -> None:
    assert found(FILE, {"MY_KEY": "x"}, key_env="MY_KEY").how == "the key in MY_KEY"
    assert found(FILE, {"MY_KEY": "x"}, key_env="MY_KEY").files == {}
    assert found(FILE, {}, key_env="MY_KEY").problem == "MY_KEY is not set"
    assert found(FILE, {"ANTHROPIC_API_KEY": "x"}, key_env="MY_KEY").problem


@pytest.mark.parametrize(
    ("environ", "settings", "setup", "address"),
    [
        ({}, {}, {}, ""),
        ({"ANTHROPIC_BASE_URL": "http://gate"}, {}, {}, "http://gate"),
        ({"ANTHROPIC_BASE_URL": "http://gate"}, {"ANTHROPIC_BASE_URL": "http://own"}, {}, "http://own"),
        ({"MY": "k"}, {"ANTHROPIC_BASE_URL": "http://own"}, {"key_env": "MY"}, ""),
        ({"MY": "k", "ANTHROPIC_BASE_URL": "http://gate"}, {}, {"key_env": "MY"}, "http://gate"),
        ({"CLAUDE_CODE_USE_BEDROCK": "1"}, {}, {}, "Amazon Bedrock (CLAUDE_CODE_USE_BEDROCK)"),
    ],
)
def test_it_says_where_the_program_sends_to(
    environ: dict[str, str], settings: dict[str, str], setup: dict[str, str], address: str
) -> None:
    files = FILE | {"settings.json": json.dumps({"env": settings}).encode()}
    assert found(files, environ, **setup).address == address


def test_a_login_in_the_settings_is_handed_on_and_nothing_else_of_them() -> None:
    env = {"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "http://gateway", "EDITOR": "vi", "AWS_REGION": 1}
    settings = {"env": env, "hooks": {"Stop": []}, "apiKeyHelper": "rm -rf ~"}
    files = {"settings.json": json.dumps(settings).encode()}

    account = found(files)
    assert laid(account, "settings.json") == {
        "env": {"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "http://gateway", "AWS_REGION": "1"}
    }
    assert account.how == "the key in ANTHROPIC_AUTH_TOKEN"
    assert laid(found(files, base_url="http://mine"), "settings.json")["env"].keys() == {
        "ANTHROPIC_AUTH_TOKEN",
        "AWS_REGION",
    }


def test_without_a_login_it_says_what_to_do_on_this_machine() -> None:
    account = found({}, {"PATH": "/bin"})

    assert "no login found" in account.problem
    assert ("setup-token" if sys.platform == "darwin" else "claude, then /login") in account.remedy


@given(st.dictionaries(st.sampled_from([".credentials.json", "settings.json", "../.claude.json"]), st.binary()))
def test_damaged_files_hold_no_login(files: dict[str, bytes]) -> None:
    assert found(files).problem


def test_only_what_belongs_to_logins_and_endpoints_is_passed() -> None:
    prefixes = ("ANTHROPIC_", "AWS_", "AZURE_", "CLAUDE_CODE_", "CLOUD_ML_", "GCLOUD_", "GOOGLE_")

    assert all(name.startswith(prefixes) for name in PASSED)
    assert "CLAUDE_CODE_OAUTH_REFRESH_TOKEN" not in PASSED
