"""Where a project's lessons may go for Claude Code."""

import os
import time
from pathlib import Path

import pytest

from skillopt_sleep.agents.claude_code.documents import RULES, is_used, loads, places
from skillopt_sleep.protocols.agent import Start

HOME = Path("/home/nobody")


def project(folder: Path, *names: str) -> Path:
    root = folder / "work" / "shop"
    root.mkdir(parents=True)
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")
    return root


def places_in(root: Path, *, home: Path = HOME) -> list[str]:
    return [place.as_posix() for place in places(Start(root, root, home, home / ".claude"))]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((), [RULES.as_posix()]),
        (("CLAUDE.md", ".claude/CLAUDE.md", "AGENTS.md"), ["CLAUDE.md", RULES.as_posix()]),
        ((".claude/CLAUDE.md", "AGENTS.md"), [".claude/CLAUDE.md", RULES.as_posix()]),
        (("AGENTS.md",), ["AGENTS.md", RULES.as_posix()]),
        (("AGENTS.md", "CLAUDE.local.md"), [RULES.as_posix()]),
    ],
)
def test_lessons_go_to_the_file_that_claude_code_reads_else_to_our_rules(
    files: tuple[str, ...], expected: list[str], tmp_path: Path
) -> None:
    assert places_in(project(tmp_path, *files)) == expected


def test_lessons_go_to_agents_md_where_the_memory_file_is_empty(tmp_path: Path) -> None:
    root = project(tmp_path, "AGENTS.md")
    (root / "CLAUDE.md").touch()
    assert places_in(root) == ["AGENTS.md", RULES.as_posix()]


def test_a_memory_file_in_a_folder_above_hides_agents_md_but_not_the_users_own(tmp_path: Path) -> None:
    root = project(tmp_path, "AGENTS.md")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "CLAUDE.md").write_text("x\n")
    assert places_in(root) == [RULES.as_posix()]
    assert places_in(root, home=tmp_path) == ["AGENTS.md", RULES.as_posix()]


@pytest.mark.parametrize(
    ("name", "expected"), [("CLAUDE.md", True), (".claude/settings.json", True), ("AGENTS.md", False)]
)
def test_a_project_is_set_up_for_claude_code_by_its_memory_or_its_folder(
    name: str, *, expected: bool, tmp_path: Path
) -> None:
    assert is_used(project(tmp_path, name)) is expected


def test_odd_rules_folders_are_no_error(tmp_path: Path) -> None:
    root = project(tmp_path, ".claude/rules/a.md")
    rules = root / ".claude" / "rules"
    (rules / "loop").symlink_to(rules)
    (rules / "self.md").symlink_to("self.md")
    (rules / "folder.md").mkdir()
    (rules / os.fsdecode(b"\xff.md")).write_text("x\n")
    os.mkfifo(rules / "pipe.md")
    deep = rules.joinpath(*["d"] * 100)
    deep.mkdir(parents=True)
    (deep / "x.md").write_text("x\n")
    start = Start(root, root, HOME, HOME / ".claude")
    assert [file.path for file in loads(start)] == [str(rules / "a.md")]
    for number in range(300):
        (rules / f"{number}.md").write_text("x\n")
    assert len(loads(start)) == 200


def test_thousands_of_imports_that_are_not_there_take_hardly_any_time(tmp_path: Path) -> None:
    missing = " ".join(f"@missing{number}.md" for number in range(500))
    root = project(tmp_path)
    for number in range(60):
        (root / f"{number}.md").write_text(missing)
    (root / "CLAUDE.md").write_text(" ".join(f"@{number}.md" for number in range(60)))
    begin = time.process_time()
    assert len(loads(Start(root, root, HOME, HOME / ".claude"))) == 61
    assert time.process_time() - begin < 1.5
