import json
from pathlib import Path

import pytest

from tests.command import Home
from tests.installs import SYSTEMCTL, THEIRS, program, tree
from tests.sweeps import thinned

PLACES = (".claude", ".codex", ".config", "sleep")


class Installed(Home):
    """A home on a machine without a user manager, and without the machine's own crontab."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin"}


class Relative(Installed):
    """The same home, where the person names the folder as seen from there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.project = folder, folder

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"SKILLOPT_SLEEP_HOME": "slp"}


@pytest.fixture
def home(tmp_path: Path) -> Installed:
    made = Installed(tmp_path)
    for agent in (".claude", ".codex"):
        (tmp_path / agent).mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(THEIRS, encoding="utf-8")
    program(tmp_path, "systemctl", SYSTEMCTL.format(status=1))
    # One that can't be used: what is tested here must not reach the machine's own.
    program(tmp_path, "crontab", '#!/bin/sh\n[ "$1" = -l ] && { echo no crontab for me >&2; exit 1; }\nexec cat\n')
    return made


def without_cron(home: Installed) -> None:
    (home.folder / "bin" / "crontab").unlink()


def test_install_writes_the_unit_and_the_hooks_and_says_the_way_back(home: Installed) -> None:
    without_cron(home)
    done = home.command("install", "--yes")
    assert (done.code, done.err) == (0, "")
    unit = (home.folder / ".config" / "systemd" / "user" / "skillopt-sleep.service").read_text(encoding="utf-8")
    assert '"-m" "skillopt_sleep" "daemon"' in unit
    for name in ("SKILLOPT_SLEEP_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PATH"):
        assert f"{name}={home.environment[name].split(':')[0]}" in unit
    assert home.environment["OPENAI_API_KEY"] not in unit
    assert not list((home.folder / "sleep").rglob("logs"))
    for said in ("systemctl --user enable --now", "undo: skillopt-sleep uninstall", "mode 0600", "/hooks"):
        assert said in done.out


@pytest.mark.slow
def test_uninstall_leaves_the_home_as_it_was(home: Installed) -> None:
    without_cron(home)
    before = tree(home.folder, *PLACES[:3])
    assert home.command("install", "--yes").code == 0
    assert "same" in home.command("install", "--yes").out
    done = home.command("uninstall", "--yes")
    assert done.code == 0
    assert tree(home.folder, *PLACES[:3]) == before
    assert home.command("uninstall", "--yes").out == "Nothing is installed.\n"


@pytest.mark.parametrize("flag", ["--dry-run", "--print"])
def test_what_only_looks_writes_nothing(home: Installed, flag: str) -> None:
    without_cron(home)
    before = tree(home.folder, *PLACES)
    done = home.command("install", flag)
    assert done.code == 0
    assert "skillopt-sleep.service" in done.out
    assert "not-for-your-eyes" not in done.out
    assert ("ExecStart=" in done.out) == (flag == "--print")
    assert tree(home.folder, *PLACES) == before


@pytest.mark.parametrize("flag", thinned(["--dry-run", "--print"], every=2))
@pytest.mark.slow
def test_a_look_at_an_uninstall_says_what_it_would_take_back_and_takes_nothing(home: Installed, flag: str) -> None:
    without_cron(home)
    assert home.command("uninstall", flag).out == "Nothing is installed.\n"
    home.command("install", "--yes")
    before = tree(home.folder, *PLACES)
    out = home.command("uninstall", flag).out
    assert f"remove   {home.folder / '.claude' / 'settings.json'}\n" in out
    assert out.endswith("Nothing was written.\n")
    assert tree(home.folder, *PLACES) == before


@pytest.mark.slow
@pytest.mark.parametrize("flag", thinned(["--yes", "--dry-run"], every=2))
def test_where_nobody_is_named_to_answer_it_says_that_no_night_will_run(home: Installed, flag: str) -> None:
    without_cron(home)
    told = "no backend is named, so no night can run → skillopt-sleep init"
    assert told in home.command("install", flag).out
    home.command("init", "--yes", "--backend", "simulated")
    assert "no night can run" not in home.command("install", flag).out
    (home.folder / "sleep" / "config.toml").write_text('[backend]\nname = "claude"\n', encoding="utf-8")
    assert "skillopt-sleep init --yes --backend claude" in home.command("install", flag).out


def test_a_relative_home_is_the_same_folder_to_the_service_and_to_the_hooks(home: Installed) -> None:
    without_cron(home)
    relative = Relative(home.folder)
    assert relative.command("install", "--yes").code == 0
    unit = (home.folder / ".config" / "systemd" / "user" / "skillopt-sleep.service").read_text(encoding="utf-8")
    hooks = (home.folder / ".claude" / "settings.json").read_text(encoding="utf-8")
    assert f'"SKILLOPT_SLEEP_HOME={home.folder / "slp"}"' in unit
    assert f"SKILLOPT_SLEEP_HOME={home.folder / 'slp'} " in hooks


@pytest.mark.slow
def test_a_second_home_is_told_whose_service_it_takes_and_the_first_leaves_it_alone(home: Installed) -> None:
    without_cron(home)
    home.command("install", "--yes")
    second = Relative(home.folder)
    out = second.command("install", "--yes").out
    assert out.count(f"(belonged to SKILLOPT_SLEEP_HOME={home.folder / 'sleep'})") == 3
    assert "  leave " in home.command("uninstall", "--dry-run").out
    said = home.command("uninstall", "--yes").out
    assert said.count(f"it belongs to SKILLOPT_SLEEP_HOME={home.folder / 'slp'} now") == 3
    assert "your own changes" not in said
    assert "same" in second.command("install", "--yes").out


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_nobody_is_asked_where_nobody_can_answer(home: Installed, command: str) -> None:
    without_cron(home)
    if command == "uninstall":
        home.command("install", "--yes")
    before = tree(home.folder, *PLACES)
    done = home.command(command)
    assert done.code == 2
    assert "--yes" in done.err
    assert tree(home.folder, *PLACES) == before


def test_settings_that_cant_be_read_are_told_before_anything_is_written(home: Installed) -> None:
    (home.folder / "sleep").mkdir()
    (home.folder / "sleep" / "config.toml").write_text("[nigth]\n", encoding="utf-8")
    before = tree(home.folder, *PLACES)
    assert home.command("install", "--yes").code == 2
    assert tree(home.folder, *PLACES) == before


def test_a_file_of_keys_that_others_can_read_is_said(home: Installed) -> None:
    without_cron(home)
    (home.folder / "sleep").mkdir()
    keys = home.folder / "sleep" / "environment"
    keys.write_text("OPENAI_API_KEY=x\n", encoding="utf-8")
    keys.chmod(0o644)
    assert f"chmod 600 {keys}" in home.command("install", "--yes").out


def test_settings_of_an_agent_that_cant_be_read_stop_nothing_else(home: Installed) -> None:
    without_cron(home)
    settings = home.folder / ".claude" / "settings.json"
    settings.write_text("{", encoding="utf-8")
    done = home.command("install", "--yes")
    assert done.code == 0
    assert f"{settings} is left as it is" in done.out
    assert settings.read_text(encoding="utf-8") == "{"
    assert json.loads((home.folder / ".codex" / "hooks.json").read_bytes())["hooks"]
