"""What an attempt left is read without trust, and what it changed is told in bounds."""

import os
import socket
import time
from contextlib import suppress
from pathlib import Path

import pytest

from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces import Base, WorkspaceRefused
from skillopt_sleep.replay.workspaces.changes import MOST_DIFF, printable_path
from tests.replay.workspaces.repositories import act, base_of, repository, state


@pytest.fixture
def base(tmp_path: Path, layers: bool) -> Base:
    root = tmp_path / "shop"
    files: dict[str, str | bytes] = {
        "a.py": "one\n",
        "gen/b.py": "two\n",
        "run": "#!/bin/sh\n",
        ".gitignore": "*.log\n/built/\n",
    }
    name = repository(root, files)
    return base_of(tmp_path, root, name, layers=layers)


def test_nothing_done_is_no_change(base: Base) -> None:
    with base.copy() as copy:
        act(copy, "sh", "-c", "touch a.py; echo one > a.py; cat run > /dev/null; git status > /dev/null")
        assert copy.changes() == ((), "", ())


def test_each_kind_of_change_is_told(base: Base) -> None:
    with base.copy() as copy:
        act(
            copy,
            "sh",
            "-c",
            "echo 1 > a.py; rm gen/b.py; chmod +x run; echo new > c.py; mv run run2; ln -s a.py link",
        )
        changes = copy.changes()
    assert changes.files == ("a.py", "c.py", "gen/b.py", "link", "run", "run2")
    for line in ("-one", "+1", "deleted file mode 100644", "+new", "new file mode 100755", "new file mode 120000"):
        assert line in changes.diff.splitlines()


def test_new_files_that_the_project_ignores_are_left_out_by_its_own_rules_not_the_attempts(base: Base) -> None:
    with base.copy() as copy:
        act(
            copy,
            "sh",
            "-c",
            "echo x > a.log; mkdir built __pycache__; touch built/x __pycache__/a.pyc; echo '*' > .gitignore; echo x > hidden",
        )
        assert copy.changes().files == (".gitignore", "hidden")


def test_odd_names_are_told_in_plain_letters(base: Base) -> None:
    names = [
        b"new\nline",
        b"esc\x1b[31m",
        b"\xff\xfe",
        b":(top)x",
        b'"q"',
        b"-rf",
        "é\u202e".encode(),
        b"%s {} $(id)",
    ]
    with base.copy() as copy:
        for name in names:
            (copy.tree.upper / os.fsdecode(name)).write_text("x\x1b[2J\n")
        changes = copy.changes()
    assert set(changes.files) == {printable_path(name) for name in names}
    assert len(changes.files) == len(names)
    told = "".join((*changes.files, changes.diff.translate({10: "", 9: ""})))
    assert told.isprintable()
    assert told.encode()
    assert changes.diff.count("+x\\x1b[2J\n") == len(names)


def test_links_out_are_never_followed(base: Base, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.py").write_text("hush\n")
    outside = state(tmp_path / "secret")
    with base.copy() as copy:
        act(copy, "sh", "-c", f"rm -r gen a.py; ln -s {tmp_path}/secret gen; ln -s {tmp_path}/secret/b.py a.py")
        changes = copy.changes()
    assert set(changes.files) == {"a.py", "gen", "gen/b.py"}
    assert "hush" not in changes.diff
    assert state(tmp_path / "secret") == outside


def test_pipes_sockets_devices_and_huge_files_neither_hang_nor_fill_anything(base: Base) -> None:
    began = time.monotonic()
    with base.copy() as copy:
        upper = copy.tree.upper
        act(copy, "sh", "-c", "rm a.py; mkfifo pipe a.py; truncate -s 1T sparse; head -c 2000000 /dev/zero > zeros")
        with socket.socket(socket.AF_UNIX) as server:
            here = Path.cwd()
            os.chdir(upper)
            server.bind("socket")
            os.chdir(here)
        with suppress(PermissionError):
            os.mknod(upper / "device", 0o20666, os.makedev(1, 5))
        changes = copy.changes()
    assert {"a.py", "pipe", "socket", "sparse", "zeros"} <= set(changes.files)
    assert "(not shown: sparse)" in changes.diff
    assert len(changes.diff) < 2_000
    assert time.monotonic() - began < 60


def test_the_difference_is_bounded_and_says_what_it_leaves_out(base: Base) -> None:
    with base.copy() as copy:
        for number in range(60):
            (copy.tree.upper / f"big{number:02}.txt").write_text("words of no worth\n" * 13_000)
        changes = copy.changes()
    assert len(changes.files) == 60
    assert len(changes.diff) <= MOST_DIFF
    assert "(not shown: big59.txt)" in changes.diff


def test_secrets_are_redacted_in_names_and_text(base: Base) -> None:
    secret = "sk-ant-api03-" + "aB3dE6gH9j" * 9 + "-AA"
    with base.copy() as copy:
        (copy.tree.upper / "conf.py").write_text(f'key = "{secret}"\n')
        (copy.tree.upper / f"{secret}.txt").write_text("x\n")
        changes = copy.changes()
    assert secret not in changes.diff + "".join(changes.files)
    assert "[redacted:" in changes.diff


def test_a_folder_deeper_than_any_path_is_refused_and_still_removed(base: Base) -> None:
    with base.copy() as copy:
        at = os.open(copy.tree.upper, os.O_RDONLY)
        for _ in range(3_000):
            os.mkdir("deep", dir_fd=at)
            below = os.open("deep", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        os.close(at)
        with pytest.raises(WorkspaceRefused) as refused:
            copy.changes()
        assert refused.value.code is NoWorkspace.TOO_LARGE
    assert not copy.tree.upper.parent.exists()


def test_what_an_attempt_plants_for_git_is_not_run(base: Base, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\necho \"$*\" >> '{marker}'\ncat\n")
    program.chmod(0o755)
    script = "echo '* filter=evil diff=evil' > .gitattributes; echo two > a.py; "
    for key in (
        "filter.evil.clean",
        "filter.evil.smudge",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.fsmonitor",
        "diff.external",
    ):
        script += f"git config {key} {program}; "
    script += f"mkdir -p .git/hooks; for hook in post-index-change reference-transaction; do cp {program} .git/hooks/$hook; done"
    with base.copy() as copy:
        act(copy, "sh", "-c", script)
        assert copy.changes().files == (".gitattributes", "a.py")
        assert not marker.exists()
        act(copy, "git", "diff")
        assert marker.exists()  # so it would have been run
