"""Make the folder that copies are taken from: the files of one commit, as the only commit of a new repository."""

from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.kit.files import private_dir
from skillopt_sleep.kit.trees import remove_tree
from skillopt_sleep.records import NoWorkspace
from skillopt_sleep.replay.workspaces.entries import Limits, entries_of, hidden, refuse_lfs
from skillopt_sleep.replay.workspaces.git import Git, new_repository
from skillopt_sleep.replay.workspaces.refused import WorkspaceRefused
from skillopt_sleep.replay.workspaces.repository import Repository

TREE = "tree"
_MESSAGE = "The project\n"
_NO_NAME = "0"
# So that an agent can commit in its copy.
_PERSON = "[user]\n\tname = Developer\n\temail = developer@example.invalid\n"


class Made(NamedTuple):
    """What was made: the size of the files in bytes, and the paths that were left out."""

    size: int
    left_out: tuple[str, ...]


def make(place: Path, repository: Repository, commit: str, limits: Limits) -> Made:
    """Make in this empty folder `tree`, the commit's files; raise WorkspaceRefused if it can't be.

    Nothing in the person's repository is written, and nothing of it is run: git reads its objects alone, from a
    repository of ours that knows no filters.
    """
    root = repository.root
    git = new_repository(place / "git", name=root, commit=commit)
    old = _tree_of(git, commit, repository)
    entries = entries_of(git, old, limits, where=root, borrowed=repository.objects)
    # From here on git needs only what it has: writing beside borrowed objects would touch their times.
    _take(git, old, into=git.folder, borrowed=repository.objects)
    git.run("read-tree", old)
    refuse_lfs(git, entries, where=root)
    left_out = hidden(git, entries)
    if left_out:
        zeros = _NO_NAME * len(commit)
        gone = b"".join(f"0 {zeros}\t".encode() + entry.path + b"\0" for entry in left_out)
        git.run("update-index", "-z", "--index-info", stdin=gone)
    new = _line(git.run("commit-tree", _line(git.run("write-tree")), stdin=_MESSAGE.encode()))
    tree = place / TREE
    tree.mkdir()
    git.run("checkout-index", "--all", "--index", "--quiet", tree=tree)
    _give_repository(git, tree, new)
    remove_tree(git.folder)
    size = sum(entry.size for entry in entries)
    return Made(size, tuple(sorted(entry.path.decode(errors="backslashreplace") for entry in left_out)))


def _tree_of(git: Git, commit: str, repository: Repository) -> str:
    """Return git's name for the files of the commit."""
    code = NoWorkspace.SHALLOW if repository.shallow else NoWorkspace.NO_COMMIT
    return _line(
        git.run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}", borrowed=repository.objects, code=code)
    )


def _take(git: Git, name: str, *, into: Path, borrowed: Path | None = None) -> None:
    """Write what this commit or tree consists of into a repository, and nothing of its past."""
    pack = str(into / "objects" / "pack" / "pack")
    arguments = ("--revs", "--window=0", "--threads=1", "--quiet", pack)
    git.run("pack-objects", *arguments, stdin=f"{name}\n".encode(), borrowed=borrowed)


def _give_repository(git: Git, tree: Path, commit: str) -> None:
    """Make the files a repository with this one commit."""
    inside = tree / ".git"
    if inside.is_symlink() or inside.exists():
        raise WorkspaceRefused(NoWorkspace.UNREADABLE, tree)
    new_repository(private_dir(inside), name=tree, commit=commit, bare=False, settings=_PERSON)
    _take(git, commit, into=inside)
    (inside / "refs" / "heads" / "main").write_text(f"{commit}\n", encoding="utf-8")
    (git.folder / "index").rename(inside / "index")


def _line(output: bytes) -> str:
    return output.decode().strip()
