import tomllib
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.settings import Settings
from tests.command import Home


def test_show_prints_a_file_that_validates_and_says_the_same(tmp_path: Path) -> None:
    home = Home(tmp_path)
    shown = home.command("config", "show")
    config = tmp_path / "sleep" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(shown.out, encoding="utf-8")
    assert home.command("config", "validate").code == 0
    assert home.command("config", "show").out == shown.out
    assert home.command("config", "show", "--json").json["budget"]["calls"] == 300


def test_show_says_of_settings_in_force_nothing_that_holds_of_defaults_only(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\ncalls = 77\n", encoding="utf-8")
    out = home.command("config", "show").out
    assert "calls = 77" in out
    assert "shown at its default" not in out
    assert "A night always has a limit of calls, tokens and minutes" in out


@pytest.mark.parametrize("text", ["[budget]\ncalls = 0\n", "[budget]\ncall = 3\n", "[budget\n"])
def test_where_settings_cannot_be_used_show_says_so_and_what_every_key_is(tmp_path: Path, text: str) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text(text, encoding="utf-8")
    shown = home.command("config", "show")
    assert shown.code == 2
    assert shown.out.startswith("# Your settings are invalid.")
    assert msgspec.convert(tomllib.loads(shown.out), Settings) == Settings()
    assert "config.toml" in shown.err
    assert "config show" not in shown.err
    assert home.command("config", "show", "--json").out == ""


def test_path_says_where_everything_is_and_what_is_missing(tmp_path: Path) -> None:
    out = Home(tmp_path).command("config", "path").out
    assert f"{tmp_path}/sleep/config.toml  (doesn't exist yet)" in out


def test_a_key_of_an_earlier_version_is_answered_with_its_remedy(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[step]\nmerge_batch = 4\n", encoding="utf-8")
    done = home.command("config", "validate")
    assert done.code == 2
    assert "step.merge_batch is no longer a setting (it is always 4)" in done.err
    assert "delete the line" in done.err


def test_a_misspelt_key_is_named_with_its_neighbour(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\ncall = 3\n", encoding="utf-8")
    done = home.command("config", "validate")
    assert done.code == 2
    assert "unknown key 'budget.call'" in done.err
    assert "did you mean 'budget.calls'?" in done.err
