import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.cli.init import checked, merged, write
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import Paths
from tests.command import Home
from tests.doctor.machine import script
from tests.installs import agents
from tests.server import ModelServer
from tests.terminal import typed


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.had_sessions()
    return home


def config(home: Home) -> Path:
    return home.folder / "sleep" / "config.toml"


def says(home: Home) -> dict[str, Any]:
    return tomllib.loads(config(home).read_text(encoding="utf-8"))


def kept(home: Home) -> list[Path]:
    assert [path.name for path in config(home).parent.glob("config.toml*")] == ["config.toml"]
    return sorted((home.folder / "sleep" / "data" / "state" / "config").glob("*"))


def test_without_a_terminal_it_asks_nothing_writes_nothing_and_says_what_to_add(home: Home) -> None:
    done = home.command("init")
    assert done.code == 2
    assert "--yes" in done.err
    assert not config(home).exists()


@pytest.mark.parametrize("command", ["init", "doctor"])
def test_the_help_says_what_an_api_is_asked(home: Home, command: str) -> None:
    shown = " ".join(home.command(command, "--help").out.split())
    assert "with your key, only whether it has the model" in shown
    assert "nothing is sent" not in shown.lower()


@pytest.mark.parametrize("command", [("init", "--yes", "--backend", "simulated"), ("harvest",), ("doctor",)])
def test_sessions_that_have_no_file_any_more_are_told_of(home: Home, command: tuple[str, ...]) -> None:
    line = '{"display":"fix it","timestamp":1792141200000,"sessionId":"gone"}\n'
    (home.folder / ".claude" / "history.jsonl").write_text(line)
    assert "1 session in your history without a file" in " ".join(home.command(*command).out.split())


def test_for_scripts_it_writes_what_was_named_and_nothing_else(home: Home) -> None:
    done = home.command("init", "--yes", "--backend", "simulated")
    assert done.code == 0, done.err
    assert says(home) == {"backend": {"name": "simulated", "confirmed": True}}
    assert stat.S_IMODE(config(home).stat().st_mode) == 0o600
    assert home.command("config", "show").code == 0


def test_it_tells_what_is_there_and_ends_with_the_next_step(home: Home) -> None:
    out = home.command("init", "--yes", "--backend", "simulated").out
    assert "; 10 prompts" in out
    assert "~/work/shop-api" in out
    assert out.rstrip().splitlines()[-2].split("  ")[1].strip() == "skillopt-sleep run"
    assert "skillopt-sleep install" in out.rstrip().splitlines()[-1]


def test_it_says_what_would_leave_the_machine_and_what_it_would_cost_at_most(home: Home) -> None:
    config(home).parent.mkdir(exist_ok=True)
    config(home).write_text("[budget]\ncalls = 9000\nusd = 2.0\n", encoding="utf-8")
    out = home.command("init", "--yes", "--backend", "openai", "--model", "m").out
    assert "redacted excerpts of new sessions; now: 5 sessions in 1 project" in out
    assert "to       openai m at https://api.openai.com/v1" in out
    assert "never more than 9,000 calls, 2,000,000 tokens, 60 minutes a night" in out
    assert "a night with a limit in dollars stops at its first call" in out


def test_from_nothing_to_a_report_with_what_it_says_to_do_next(home: Home) -> None:
    with ModelServer() as server:
        named = ("--backend", "openai", "--model", "scripted-1", "--base-url", server.base_url)
        assert home.command("init", "--yes", *named).code == 0
        night = home.command("run", "--json")
    assert night.code == 0, night.err
    assert night.json["verdict"] == "improved"


def test_without_a_named_backend_it_takes_the_agent_that_is_logged_in_and_no_consent(home: Home) -> None:
    script(home.folder / "bin" / "codex", "echo 'codex-cli 0.169.0'")
    (home.folder / ".codex" / "auth.json").write_text('{"OPENAI_API_KEY": "dummy-key-for-tests"}', encoding="utf-8")
    more = WithPath(home)
    done = more.command("init", "--yes")
    assert done.code == 0, done.err
    assert says(home)["backend"] == {"name": "codex", "confirmed": False}
    assert "run --backend codex" in done.out
    refused = more.command("run")
    assert refused.code == 2
    assert "not allowed sending" in refused.err


class WithPath(Home):
    """A home whose own programs come first."""

    def __init__(self, home: Home, *, alone: bool = False) -> None:
        self.folder, self.project = home.folder, home.project
        self.alone = alone

    @property
    def environment(self) -> dict[str, str]:
        known = super().environment
        return known | {"PATH": f"{self.folder / 'bin'}{'' if self.alone else ':' + known['PATH']}"}


def test_where_nobody_can_answer_nothing_is_sent_and_the_example_is_the_next_step(home: Home) -> None:
    out = home.command("init", "--yes").out
    assert "Nothing would leave this machine" in out
    assert "run --example" in out.splitlines()[-2]
    assert "backend" not in says(home)


def test_an_api_without_a_model_is_refused(home: Home) -> None:
    done = home.command("init", "--yes", "--backend", "openai")
    assert done.code == 2
    assert "--model NAME" in done.err
    assert not config(home).exists()


def test_what_the_file_could_not_say_is_refused_before_anything_is_written(home: Home) -> None:
    done = home.command("init", "--yes", "--backend", "gpt")
    assert done.code == 2
    assert "no backend 'gpt'" in done.err
    assert done.out == ""  # nothing is looked through for it
    assert not config(home).exists()


def test_an_existing_file_is_kept_with_our_state_and_what_changed_is_shown(home: Home) -> None:
    config(home).parent.mkdir(exist_ok=True)
    mine = b"# my own words\n[gate]\nalpha = 0.01\n[budget]\ncalls = 77\n"
    config(home).write_bytes(mine)
    done = home.command("init", "--yes", "--backend", "simulated")
    assert done.code == 0, done.err
    assert says(home) == {
        "gate": {"alpha": 0.01},
        "budget": {"calls": 77},
        "backend": {"name": "simulated", "confirmed": True},
    }
    [backup] = kept(home)
    assert backup.read_bytes() == mine
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert "-# my own words" in done.out
    assert str(backup) in done.out


@pytest.mark.parametrize(("text", "said"), [("[budget\n", "config.toml"), ("[budget]\ncall = 3\n", "unknown key")])
def test_a_file_that_cannot_be_used_is_refused_and_stays(home: Home, text: str, said: str) -> None:
    config(home).parent.mkdir(exist_ok=True)
    config(home).write_text(text, encoding="utf-8")
    done = home.command("init", "--yes", "--backend", "simulated")
    assert done.code == 2
    assert said in done.err
    assert "→ " in done.err
    assert config(home).read_text(encoding="utf-8") == text


def test_a_second_time_with_the_same_answers_nothing_is_touched(home: Home) -> None:
    home.command("init", "--yes", "--backend", "simulated")
    before = config(home).stat().st_mtime_ns
    done = home.command("init", "--yes", "--backend", "simulated")
    assert "not changed" in done.out
    assert kept(home) == []
    assert config(home).stat().st_mtime_ns == before


def test_on_a_terminal_it_asks_and_a_wrong_answer_is_asked_again(home: Home) -> None:
    home.had_sessions_in(home.folder / "work" / "old", [("make a thing", "no, use tabs always")] * 2, days_ago=40)
    done = typed(home, "init", answers=["openai", "scripted-1", "nowhere", "", "9", "2", "y"])
    assert done.code == 0, done.out
    assert says(home) == {
        "backend": {"name": "openai", "model": "scripted-1", "confirmed": True},
        "projects": {"exclude": [str(home.folder / "work" / "old")]},
    }
    assert "begins with http" in done.out
    assert "there is no project 9" in done.out
    assert "5 sessions in 1 project" in done.out


def test_on_a_terminal_what_is_as_it_was_is_not_written(home: Home) -> None:
    config(home).parent.mkdir(exist_ok=True)
    config(home).write_text("[budget]\ncalls = 300\n[projects]\nexclude = ['/x']\n", encoding="utf-8")
    done = typed(home, "init", answers=["simulated", "none"])
    assert done.code == 0, done.out
    assert "simulated  a built-in stand-in" in done.out
    assert says(home) == {
        "backend": {"name": "simulated"},
        "budget": {"calls": 300},
        "projects": {"exclude": []},
    }


def test_a_program_that_is_not_there_is_to_be_installed_or_another_named(home: Home) -> None:
    home_without = WithPath(home, alone=True)
    done = home_without.command("init", "--yes", "--backend", "claude")
    assert done.code == 0, done.err
    assert "✗ claude is not installed" in done.out
    assert "skillopt-sleep run" not in done.out
    assert done.out.splitlines()[-1].split()[:5] == ["skillopt-sleep", "init", "--yes", "--backend", "openai"]


@pytest.mark.slow
def test_after_an_install_the_next_step_is_no_install(home: Home) -> None:
    script(home.folder / "bin" / "systemctl", "exit 0")
    agents(home.folder)
    home.command("init", "--yes", "--backend", "simulated")
    more = WithPath(home)
    more.command("install", "--yes")
    last = more.command("init", "--yes", "--backend", "simulated").out.splitlines()[-1]
    assert "skillopt-sleep status" in last
    assert "nights are installed" in last


def test_on_a_terminal_consent_is_never_given_by_an_empty_answer(home: Home) -> None:
    done = typed(home, "init", answers=["openai", "scripted-1", "", "", ""])
    assert done.code == 0, done.out
    assert says(home)["backend"] == {"name": "openai", "model": "scripted-1", "confirmed": False}


@pytest.mark.slow
def test_on_a_terminal_consent_names_everybody_who_would_be_sent_to(home: Home) -> None:
    config(home).parent.mkdir(parents=True)
    config(home).write_text('[target]\nname = "anthropic"\nmodel = "m-2"\n', encoding="utf-8")
    done = typed(home, "init", answers=["openai", "scripted-1", "", "", ""])
    told = " ".join(done.out.split())
    where = "openai scripted-1 at https://api.openai.com/v1, anthropic m-2 at https://api.anthropic.com"
    assert f"Allow every night to send this to {where}?" in told
    assert "4 of Claude Code, 1 of Codex; 10 prompts" in told


def test_whoever_stops_in_the_middle_has_written_nothing(home: Home) -> None:
    done = typed(home, "init", answers=["openai", "\x04"])
    assert done.code != 0
    assert not config(home).exists()


def test_a_login_that_has_ended_is_named_with_its_remedy(home: Home) -> None:
    script(home.folder / "bin" / "claude", "echo '2.1.330 (Claude Code)'")
    done = WithPath(home).command("init", "--yes", "--backend", "claude")
    assert done.code == 0, done.err
    assert "✗ claude: " in done.out
    assert "  → " in done.out


def test_nothing_is_asked_of_a_model_and_no_file_of_the_agents_is_touched(home: Home) -> None:
    before = {str(path): path.stat().st_mtime_ns for path in (home.folder / ".claude").rglob("*")}
    with ModelServer() as server:
        home.command("init", "--yes", "--backend", "openai", "--model", "m", "--base-url", server.base_url)
        assert server.requests == []
    assert {str(path): path.stat().st_mtime_ns for path in (home.folder / ".claude").rglob("*")} == before


@pytest.mark.slow
def test_sessions_a_first_night_would_leave_out_as_older_are_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions(days_ago=40)
    out = home.command("init", "--yes", "--backend", "openai", "--model", "m").out
    assert "now: 0 sessions in 0 projects (5 more are older than harvest.lookback, 30d)" in out
    home.command("config", "set", "harvest.lookback", "90d")
    out = home.command("init", "--yes").out
    assert "now: 5 sessions in 1 project" in out


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(config=tmp_path / "config", data=tmp_path / "data")


def test_what_was_chosen_comes_over_what_was_there_and_the_rest_stays() -> None:
    before = {"budget": {"calls": 10, "minutes": 5}, "gate": {"alpha": 0.01}}
    assert merged(before, {"budget": {"calls": 20}}) == {
        "budget": {"calls": 20, "minutes": 5},
        "gate": {"alpha": 0.01},
    }
    assert before["budget"]["calls"] == 10


def test_another_backend_is_given_nothing_of_the_one_before() -> None:
    before = {"backend": {"name": "openai", "model": "m", "base_url": "http://x", "confirmed": True}}
    assert merged(before, {"backend": {"name": "claude"}}) == {"backend": {"name": "claude"}}
    assert merged(before, {"backend": {"name": "openai", "model": "n"}})["backend"]["confirmed"]


def test_nobody_to_answer_leaves_no_backend_behind() -> None:
    assert merged({"backend": {"name": "claude", "confirmed": True}}, {"backend": {"name": ""}}) == {}


def test_what_the_loader_would_refuse_is_refused_without_a_word_of_the_file_it_was_tried_in() -> None:
    with pytest.raises(ConfigError) as error:
        checked({"budget": {"calls": -1}})
    assert error.value.message.startswith("budget.calls must be")


def test_a_link_to_the_file_stays_a_link(paths: Paths, tmp_path: Path) -> None:
    mine = tmp_path / "dotfiles" / "sleep.toml"
    mine.parent.mkdir()
    mine.write_text("# old\n", encoding="utf-8")
    paths.config.mkdir()
    paths.config_file.symlink_to(mine)
    done = write(paths, "# new\n")
    assert paths.config_file.is_symlink()
    assert mine.read_text(encoding="utf-8") == "# new\n"
    assert done.backup is not None
    assert done.backup.read_text(encoding="utf-8") == "# old\n"


def test_no_backup_is_ever_overwritten(paths: Paths) -> None:
    texts = [f"# {number}\n" for number in range(5)]
    backups = [write(paths, text).backup for text in texts]
    assert backups[0] is None
    assert [backup.read_text(encoding="utf-8") for backup in backups[1:] if backup] == texts[:4]
