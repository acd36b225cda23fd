import pytest

from skillopt_sleep.cli.init_asked import Given, taken
from skillopt_sleep.cli.init_offers import Offer
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import BackendSettings, Settings

CLAUDE, CODEX = Offer("claude", ready=False, says="no login"), Offer("codex", ready=True, says="a login")
OPENAI = Offer("openai", ready=True, says="a key")


def test_the_agent_that_is_logged_in_is_taken_and_never_an_api() -> None:
    assert taken(Given(), (CLAUDE, CODEX, OPENAI), Settings())["backend"] == {"name": "codex", "confirmed": False}
    assert taken(Given(), (CLAUDE, OPENAI), Settings())["backend"] == {"name": ""}


def test_naming_a_backend_is_consent() -> None:
    assert taken(Given(backend="claude"), (CLAUDE,), Settings())["backend"] == {"name": "claude", "confirmed": True}


def test_what_was_set_up_before_stays_with_its_consent() -> None:
    before = Settings(backend=BackendSettings(name="claude", confirmed=True))
    assert taken(Given(), (CODEX,), before) == {"backend": {"name": "claude"}}


def test_another_address_needs_a_consent_of_its_own() -> None:
    before = Settings(backend=BackendSettings(name="openai", model="m", confirmed=True))
    assert taken(Given(base_url="https://elsewhere.example"), (), before)["backend"]["confirmed"] is False


def test_an_api_keeps_the_model_it_had_and_needs_one_where_it_had_none() -> None:
    before = Settings(backend=BackendSettings(name="openai", model="m"))
    assert taken(Given(backend="openai"), (), before)["backend"] == {"name": "openai", "confirmed": True}
    with pytest.raises(ConfigError, match="needs a model"):
        taken(Given(backend="anthropic"), (), before)
