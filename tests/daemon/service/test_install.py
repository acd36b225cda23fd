import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.daemon.service.install import InstallPlan, plan_install, plan_uninstall
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.service_file import UNIT, owner
from skillopt_sleep.errors import SleepError
from tests.disks import fill, small_disk
from tests.installs import Seen, agents, machine, program, told, tree
from tests.sweeps import sampled

PLACES = (".claude", ".codex", ".config", "Library")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with both agents, and settings of theirs that nobody but they may touch."""
    home = tmp_path / "home"
    home.mkdir()
    agents(home)
    (home / ".claude" / "settings.json").write_text('{"model": "opus"}  // mine\n', encoding="utf-8")
    (home / ".codex" / "config.toml").write_text('model = "gpt-5"   # mine\n', encoding="utf-8")
    (home / ".config").mkdir()
    return home


def done(plan: InstallPlan) -> list[str]:
    """Do every step; what was said."""
    return [said for said in (step.do() for step in plan.steps) if said]


def planned(plan: InstallPlan) -> str:
    return "\n".join(line for step in plan.steps for line in step.plan)


def unit_of(there: Machine) -> Path:
    return there.home / ".config" / "systemd" / "user" / UNIT


def test_an_install_writes_the_unit_starts_it_and_installs_both_plugins_and_an_uninstall_is_the_inverse(
    home: Path,
) -> None:
    there = machine(home)
    before = tree(home, *PLACES)
    said = done(plan_install(there))
    assert owner(unit_of(there)) == str(there.paths.config)
    assert [line.split()[0] for line in said] == ["wrote", "installed", "installed"]
    assert told(home)[:3] == [
        f"systemctl --user disable --now {UNIT}",
        "systemctl --user daemon-reload",
        f"systemctl --user enable --now {UNIT}",
    ]
    once = tree(home, *PLACES)
    done(plan_install(there))
    assert tree(home, *PLACES) == once

    said = done(plan_uninstall(there))
    assert tree(home, *PLACES) == before
    assert [line.split()[0] for line in said] == ["stopped", "removed", "removed"]
    assert told(home)[-6:-4] == [f"systemctl --user disable --now {UNIT}", "systemctl --user daemon-reload"]
    assert done(plan_uninstall(there)) == []


def test_a_plan_does_nothing_and_names_all_that_will_be_written_and_run(home: Path) -> None:
    there = machine(home)
    before = tree(home, *PLACES, "sleep")
    plan = plan_install(there)
    assert tree(home, *PLACES, "sleep") == before
    assert told(home) == []
    done(plan)
    for command in told(home)[1:]:  # the first stops what isn't there
        assert f"run      {command}" in planned(plan)
    assert f"write    {unit_of(there)}" in planned(plan)
    assert plan.steps[0].text == unit_of(there).read_text(encoding="utf-8")


def test_launchd_is_told_by_its_own_program(home: Path) -> None:
    mac = machine(home, platform="darwin")
    before = tree(home, *PLACES)
    done(plan_install(mac))
    verbs = [line.split()[1] for line in told(home) if line.startswith("launchctl")]
    assert verbs == ["bootout", "bootstrap"]
    assert mac.paths.logs.is_dir()
    done(plan_uninstall(mac))
    assert told(home)[-5].startswith("launchctl bootout")
    left = set(tree(home, *PLACES)) - set(before)
    assert left == {"Library/LaunchAgents"}


@pytest.mark.parametrize("platform", ["linux", "freebsd14"])
def test_without_a_service_manager_a_crontab_line_is_given_and_nothing_written(platform: str, home: Path) -> None:
    program(home, "crontab", '#!/bin/sh\necho "crontab $@" >> "$HOME/told"\n')
    there = machine(home, platform=platform, systemd=False)
    plan = plan_install(there)
    assert plan.crontab.startswith("*/10 * * * * ")
    assert "skillopt_sleep daemon" in plan.crontab
    assert plan.no_service
    done(plan)
    assert not unit_of(there).exists()
    assert not any(line.startswith("crontab") for line in told(home))


def test_a_crontab_that_still_starts_the_daemon_is_named_after_an_uninstall_and_left(home: Path) -> None:
    there = machine(home, systemd=False)
    line = plan_install(there).crontab
    (home / "table").write_text(line + "\n", encoding="utf-8")
    program(home, "crontab", '#!/bin/sh\n[ "$1" = -l ] && cat "$HOME/table" || echo "$@" >> "$HOME/told"\n')
    assert any("crontab -e" in left for left in plan_uninstall(there).left)
    (home / "table").write_text("MAILTO=me\n", encoding="utf-8")
    assert plan_uninstall(there).left == ()


def test_an_agent_that_is_not_in_the_path_gets_its_commands_printed(home: Path) -> None:
    (home / "bin" / "codex").unlink()
    there = machine(home, PATH=str(home / "bin"))
    plan = plan_install(there)
    assert "codex" not in planned(plan)
    (left,) = [line for line in plan.left if "codex isn't in PATH" in line]
    assert "codex plugin marketplace add" in left
    assert "codex plugin add skillopt-sleep@skillopt-sleep" in left
    assert any("codex plugin remove skillopt-sleep@skillopt-sleep" in line for line in plan_uninstall(there).left)


def test_what_only_the_person_can_do_is_said(home: Path) -> None:
    there = machine(home, HTTPS_PROXY="http://me:hunter2@proxy:3128")._replace(python="/x/archive-v0/y/python")
    left = "\n".join(plan_install(there).left)
    for said in ("HTTPS_PROXY may hold a secret", "temporary cache", "/hooks", "loginctl enable-linger"):
        assert said in left


def test_a_manager_that_refuses_is_an_error_with_its_words_and_installing_again_mends_it(home: Path) -> None:
    there = machine(home)
    refuses = '#!/bin/sh\n[ "$2" != enable ] || { echo masked >&2; exit 1; }\n'
    program(home, "systemctl", refuses)
    with pytest.raises(SleepError, match="masked") as raised:
        done(plan_install(there))
    assert "skillopt-sleep install" in raised.value.remedy
    assert len(done(plan_install(machine(home)))) == 3


def test_a_file_of_that_name_that_is_not_ours_is_named_before_anything_is_done(home: Path) -> None:
    there = machine(home)
    unit_of(there).parent.mkdir(parents=True)
    unit_of(there).write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    before = tree(home, *PLACES)
    with pytest.raises(SleepError, match="wasn't written by skillopt-sleep"):
        plan_install(there)
    done(plan_uninstall(there))
    assert tree(home, *PLACES) == before


def test_a_second_home_takes_the_service_and_says_so_and_the_first_then_leaves_it(home: Path) -> None:
    first, second = machine(home), machine(home, SKILLOPT_SLEEP_HOME=str(home / "other"))
    done(plan_install(first))
    plan = plan_install(second)
    assert f"which belongs to the settings in {first.paths.config}" in planned(plan)
    done(plan)
    before = tree(home, *PLACES)
    plan = plan_uninstall(first)
    assert (plan.steps, len(plan.left)) == ((), 1)
    assert str(second.paths.config) in plan.left[0]
    done(plan_uninstall(second))
    assert unit_of(first).exists() is False
    assert tree(home, *PLACES) != before


def test_an_uninstall_without_a_user_manager_still_removes_all_of_it(home: Path) -> None:
    there = machine(home)
    before = tree(home, *PLACES)
    done(plan_install(there))
    wants = unit_of(there).parent / "default.target.wants" / UNIT
    wants.parent.mkdir()
    wants.symlink_to(f"../{UNIT}")
    done(plan_uninstall(machine(home, systemd=False)))
    assert tree(home, *PLACES) == before


# Kills itself just before the change of number AT to a file, or just before the program of that number is started.
KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[4])
from skillopt_sleep.daemon.service.install import plan_install, plan_uninstall
from tests.installs import machine
home, at, verb = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
plan = {"install": plan_install, "uninstall": plan_uninstall}[verb](machine(home))
seen = 0
def hook(event, arguments):
    global seen
    counts = event in {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "subprocess.Popen"}
    counts |= event == "open" and (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) != 0
    if counts:
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
for step in plan.steps:
    step.do()
print("DONE")
"""


def killed(home: Path, at: int, verb: str) -> bool:
    """Whether the kill came before the end."""
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(home), str(at), verb, str(Path(__file__).parents[3])],
        capture_output=True,
        text=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
        check=False,
    )
    assert "DONE" in ran.stdout or ran.returncode == -9, ran.stderr
    return ran.returncode == -9


def without_empty_folders(home: Path) -> dict[str, Seen]:
    """All there is but folders: a kill before the first file may leave empty ones of systemd's."""
    return {name: seen for name, seen in tree(home, *PLACES).items() if seen.kind != "folder"}


@pytest.mark.slow
@pytest.mark.parametrize("step", sampled([4, 1], every=2))
@pytest.mark.parametrize("verb", ["install", "uninstall"])
@pytest.mark.parametrize("then", ["install", "uninstall"])
def test_a_kill_at_any_moment_is_mended_by_running_either_again(step: int, verb: str, then: str, home: Path) -> None:
    files = without_empty_folders(home)
    there = machine(home)
    done(plan_install(there))
    installed = tree(home, *PLACES)
    done(plan_uninstall(there))
    at = 1
    while True:
        if verb == "uninstall":
            done(plan_install(there))
        cut = killed(home, at, verb)
        assert unit_of(there).exists() is False or owner(unit_of(there)) == str(there.paths.config)
        if then == "install":
            done(plan_install(there))
            assert tree(home, *PLACES) == installed, at
        done(plan_uninstall(there))
        assert without_empty_folders(home) == files, at
        if not cut:
            break
        at += step
    assert at > 10


@pytest.mark.parametrize("then", ["install", "uninstall"])
def test_a_full_disk_leaves_nothing_torn_and_either_command_mends_it(then: str, home: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        shutil.rmtree(home / ".config")
        (home / ".config").symlink_to(disk)
        there = machine(home)
        fill(disk)
        with pytest.raises(OSError, match="No space"):
            done(plan_install(there))
        assert [path.name for path in disk.rglob("*") if path.is_file()] == ["filler"]
        (disk / "filler").unlink()
        if then == "install":
            done(plan_install(there))
            assert owner(unit_of(there)) == str(there.paths.config)
        done(plan_uninstall(there))
        assert [path for path in disk.rglob("*") if path.is_file()] == []
