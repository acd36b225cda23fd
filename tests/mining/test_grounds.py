"""What a repository offers to be run."""

from pathlib import Path

from skillopt_sleep.mining.grounds import Grounds, grounds_of


def laid_out(folder: Path, files: dict[str, str]) -> Grounds:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return grounds_of(folder)


def test_targets_recipes_and_scripts_are_known_by_their_folder(tmp_path: Path) -> None:
    makefile = "CC := gcc\n.PHONY: lint test\nlint test: src\n\truff check .\n%.o: %.c\n\tcc $<\nA = b:c\n"
    package = '{"scripts": {"test": "vitest run", "lint:all": "eslint .", "x;y": "z"}}'
    grounds = laid_out(
        tmp_path,
        {"Makefile": makefile, "web/package.json": package, "justfile": "default: check\n@check arg='x':\n  true\n"},
    )
    assert grounds.targets == {"": {"lint", "test"}}
    assert grounds.scripts == {"web": {"test", "lint:all"}}
    assert grounds.recipes == {"": {"default", "check"}}
    assert (grounds.has("web/"), grounds.has("web/package.json"), grounds.has("we")) == (True, True, False)


def test_tools_are_those_that_the_projects_own_files_name(tmp_path: Path) -> None:
    grounds = laid_out(tmp_path, {"pyproject.toml": "[dependency-groups]\ndev = ['pytest>=8']\n", "notes.md": "mypy"})
    assert "pytest" in grounds.tools
    assert "mypy" not in grounds.tools


def test_links_and_gits_own_files_are_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Makefile").write_text("leak:\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "Makefile").symlink_to(outside / "Makefile")
    (inside / "sub").symlink_to(outside)
    grounds = laid_out(inside, {".git/config": "x", "a.py": ""})
    assert grounds.targets == {"": frozenset()}
    assert "a.py" in grounds.files
    assert not any(path.startswith((".git", "sub/")) for path in grounds.files)


def test_files_that_are_no_such_files_define_nothing(tmp_path: Path) -> None:
    grounds = laid_out(
        tmp_path, {"package.json": "[" * 2000, "a/package.json": '{"scripts": []}', "b/package.json": ""}
    )
    assert not any(grounds.scripts.values())
