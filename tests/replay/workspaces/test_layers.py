"""The upper layer, as the kernel writes it, tells the same changes as a whole copy in which the same was done."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skillopt_sleep.replay.workspaces import Base, Copy
from tests.replay.workspaces.repositories import act, base_of, commit, repository

_NAMES = ("a", "b", "d", "d/a", "d/b", "d/e", "d/e/f", "link", "é", "-x", "new\nline")
_SCRIPT = """
while [ $# -gt 0 ]; do
  mkdir -p -- "$(dirname -- "./$2")" 2>/dev/null
  case $1 in
    remove) rm -rf -- "$2";;
    write) [ -d "$2" ] || { rm -f -- "$2"; echo "$2" > "./$2"; };;
    folder) rm -rf -- "$2"; mkdir -p -- "./$2" && echo x > "./$2/inner";;
    empty) rm -rf -- "$2"; mkdir -p -- "./$2";;
    link) rm -rf -- "$2"; ln -s -- nowhere "./$2";;
    pipe) rm -rf -- "$2"; mkfifo -- "./$2";;
    rename) mv -- "$2" moved;;
    mode) [ -L "$2" ] || chmod -- 755 "$2";;
  esac 2>/dev/null
  shift 2
done
:
"""
_STEPS = st.lists(
    st.tuples(
        st.sampled_from(("remove", "write", "folder", "empty", "link", "pipe", "rename", "mode")),
        st.sampled_from(_NAMES),
    ),
    max_size=8,
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Base:
    folder = tmp_path_factory.mktemp("layers")
    files = {"a": "1\n", "d/a": "2\n", "d/e/f": "3\n", "d/e/g": "4\n", "é": "5\n", "new\nline": "6\n"}
    root = folder / "shop"
    repository(root, files)
    (root / "link").symlink_to("d/e")
    return base_of(folder, root, commit(root, {}), layers=True)


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=_STEPS)
def test_layers_and_whole_copies_tell_the_same(base: Base, can_layer: bool, steps: list[tuple[str, str]]) -> None:
    if not can_layer:
        pytest.skip("no overlay can be mounted here")
    words = [word for step in steps for word in step]
    with base.copy() as layered, replace(base, layers=False).copy() as whole:
        for copy in (layered, whole):
            act(copy, "sh", "-c", _SCRIPT, "sh", *words)
        told = whole.changes()
        assert layered.changes() == told
        assert _files_of(layered) == _files(whole.tree.upper)


def _files(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if ".git" not in path.relative_to(folder).parts and (path.is_symlink() or path.is_file())
    )


def _files_of(copy: Copy) -> list[str]:
    listed = act(
        copy, "find", ".", "-name", ".git", "-prune", "-o", "(", "-type", "f", "-o", "-type", "l", ")", "-print0"
    )
    return sorted(os.path.normpath(name) for name in listed.split("\0")[:-1])


def test_a_folder_that_was_removed_and_made_again_hides_what_it_had(base: Base, can_layer: bool) -> None:
    if not can_layer:
        pytest.skip("no overlay can be mounted here")
    with base.copy() as copy:
        act(copy, "sh", "-c", "rm -r d; mkdir d; echo x > d/new")
        assert not (copy.tree.upper / "d" / "a").exists()  # only a mark of the kernel says so
        assert copy.changes().files == ("d/a", "d/e/f", "d/e/g", "d/new")
