"""Settings to models: who plays which role, how `auto` chooses, and what is refused before anything is asked."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from skillopt_sleep.backends.anthropic import AnthropicBackend
from skillopt_sleep.backends.cli import CliBackend
from skillopt_sleep.backends.handoff import HandoffBackend
from skillopt_sleep.backends.openai import OpenAIBackend, OpenAIResponses
from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError, Exit, FailureKind
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.protocols.models import Model
from skillopt_sleep.settings import BackendSettings, RoleSettings, Settings
from skillopt_sleep.wiring.models import RoleModels, choose, make_model, of_role
from tests.builders import a_prompt
from tests.doctor.machine import KEY, Machine, script

LATER = datetime(2099, 1, 1, tzinfo=UTC)
LOCAL = "http://127.0.0.1:9/v1"
AZURE: dict[str, Any] = {"base_url": "http://127.0.0.1:9", "api_version": "2025-04-01-preview"}
BACKEND = BackendSettings(
    name="openai",
    model="m-1",
    base_url=LOCAL,
    api_key_env="MY_KEY",
    api="responses",
    program="/opt/agent",
    timeout="7s",
    confirmed=True,
)


def chosen(
    machine: Machine,
    backend: BackendSettings,
    *,
    target: RoleSettings | None = None,
    judge: RoleSettings | None = None,
) -> RoleModels:
    settings = Settings(backend=backend, target=target or RoleSettings(), judge=judge or RoleSettings())
    return choose(settings, machine.paths, machine.environ)


def made(machine: Machine, **backend: Any) -> Model:
    return make_model(BackendSettings(**backend), machine.paths, machine.environ)


def auto(machine: Machine, **backend: Any) -> RoleModels:
    return chosen(machine, BackendSettings(name="auto", **backend))


def logged_in_to_codex(machine: Machine) -> None:
    machine.write(machine.home / ".codex" / "auth.json", json.dumps({"OPENAI_API_KEY": KEY}))


# Roles.


def test_a_role_that_says_nothing_is_as_the_backend() -> None:
    assert of_role(BACKEND, RoleSettings()) == BACKEND


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", "m-2"),
        ("base_url", "http://127.0.0.1:10/v1"),
        ("api_key_env", "OTHER_KEY"),
    ],
)
def test_a_role_inherits_what_it_does_not_say(key: str, value: str) -> None:
    for name in ("", "openai"):
        wanted = of_role(BACKEND, RoleSettings(**{"name": name, key: value}))  # pyright: ignore[reportArgumentType]
        assert getattr(wanted, key) == value
        assert [
            other for other in BACKEND.__struct_fields__ if getattr(wanted, other) != getattr(BACKEND, other)
        ] == [key]


def test_another_backend_of_openais_kind_is_asked_as_the_settings_say() -> None:
    wanted = of_role(BackendSettings(name="claude", api="responses"), RoleSettings(name="openai", model="m"))
    assert wanted.api == "responses"


def test_a_role_of_another_backend_inherits_only_what_is_the_users() -> None:
    wanted = of_role(BACKEND, RoleSettings(name="anthropic", model="m-2"))

    # An address or a key that belongs to one provider is never sent to another.
    assert wanted == BackendSettings(name="anthropic", model="m-2", api="responses", timeout="7s", confirmed=True)


@pytest.mark.parametrize(("name", "limit"), [("anthropic", 500), ("codex", 0), ("auto", 0), ("handoff", 0)])
def test_the_limit_of_an_answer_holds_for_every_backend_that_can_keep_it(name: Any, limit: int) -> None:
    backend = BackendSettings(name="openai", model="m", max_output_tokens=500)

    assert of_role(backend, RoleSettings(name=name)).max_output_tokens == limit
    assert of_role(backend, RoleSettings(model="m-2")).max_output_tokens == 500


def test_without_roles_there_is_one_model(machine: Machine) -> None:
    found = chosen(machine, BackendSettings(name="openai", model="m-1", base_url=LOCAL))

    assert found.optimizer is found.target is found.judge
    assert found.shown == f"m-1@{LOCAL}"
    assert not found.why


def test_roles_may_be_different_backends_and_models(machine: Machine) -> None:
    machine.has_claude()
    found = chosen(
        machine,
        BackendSettings(name="openai", model="m-1", base_url=LOCAL),
        target=RoleSettings(name="claude"),
        judge=RoleSettings(model="m-2"),
    )

    assert found.shown == f"optimizer m-1@{LOCAL}, target claude:default (2.1.332), judge m-2@{LOCAL}"
    assert isinstance(found.target, CliBackend)


def test_two_roles_may_share_a_model(machine: Machine) -> None:
    found = chosen(machine, BackendSettings(name="simulated"), target=RoleSettings(name="handoff"))

    assert found.optimizer is found.judge
    assert found.shown == "optimizer simulated, target handoff, judge simulated"


def test_all_roles_that_answer_by_files_share_the_folder(machine: Machine) -> None:
    found = chosen(
        machine,
        BackendSettings(name="handoff", model="mine"),
        target=RoleSettings(name="handoff", model="yours"),
        judge=RoleSettings(name="simulated"),
    )
    assert found.optimizer is found.target
    assert found.judge is not found.target


@pytest.mark.parametrize("role", ["target", "judge"])
def test_a_role_that_can_not_be_had_is_refused(machine: Machine, role: str) -> None:
    roles: Any = {role: RoleSettings(name="openai", model="m")}
    with pytest.raises(BackendUnavailable, match="OPENAI_API_KEY is not set") as caught:
        chosen(machine, BackendSettings(name="simulated"), **roles)
    assert caught.value.exit_code is Exit.LOGIN


# Auto.


def test_auto_takes_the_agent_that_is_logged_in_and_says_why(machine: Machine) -> None:
    machine.has_claude()
    machine.logged_in_to_claude(LATER)

    found = auto(machine)

    assert found.optimizer is found.target is found.judge
    assert found.shown == "claude:default (2.1.332) (auto: a max subscription, in .credentials.json)"
    assert isinstance(found.optimizer, CliBackend)


def test_auto_says_what_it_passed_over_and_why(machine: Machine) -> None:
    machine.has_claude()
    machine.has_codex()
    logged_in_to_codex(machine)

    shown = auto(machine).shown

    assert shown.startswith("codex:default (0.171.0) (auto: key in codex's auth.json (claude: no login found")
    assert shown.count("auto:") == 1


def test_auto_passes_over_an_agent_that_is_not_installed(machine: Machine) -> None:
    machine.logged_in_to_claude(LATER)
    machine.has_codex()
    logged_in_to_codex(machine)

    assert auto(machine).shown.startswith(
        "codex:default (0.171.0) (auto: key in codex's auth.json (claude: not installed"
    )


def test_auto_takes_claude_where_both_are_logged_in(machine: Machine) -> None:
    machine.has_claude()
    machine.has_codex()
    machine.logged_in_to_claude(LATER)
    logged_in_to_codex(machine)

    assert auto(machine).shown.startswith("claude:default (2.1.332) (auto: ")


def test_auto_takes_a_key_in_the_environment_for_a_login(machine: Machine) -> None:
    machine.has_claude()
    machine.has_codex()
    machine.environ |= {"CODEX_API_KEY": KEY}

    shown = auto(machine).shown

    assert shown.startswith("codex:default (0.171.0) (auto: key in CODEX_API_KEY (claude: ")
    assert KEY not in shown


def test_auto_asks_the_model_that_is_named(machine: Machine) -> None:
    machine.has_claude()
    machine.logged_in_to_claude(LATER)

    assert auto(machine, model="m-1").optimizer.name == "claude:m-1"


def test_auto_may_be_for_one_role(machine: Machine) -> None:
    machine.has_claude()
    machine.logged_in_to_claude(LATER)

    found = chosen(machine, BackendSettings(name="simulated"), target=RoleSettings(name="auto"))

    why = "auto: a max subscription, in .credentials.json"
    assert found.shown == f"optimizer simulated, target claude:default (2.1.332), judge simulated ({why})"


def test_auto_does_not_start_a_program_nor_write(machine: Machine) -> None:
    machine.has_claude(says="'; touch started; echo '")
    machine.logged_in_to_claude(LATER)
    before = machine.files()

    auto(machine)

    assert machine.files() == before


def test_auto_without_an_agent_names_the_problem_of_each(machine: Machine) -> None:
    machine.has_claude()
    logged_in_to_codex(machine)

    with pytest.raises(BackendUnavailable) as caught:
        auto(machine)

    assert "claude: no login found" in caught.value.message
    assert "codex: not installed" in caught.value.message
    assert "log in" in caught.value.remedy
    assert caught.value.exit_code is Exit.LOGIN


def test_auto_where_no_agent_is_installed_says_that_and_nothing_of_logins(machine: Machine) -> None:
    with pytest.raises(BackendUnavailable) as caught:
        auto(machine)
    assert caught.value.message.count("not installed") == 2
    assert "login" not in caught.value.message
    assert "install claude or codex" in caught.value.remedy


def test_auto_that_comes_to_what_another_role_names_is_the_same_model(machine: Machine) -> None:
    machine.has_claude()
    machine.logged_in_to_claude(LATER)

    found = chosen(machine, BackendSettings(name="auto"), target=RoleSettings(name="claude"))

    assert found.optimizer is found.target


def test_a_program_is_asked_for_its_version_once_for_all_roles(machine: Machine) -> None:
    asked = machine.folder / "asked"
    machine.has_claude(says=f"2.1.332 (Claude Code)' && echo asked >>'{asked}")
    machine.logged_in_to_claude(LATER)

    found = auto(machine)

    assert "(2.1.332)" in found.shown
    assert {model.version for model in found[:3]} == {"2.1.332"}
    assert asked.read_text() == "asked\n"


def test_a_program_without_a_version_is_shown_by_its_name(machine: Machine) -> None:
    machine.has_claude(says="garbage")
    machine.logged_in_to_claude(LATER)

    assert auto(machine).shown.startswith("claude:default (auto: ")


# Every backend by its name.


@pytest.mark.parametrize(
    ("kind", "name", "backend"),
    [
        (SimulatedBackend, "simulated", {"name": "simulated"}),
        (HandoffBackend, "handoff", {"name": "handoff"}),
        (CliBackend, "claude:default", {"name": "claude"}),
        (CliBackend, "claude:m", {"name": "claude", "model": "m"}),
        (CliBackend, "codex:default", {"name": "codex"}),
        (CliBackend, f"codex:m@{LOCAL}", {"name": "codex", "model": "m", "base_url": LOCAL}),
        (OpenAIBackend, "openai:m", {"name": "openai", "model": "m", "api_key_env": "MY_KEY"}),
        (OpenAIBackend, f"m@{LOCAL}", {"name": "openai", "model": "m", "base_url": LOCAL}),
        (OpenAIResponses, "openai:m", {"name": "openai", "model": "m", "api_key_env": "MY_KEY", "api": "responses"}),
        (
            OpenAIBackend,
            "azure:m@http://127.0.0.1:9",
            {"name": "azure", "model": "m", "api_key_env": "MY_KEY", **AZURE},
        ),
        (
            OpenAIResponses,
            "azure:m@http://127.0.0.1:9",
            {"name": "azure", "model": "m", "api_key_env": "MY_KEY", "api": "responses", **AZURE},
        ),
        (AnthropicBackend, "anthropic:m", {"name": "anthropic", "model": "m", "api_key_env": "MY_KEY"}),
        (
            AnthropicBackend,
            "anthropic:m@http://127.0.0.1:9",
            {"name": "anthropic", "model": "m", "base_url": "http://127.0.0.1:9"},
        ),
    ],
)
def test_every_backend_is_made_by_its_name(machine: Machine, kind: type, name: str, backend: dict[str, Any]) -> None:
    machine.environ |= {"MY_KEY": KEY}
    model = made(machine, **backend)

    assert type(model) is kind
    assert model.name == name


def test_answers_are_kept_apart_by_backend_model_and_address(machine: Machine) -> None:
    names = [
        made(machine, name=name, model=model, base_url=base_url).name
        for name in ("openai", "anthropic", "claude", "codex")
        for model in ("m-1", "m-2")
        for base_url in (LOCAL, "http://127.0.0.1:10/v1")
    ]
    assert len({*names}) == len(names)


@pytest.mark.parametrize(
    ("name", "key_env"),
    [("openai", "OPENAI_API_KEY"), ("azure", "AZURE_OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")],
)
def test_the_providers_usual_variable_holds_the_key(machine: Machine, name: str, key_env: str) -> None:
    backend = {"name": name, "model": "m", **(AZURE if name == "azure" else {})}

    with pytest.raises(BackendUnavailable, match=key_env) as caught:
        made(machine, **backend)
    assert caught.value.exit_code is Exit.LOGIN

    machine.environ |= {key_env: KEY}
    assert made(machine, **backend).name.startswith(f"{name}:m")


def test_a_key_that_is_named_is_the_only_one(machine: Machine) -> None:
    machine.environ |= {"OPENAI_API_KEY": KEY}

    with pytest.raises(BackendUnavailable, match="MY_KEY is not set"):
        made(machine, name="openai", model="m", api_key_env="MY_KEY")


def test_azure_takes_an_entra_token_instead_of_a_key(machine: Machine) -> None:
    machine.environ |= {"AZURE_OPENAI_AD_TOKEN": KEY}
    assert made(machine, name="azure", model="m", **AZURE).name == "azure:m@http://127.0.0.1:9"


@pytest.mark.parametrize("missing", ["base_url", "api_version"])
def test_azure_has_no_address_and_no_version_of_its_own(machine: Machine, missing: str) -> None:
    machine.environ |= {"AZURE_OPENAI_API_KEY": KEY}

    with pytest.raises(ConfigError) as caught:
        made(machine, name="azure", model="m", **{**AZURE, missing: ""})
    assert f"backend.{missing}" in caught.value.remedy


@pytest.mark.parametrize("name", ["openai", "azure", "anthropic"])
def test_an_api_needs_the_name_of_a_model(machine: Machine, name: str) -> None:
    with pytest.raises(ConfigError, match="no model is named") as caught:
        made(machine, name=name)
    assert "--model" in caught.value.remedy
    assert caught.value.exit_code is Exit.USAGE


@pytest.mark.parametrize("name", ["openai", "azure", "anthropic", "claude", "codex"])
@pytest.mark.parametrize(
    "base_url",
    ["localhost:11434", "ftp://host/v1", "http://", "http://host:port", "http://host:99999", "http://[::1", "/v1"],
)
def test_what_is_no_address_is_refused(machine: Machine, name: str, base_url: str) -> None:
    with pytest.raises(ConfigError, match="isn't an address") as caught:
        made(machine, name=name, model="m", base_url=base_url)
    assert "http://" in caught.value.remedy


def test_without_a_name_nothing_is_made(machine: Machine) -> None:
    with pytest.raises(ConfigError, match="no backend is named") as caught:
        made(machine)
    assert "--backend auto" in caught.value.remedy


def test_no_backend_is_asked_or_started_when_it_is_made(machine: Machine) -> None:
    machine.has_claude(says="'; touch started; echo '")
    before = machine.files()
    for backend in ({"name": "claude"}, {"name": "codex"}, {"name": "handoff"}, {"name": "simulated"}):
        made(machine, **backend)
    assert machine.files() == before


# An agent as it is set up.


def test_an_agent_is_ended_after_the_time_of_the_settings(machine: Machine) -> None:
    machine.environ |= {"ANTHROPIC_API_KEY": KEY}
    script(machine.bin / "claude", "sleep 600")

    with pytest.raises(CallFailed) as caught:
        made(machine, name="claude", timeout="2s").complete(a_prompt("hello"))

    assert caught.value.kind is FailureKind.TIMED_OUT


def test_an_agent_is_asked_as_the_settings_say(machine: Machine) -> None:
    machine.environ |= {"MY_KEY": KEY}
    elsewhere = machine.folder / "elsewhere"
    (machine.bin / "claude").write_text("not this one")
    machine.has_claude()
    (machine.bin / "claude").rename(elsewhere)

    model = made(machine, name="claude", program=str(elsewhere), api_key_env="MY_KEY", timeout="5s")

    assert isinstance(model, CliBackend)
    assert model.program == str(elsewhere)
    assert model.version == "2.1.332"
    assert model.account.how == "the key in MY_KEY"
    assert model.ready(LATER) is False
    assert (machine.paths.data / "replays").is_dir()
    assert not list((machine.paths.data / "replays").iterdir())


@pytest.mark.parametrize("name", ["codex", "handoff", "simulated"])
def test_a_backend_that_can_not_be_told_how_long_an_answer_may_be_is_refused(machine: Machine, name: str) -> None:
    with pytest.raises(ConfigError, match=name) as refused:
        made(machine, name=name, max_output_tokens=100)
    assert "backend.max_output_tokens" in refused.value.remedy


@pytest.mark.parametrize(("name", "title"), [("claude", "Claude Code"), ("codex", "Codex"), ("simulated", "")])
def test_it_is_known_which_agents_program_makes_the_attempts(machine: Machine, name: Any, title: str) -> None:
    assert chosen(machine, BackendSettings(name=name)).trying_agent == title
