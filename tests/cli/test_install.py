from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.service_file import UNIT
from tests.command import Home
from tests.installs import SYSTEMCTL, agents, program, told, tree
from tests.sweeps import thinned

PLACES = (".claude", ".codex", ".config", "sleep")
pytestmark = pytest.mark.skipif("sys.platform != 'linux'", reason="the service is systemd's here")


class Installed(Home):
    """A home on a machine whose user manager answers, with both agents, all of them stand-ins."""

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
    agents(tmp_path)
    program(tmp_path, "systemctl", SYSTEMCTL.format(status=0))
    # One that can't be used: what is tested here must not reach the machine's own.
    program(tmp_path, "crontab", "#!/bin/sh\nexit 1\n")
    (tmp_path / ".config").mkdir()
    return made


def unit_of(home: Home) -> Path:
    return home.folder / ".config" / "systemd" / "user" / UNIT


def test_install_says_each_thing_it_did_and_what_is_left_to_do(home: Installed) -> None:
    done = home.command("install", "--yes")
    assert (done.code, done.err) == (0, "")
    unit = unit_of(home).read_text(encoding="utf-8")
    assert '"-m" "skillopt_sleep" "daemon"' in unit
    for name in ("SKILLOPT_SLEEP_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PATH"):
        assert f"{name}={home.environment[name].split(':')[0]}" in unit
    assert home.environment["OPENAI_API_KEY"] not in unit
    assert not list((home.folder / "sleep").rglob("logs"))
    for said in (
        f"✓ wrote {unit_of(home)} and started the daemon",
        "✓ installed the plugin in Claude Code",
        "✓ installed the plugin in Codex",
        "Left for you to do:",
        "loginctl enable-linger",
        "type /hooks",
        "mode 0600",
        "undo: skillopt-sleep uninstall",
    ):
        assert said in done.out


@pytest.mark.slow
def test_uninstall_leaves_the_home_as_it_was(home: Installed) -> None:
    before = tree(home.folder, *PLACES[:3])
    assert home.command("install", "--yes").code == 0
    assert "replace" in home.command("install", "--yes").out
    done = home.command("uninstall", "--yes")
    assert done.code == 0
    assert tree(home.folder, *PLACES[:3]) == before
    for name in ("claude", "codex"):
        (home.folder / "bin" / name).unlink()
    (home.folder / ".claude").rmdir()
    (home.folder / ".codex").rmdir()
    assert home.command("uninstall", "--yes").out == "Nothing is installed.\n"


def test_a_look_names_what_would_be_written_and_run_shows_the_file_and_does_nothing(home: Installed) -> None:
    before = tree(home.folder, *PLACES)
    done = home.command("install", "--dry-run")
    assert done.code == 0
    for said in (str(unit_of(home)), "claude plugin install", "codex plugin add", "ExecStart=", "Nothing was done."):
        assert said in done.out
    assert tree(home.folder, *PLACES) == before
    assert told(home.folder) == []


@pytest.mark.slow
def test_a_look_at_an_uninstall_says_what_it_would_remove_and_removes_nothing(home: Installed) -> None:
    home.command("install", "--yes")
    before = tree(home.folder, *PLACES)
    out = home.command("uninstall", "--dry-run").out
    assert f"remove   {unit_of(home)}\n" in out
    assert out.endswith("Nothing was done.\n")
    assert tree(home.folder, *PLACES) == before


def test_without_a_service_manager_the_line_for_the_crontab_is_one_line(home: Installed) -> None:
    program(home.folder, "systemctl", SYSTEMCTL.format(status=1))
    done = home.command("install", "--yes")
    assert done.code == 0
    (line,) = [line for line in done.out.splitlines() if line.startswith("*/10 * * * * ")]
    assert line.endswith("skillopt_sleep daemon >/dev/null 2>&1")
    assert "Failed to connect to bus" in done.out
    assert "✓ installed the plugin in Codex" in done.out
    assert not unit_of(home).exists()


def test_an_agent_that_refuses_stops_nothing_else_and_the_exit_code_says_so(home: Installed) -> None:
    program(home.folder, "claude", "#!/bin/sh\necho 'error: unknown command plugin' >&2\nexit 1\n")
    done = home.command("install", "--yes")
    assert done.code == 3
    assert "unknown command plugin" in done.out
    assert "✓ installed the plugin in Codex" in done.out
    assert unit_of(home).exists()


@pytest.mark.slow
@pytest.mark.parametrize("flag", thinned(["--yes", "--dry-run"], every=2))
def test_where_nobody_is_named_to_answer_it_says_that_no_night_will_run(home: Installed, flag: str) -> None:
    told = "no backend is named, so no night can run → skillopt-sleep init"
    assert told in home.command("install", flag).out
    home.command("init", "--yes", "--backend", "simulated")
    assert "no night can run" not in home.command("install", flag).out
    (home.folder / "sleep" / "config.toml").write_text('[backend]\nname = "claude"\n', encoding="utf-8")
    assert "skillopt-sleep init --yes --backend claude" in home.command("install", flag).out


def test_a_relative_home_is_an_absolute_folder_to_the_service(home: Installed) -> None:
    relative = Relative(home.folder)
    assert relative.command("install", "--yes").code == 0
    assert f'"SKILLOPT_SLEEP_HOME={home.folder / "slp"}"' in unit_of(home).read_text(encoding="utf-8")
    assert relative.command("uninstall", "--yes").code == 0
    assert not unit_of(home).exists()


@pytest.mark.slow
def test_a_second_home_is_told_whose_service_it_takes_and_the_first_leaves_it_alone(home: Installed) -> None:
    home.command("install", "--yes")
    second = Relative(home.folder)
    assert f"belongs to the settings in {home.folder / 'sleep'}" in second.command("install", "--yes").out
    said = home.command("uninstall", "--yes").out
    assert f"belongs to the settings in {home.folder / 'slp'}" in said
    assert unit_of(home).exists()


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_nobody_is_asked_where_nobody_can_answer(home: Installed, command: str) -> None:
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
    (home.folder / "sleep").mkdir()
    keys = home.folder / "sleep" / "environment"
    keys.write_text("OPENAI_API_KEY=x\n", encoding="utf-8")
    keys.chmod(0o644)
    assert f"chmod 600 {keys}" in home.command("install", "--yes").out
