"""The instruction files that Claude Code reads in a project, and which of them a lesson may go to."""

import os
from pathlib import Path, PurePath

from skillopt_sleep.protocols.agent import Documents

# The rules file of our own, which Claude Code reads beside the project's.
RULES = PurePath(".claude/rules/skillopt-sleep.md")

_FOLDER = PurePath(".claude")
_MEMORY = PurePath("CLAUDE.md")
_MEMORY_IN_FOLDER = PurePath(".claude/CLAUDE.md")
_LOCAL_MEMORY = PurePath("CLAUDE.local.md")
_AGENTS_FILE = PurePath("AGENTS.md")


def places(root: Path, home: Path) -> tuple[PurePath, ...]:
    """Return where a project's lessons may go, best first: the memory file that is read there, then our own rules."""
    for place in (_MEMORY, _MEMORY_IN_FOLDER):
        if os.path.lexists(root / place):
            return place, RULES
    if os.path.lexists(root / _AGENTS_FILE) and not _ignores_agents_file(root, home):
        return _AGENTS_FILE, RULES
    return (RULES,)


def is_used(root: Path) -> bool:
    """Return whether the project is set up for Claude Code."""
    return os.path.lexists(root / _MEMORY) or os.path.lexists(root / _FOLDER)


def _ignores_agents_file(root: Path, home: Path) -> bool:
    """Return whether a memory file here or in a folder above makes Claude Code ignore AGENTS.md."""
    of_the_user = home / _MEMORY_IN_FOLDER
    for folder in (root, *root.parents):
        for place in (_MEMORY, _MEMORY_IN_FOLDER, _LOCAL_MEMORY):
            path = folder / place
            if path != of_the_user and os.path.lexists(path):
                return True
    return False


DOCUMENTS = Documents(places=places, is_used=is_used, skills=PurePath(".claude/skills"))
