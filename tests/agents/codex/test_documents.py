"""Where a project's lessons may go for Codex."""

from pathlib import Path

import pytest

from skillopt_sleep.agents.codex.documents import SKILL, places
from skillopt_sleep.protocols.agent import Start


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ((), [SKILL.as_posix()]),
        (("AGENTS.md",), ["AGENTS.md", SKILL.as_posix()]),
        (("AGENTS.md", "AGENTS.override.md"), [SKILL.as_posix()]),
        (("CLAUDE.md",), [SKILL.as_posix()]),
    ],
)
def test_lessons_go_to_agents_md_if_codex_reads_it_else_to_our_skill(
    files: tuple[str, ...], expected: list[str], tmp_path: Path
) -> None:
    for name in files:
        (tmp_path / name).touch()
    assert [place.as_posix() for place in places(Start(tmp_path, tmp_path, tmp_path, tmp_path))] == expected


@pytest.mark.parametrize(
    "settings", ["project_doc_max_bytes = 0", "project_doc_max_bytes = 5000", 'project_root_markers = ["lock"]']
)
def test_lessons_go_to_our_skill_where_codex_would_never_read_them(settings: str, tmp_path: Path) -> None:
    folder = tmp_path / "shop" / "api"
    folder.mkdir(parents=True)
    (folder / "lock").touch()
    (tmp_path / "shop" / "AGENTS.md").write_text("x" * 1000)
    start = Start(tmp_path / "shop", folder, tmp_path, tmp_path)
    assert places(start)[0] == SKILL
    (tmp_path / "shop" / ".git").touch()
    assert places(start)[0].as_posix() == "AGENTS.md"
    (tmp_path / "config.toml").write_text(settings)
    assert places(start) == (SKILL,)


def test_settings_that_are_nested_too_deeply_count_as_unreadable(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").touch()
    (tmp_path / "config.toml").write_text("a = " + "[" * 5000)
    assert places(Start(tmp_path, tmp_path, tmp_path, tmp_path))[0].as_posix() == "AGENTS.md"
