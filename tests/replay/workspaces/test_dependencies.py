"""Folders of dependencies are found where the project has them, and nothing else is."""

from pathlib import Path, PurePosixPath

from skillopt_sleep.replay.workspaces.dependencies import dependencies_of
from tests.replay.workspaces.repositories import base_of, repository, write


def test_only_what_git_does_not_keep_is_found_and_only_inside(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    name = repository(root, {"package.json": "{}", "web/app/main.ts": "", "vendor/lib.go": "", "tools/x": ""})
    inside = (".venv", "node_modules", "web/node_modules", "web/app/node_modules")
    for folder in (*inside, "notes/node_modules", ".git/node_modules", "node_modules/x/node_modules", "elsewhere"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "tools" / "node_modules").symlink_to("../node_modules")
    (root / "target").symlink_to(tmp_path)
    (root / "web" / ".venv").symlink_to("../../..")
    (root / "web" / "deps").symlink_to("../.git")
    write(root, {"tools/target": "a file"})
    base = base_of(tmp_path, root, name)
    expected = {PurePosixPath(root / folder): root / folder for folder in inside}
    expected[PurePosixPath(root / "tools" / "node_modules")] = root / "node_modules"
    assert base.dependencies == expected


def test_the_search_ends(tmp_path: Path) -> None:
    for number in range(40):
        for inner in range(100):
            (tmp_path / f"p{number}" / f"q{inner}" / "node_modules").mkdir(parents=True)
            (tmp_path / "tree" / f"p{number}" / f"q{inner}").mkdir(parents=True)
    assert 0 < len(dependencies_of(tmp_path, tmp_path / "tree")) <= 200
