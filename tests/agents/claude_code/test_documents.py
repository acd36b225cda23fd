"""Where a project's lessons may go for Claude Code."""

from pathlib import Path

import pytest

from skillopt_sleep.agents.claude_code.documents import RULES, is_used, places

HOME = Path("/home/nobody")


def project(folder: Path, *names: str) -> Path:
    root = folder / "work" / "shop"
    root.mkdir(parents=True)
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


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
    assert [place.as_posix() for place in places(project(tmp_path, *files), HOME)] == expected


def test_a_memory_file_in_a_folder_above_hides_agents_md_but_not_the_users_own(tmp_path: Path) -> None:
    root = project(tmp_path, "AGENTS.md")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "CLAUDE.md").touch()
    assert [place.as_posix() for place in places(root, HOME)] == [RULES.as_posix()]
    assert [place.as_posix() for place in places(root, tmp_path)] == ["AGENTS.md", RULES.as_posix()]


@pytest.mark.parametrize(
    ("name", "expected"), [("CLAUDE.md", True), (".claude/settings.json", True), ("AGENTS.md", False)]
)
def test_a_project_is_set_up_for_claude_code_by_its_memory_or_its_folder(
    name: str, *, expected: bool, tmp_path: Path
) -> None:
    assert is_used(project(tmp_path, name)) is expected
