"""The instruction files that Codex loads in a folder, and which of them a lesson may go to."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Annotated

import msgspec

from skillopt_sleep.kit.files import readable
from skillopt_sleep.protocols.agent import BLOCK_ROOM, LOADED_BYTES, Documents, Start
from skillopt_sleep.records import InForce

# The skill of our own, in a project or in the user's home.
SKILL = PurePath(".agents/skills/skillopt-sleep/SKILL.md")
# Codex cuts its instructions at this size without a word, unless its settings say another one.
MOST_BYTES = 32 * 1024

_SKILLS = PurePath(".agents/skills")
_INSTRUCTIONS = PurePath("AGENTS.md")
_OVERRIDE = PurePath("AGENTS.override.md")


class _Settings(msgspec.Struct):
    """What Codex's config.toml says of instruction files."""

    project_doc_max_bytes: Annotated[int, msgspec.Meta(ge=0)] = MOST_BYTES
    project_doc_fallback_filenames: tuple[str, ...] = ()
    project_root_markers: tuple[str, ...] = (".git",)


def loads(at: Start) -> tuple[InForce, ...]:
    """Return the files that Codex puts before the first request, in its order, each as far as it is read."""
    users = (at.agent_home / _OVERRIDE, at.agent_home / _INSTRUCTIONS)
    files = [(path, readable(path, most=LOADED_BYTES)) for path in users]
    found = [(path, data) for path, data in files if data.strip()][:1]
    found += [(path, data[:most]) for path, data, most in _project_files(at)]
    return tuple(InForce(path=str(path), text=data.decode(errors="ignore")) for path, data in found if data.strip())


def places(at: Start) -> tuple[PurePath, ...]:
    """Return where a project's lessons may go, best first: AGENTS.md if Codex reads it there, then our own skill."""
    if is_used(at.root) and reads(at, _INSTRUCTIONS):
        return _INSTRUCTIONS, SKILL
    return (SKILL,)


def personal(at: Start) -> tuple[PurePath, ...]:
    """Return where the person's own lessons may go, best first: their AGENTS.md, if Codex reads one, or our skill."""
    skill = at.home.relative_to(at.root) / SKILL
    is_read = not readable(at.agent_home / _OVERRIDE, most=LOADED_BYTES).strip()
    if is_read and at.agent_home.is_relative_to(at.root) and os.path.lexists(at.agent_home / _INSTRUCTIONS):
        return at.agent_home.relative_to(at.root) / _INSTRUCTIONS, skill
    return (skill,)


def reads(at: Start, place: PurePath) -> bool:
    """Return whether Codex reads this file with our rules in it: an instruction file, or a skill below .agents."""
    if place.parts[:1] == _SKILLS.parts[:1]:
        return True
    for path, data, most in _project_files(at):
        # Of the usual limit a note is made where the file is read.
        if path == at.root / place and most >= min(len(data) + BLOCK_ROOM, MOST_BYTES):
            return True
    return False


def is_used(root: Path) -> bool:
    """Return whether the project is set up for Codex."""
    return os.path.lexists(root / _INSTRUCTIONS)


def _project_files(at: Start) -> Iterator[tuple[Path, bytes, int]]:
    """Yield each folder's file from the project's root, as Codex finds it, to the folder, and how much of it is read.

    It is the first of the named files that is there.
    """
    settings = _settings(at.agent_home)
    names = (_OVERRIDE, _INSTRUCTIONS, *settings.project_doc_fallback_filenames)
    left = settings.project_doc_max_bytes
    for folder in _folders(at.folder, settings.project_root_markers):
        path = next((folder / name for name in names if (folder / name).is_file()), None)
        if path is not None:
            data = readable(path, most=LOADED_BYTES)
            yield path, data, left
            left -= min(left, len(data))


def _folders(folder: Path, markers: tuple[str, ...]) -> list[Path]:
    """Return the folders from the next one above with a marker down to this one; this one alone without any."""
    above = (folder, *folder.parents)
    root = next((one for one in above if any(os.path.lexists(one / marker) for marker in markers)), folder)
    return [one for one in reversed(above) if one.is_relative_to(root)]


def _settings(agent_home: Path) -> _Settings:
    """Return the user's settings, or the usual ones if they can't be read: Codex wouldn't start then."""
    try:
        return msgspec.toml.decode(readable(agent_home / "config.toml", most=LOADED_BYTES), type=_Settings)
    except (msgspec.MsgspecError, RecursionError):
        return _Settings()


DOCUMENTS = Documents(
    places=places,
    personal=personal,
    reads=reads,
    is_used=is_used,
    loads=loads,
    skills=_SKILLS,
    limits={_INSTRUCTIONS: MOST_BYTES},
)
