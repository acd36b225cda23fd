"""The script that agents run, as they run it: by an interpreter of its own, with the package out of its reach."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from skillopt_sleep.settings import find_paths
from tests.agent_hooks import SCRIPT, SESSION, Hooked, git, read, repository, wait_for

PYTHONS = [path for path in ("/usr/bin/python3", sys.executable) if Path(path).exists()]


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    (tmp_path / "project").mkdir()
    return Hooked(tmp_path)


def kept(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def restored(hooked: Hooked, commit: str, into: Path) -> Path:
    """The project as the snapshot has it."""
    git(hooked.folder, "clone", "-q", str(hooked.folder / "project"), str(into))
    git(into, "checkout", "-q", commit)
    git(into, "apply", str(hooked.note("patch")))
    return into


# the end ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", ["claude_code", "codex"])
@pytest.mark.parametrize("python", PYTHONS)
def test_the_end_of_a_session_is_a_note_for_its_owner_alone(tmp_path: Path, agent: str, python: str) -> None:
    hooked = Hooked(tmp_path, agent, python)
    done = hooked.run("SessionEnd", reason="other")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    note = hooked.note("ended.json")
    assert json.loads(note.read_bytes())["at"] > 0
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    for folder in list(note.parents)[:4]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_a_session_that_ends_twice_has_one_note_with_the_later_time(hooked: Hooked) -> None:
    hooked.run("SessionEnd")
    first = json.loads(hooked.note("ended.json").read_bytes())["at"]
    hooked.run("SessionEnd")
    assert json.loads(hooked.note("ended.json").read_bytes())["at"] > first
    assert kept(hooked.spool) == [f"claude_code/{SESSION}.ended.json"]


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
    assert [Path(one).name for one in kept(hooked.folder / "home")] == [f"{SESSION}.ended.json"]


def test_the_spool_is_where_the_settings_say(hooked: Hooked) -> None:
    assert find_paths(hooked.environ).spool == hooked.spool


# the start ----------------------------------------------------------------------------------------------


def test_a_session_in_a_clean_repository_is_at_its_commit(hooked: Hooked) -> None:
    commit = repository(hooked.folder / "project")
    note = hooked.started()
    assert (note["commit"], note["complete"]) == (commit, True)
    assert note["root"] == str(hooked.folder / "project")
    assert hooked.note("patch").read_bytes() == b""


def test_what_is_not_committed_can_be_restored_to_the_byte(hooked: Hooked, tmp_path: Path) -> None:
    project = hooked.folder / "project"
    commit = repository(project, a_txt="one\n", gone_txt="gone\n", staged_txt="old\n")
    (project / "a.txt").write_text("two\n")
    (project / "gone.txt").unlink()
    (project / "staged.txt").write_text("staged\n")
    git(project, "add", "staged.txt")
    (project / "new folder").mkdir()
    (project / "new folder" / 'ünïcode " name.py').write_text("print()")
    (project / "picture.png").write_bytes(bytes(range(256)) * 8)
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)

    assert hooked.started()["complete"] is True

    copy = restored(hooked, commit, tmp_path / "copy")
    assert not (copy / "gone.txt").exists()
    for name in ("a.txt", "staged.txt", 'new folder/ünïcode " name.py', "picture.png", "run.sh"):
        assert (copy / name).read_bytes() == (project / name).read_bytes(), name
    assert os.access(copy / "run.sh", os.X_OK)


def test_the_repository_stays_as_it_is(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project)
    (project / "code.py").write_text("two\n")
    (project / "new.py").write_text("new\n")
    before = content(project)
    hooked.started()
    assert content(project) == before


def test_the_work_is_that_of_the_whole_repository_where_the_agent_is_in_a_folder_of_it(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project)
    (project / "inner").mkdir()
    (project / "code.py").write_text("two\n")
    hooked.started(cwd=str(project / "inner"))
    assert b"code.py" in hooked.note("patch").read_bytes()


def test_what_is_ignored_secret_or_large_stays_out(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project, code_py="one\n", _gitignore="ignored.txt\n", _env="KEY=old\n")
    for name in ("ignored.txt", ".env", ".env.local", "server.PEM", "credentials.json"):
        (project / name).write_text("KEY=top-secret\n")
    (project / "large.bin").write_bytes(b"x" * 300_000)
    (project / "code.py").write_text("two\n")
    assert hooked.started()["complete"] is False
    patch = hooked.note("patch").read_bytes()
    assert b"two" in patch
    assert b"top-secret" not in patch
    assert b"large.bin" not in patch


@pytest.mark.parametrize("name", [".env", "deep/Server.PEM", ".env.local"])
def test_work_without_a_file_of_secrets_is_not_everything(hooked: Hooked, name: str) -> None:
    project = hooked.folder / "project"
    repository(project)
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("KEY=top-secret\n")
    assert hooked.started()["complete"] is False
    git(project, "add", ".")
    git(project, "commit", "-qm", "with the secret")
    assert hooked.started(session="committed")["complete"] is True
    (project / name).write_text("KEY=another\n")
    assert hooked.started(session="changed")["complete"] is False
    (project / name).unlink()
    assert hooked.started(session="gone")["complete"] is False
    assert b"KEY" not in b"".join(path.read_bytes() for path in hooked.spool.rglob("*.patch"))


@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD = 'hunter2-prod-9911'",
        'AWS_SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"',
        '"apiToken": "abcd1234efgh",',
        "key: sk-proj-a1B2c3D4e5F6g7H8",
        "curl -H 'Authorization: Bearer abcdefgh12345678'",
        "postgres://app:s3cr3t@db.internal/app",
        "-----BEGIN RSA PRIVATE KEY-----",
        "x = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4'",
    ],
)
def test_a_file_with_what_looks_like_a_secret_stays_out_of_the_patch(hooked: Hooked, line: str) -> None:
    project = hooked.folder / "project"
    repository(project, code_py="one\n", settings_py=f"a = 1\n{line}\n")
    (project / "code.py").write_text("two\n")
    (project / "fresh.py").write_text(f"{line}\n")
    (project / "settings.py").write_text(f"a = 2\n{line}\n")
    assert hooked.started()["complete"] is False
    patch = hooked.note("patch").read_bytes()
    assert b"+two" in patch
    assert line.encode() not in patch
    assert b"fresh.py" not in patch
    assert b"settings.py" not in patch


def test_work_that_only_speaks_of_secrets_is_kept(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project)
    (project / "code.py").write_text("# the token is read from the keychain\ncheck_password()\n")
    (project / "lock").write_text(f"sha1-{'0123456789abcdef' * 3}\n")
    assert hooked.started()["complete"] is True
    patch = hooked.note("patch").read_bytes()
    assert b"keychain" in patch
    assert b"+sha1-" in patch


def test_a_patch_that_is_too_long_is_not_kept_but_the_commit_is(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    commit = repository(project)
    (project / "code.py").write_text("".join(f"line {number}\n" for number in range(300_000)))
    note = hooked.started()
    assert (note["commit"], note["complete"]) == (commit, False)
    assert hooked.note("patch").read_bytes() == b""


def test_commands_that_a_repository_names_are_not_run(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project, code_py="one\n", _gitattributes="*.py diff=evil\n")
    (project / "code.py").write_text("two\n")
    for key in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv"):
        git(project, "config", key, f"touch {hooked.folder}/ran; false")
    hook = project / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {hooked.folder}/ran\n")
    hook.chmod(0o755)
    (project / "new.py").write_text("new\n")
    assert hooked.started()["complete"] is True
    assert b"two" in hooked.note("patch").read_bytes()
    assert not (hooked.folder / "ran").exists()


@pytest.mark.parametrize("where", ["config", "included", "worktree"])
@pytest.mark.parametrize("kind", ["clean", "process"])
def test_a_filter_that_a_repository_names_is_not_run(hooked: Hooked, kind: str, where: str) -> None:
    project = hooked.folder / "project"
    commit = repository(project, code_py="one\n", _gitattributes="* filter=evil\n")
    script = hooked.folder / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {hooked.folder}/ran\ncat\n")
    script.chmod(0o755)
    section = f'[filter "evil"]\n\t{kind} = {script}\n'
    if where == "config":
        with (project / ".git" / "config").open("a") as config:
            config.write(section)
    elif where == "included":
        (project / "more").write_text(section)
        git(project, "config", "include.path", "../more")
    else:
        git(project, "config", "extensions.worktreeConfig", "true")
        (project / ".git" / "config.worktree").write_text(section)
    (project / "code.py").write_text("two\n")

    note = hooked.started()

    assert (note["commit"], note["complete"]) == (commit, False)
    assert hooked.note("patch").read_bytes() == b""
    assert not (hooked.folder / "ran").exists()


def test_a_filter_that_the_person_has_is_theirs(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project, code_py="one\n", _gitattributes="* filter=upper\n")
    (hooked.folder / ".gitconfig").write_text('[filter "upper"]\n\tclean = tr a-z A-Z\n')
    (project / "code.py").write_text("two\n")

    assert hooked.started()["complete"] is True
    assert b"+TWO" in hooked.note("patch").read_bytes()


def test_an_index_that_is_no_plain_file_is_not_copied(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    commit = repository(project)
    (project / ".git" / "index").unlink()
    (project / ".git" / "index").symlink_to("/dev/zero")

    note = hooked.started()

    assert (note["commit"], note["complete"]) == (commit, False)


@pytest.mark.parametrize("odd", ["a pipe", "endless", "too long", "a folder", "a link out"])
def test_nothing_is_kept_of_a_project_that_does_not_say_what_it_wants(hooked: Hooked, odd: str) -> None:
    project, other = hooked.folder / "project", hooked.folder / "other"
    repository(project)
    repository(other)
    (project / ".skillopt-sleep").mkdir()
    settings = project / ".skillopt-sleep" / "project.toml"
    if odd == "a pipe":
        os.mkfifo(settings)
    elif odd == "endless":
        settings.symlink_to("/dev/zero")
    elif odd == "too long":
        settings.write_text("#" * (64 * 1024 + 1))
    elif odd == "a folder":
        settings.mkdir()
    else:
        (hooked.folder / "outside.toml").write_text("enabled = true\n")
        settings.symlink_to(hooked.folder / "outside.toml")

    hooked.run("SessionStart", source="startup")
    hooked.started(session="another", cwd=str(other))

    assert not hooked.note("patch").exists()
    assert not hooked.note("started.json").exists()


def test_a_worktree_and_a_submodule_are_their_own(hooked: Hooked) -> None:
    main, library = hooked.folder / "main", hooked.folder / "library"
    repository(main)
    repository(library)
    git(main, "worktree", "add", "-q", str(hooked.folder / "tree"))
    git(main, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "inner")
    for number, folder in enumerate((hooked.folder / "tree", main / "inner")):
        (folder / "code.py").write_text("two\n")
        assert hooked.started(session=f"s{number}", cwd=str(folder))["complete"] is True
        assert b"+two" in hooked.note("patch", f"s{number}").read_bytes()


@pytest.mark.parametrize("way", ["a file", "a link", "alternates", "linked objects"])
def test_nothing_of_a_repository_elsewhere_is_kept(hooked: Hooked, way: str) -> None:
    project, other = hooked.folder / "project", hooked.folder / "other"
    commit = repository(other, diary_txt="nobody's business\n")
    if way == "a file":
        (project / ".git").write_text(f"gitdir: {other}/.git\n")
    elif way == "a link":
        (project / ".git").symlink_to(other / ".git")
    else:
        repository(project)
        if way == "alternates":
            (project / ".git" / "objects" / "info" / "alternates").write_text(f"{other}/.git/objects\n")
        else:
            shutil.rmtree(project / ".git" / "objects")
            (project / ".git" / "objects").symlink_to(other / ".git" / "objects")
        (project / ".git" / "refs" / "heads" / "main").write_text(commit + "\n")

    note = hooked.started()

    assert (note["commit"], note["complete"]) == (commit, False)
    assert hooked.note("patch").read_bytes() == b""


def test_a_persons_own_taste_in_diffs_does_not_spoil_the_patch(hooked: Hooked, tmp_path: Path) -> None:
    project = hooked.folder / "project"
    commit = repository(project)
    for key, value in {"diff.noprefix": "true", "color.ui": "always", "diff.mnemonicPrefix": "true"}.items():
        git(project, "config", key, value)
    (project / "code.py").write_text("two\n")
    hooked.started()
    assert (restored(hooked, commit, tmp_path / "copy") / "code.py").read_text() == "two\n"


def test_a_session_is_noted_as_it_was_found_first(hooked: Hooked) -> None:
    """The settings and the plugin may both have the hook, and a session may be taken up again."""
    project = hooked.folder / "project"
    repository(project)
    first = hooked.started()
    (project / "code.py").write_text("two\n")
    hooked.run("SessionStart", source="resume")
    hooked.started(session="another")  # begun later, so that the one before is through
    assert read(hooked.note("started.json")) == first
    assert hooked.note("patch").read_bytes() == b""


def test_a_project_that_opted_out_is_not_looked_at(hooked: Hooked) -> None:
    project = hooked.folder / "project"
    repository(project)
    (project / ".skillopt-sleep").mkdir()
    (project / ".skillopt-sleep" / "project.toml").write_text("# ours\nenabled = false\n")
    other = hooked.folder / "other"
    repository(other)
    hooked.run("SessionStart", source="startup")
    hooked.started(session="another", cwd=str(other))
    assert not hooked.note("patch").exists()


@pytest.mark.parametrize("what", ["no repository", "no commit yet", "no such folder"])
def test_where_there_is_no_commit_there_is_no_note(hooked: Hooked, what: str) -> None:
    project = hooked.folder / "project"
    if what == "no commit yet":
        git(project, "init", "-q")
    if what == "no such folder":
        project.rmdir()
    done = hooked.run("SessionStart", source="startup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    repository(hooked.folder / "other")
    hooked.started(session="another", cwd=str(hooked.folder / "other"))
    assert not hooked.note("started.json").exists()


def test_old_notes_go(hooked: Hooked) -> None:
    repository(hooked.folder / "project")
    hooked.run("SessionEnd", session="old")
    hooked.run("SessionEnd", session="young")
    os.utime(hooked.note("ended.json", "old"), (0, 0))
    hooked.run("SessionStart", source="startup")
    wait_for(lambda: not hooked.note("ended.json", "old").exists())
    assert hooked.note("ended.json", "young").exists()


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
