import re
import subprocess
import time
from pathlib import Path

import pytest

from skillopt_sleep.cli.run import _exit_code as exit_code
from skillopt_sleep.errors import Exit
from skillopt_sleep.records import Note
from tests.builders import a_report
from tests.command import Home
from tests.server import ModelServer


def verbose(home: Home, out: str) -> str:
    """The whole report of the example, which `run` said to have left in its own folder."""
    (own,) = re.findall(r"^  export SKILLOPT_SLEEP_HOME=(\S+)", out, re.MULTILINE)
    return home.command("report", "--verbose", SKILLOPT_SLEEP_HOME=own).out


def test_the_example_accepts_a_useful_rejects_a_useless_and_a_harmful_edit_and_says_so(tmp_path: Path) -> None:
    home = Home(tmp_path)
    done = home.command("run", "--example")
    assert done.code == 0, done.err
    assert "found something to propose" in done.out.splitlines()[0]
    assert (
        len(
            re.findall(r"^Without the rule 0 of \d+ answers did as you asked, with it \d+ of", done.out, re.MULTILINE)
        )
        == 2
    )
    assert "report.json" in done.out
    tried = verbose(home, done.out)
    assert len(re.findall(r"\| proven \| 0 of \d+ → \d+ of \d+ \|", tried)) == 2
    assert len(re.findall(r"\| not proven: no gain seen \(\d+ tries\) \| 0 of (\d+) → 0 of \1 \|", tried)) == 2


def test_the_example_learns_from_a_deed_and_leaves_alone_what_is_for_once_or_taken_back(tmp_path: Path) -> None:
    home = Home(tmp_path)
    out = home.command("run", "--example").out

    assert "Always use `make lint`" in out
    told = verbose(home, out)
    once, taken_back = (line for line in told.partition("## Left out")[2].splitlines() if line.startswith("- "))
    assert "for one time only" in once
    assert "just this once" in told.partition("## Not used")[2]
    assert "«Use tabs, never spaces» was taken back by «Use spaces, never tabs»" in taken_back


@pytest.mark.slow
def test_the_line_below_the_example_makes_its_commands_work_as_printed_in_the_same_shell(tmp_path: Path) -> None:
    home = Home(tmp_path)
    out = home.command("run", "--example").out
    (line,) = re.findall(r"^  (export SKILLOPT_SLEEP_HOME=.+)$", out, re.MULTILINE)
    commands = re.findall(r"`(skillopt-sleep [^`]+)`", out)
    assert {command.split()[1] for command in commands} >= {"adopt", "reject", "report"}
    undone = [command.replace("adopt", "undo") for command in commands if " adopt " in command]
    kept = [command for command in commands if " reject " not in command]
    script = "\n".join(("set -e", line, *kept, *undone, *(each for each in commands if " reject " in each)))
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}

    done = subprocess.run(["sh", "-c", script], env=bare, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "found something to propose" in done.stdout


def test_the_example_answers_in_json_with_nothing_else_on_stdout(tmp_path: Path) -> None:
    answer = Home(tmp_path).command("run", "--example", "--json").json
    assert answer["verdict"] == "improved"
    assert sorted(d["verdict"] for d in answer["documents"]) == ["accept", "accept", "reject", "reject"]
    assert {d["path"].rsplit("/work/")[1].split("/")[0] for d in answer["documents"]} == {
        "shop-api",
        "data-tool",
        "standup",
        "invoices",
    }
    assert "evil.example" not in str(answer)


@pytest.mark.slow
def test_the_example_has_projects_of_its_own_inside_another_repository(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("# not the example's\n", encoding="utf-8")
    answer = home.command("run", "--example", "--json").json
    assert answer["verdict"] == "improved"
    assert len(answer["documents"]) == 4


@pytest.mark.slow
def test_the_example_touches_nothing_of_the_persons_own(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    home.command("run", "--example")
    assert (home.project / "CLAUDE.md").read_text(encoding="utf-8") == "# shop-api\n\nTests run with vitest.\n"
    with ModelServer() as server:
        assert home.night(server.base_url).json["sessions"]["used"] == 5


@pytest.mark.slow
def test_only_one_project_is_read_where_one_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    other = tmp_path / "work" / "other"
    other.mkdir()
    with ModelServer() as server:
        narrowed = home.night(server.base_url, "--project", str(other)).json
        assert narrowed["sessions"] == {"seen": 5, "used": 0, "skipped": {"other_project": 5}}
        assert home.night(server.base_url, "--project", str(home.project)).json["sessions"]["used"] == 5


def test_a_missing_project_folder_is_named(tmp_path: Path) -> None:
    done = Home(tmp_path).command("run", "--backend", "simulated", "--project", "/nowhere/at/all")
    assert done.code == 2
    assert "/nowhere/at/all" in done.err


def test_a_project_may_be_named_by_a_detour_a_link_or_a_folder_in_it(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    (tmp_path / "link").symlink_to(home.project)
    (home.project / ".git").mkdir(exist_ok=True)
    (home.project / "packages" / "api").mkdir(parents=True)
    for name in ("work/../work/shop-api", "link", "work/shop-api/packages/api", "work/shop-api/packages"):
        answer = home.command("run", "--plan", "--json", "--project", name).json
        assert answer["sessions"]["used"] == 5, name


def test_the_example_refuses_what_it_would_ignore(tmp_path: Path) -> None:
    done = Home(tmp_path).command("run", "--example", "--model", "x")
    assert done.code == 2
    assert "--example" in done.err


def test_the_example_has_no_plan(tmp_path: Path) -> None:
    done = Home(tmp_path).command("run", "--plan", "--example")
    assert (done.code, done.out) == (2, "")
    assert "--plan is about your own sessions" in done.err


@pytest.mark.parametrize("address", ["http://[::1", "localhost:11434", "ftp://models"])
def test_an_address_that_is_none_is_named(tmp_path: Path, address: str) -> None:
    done = Home(tmp_path).command("run", "--backend", "openai", "--model", "m", "--base-url", address)
    assert done.code == 2
    assert address in done.err


def test_a_home_that_can_not_be_made_is_one_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "sleep").write_text("a file", encoding="utf-8")
    done = home.command("run", "--backend", "simulated")
    assert done.code == 1
    assert "Traceback" not in done.err


def test_a_model_must_be_named(tmp_path: Path) -> None:
    done = Home(tmp_path).command("run", "--backend", "openai")
    assert done.code == 2
    assert "--model" in done.err


def test_what_other_roles_ask_is_confirmed_in_the_settings_and_told_so(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    roles = '[target]\nname = "openai"\nmodel = "m"\n[judge]\nname = "anthropic"\nmodel = "m"\n'
    (tmp_path / "sleep").mkdir(exist_ok=True)
    (tmp_path / "sleep" / "config.toml").write_text(roles, encoding="utf-8")

    done = home.command("run", "--backend", "anthropic", "--model", "m")

    assert done.code == 2
    assert "not allowed sending to openai" in done.err
    assert "add --backend" not in done.err
    assert "backend.confirmed = true" in done.err


def test_an_unknown_backend_names_the_known_ones(tmp_path: Path) -> None:
    done = Home(tmp_path).command("run", "--backend", "claud")
    assert done.code == 2
    assert "openai" in done.err
    assert "simulated" in done.err


def test_only_what_went_wrong_makes_a_night_partial() -> None:
    left_out = Note(stage="prove", summary="1 of 9 tasks were dropped", expected=True)
    failed = Note(stage="mine", summary="a call failed")
    assert exit_code(a_report(errors=(left_out,))) == Exit.DONE
    assert exit_code(a_report(errors=(left_out, failed))) == Exit.PARTIAL


@pytest.mark.slow
def test_a_night_forgets_what_is_older_than_it_is_kept(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    assert home.command("run", "--backend", "simulated").code == 0
    (night,) = (tmp_path / "sleep" / "data" / "nights").iterdir()
    assert (night / "calls.jsonl").exists()
    (tmp_path / "sleep" / "config.toml").write_text('[bank]\nkeep = "1s"\n', encoding="utf-8")
    time.sleep(1.1)

    assert home.command("run", "--backend", "simulated").code == 0

    assert not (night / "calls.jsonl").exists()
    assert (night / "report.json").exists()
    assert "what is old was forgotten" in home.command("logs").out
    assert home.command("adopt", "--all").code == 0


@pytest.mark.slow
def test_an_address_without_the_v1_that_servers_want_is_told_so(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with ModelServer() as server:
        done = home.command(
            *("run", "--backend", "openai", "--model", "m", "--base-url", server.base_url.removesuffix("/v1"))
        )
    assert done.code != 0
    assert "most servers end in /v1" in done.out + done.err
    assert "does not know the model" not in done.out + done.err, "nobody knows that of an address that isn't one"


def test_a_night_may_be_asked_for_now(tmp_path: Path) -> None:
    home = Home(tmp_path)
    now, plain = home.command("run", "--now", "--plan"), home.command("run", "--plan")
    assert (now.code, now.out) == (0, plain.out)
    assert "--now" not in home.command("run", "--help").out


@pytest.mark.slow
def test_a_night_that_did_not_start_names_no_files_of_a_report(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.had_sessions()
    with ModelServer("unauthorized") as server:
        done = home.command("run", "--backend", "openai", "--model", "m", "--base-url", server.base_url)
    assert done.code == Exit.LOGIN
    assert "did not start" in done.out
    assert not re.search(r"report\.\w+|diagnostics|Every trial", done.out)
