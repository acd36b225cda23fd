"""A document stands in a seal where it is loaded, or nowhere."""

from pathlib import Path, PurePosixPath

import pytest

from skillopt_sleep.agents import AGENTS

ROOT, HOME = Path("/home/me/work/shop"), Path("/home/me")


@pytest.mark.parametrize(
    ("name", "document", "place"),
    [
        ("claude", ROOT / "CLAUDE.md", "/home/me/work/shop/CLAUDE.md"),
        ("claude", ROOT / ".claude/rules/skillopt-sleep.md", "/home/me/work/shop/.claude/rules/skillopt-sleep.md"),
        ("claude", ROOT / ".claude/skills/x/SKILL.md", "/home/me/work/shop/.claude/skills/x/SKILL.md"),
        ("claude", HOME / ".claude/CLAUDE.md", "/home/replay/.claude/CLAUDE.md"),
        ("claude", Path("/elsewhere/config/skills/x/SKILL.md"), "/home/replay/.claude/skills/x/SKILL.md"),
        ("claude", HOME / ".agents/skills/x/SKILL.md", None),
        ("codex", ROOT / "AGENTS.md", "/home/me/work/shop/AGENTS.md"),
        ("codex", ROOT / ".agents/skills/x/SKILL.md", "/home/me/work/shop/.agents/skills/x/SKILL.md"),
        ("codex", HOME / ".codex/AGENTS.md", "/home/replay/.codex/AGENTS.md"),
        ("codex", Path("/elsewhere/config/AGENTS.md"), "/home/replay/.codex/AGENTS.md"),
        ("codex", HOME / ".agents/skills/x/SKILL.md", "/home/replay/.agents/skills/x/SKILL.md"),
        ("codex", HOME / "notes.md", None),
        ("codex", ROOT / "../../.ssh/config", None),
    ],
)
def test_a_document_keeps_its_place(name: str, document: Path, place: str | None) -> None:
    found = AGENTS[name].acting.place(document, root=ROOT, home=HOME, agent_home=Path("/elsewhere/config"))
    assert found == (PurePosixPath(place) if place else None)
