import re
import shlex
import tomllib
from pathlib import Path

import msgspec
import pytest

from skillopt_sleep.settings import Settings
from tests.command import Home
from tests.server import ModelServer


def test_show_prints_a_file_that_validates_and_says_the_same(tmp_path: Path) -> None:
    home = Home(tmp_path)
    shown = home.command("config", "show")
    config = tmp_path / "sleep" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(shown.out, encoding="utf-8")
    assert home.command("config", "show").code == 0
    assert home.command("config", "show").out == shown.out
    assert home.command("config", "show", "--json").json["budget"]["calls"] == 300


def test_show_says_of_settings_in_force_nothing_that_holds_of_defaults_only(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\ncalls = 77\n", encoding="utf-8")
    out = home.command("config", "show").out
    assert "calls = 77" in out
    assert "shown" not in out
    assert "# A night's calls\ncalls = 77\n" in out


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
    assert f"{tmp_path}/sleep/data  (doesn't exist yet)\n" in out


def test_a_misspelt_key_is_named_with_its_neighbour(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir()
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\ncall = 3\n", encoding="utf-8")
    done = home.command("config", "show")
    assert done.code == 2
    assert "unknown key 'budget.call'" in done.err
    assert "did you mean 'budget.calls'?" in done.err


def with_config(folder: Path, text: str) -> Home:
    home = Home(folder)
    (folder / "sleep").mkdir()
    (folder / "sleep" / "config.toml").write_text(text, encoding="utf-8")
    return home


def test_every_mistake_is_told_at_once_with_its_line_in_words(tmp_path: Path) -> None:
    home = with_config(tmp_path, '# mine\n[budget]\ncalls = "x"\ncall = 3\n\n[gate]\nrule = "lenient"\n')
    err = home.command("config", "show").err
    assert "3 mistakes" in err
    assert "config.toml:3: budget.calls must be a whole number, 1 or more" in err
    assert "config.toml:4: unknown key 'budget.call'" in err
    assert "config.toml:7: gate.rule" in err
    assert "one of: greedy, sequential, strict" in err


def test_get_prints_the_value_in_force(tmp_path: Path) -> None:
    home = with_config(tmp_path, "[budget]\ncalls = 77\n")
    assert home.command("config", "get", "budget.calls").out == "77\n"
    assert home.command("config", "get", "daemon.at").out == "04:17\n"
    unknown = home.command("config", "get", "budget.callz")
    assert (unknown.code, "did you mean 'budget.calls'?" in unknown.err) == (2, True)


def test_set_changes_one_value_and_keeps_the_rest_of_the_file(tmp_path: Path) -> None:
    text = "# mine\n\n[budget]\ncalls = 77  # few\nminutes = 5\n"
    home = with_config(tmp_path, text)
    assert home.command("config", "set", "budget.calls", "88").code == 0
    file = tmp_path / "sleep" / "config.toml"
    assert file.read_text(encoding="utf-8") == text.replace("77", "88")
    assert home.command("config", "set", "harvest.sources", "codex").code == 0
    assert home.command("config", "get", "harvest.sources").out == '["codex"]\n'


@pytest.mark.parametrize("value", ["none", "0", "1.5"])
def test_a_wrong_value_is_refused_before_anything_is_written(tmp_path: Path, value: str) -> None:
    home = with_config(tmp_path, "[budget]\ncalls = 77\n")
    done = home.command("config", "set", "budget.calls", value)
    assert done.code == 2
    assert "budget.calls must be a whole number" in done.err
    assert (tmp_path / "sleep" / "config.toml").read_text(encoding="utf-8") == "[budget]\ncalls = 77\n"


def test_set_makes_the_file_and_mends_a_wrong_value(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.command("config", "set", "daemon.at", "05:00").code == 0
    assert home.command("config", "get", "daemon.at").out == "05:00\n"
    (tmp_path / "sleep" / "config.toml").write_text("[budget]\ncalls = 0\ncall = 1\n", encoding="utf-8")
    mended = home.command("config", "set", "budget.calls", "5")
    assert mended.code == 0
    assert "unknown key 'budget.call'" in mended.err
    assert "budget.calls must" not in mended.err


@pytest.mark.slow
def test_a_price_of_a_model_is_set_by_its_name_dots_and_all(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.command("config", "set", "prices.gpt-5.4-own", "[0.4, 1.6]").code == 0
    assert home.command("config", "get", "prices.gpt-5.4-own").out == "[0.4, 1.6]\n"
    plan = home.command("run", "--plan", "--json", "--backend", "openai", "--model", "gpt-5.4-own").json
    assert plan["limits"]["usd"] == 2_000_000 * 1.6 / 1_000_000
    other = home.command("run", "--plan", "--json", "--backend", "openai", "--model", "not-listed").json
    assert other["limits"]["usd"] is None


@pytest.mark.slow
def test_the_command_that_sets_a_price_is_taken_as_it_is_printed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    planned = home.command("run", "--plan", "--backend", "openai", "--model", "of-mine").out
    refused = home.command("config", "set", "prices.of-mine", "cheap").err
    for said in (planned, refused):
        command, *_ = re.findall(r"skillopt-sleep (config set \S+ (?:\"[^\"]+\"|'[^']+'))", said)
        assert home.command(*shlex.split(command)).code == 0, command


@pytest.mark.slow
def test_a_night_is_billed_by_the_price_of_ones_own_model(tmp_path: Path) -> None:
    home = with_config(tmp_path, "[prices]\nscripted-1 = [1.0, 2.0]\n[budget]\nusd = 50.0\n")
    home.had_sessions()
    with ModelServer() as server:
        assert home.night(server.base_url).code == 0
    total = home.command("report", "--cost", "--json").json["total"]
    assert total["unpriced"] == 0
    assert total["usd"] == pytest.approx((total["input_tokens"] + 2 * total["output_tokens"]) / 1_000_000)


@pytest.mark.parametrize(("how", "code"), [("s/77/88/", 0), ("s/77/none/", 2)])
def test_edit_replaces_the_file_only_if_it_is_right(tmp_path: Path, how: str, code: int) -> None:
    class Desk(Home):
        @property
        def environment(self) -> dict[str, str]:
            return super().environment | {"EDITOR": f"sed -i {how}"}

    desk = Desk(tmp_path)
    file = tmp_path / "sleep" / "config.toml"
    file.parent.mkdir()
    file.write_text("[budget]\ncalls = 77\n", encoding="utf-8")
    done = desk.command("config", "edit")
    assert done.code == code, done.err
    assert ("calls = 88" in file.read_text(encoding="utf-8")) == (code == 0)
    assert ("kept in" in done.err) == (code == 2)


@pytest.mark.parametrize(
    ("key", "value", "remedy"),
    [
        ("budget.calls", "abc", "skillopt-sleep config set budget.calls 300"),
        ("daemon.at", "noon", "skillopt-sleep config set daemon.at 04:17"),
    ],
)
def test_the_remedy_of_a_wrong_value_is_a_command(tmp_path: Path, key: str, value: str, remedy: str) -> None:
    done = Home(tmp_path).command("config", "set", key, value)
    assert done.code == 2
    assert remedy in done.err


def test_a_section_is_told_with_its_keys(tmp_path: Path) -> None:
    done = Home(tmp_path).command("config", "get", "bank")
    assert done.code == 2
    assert "bank.keep" in done.err
