"""A base holds the files of one state and nothing else, and the person's repository stays as it is."""

import gc
import os
import random
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.records import NoWorkspace, Workspace
from skillopt_sleep.replay.workspaces import Bases, CopyLimits, WorkspaceRefused, ends_of
from tests.replay.workspaces.repositories import base_of, commit, git, refusal, repository, state, write


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    repository(tmp_path / "shop")
    return tmp_path / "shop"


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD")


def files_of(tree: Path) -> list[str]:
    return git(tree, "ls-files").splitlines()


def test_a_base_is_the_commit_as_the_only_one_of_a_new_repository(tmp_path: Path, shop: Path) -> None:
    then = commit(shop, {"a.py": "the bug\n"})
    commit(shop, {"a.py": "the fix\n", "later.py": "later\n"})
    git(shop, "remote", "add", "origin", "https://shop.example/shop.git")
    write(shop / ".git" / "hooks", {"post-checkout": "#!/bin/sh\n"})
    tree = base_of(tmp_path, shop, then).path
    assert (tree / "a.py").read_text() == "the bug\n"
    assert files_of(tree) == ["a.py", "src/b.py"]
    assert git(tree, "status", "--porcelain") == ""
    assert (
        git(tree, "log", "--all", "--format=%an %ae %at %s")
        == "Developer developer@example.invalid 946684800 The project"
    )
    assert git(tree, "remote") == ""
    assert not (tree / ".git" / "hooks").exists()
    assert not (tree / ".git" / "logs").exists()
    held = git(tree, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    assert sorted(held) == ["blob", "blob", "commit", "tree", "tree"]
    assert git(tree, "fsck", "--full") == ""


def test_uncommitted_work_is_not_in_it(tmp_path: Path, shop: Path) -> None:
    write(shop, {"a.py": "dirty\n", "new/c.py": "new\n"})
    git(shop, "add", "-A")
    tree = base_of(tmp_path, shop, head(shop)).path
    assert files_of(tree) == ["a.py", "src/b.py"]
    assert (tree / "a.py").read_text() == "one\n"


def test_threads_that_ask_at_once_get_the_one_base(tmp_path: Path, shop: Path) -> None:
    bases = Bases(tmp_path / "workspaces")
    workspace = Workspace(root=str(shop), commit=head(shop))
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: bases.of(workspace).path, range(8)))
    assert len(set(made)) == 1


def test_the_bases_used_longest_ago_go_and_those_with_copies_stay(tmp_path: Path, shop: Path) -> None:
    states = [Workspace(root=str(shop), commit=commit(shop, {"a.py": f"{number}\n"})) for number in range(4)]
    bases = Bases(tmp_path / "workspaces", most=2)
    with bases.of(states[0]).copy():
        first, second = bases.of(states[0]).path, bases.of(states[1]).path
        bases.of(states[2])
        third = bases.of(states[2]).path
        fourth = bases.of(states[3]).path
        assert [path.exists() for path in (first, second, third, fourth)] == [True, False, True, True]
    assert not first.exists()
    bases.of(states[2])
    assert bases.of(states[1]).path.exists()
    assert [path.exists() for path in (third, fourth)] == [True, False]
    del bases
    assert list((tmp_path / "workspaces").iterdir()) == []


def test_secrets_and_links_that_lead_out_are_in_neither_the_files_nor_the_objects(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    secret = {
        ".env": "A=hush-1\n",
        "deploy/.env.local": "hush-2\n",
        "keys/server.pem": "hush-3\n",
        "conf/credentials": "hush-4\n",
    }
    code = {
        "auth/credentials.py": "def credentials(): return ask()\n",
        "lib/secrets.py": 'api_key = "sk-ant-api03-' + "Zx9" * 30 + '"\n',
    }
    repository(root, {**secret, **code, "a.py": "one\n"})
    (root / "out").symlink_to("/etc/passwd")
    (root / "up").symlink_to("../elsewhere")
    (root / "in").symlink_to("a.py")
    base = base_of(tmp_path, root, commit(root, {}))
    assert files_of(base.path) == ["a.py", "auth/credentials.py", "in"]
    assert base.left_out == (
        ".env",
        "conf/credentials",
        "deploy/.env.local",
        "keys/server.pem",
        "lib/secrets.py",
        "out",
        "up",
    )
    objects = git(
        base.path, "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)"
    ).splitlines()
    texts = [git(base.path, "cat-file", "-p", line.split()[0]) for line in objects if line.endswith("blob")]
    assert not any("hush" in text or "sk-ant" in text or "/etc" in text for text in texts)


def planted(root: Path, marker: Path) -> str:
    """A repository whose every setting that names a program has it write the marker."""
    program = root / ".git" / "evil"
    repository(root, {"a.txt": "one\n", ".gitattributes": "* filter=evil diff=evil merge=evil ident export-subst\n"})
    program.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\ncat\n")
    program.chmod(0o755)
    done = commit(root, {"b.txt": "$Format:%H$\n"})
    for key in ("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "diff.evil.command"):
        git(root, "config", key, str(program))
    for key in ("core.fsmonitor", "core.pager", "gpg.program", "core.sshCommand", "core.editor", "diff.external"):
        git(root, "config", key, str(program))
    for key, value in {
        "filter.evil.required": "true",
        "log.showSignature": "true",
        "core.hooksPath": ".git/hooks",
    }.items():
        git(root, "config", key, value)
    for hook in (
        "post-checkout",
        "post-index-change",
        "reference-transaction",
        "pre-commit",
        "post-commit",
        "pre-auto-gc",
    ):
        (root / ".git" / "hooks" / hook).write_bytes(program.read_bytes())
        (root / ".git" / "hooks" / hook).chmod(0o755)
    return done


def test_nothing_that_a_repository_names_is_run_and_it_stays_byte_for_byte_as_it_was(
    tmp_path: Path, layers: bool
) -> None:
    root, marker = tmp_path / "shop", tmp_path / "ran"
    name = planted(root, marker)
    (root / "a.txt").write_text("two\n")
    before = state(root)
    base = base_of(tmp_path, root, name, layers=layers)
    with base.copy() as copy:
        copy.write("CLAUDE.md", b"be brief\n")
        (copy.tree.upper / "a.txt").write_text("three\n")
        assert copy.changes().files == ("a.txt",)
        copy.overwrite("tests/new.py", b"the test\n")
    assert (base.path / "a.txt").read_text() == "one\n"
    assert (base.path / "b.txt").read_text() == "$Format:%H$\n"
    assert state(root) == before
    assert not marker.exists()
    git(root, "checkout", "--", "a.txt")
    assert "evil" in marker.read_text()  # so it would have been run


def test_no_git_is_needed_to_read_a_repository(tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = head(shop)
    monkeypatch.setenv("PATH", str(tmp_path))
    workspace = Workspace(root=str(shop), commit=name)
    assert (base_of(tmp_path, shop, name).path / "a.py").read_text() == "one\n"
    assert ends_of(workspace, datetime.now(UTC)) == ()
    monkeypatch.undo()
    assert files_of(base_of(tmp_path, shop, name).path) == ["a.py", "src/b.py"]


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("packed", [False, True])
def test_broken_objects_are_refused_and_nothing_else_goes_wrong(tmp_path: Path, shop: Path, packed: bool) -> None:
    if packed:
        git(shop, "repack", "-adq")
    workspace = Workspace(root=str(shop), commit=head(shop))
    (shop / ".git" / "logs" / "HEAD").unlink()
    draw = random.Random(7)
    refused = 0
    for number in range(60):
        root = tmp_path / str(number)
        shutil.copytree(shop, root)
        broken = draw.choice([path for path in (root / ".git" / "objects").rglob("*") if path.is_file()])
        content = bytearray(broken.read_bytes())
        at = draw.randrange(len(content))
        content[at : at + draw.choice((1, 8, len(content)))] = bytes(draw.choice((0, 1)))
        broken.chmod(0o644)
        broken.write_bytes(content)
        try:
            Bases(tmp_path / "workspaces", layers=False).of(replace(workspace, root=str(root)))
        except WorkspaceRefused:
            refused += 1
        ends_of(replace(workspace, root=str(root)), datetime(2020, 1, 1, tzinfo=UTC))
    gc.collect()  # dulwich warns of a broken pack that it didn't close, when that is forgotten
    assert refused > 20


def made_up(folder: Path, shop: Path, *entries: tuple[str, str, bytes]) -> str:
    """A commit whose tree lists these entries, which git itself would never write."""
    listed = b"".join(f"{mode} {name}".encode() + b"\0" + content for mode, name, content in entries)
    (folder / "listed").write_bytes(listed)
    tree = git(shop, "hash-object", "-t", "tree", "-w", "--literally", str(folder / "listed"))
    return git(shop, "commit-tree", "-m", "made up", tree)


@pytest.mark.parametrize("name", [".git", "..", ".GIT", ".", "a/../../b", "/etc/x"])
def test_a_file_of_an_unsafe_name_is_refused(tmp_path: Path, shop: Path, name: str) -> None:
    blob = bytes.fromhex(git(shop, "hash-object", "-w", "a.py"))
    commit_name = made_up(tmp_path, shop, ("100644", name, blob))
    assert refusal(tmp_path, shop, commit_name) is NoWorkspace.UNREADABLE


def test_no_file_is_written_through_a_link_of_the_same_name(tmp_path: Path, shop: Path) -> None:
    link, blob = (bytes.fromhex(git(shop, "hash-object", "-w", "--stdin", stdin=text)) for text in ("docs", "x"))
    entries = (("120000", "src", link), ("100644", "docs/a", blob), ("100644", "src/x", blob))
    commit_name = made_up(tmp_path, shop, *entries)
    assert refusal(tmp_path, shop, commit_name) in {NoWorkspace.UNREADABLE, NoWorkspace.DISK}


def test_a_shallow_clone_has_its_commit_and_none_before_it(tmp_path: Path, shop: Path) -> None:
    first, second = head(shop), commit(shop, {"a.py": "later\n"})
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{shop}", "clone")
    assert (base_of(tmp_path, tmp_path / "clone", second).path / "a.py").read_text() == "later\n"
    assert refusal(tmp_path, tmp_path / "clone", first) is NoWorkspace.SHALLOW


def test_a_partial_clone_that_lacks_files_is_refused_and_nothing_is_fetched(tmp_path: Path, shop: Path) -> None:
    git(shop, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{shop}", "clone")
    before = state(tmp_path / "clone")
    assert refusal(tmp_path, tmp_path / "clone", head(shop)) is NoWorkspace.PARTIAL
    assert state(tmp_path / "clone") == before


def test_a_worktree_is_a_place_of_its_own(tmp_path: Path, shop: Path) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "fix"))
    name = commit(tmp_path / "fix", {"a.py": "fixed\n"})
    before = state(shop) | state(tmp_path / "fix")
    assert (base_of(tmp_path, tmp_path / "fix", name).path / "a.py").read_text() == "fixed\n"
    assert state(shop) | state(tmp_path / "fix") == before


def test_submodules_and_files_of_lfs_are_refused(tmp_path: Path, shop: Path) -> None:
    repository(tmp_path / "outer")
    git(tmp_path / "outer", "submodule", "add", "-q", str(shop), "shop")
    assert refusal(tmp_path, tmp_path / "outer", commit(tmp_path / "outer", {})) is NoWorkspace.SUBMODULES
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    name = repository(tmp_path / "lfs", {"movie.mp4": pointer, "media/.gitattributes": "*.mp4 filter=lfs diff=lfs\n"})
    assert refusal(tmp_path, tmp_path / "lfs", name) is NoWorkspace.LFS
    name = repository(tmp_path / "unused", {"a.py": "one\n", ".gitattributes": "*.mp4 filter=lfs\n"})
    assert base_of(tmp_path, tmp_path / "unused", name)


def test_a_submodule_is_a_repository_of_its_own(tmp_path: Path, shop: Path) -> None:
    repository(tmp_path / "outer")
    git(tmp_path / "outer", "submodule", "add", "-q", str(shop), "shop")
    assert files_of(base_of(tmp_path, tmp_path / "outer" / "shop", head(shop)).path) == ["a.py", "src/b.py"]


@pytest.mark.parametrize("limits", [CopyLimits(files=1), CopyLimits(size=7)])
def test_too_many_files_or_bytes_are_refused_before_they_are_written(
    tmp_path: Path, shop: Path, limits: CopyLimits
) -> None:
    bases = Bases(tmp_path / "workspaces", limits=limits)
    for _ in range(2):
        with pytest.raises(WorkspaceRefused) as refused:
            bases.of(Workspace(root=str(shop), commit=head(shop)))
        assert refused.value.code is NoWorkspace.TOO_LARGE
    assert list((tmp_path / "workspaces").iterdir()) == []


def test_a_tree_of_trees_without_end_is_refused(tmp_path: Path, shop: Path) -> None:
    name = git(shop, "hash-object", "-w", "a.py")
    kind = "100644 blob"
    for level in range(12):
        listed = "".join(f"{kind} {name}\t{letter}{level}\n" for letter in "abcdefghij")
        name = git(shop, "mktree", stdin=listed)
        kind = "040000 tree"
    bomb = git(shop, "commit-tree", "-m", "bomb", name)
    with pytest.raises(WorkspaceRefused) as refused:
        Bases(tmp_path / "workspaces", limits=CopyLimits(files=1_000)).of(Workspace(root=str(shop), commit=bomb))
    assert refused.value.code is NoWorkspace.TOO_LARGE


def test_a_commit_or_folder_that_is_not_there_is_refused(tmp_path: Path, shop: Path) -> None:
    assert refusal(tmp_path, shop, "0" * 40) is NoWorkspace.NO_COMMIT
    assert refusal(tmp_path, shop, "--help") is NoWorkspace.NO_COMMIT
    assert refusal(tmp_path, shop, git(shop, "rev-parse", "HEAD^{tree}")[:39] + "x") is NoWorkspace.NO_COMMIT
    assert refusal(tmp_path, shop, head(shop), folder="docs") is NoWorkspace.NO_FOLDER
    assert refusal(tmp_path, shop, head(shop), folder="../shop") is NoWorkspace.NO_FOLDER
    assert base_of(tmp_path, shop, head(shop), folder="src")


def test_a_repository_that_names_by_sha256_has_a_base_too(tmp_path: Path) -> None:
    name = repository(tmp_path / "shop", None, "--object-format=sha256")
    tree = base_of(tmp_path, tmp_path / "shop", name).path
    assert files_of(tree) == ["a.py", "src/b.py"]
    assert git(tree, "status", "--porcelain") == ""


def test_odd_names_stand_as_they_were_and_line_ends_as_the_repository_keeps_them(tmp_path: Path) -> None:
    names = {
        "new\nline": "1\n",
        "esc\x1b[31m": "2\n",
        ":(top)*": "3\n",
        '"quoted"': "4\n",
        "-rf": "5\n",
        "b.bat": "one\ntwo\n",
    }
    root = tmp_path / "a:b"
    name = repository(root, {**names, ".gitattributes": "*.bat text eol=crlf\n"})
    tree = base_of(tmp_path, root, name).path
    for odd, text in names.items():
        assert (tree / odd).read_bytes().decode() == text
    assert git(tree, "status", "--porcelain") == ""


def test_what_is_kept_can_be_read_by_its_owner_only(tmp_path: Path, shop: Path) -> None:
    before = os.umask(0)
    try:
        base = base_of(tmp_path, shop, head(shop))
        with base.copy() as copy:
            private = [tmp_path / "workspaces", base.path.parent, copy.tree.upper.parent]
            assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o700}
    finally:
        os.umask(before)
