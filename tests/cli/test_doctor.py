import sys
from pathlib import Path

import pytest

from skillopt_sleep.cli.doctor import show_findings
from skillopt_sleep.daemon.service import service_file
from skillopt_sleep.daemon.state import DaemonState
from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem, unknown
from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.settings import find_paths
from tests.command import Home

LOGIN = problem(Topic.LOGINS, "claude: no login", "run: claude, then /login")


def configured(home: Home, text: str = '[backend]\nname = "simulated"\n') -> None:
    """The whole configuration, for its owner alone."""
    config = home.folder / "sleep" / "config.toml"
    config.write_text(text, encoding="utf-8")
    config.chmod(0o600)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    (tmp_path / "sleep").mkdir(mode=0o700)
    return home


def test_a_fresh_machine_is_told_what_it_lacks_and_nothing_is_made(home: Home) -> None:
    done = home.command("doctor", "--project", str(home.project))
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("1 problem\n\n✗ models    no backend is named: no night can begin")
    assert "→ name one: skillopt-sleep init" in done.out
    assert "run --backend auto" in " ".join(done.out.split())
    assert "no service is installed; no daemon is running" in done.out
    assert list((home.folder / "sleep").iterdir()) == []


def test_a_machine_with_a_backend_that_needs_nothing_is_told_that_all_is_well(home: Home) -> None:
    configured(home)
    done = home.command("doctor", "--project", str(home.project))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("✓ No problems.\n")
    assert "no service is installed" in done.out


@pytest.mark.slow
def test_a_service_that_is_installed_and_does_not_run_is_a_problem_until_it_does(home: Home) -> None:
    configured(home)
    state = private_dir(home.folder / "sleep" / "data" / "state")
    unit = service_file.service_path(sys.platform, home.folder, {})
    assert unit
    service_file.write(unit, f"# {service_file.first_line(find_paths(home.environment))}\n".encode())
    done = home.command("doctor", "--json")
    (wrong,) = [finding for finding in done.json["findings"] if finding["state"] == "problem"]
    assert (done.code, wrong["topic"]) == (1, "daemon")
    assert "no daemon is running" in wrong["says"]
    assert "start it: systemctl --user" in wrong["remedy"]
    with DaemonState(state).only_daemon():
        assert home.command("doctor").code == 0


def test_a_problem_comes_first_with_its_remedy_and_is_the_exit_code(home: Home) -> None:
    config = home.folder / "sleep" / "config.toml"
    config.write_text("[budget]\ncall = 3\n", encoding="utf-8")
    config.chmod(0o600)
    done = home.command("doctor")
    assert done.code == 1
    lines = [line for line in done.out.splitlines() if line]
    assert lines[0] == "1 problem"
    assert "unknown key 'budget.call'" in " ".join(" ".join(lines[1:3]).split())
    assert "→ did you mean 'budget.calls'?" in done.out


def test_where_only_a_login_is_missing_the_exit_code_says_so(home: Home) -> None:
    program = home.folder / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.330 (Claude Code)'\n", encoding="utf-8")
    program.chmod(0o755)
    config = home.folder / "sleep" / "config.toml"
    config.write_text(f'[backend]\nname = "claude"\nprogram = "{program}"\n', encoding="utf-8")
    config.chmod(0o600)
    done = home.command("doctor", "--json")
    assert done.code == 4
    assert [f["topic"] for f in done.json["findings"] if f["state"] == "problem"] == ["logins"]


def test_the_json_document_has_the_problems_first(home: Home) -> None:
    configured(home)
    (home.folder / "sleep").chmod(0o755)
    done = home.command("doctor", "--json")
    answer = done.json
    assert (done.code, answer["schema_version"], answer["problems"]) == (1, 1, 1)
    assert [finding["state"] for finding in answer["findings"]].index("problem") == 0
    assert all(set(finding) == {"topic", "state", "says", "remedy"} for finding in answer["findings"])
    assert all(finding["remedy"] for finding in answer["findings"] if finding["state"] == "problem")


def test_a_project_that_is_not_there_is_named(home: Home) -> None:
    done = home.command("doctor", "--project", "nowhere")
    assert done.code == 2
    assert "nowhere" in done.err


def test_a_project_is_named_without_the_way_to_it(home: Home) -> None:
    (home.project / ".skillopt-sleep").mkdir()
    (home.project / ".skillopt-sleep" / "project.toml").write_text("enabled = false\n", encoding="utf-8")
    away = f"../{home.folder.name}/work/shop-api/../shop-api"
    data = home.command("doctor", "--json", "--project", away).out
    assert str(home.project) in data
    assert ".." not in data


def shown(capfd: pytest.CaptureFixture[str], *findings: Finding) -> list[str]:
    show_findings(findings)
    return capfd.readouterr().out.splitlines()


def test_problems_come_first_each_with_its_remedy(capfd: pytest.CaptureFixture[str]) -> None:
    lines = shown(capfd, fine(Topic.STORE, "word"), LOGIN)
    assert lines[:3] == ["1 problem", "", "✗ logins    claude: no login"]
    assert lines[3] == "            → run: claude, then /login"


def test_what_is_unknown_is_marked_and_a_hint_stands_below_its_line(capfd: pytest.CaptureFixture[str]) -> None:
    lines = shown(capfd, unknown(Topic.MODELS, "only a call can tell"), fine(Topic.STORE, "empty", "begin"))
    assert lines[0] == "✓ No problems."
    assert "? models    only a call can tell" in lines
    assert lines[-2:] == ["  store     empty", "            → begin"]


def test_what_cannot_be_seen_in_a_name_is_written_out(capfd: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in "".join(shown(capfd, fine(Topic.PATHS, "a\x1b[31mb")))
