import re
from html import escape
from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError, UnsafeEdit
from skillopt_sleep.settings import find_paths, load
from skillopt_sleep.web.pages.settings import all_settings, proposed
from tests.command import Home
from tests.web.dashboard import Dashboard, Reply, entered, visible_text

SEEN = re.compile(r'name="seen" value="([0-9a-f]+)"')
TOKEN = re.compile(r'name="form_token" value="([^"]+)"')


def config_of(home: Home) -> Path:
    return home.folder / "sleep" / "config.toml"


def ask(dashboard: Dashboard, key: str, value: str) -> Reply:
    return dashboard.post("/settings/ask", {"key": key, "value": value}, shown_on="/settings")


def confirm(dashboard: Dashboard, shown: Reply, key: str, value: str) -> Reply:
    seen = SEEN.search(shown.text)
    assert seen is not None
    fields = {"key": key, "value": value, "seen": seen[1]}
    return dashboard.post("/settings/change", fields, shown_on="/settings")


def test_every_setting_is_shown_with_where_it_comes_from(tmp_path: Path) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    paths.config_file.write_text('# mine\n[daemon]\nat = "03:00"\n', encoding="utf-8")
    view = all_settings(load(paths), paths)
    found = {setting.key: setting for section in view.sections for setting in section.settings}
    assert (found["daemon.at"].value, found["daemon.at"].origin) == ('"03:00"', "config.toml")
    assert found["budget.calls"].origin == "default"
    assert found["budget.month_usd"].value == "no limit", "nobody has to know what 0 means"
    changeable = {key for key, setting in found.items() if setting.hint}
    assert {key for key in changeable if not key.startswith("budget.")} == {"daemon.at", "bank.keep"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("backend.confirmed", "true"),
        ("backend.name", "openai"),
        ("backend.base_url", "http://evil.com"),
        ("backend.api_key_env", "HOME"),
        ("notify.urls", "json://evil.com"),
        ("replay.sealed", "true"),
        ("guard.allow", "install"),
        ("budget.calls", "301"),
        ("budget.calls", "300"),
        ("budget.usd", "0"),
        ("budget.month_usd", "0"),
        ("nothing.known", "1"),
        ("", ""),
    ],
)
def test_what_sends_spends_or_allows_more_is_never_set_here(tmp_path: Path, key: str, value: str) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    with pytest.raises(UnsafeEdit):
        proposed(load(paths), paths, key=key, typed=value)
    assert not paths.config_file.exists()


@pytest.mark.parametrize(
    ("key", "value"), [("daemon.at", "25:00"), ("bank.keep", "ever"), ("budget.calls", "-3"), ("budget.calls", "few")]
)
def test_a_wrong_value_is_refused_as_the_command_refuses_it(tmp_path: Path, key: str, value: str) -> None:
    paths = find_paths({"SKILLOPT_SLEEP_HOME": str(tmp_path)})
    with pytest.raises(ConfigError):
        proposed(load(paths), paths, key=key, typed=value)


def test_a_change_is_shown_before_it_is_made_and_the_rest_of_the_file_stays(home_after: Home) -> None:
    config_of(home_after).write_text("# my own words\n[budget]\ncalls = 200 # enough\n", encoding="utf-8")
    with entered(home_after) as dashboard:
        shown = ask(dashboard, "budget.calls", "120")
        assert "200 → 120" in visible_text(shown.text)
        assert "200" in config_of(home_after).read_text(encoding="utf-8"), "nothing is changed yet"
        reply = confirm(dashboard, shown, "budget.calls", "120")
        assert reply.status == 303
        assert "budget.calls is 120 now." in dashboard.get(reply.headers["location"]).text
    assert config_of(home_after).read_text(encoding="utf-8") == "# my own words\n[budget]\ncalls = 120 # enough\n"


def test_a_change_that_was_shown_of_another_file_is_shown_anew(home_after: Home) -> None:
    with entered(home_after) as dashboard:
        shown = ask(dashboard, "daemon.at", "03:00")
        config_of(home_after).write_text('[daemon]\nat = "05:00"\n', encoding="utf-8")
        reply = confirm(dashboard, shown, "daemon.at", "03:00")
        assert reply.status == 409
        assert "05:00" in visible_text(reply.text)
        assert "03:00" not in config_of(home_after).read_text(encoding="utf-8")
        assert confirm(dashboard, reply, "daemon.at", "03:00").status == 303
    assert "03:00" in config_of(home_after).read_text(encoding="utf-8")


def test_what_is_not_allowed_is_refused_by_the_server_too(home_after: Home) -> None:
    with entered(home_after) as dashboard:
        reply = ask(dashboard, "backend.confirmed", "true")
        assert reply.status == 409
        assert "can't be changed in the browser" in visible_text(reply.text)
        forced = {"key": "budget.calls", "value": "9999", "seen": "0" * 64}
        assert dashboard.post("/settings/change", forced, shown_on="/settings").status == 409
    assert not config_of(home_after).exists()


@pytest.mark.parametrize(
    ("key", "typed"), [("daemon.at", "25:00"), ("budget.calls", "9999"), ("bank.keep", "<b>ever")]
)
def test_a_wrong_value_is_said_beside_its_field_with_what_was_typed(home_after: Home, key: str, typed: str) -> None:
    with entered(home_after) as dashboard:
        reply = ask(dashboard, key, typed)
    assert reply.status == 400
    field = re.search(r'<input type="text" name="value"[^>]*aria-invalid="true"[^>]*>', reply.text)
    assert field is not None
    assert f'value="{escape(typed)}"' in field[0]
    assert f'aria-describedby="wrong hint-{key}"' in field[0]
    (row,) = [row for row in reply.text.split("<tr>") if 'aria-invalid="true"' in row]
    assert f'name="key" value="{key}"' in row
    assert "<details open>" in row
    assert 'id="wrong" class="careful" role="alert"' in row
    assert visible_text(reply.text).startswith("Settings")
    assert not config_of(home_after).exists()


def test_every_setting_has_a_sentence(dashboard: Dashboard) -> None:
    page = visible_text(dashboard.get("/settings").text)
    for words in (
        "bank.keep What is older than keep is forgotten at the end of a night",
        "api_key_env api_key_env is the variable that holds the key",
        "budget.month_usd A month is limited by month_calls, month_tokens and month_usd.",
        "What may be spent at most: by a night",
    ):
        assert words in page
    assert "`" not in page
