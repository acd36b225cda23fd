"""The instruction files that Codex reads in a project, and which of them a lesson may go to."""

import os
from pathlib import Path, PurePath

from skillopt_sleep.protocols.agent import Documents

# The skill of our own, in a project or in the user's home.
SKILL = PurePath(".agents/skills/skillopt-sleep/SKILL.md")
# Codex cuts its instructions at this size without a word.
MOST_BYTES = 32 * 1024

_SKILLS = PurePath(".agents/skills")
_INSTRUCTIONS = PurePath("AGENTS.md")
_OVERRIDE = PurePath("AGENTS.override.md")


def places(root: Path, _home: Path) -> tuple[PurePath, ...]:
    """Return where a project's lessons may go, best first: AGENTS.md if Codex reads it there, then our own skill."""
    if is_used(root) and not os.path.lexists(root / _OVERRIDE):
        return _INSTRUCTIONS, SKILL
    return (SKILL,)


def reads(root: Path, _home: Path, place: PurePath) -> bool:
    """Return whether Codex reads this file: AGENTS.md unless it is overridden, and the skills below .agents."""
    if place == _INSTRUCTIONS:
        return not os.path.lexists(root / _OVERRIDE)
    return place.parts[:1] == _SKILLS.parts[:1]


def is_used(root: Path) -> bool:
    """Return whether the project is set up for Codex."""
    return os.path.lexists(root / _INSTRUCTIONS)


DOCUMENTS = Documents(places=places, reads=reads, is_used=is_used, skills=_SKILLS, limits={_INSTRUCTIONS: MOST_BYTES})
