"""Folders of dependencies are found where the project has them, and nothing else is."""

from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.replay.workspaces.dependencies import MANIFESTS, dependencies_of
from tests.replay.workspaces.repositories import base_of, repository, write


def test_only_what_git_does_not_keep_is_found_and_only_inside(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    manifests = dict.fromkeys(
        ("package.json", "web/package.json", "web/app/package.json", "tools/package.json"), "{}"
    )
    name = repository(
        root, {**manifests, "web/app/main.ts": "", "vendor/lib.go": "", "Cargo.toml": "", "mix.exs": ""}
    )
    inside = (".venv", "node_modules", "web/node_modules", "web/app/node_modules")
    for folder in (*inside, "notes/node_modules", ".git/node_modules", "node_modules/x/node_modules", "elsewhere"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    write(root, {".venv/pyvenv.cfg": "", "web/Cargo.toml": "", "web/mix.exs": "", "tools/Cargo.toml": ""})
    (root / "tools" / "node_modules").symlink_to("../node_modules")
    (root / "target").symlink_to(tmp_path)
    (root / "web" / ".venv").symlink_to("../../..")
    (root / "web" / "deps").symlink_to("../.git")
    write(root, {"tools/target": "a file"})
    base = base_of(tmp_path, root, name)
    expected = {PurePosixPath(root / folder): root / folder for folder in inside}
    expected[PurePosixPath(root / "tools" / "node_modules")] = root / "node_modules"
    assert base.dependencies == expected


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_folder_counts_only_beside_its_manifest(tmp_path: Path, name: str) -> None:
    assert not name.endswith("-"), "a name that was broken in two"
    root, tree = tmp_path / "root", tmp_path / "tree"
    tree.mkdir()
    write(root, {f"{name}/customers.sql": "Ada", "README.md": ""})
    assert dependencies_of(root, tree) == {}
    for manifest in MANIFESTS[name]:
        write(root, {manifest: ""})
        assert dependencies_of(root, tree) == {PurePosixPath(root / name): root / name}
        (root / manifest).unlink()


def test_the_users_own_ignored_folders_are_not_seen(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    name = repository(root, {"package.json": "{}", ".gitignore": "store\ndata\nbuild\n"})
    for folder in ("store", "data", "build", "vendor", "target", ".pnpm-"):
        write(root, {f"{folder}/customers.sql": "Ada"})
    write(root, {".pnpm-store/v3/a": ""})
    assert set(base_of(tmp_path, root, name).dependencies) == {PurePosixPath(root / ".pnpm-store")}


def test_the_search_ends(tmp_path: Path) -> None:
    for number in range(40):
        for inner in range(100):
            (tmp_path / f"p{number}" / f"q{inner}" / "node_modules").mkdir(parents=True)
            (tmp_path / f"p{number}" / f"q{inner}" / "package.json").touch()
            (tmp_path / "tree" / f"p{number}" / f"q{inner}").mkdir(parents=True)
    assert 0 < len(dependencies_of(tmp_path, tmp_path / "tree")) <= 200
