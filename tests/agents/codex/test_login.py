import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.agents.codex.login import account, key_env
from skillopt_sleep.protocols.program import Login, Setup

HERE = Setup()
EXPIRES = datetime(2026, 12, 1, 8, 30, tzinfo=UTC)
ABOUT = {"https://api.openai.com/auth": {"chatgpt_plan_type": "plus", "chatgpt_account_id": "acc-1"}}


def jwt(**claims: object) -> str:
    parts = ({"alg": "RS256"}, claims, "signature")
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def subscription(**tokens: object) -> dict[str, Any]:
    held = {"id_token": jwt(email="someone@example.com", **ABOUT), "access_token": jwt(exp=int(EXPIRES.timestamp()))}
    held |= {"refresh_token": "the-secret", "account_id": "acc-1"} | tokens
    return {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": held, "last_refresh": "2026-01-01T00:00:00Z"}


def read(auth: object, **environ: str) -> Login:
    return account({"auth.json": auth if isinstance(auth, bytes) else json.dumps(auth).encode()}, environ, HERE)


def test_a_subscription_is_handed_on_without_what_would_renew_it() -> None:
    found = read(subscription())
    assert (found.how, found.subscription, found.expires, found.problem) == ("ChatGPT plus", True, EXPIRES, "")
    assert list(found.files) == ["auth.json"]
    assert b"the-secret" not in found.files["auth.json"]
    kept = json.loads(found.files["auth.json"])
    # The program takes a file without the field for no login at all, and one without the date likewise.
    assert kept["tokens"]["refresh_token"] == ""
    assert kept["last_refresh"] == "2999-01-01T00:00:00Z"
    assert kept["tokens"]["access_token"] == subscription()["tokens"]["access_token"]
    assert kept["tokens"]["account_id"] == "acc-1"


def test_a_subscription_of_an_older_version_has_no_mode() -> None:
    auth = subscription()
    del auth["auth_mode"], auth["OPENAI_API_KEY"], auth["last_refresh"]
    assert read(auth).subscription


@pytest.mark.parametrize(
    "token",
    ["opaque", "a.b.c", "a.!!!.c", "é.é.é", jwt(exp="soon"), jwt(exp=1e300), jwt(exp=None), jwt(), "a.W10.c", "a..c"],
)
def test_a_token_that_tells_no_end_has_none(token: str) -> None:
    found = read(subscription(access_token=token, id_token=token))
    assert (found.how, found.expires, found.subscription) == ("ChatGPT", None, True)


def test_a_key_in_the_file_is_handed_on() -> None:
    for auth in ({"OPENAI_API_KEY": "sk-1"}, {"auth_mode": "apikey", "OPENAI_API_KEY": "sk-1", "tokens": None}):
        found = read(auth)
        assert json.loads(found.files["auth.json"]) == {"auth_mode": "apikey", "OPENAI_API_KEY": "sk-1"}
        assert (found.how, found.subscription) == ("key in codex's auth.json", False)


def test_a_key_in_the_file_beside_a_subscription_is_what_the_mode_says() -> None:
    both = subscription() | {"OPENAI_API_KEY": "sk-1"}
    assert read(both).subscription
    assert b"sk-1" not in read(both).files["auth.json"]
    del both["auth_mode"]
    assert not read(both).subscription


@pytest.mark.parametrize(
    "auth",
    [
        b"",
        b"{nope",
        b"\xff",
        b"[" * 100_000,
        [],
        {},
        {"OPENAI_API_KEY": ""},
        {"auth_mode": "apikey"},
        {"auth_mode": "chatgpt", "tokens": None},
        {"auth_mode": "hologram", "tokens": None},
        {"tokens": {"id_token": "x"}},
        subscription(access_token=""),
        subscription(access_token=None),
    ],
)
def test_a_file_without_a_login_says_so(auth: object) -> None:
    found = read(auth)
    assert "auth.json" in found.problem
    assert found.remedy == "run: codex login"
    assert not found.files


def test_without_a_file_there_is_no_login() -> None:
    found = account({}, {}, HERE)
    assert found.problem == "codex is not logged in: it has no auth.json"
    assert found.remedy.startswith("run: codex login")


def test_the_program_does_not_look_at_the_openai_key_by_itself() -> None:
    found = account({}, {"OPENAI_API_KEY": "sk-1"}, HERE)
    assert "OPENAI_API_KEY" in found.problem
    assert 'backend.api_key_env = "OPENAI_API_KEY"' in found.remedy


CORP = """
model_provider = "corp"
[model_providers.corp]
name = "Corp"
base_url = "https://llm.corp.example/v1"
env_key = "CORP_KEY"
"""


@pytest.mark.parametrize(
    ("config", "problem", "remedy"),
    [
        (CORP, "provider corp", "the base_url and env_key of [model_providers.corp]"),
        ('model_provider = "ollama"', "provider ollama", "set backend.base_url and backend.api_key_env"),
        ('model_provider = "openai"', "not logged in", "codex login"),
        ("[", "not logged in", "codex login"),
    ],
)
def test_a_provider_of_its_own_is_told_with_what_to_set(config: str, problem: str, remedy: str) -> None:
    for environ in ({}, {"OPENAI_API_KEY": "sk-1"}):
        found = account({"config.toml": config.encode()}, environ, HERE)
        assert problem in found.problem
        assert remedy in found.remedy


def test_its_own_variable_goes_before_the_file() -> None:
    found = read(subscription(), CODEX_API_KEY="sk-2", OPENAI_API_KEY="sk-1")
    assert found == Login({}, how="key in CODEX_API_KEY")


@pytest.mark.parametrize(
    ("setup", "name"),
    [
        (Setup(key_env="MY_KEY"), "MY_KEY"),
        (Setup(key_env="MY_KEY", base_url="http://127.0.0.1:1/v1"), "MY_KEY"),
        (Setup(base_url="http://127.0.0.1:1/v1"), "OPENAI_API_KEY"),
    ],
)
def test_a_key_the_setup_asks_for_is_the_only_login(setup: Setup, name: str) -> None:
    assert key_env(setup) == name
    auth = json.dumps(subscription()).encode()
    assert account({"auth.json": auth}, {name: "sk-3"}, setup) == Login({}, how=f"key in {name}")
    for environ in ({}, {name: ""}, {"CODEX_API_KEY": "sk-2"}):
        found = account({"auth.json": auth}, environ, setup)
        assert (found.problem, found.remedy, found.files) == (f"{name} is not set", f"export {name}=…", {})


def test_no_key_is_ever_told() -> None:
    for found in (read({"OPENAI_API_KEY": "sk-1"}), read(subscription()), read({}, CODEX_API_KEY="sk-2")):
        assert not any(secret in f"{found.how}{found.problem}{found.remedy}" for secret in ("sk-", "eyJ"))


@given(st.binary(max_size=200))
def test_whatever_is_in_the_file_there_is_an_account_or_a_problem(data: bytes) -> None:
    found = read(data)
    assert bool(found.files) != bool(found.problem)


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_the_tokens_are_they_are_handed_on(one: str, two: str) -> None:
    found = read(subscription(id_token=one, access_token=f"x{two}"))
    assert json.loads(found.files["auth.json"])["tokens"]["id_token"] == one
