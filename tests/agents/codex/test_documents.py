"""Where a project's lessons may go for Codex."""

from pathlib import Path

import pytest

from skillopt_sleep.agents.codex.documents import SKILL, places


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
    assert [place.as_posix() for place in places(tmp_path, tmp_path)] == expected
