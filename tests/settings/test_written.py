import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings.load import typed
from skillopt_sleep.settings.written import changed, remaining, replace_file, split_key

FILE = Path("config.toml")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("budget.calls", "300", 300),
        ("harvest.include_headless", "true", True),
        ("harvest.lookback", "30d", "30d"),
        ("backend.model", "5", "5"),
        ("projects.exclude", '["a"]', ["a"]),
        ("projects.exclude", "a, b", ["a", "b"]),
        ("projects.exclude", "", []),
        ("prices.gpt-5.4", "[0.2, 0.6]", [0.2, 0.6]),
        ("budget.calls", "few", "few"),
    ],
)
def test_a_value_is_typed_as_in_toml_or_as_plain_text(key: str, text: str, value: object) -> None:
    assert typed(key, text) == value


def test_only_the_prices_have_keys_of_the_users_own() -> None:
    assert split_key("prices.gpt-5.4") == ("prices", "gpt-5.4")
    for unknown in ("budget.calls.x", "prices.", "prices"):
        with pytest.raises(ConfigError, match="no setting"):
            split_key(unknown)


@given(st.integers(min_value=1, max_value=10_000))
@settings(deadline=None)  # the first example imports tomlkit
def test_setting_a_value_changes_nothing_else(calls: int) -> None:
    text = "# head\n[budget] # b\ncalls = 1 # c\n\n# end\n[daemon]\nat = '04:17'\n"
    now = changed(text, "budget.calls", str(calls), path=FILE)
    assert now == text.replace("calls = 1 ", f"calls = {calls} ")


def test_a_text_stays_a_text_whatever_it_looks_like() -> None:
    assert tomllib.loads(changed("", "backend.model", "5", path=FILE))["backend"] == {"model": "5"}


def test_a_file_that_is_not_toml_is_to_be_fixed_first() -> None:
    with pytest.raises(ConfigError, match="line 1"):
        changed("[budget\n", "budget.calls", "5", path=FILE)


def test_what_is_still_wrong_is_told() -> None:
    assert remaining("[budget]\ncalls = 3\n", FILE) is None
    left = remaining("[budget]\ncall = 3\n", FILE)
    assert left is not None
    assert "config.toml:2" in left.message


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.toml", tmp_path / "config.toml"
    real.write_text("", encoding="utf-8")
    link.symlink_to(real)
    replace_file(link, "[budget]\ncalls = 3\n", check=True)
    assert link.is_symlink()
    assert "calls = 3" in real.read_text(encoding="utf-8")
    with pytest.raises(ConfigError):
        replace_file(link, "[budget]\ncalls = 0\n", check=True)
    assert "calls = 3" in real.read_text(encoding="utf-8")
