"""The script that agents run, as they run it: by an interpreter of its own, with the package out of its reach."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.settings import find_paths
from skillopt_sleep.stores.hooks import HookSpool
from tests.agent_hooks import SCRIPT, SESSION, Hooked, git, lines_of, repository

PYTHONS = [path for path in ("/usr/bin/python3", sys.executable) if Path(path).exists()]


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    (tmp_path / "project").mkdir()
    return Hooked(tmp_path)


def kept(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["claude_code", "codex"])
@pytest.mark.parametrize("python", PYTHONS)
def test_the_end_of_a_session_is_a_note_for_its_owner_alone(tmp_path: Path, agent: str, python: str) -> None:
    hooked = Hooked(tmp_path, agent, python)
    done = hooked.run("SessionEnd", reason="other")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    note = hooked.note("ended")
    assert float(note.read_text()) > 0
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    for folder in list(note.parents)[:4]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_a_session_that_ends_twice_has_one_note_with_the_later_time(hooked: Hooked) -> None:
    hooked.run("SessionEnd")
    first = float(hooked.note("ended").read_text())
    hooked.run("SessionEnd")
    assert float(hooked.note("ended").read_text()) > first
    assert kept(hooked.spool) == [f"claude_code/{SESSION}.ended"]


@pytest.mark.parametrize(
    "environ",
    [{}, {"XDG_DATA_HOME": "/some/where"}, {"XDG_DATA_HOME": "not/absolute"}, {"SKILLOPT_SLEEP_HOME": "~/s"}],
)
def test_the_notes_go_where_the_program_looks_for_them(hooked: Hooked, environ: dict[str, str]) -> None:
    """Asked of both in processes of their own, as platformdirs reads the real environment."""
    everything = {"HOME": str(hooked.folder), "PATH": os.environ["PATH"], **environ}
    ours = "from skillopt_sleep.settings import find_paths; print(find_paths().state, end='')"
    script = SCRIPT.parent
    theirs = f"import sys; sys.path.insert(0, {str(script)!r}); import session; print(session.state_folder(), end='')"
    said = [
        subprocess.run(
            [sys.executable, "-B", "-c", code], env=everything, capture_output=True, text=True, check=True
        ).stdout
        for code in (ours, theirs)
    ]
    assert said[0] == said[1]


@pytest.mark.parametrize("name", ["SKILLOPT_SLEEP_HOME", "XDG_DATA_HOME"])
def test_nothing_is_written_into_the_folder_the_agent_is_in(hooked: Hooked, name: str) -> None:
    environ = {"HOME": str(hooked.folder / "home"), "PATH": os.environ["PATH"], name: "project"}
    hooked.run("SessionEnd", environ=environ)
    assert kept(hooked.folder / "project") == []
    assert [Path(one).name for one in kept(hooked.folder / "home")] == [f"{SESSION}.ended"]


def test_the_spool_is_where_the_settings_say(hooked: Hooked) -> None:
    assert find_paths(hooked.environ).spool == hooked.spool


# the start ----------------------------------------------------------------------------------------------


def test_a_session_is_noted_with_its_repository_and_commit(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    commit = repository(project)
    (project / "inner").mkdir()
    assert hooked.started(cwd=str(project / "inner")) == [str(project), commit]
    assert stat.S_IMODE(hooked.note("started").stat().st_mode) == 0o600


def test_nothing_that_is_in_the_project_is_copied(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project)
    (project / "code.py").write_text("the price is 4711\n")
    (project / "new.py").write_text("the price is 4711\n")
    before = content(project)
    hooked.started()
    assert content(project) == before
    assert kept(hooked.spool) == [f"claude_code/{SESSION}.started"]
    assert b"4711" not in hooked.note("started").read_bytes()


def test_commands_that_a_repository_names_are_not_run(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    commit = repository(project, code_py="one\n", _gitattributes="* filter=evil diff=evil\n")
    (project / "code.py").write_text("two\n")
    for key in ("core.fsmonitor", "diff.external", "diff.evil.command", "filter.evil.clean", "filter.evil.process"):
        git(project, "config", key, f"touch {hooked.folder}/ran; false")
    hook = project / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {hooked.folder}/ran\n")
    hook.chmod(0o755)
    assert hooked.started() == [str(project), commit]
    assert not (hooked.folder / "ran").exists()


def test_another_repository_that_git_was_told_of_is_not_the_sessions(hooked: Hooked) -> None:
    """An agent that is started from a hook of git inherits where that hook's repository is."""
    project = hooked.folder / "project"
    commit = repository(project)
    repository(hooked.folder / "other")
    environ = hooked.environ | {"GIT_DIR": str(hooked.folder / "other" / ".git")}
    hooked.run("SessionStart", source="startup", environ=environ)
    assert lines_of(hooked.note("started")) == [str(project), commit]


def test_a_session_is_noted_as_it_was_found_first(hooked: Hooked) -> None:
    """The settings and the plugin may both have the hook, and a session may be taken up again."""
    project = hooked.folder / "project"
    repository(project)
    first = hooked.started()
    git(project, "commit", "-q", "--allow-empty", "-m", "later")
    hooked.run("SessionStart", source="resume")
    hooked.started(session="another")  # begun later, so that the one before is through
    assert lines_of(hooked.note("started")) == first


@pytest.mark.parametrize("what", ["no repository", "no commit yet", "no such folder"])
def test_where_there_is_no_commit_there_is_no_snapshot(hooked: Hooked, what: str) -> None:
    project = hooked.folder / "project"
    if what == "no commit yet":
        git(project, "init", "-q")
    if what == "no such folder":
        project.rmdir()
    done = hooked.run("SessionStart", source="startup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    repository(hooked.folder / "other")
    hooked.started(session="another", cwd=str(hooked.folder / "other"))
    assert HookSpool(hooked.spool).snapshot(f"claude_code:{SESSION}") is None


def test_old_notes_go(hooked: Hooked) -> None:
    repository(hooked.folder / "project")
    hooked.run("SessionEnd", session="old")
    hooked.run("SessionEnd", session="young")
    os.utime(hooked.note("ended", "old"), (0, 0))
    hooked.run("SessionStart", source="startup")
    assert not hooked.note("ended", "old").exists()
    assert hooked.note("ended", "young").exists()


# the daily line -----------------------------------------------------------------------------------------


def test_a_person_is_told_once_a_day_that_proposals_wait(hooked: Hooked) -> None:
    hooked.waits(2)
    first = hooked.run("SessionStart", source="startup")
    assert json.loads(first.stdout) == {
        "systemMessage": "skillopt-sleep: 2 proposals wait for you; go through them with: skillopt-sleep review"
    }
    assert hooked.run("SessionStart", session="another", source="startup").stdout == ""


def test_of_two_hooks_at_once_one_speaks(hooked: Hooked) -> None:
    hooked.waits(1)
    told = json.dumps({"session_id": SESSION, "hook_event_name": "SessionStart", "cwd": str(hooked.folder)})
    argv = [sys.executable, "-I", "-S", str(SCRIPT), "codex"]
    pipe = subprocess.PIPE
    both = [
        subprocess.Popen(argv, stdin=pipe, stdout=pipe, text=True, env=hooked.environ, cwd=hooked.folder)
        for _ in range(2)
    ]
    said = [one.communicate(told)[0] for one in both]
    assert sorted(map(bool, said)) == [False, True]
    assert "1 proposal waits" in "".join(said)


@pytest.mark.parametrize("count", [0, -1, True, "3", None, [1]])
def test_nothing_is_said_where_nothing_waits_or_nobody_knows(hooked: Hooked, count: object) -> None:
    hooked.waits(count)
    done = hooked.run("SessionStart", source="startup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_run_without_a_person_does_not_use_the_line_up(hooked: Hooked) -> None:
    hooked.waits(2)
    headless = hooked.environ | {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    assert hooked.run("SessionStart", source="startup", environ=headless).stdout == ""
    assert hooked.run("SessionStart", source="compact").stdout == ""
    assert "2 proposals" in hooked.run("SessionStart", source="startup").stdout


# whatever happens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    ["", "{", "[]", "null", "{}", '{"session_id": 3, "hook_event_name": "SessionEnd"}', "\ud800", "x" * 2_000_000],
    ids=["nothing", "half", "a list", "null", "no fields", "a number", "no text", "too much"],
)
def test_a_hook_never_fails_the_agent(hooked: Hooked, told: str) -> None:
    script = SCRIPT
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(script), "codex"],
        input=told.encode(errors="surrogatepass"),
        capture_output=True,
        env=hooked.environ,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("session", ["../../outside", "a/b", "", "x" * 200, ".."])
def test_a_session_can_not_be_named_out_of_the_spool(hooked: Hooked, session: str) -> None:
    assert hooked.run("SessionEnd", session=session).returncode == 0
    assert kept(hooked.folder) == []


def test_an_agent_that_is_not_known_leaves_nothing(hooked: Hooked) -> None:
    told = json.dumps({"session_id": SESSION, "hook_event_name": "SessionEnd"})
    assert hooked.raw(told, "../agent").returncode == 0
    assert kept(hooked.folder) == []


def test_a_spool_that_can_not_be_written_is_no_failure(hooked: Hooked) -> None:
    hooked.state.mkdir(parents=True)
    hooked.spool.write_text("a file in the way")
    for event in ("SessionStart", "SessionEnd"):
        done = hooked.run(event, source="startup")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_a_hook_that_is_told_nothing_gives_up(hooked: Hooked) -> None:
    script = SCRIPT
    argv = [sys.executable, "-I", "-S", str(script), "claude_code"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, env=hooked.environ) as waiting:
        assert waiting.wait(timeout=20) == 0


def test_git_that_hangs_holds_nobody_up(hooked: Hooked) -> None:
    """The hook is over, pipes and all, while git has not answered."""
    programs = hooked.folder / "programs"
    programs.mkdir()
    gate = hooked.folder / "gate"
    os.mkfifo(gate)
    (programs / "git").write_text(f"#!/bin/sh\nread line < '{gate}'\n")
    (programs / "git").chmod(0o755)
    environ = hooked.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    done = hooked.run("SessionStart", source="startup", environ=environ)
    assert done.returncode == 0
    gate.write_text("go on\n")  # opens only while git still waits
