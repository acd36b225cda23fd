from collections.abc import Iterator

import pytest

from skillopt_sleep.backends.openai import Azure, OpenAIBackend, OpenAIResponses
from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError, Exit, FailureKind
from skillopt_sleep.learning.select import SelectReply
from skillopt_sleep.prompts import fill
from skillopt_sleep.records import Purpose, Usage
from tests.builders import a_prompt
from tests.fakes import NOON
from tests.server import ModelServer

VERSION = "2025-04-01-preview"
SELECT = a_prompt(
    fill("select", budget="1", document="None.", tried="None.", notes="None.", edits="0. a\n1. b"),
    purpose=Purpose.SELECT,
    schema=SelectReply,
)
APIS = pytest.mark.parametrize("api", [OpenAIBackend, OpenAIResponses], ids=["chat", "responses"])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def _backend(
    api: type[OpenAIBackend],
    url: str,
    *,
    key: str = "azure-key",
    token: str = "",
    version: str = VERSION,
    most: int = 0,
) -> OpenAIBackend:
    azure = Azure(api_version=version, ad_token=token)
    return api(
        model="our-gpt",
        base_url=url,
        api_key=key,
        api_key_env="AZURE_KEY",
        timeout=5,
        azure=azure,
        max_output_tokens=most,
    )


@APIS
def test_a_deployment_is_asked_with_the_resources_key(api: type[OpenAIBackend], server: ModelServer) -> None:
    completion = _backend(api, server.root_url).complete(SELECT)
    assert completion.structured == SelectReply(selected_indices=(0,))
    assert completion.usage == Usage(input_tokens=100, output_tokens=20, cached_tokens=10)
    (asked,) = server.requests
    assert asked.body["model"] == "our-gpt"
    assert asked.headers["Api-Key"] == "azure-key"
    assert "Authorization" not in asked.headers


@APIS
def test_without_a_key_the_entra_token_is_sent(api: type[OpenAIBackend], server: ModelServer) -> None:
    assert _backend(api, server.root_url, key="", token="entra-token").complete(SELECT).structured
    assert server.requests[0].headers["Authorization"] == "Bearer entra-token"
    assert "Api-Key" not in server.requests[0].headers


@APIS
def test_a_deployment_is_told_how_long_an_answer_may_be(api: type[OpenAIBackend], server: ModelServer) -> None:
    _backend(api, server.root_url, most=77).complete(SELECT)
    sent = server.requests[0].body
    assert {name: tokens for name, tokens in sent.items() if name.startswith("max_")} == {
        "max_output_tokens" if api is OpenAIResponses else "max_completion_tokens": 77
    }


@APIS
def test_with_both_the_key_is_used(api: type[OpenAIBackend], server: ModelServer) -> None:
    assert _backend(api, server.root_url, token="entra-token").complete(SELECT).structured
    assert server.requests[0].headers["Api-Key"] == "azure-key"


def test_a_token_that_is_refused_is_named(server: ModelServer) -> None:
    server.behaviour = "unauthorized"
    with pytest.raises(CallFailed) as caught:
        _backend(OpenAIBackend, server.root_url, key="", token="entra-token").complete(a_prompt())
    assert caught.value.kind is FailureKind.LOGIN
    assert "AZURE_OPENAI_AD_TOKEN" in caught.value.remedy


def test_a_deployment_can_not_be_looked_up(server: ModelServer) -> None:
    server.behaviour = "unauthorized"
    assert _backend(OpenAIBackend, server.root_url).ready(NOON) is False
    assert server.requests == []


def test_a_deployment_goes_by_its_name_and_resource() -> None:
    backend = _backend(OpenAIBackend, "https://ada.openai.azure.com/")
    assert backend.name == "azure:our-gpt@https://ada.openai.azure.com"
    assert backend.price("any", Usage(input_tokens=1)) is None


def test_a_deployment_named_like_its_model_has_the_models_price_on_azure() -> None:
    azure = Azure(api_version=VERSION)
    url = "https://ada.openai.azure.com"
    backend = OpenAIBackend(model="gpt-5", base_url=url, api_key="k", api_key_env="K", timeout=5, azure=azure)
    assert backend.price("any", Usage(input_tokens=1_000_000)) == pytest.approx(1.25)


def test_azure_has_no_address_of_its_own() -> None:
    with pytest.raises(ConfigError, match="address") as caught:
        _backend(OpenAIBackend, "")
    assert "backend.base_url" in caught.value.remedy


def test_azure_wants_the_version_of_its_api() -> None:
    with pytest.raises(ConfigError, match="version") as caught:
        _backend(OpenAIBackend, "https://ada.openai.azure.com", version="")
    assert "backend.api_version" in caught.value.remedy


def test_without_key_and_token_a_login_is_needed() -> None:
    with pytest.raises(BackendUnavailable, match="neither AZURE_KEY nor AZURE_OPENAI_AD_TOKEN is set") as caught:
        _backend(OpenAIBackend, "https://ada.openai.azure.com", key="")
    assert caught.value.exit_code is Exit.LOGIN


def test_nothing_of_the_environment_takes_the_place_of_what_was_named(
    monkeypatch: pytest.MonkeyPatch, server: ModelServer
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "another-token")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "another-key")
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_VERSION", "another-version")
    assert _backend(OpenAIBackend, server.root_url).complete(SELECT).structured
    assert server.requests[0].headers["Api-Key"] == "azure-key"
    assert "Authorization" not in server.requests[0].headers
