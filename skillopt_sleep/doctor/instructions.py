"""Find out what an agent that starts in a project sees, instruction files and skills, by the agent's own rules."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import readable
from skillopt_sleep.kit.markdown import front_matter
from skillopt_sleep.proposals.paths import LIVE_BYTES
from skillopt_sleep.protocols.agent import Start
from skillopt_sleep.settings import read_toml

CLAUDE = "Claude Code"
CODEX = "Codex"
_MOST_SKILLS_NAMED = 12

_HIDDEN = re.compile(r"^disable-model-invocation:[ \t]*true\b", re.MULTILINE)


class SeenInstructions(NamedTuple):
    """One agent's view: `text` is all that it reads, if it cuts files; `cut` are those it reads only in part."""

    agent: str
    instructions: tuple[Path, ...]
    skills: tuple[Path, ...]
    text: str | None = None
    cut: tuple[Path, ...] = ()

    def sees(self, path: Path, body: str) -> bool:
        """Return whether the text (`body`) in this file reaches the model at the start of a session."""
        if path.name == "SKILL.md":
            return path.resolve() in {skill.resolve() for skill in self.skills}
        if self.text is not None:
            return all(line.strip() in self.text for line in body.splitlines())
        return path.resolve() in {file.resolve() for file in self.instructions}


class _Skill(msgspec.Struct):
    """One skill in Codex's settings."""

    path: str = ""
    enabled: bool = True


class _SkillSettings(msgspec.Struct):
    """What Codex's config.toml says of skills."""

    include_instructions: bool = True
    config: tuple[_Skill, ...] = ()


def claude_sight(root: Path, *, home: Path, agent_home: Path) -> SeenInstructions:
    """Return what Claude Code reads when it starts in the root of a project."""
    loaded = AGENTS["claude"].documents.loads(Start(root, root, home, agent_home))
    skills = dict.fromkeys((*_skills(agent_home / "skills"), *_skills(root / ".claude" / "skills")))
    instructions = tuple(Path(file.path) for file in loaded)
    return SeenInstructions(CLAUDE, instructions, tuple(path for path in skills if not _is_hidden(path)))


def codex_sight(root: Path, *, home: Path, agent_home: Path) -> SeenInstructions:
    """Return what Codex reads when it starts in the root of a project, of each file as much as it takes.

    Raises ConfigError if its config.toml can't be read.
    """
    settings = _skill_settings(agent_home / "config.toml")
    loaded = AGENTS["codex"].documents.loads(Start(root, root, home, agent_home))
    instructions: list[Path] = []
    cut: list[Path] = []
    for file in loaded:
        whole = readable(Path(file.path), most=LIVE_BYTES).decode(errors="ignore")
        (instructions if file.text == whole else cut).append(Path(file.path))
    skills: list[Path] = []
    if settings.include_instructions:
        off = {Path(skill.path) for skill in settings.config if not skill.enabled}
        for folder in (agent_home / "skills", home / ".agents" / "skills", root / ".agents" / "skills"):
            skills += [path for path in _skills(folder) if off.isdisjoint((path, path.parent))]
    text = "\n".join(file.text for file in loaded)
    return SeenInstructions(CODEX, tuple(instructions), tuple(skills), text=text, cut=tuple(cut))


def _skill_settings(config: Path) -> _SkillSettings:
    raw = read_toml(config) if config.is_file() else {}
    try:
        return msgspec.convert(raw.get("skills", {}), _SkillSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{config}: skills: {error}", remedy="correct [skills] in it") from error


def _skills(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/SKILL.md"))


def _is_hidden(skill: Path) -> bool:
    return bool(_HIDDEN.search(front_matter(_text(skill))[0]))


def _text(path: Path) -> str:
    return readable(path, most=LIVE_BYTES).decode(errors="replace")


def look_at_sight(
    root: Path, programs: Mapping[str, str], sights: list[SeenInstructions], *, home: Path, environ: Mapping[str, str]
) -> Iterator[Finding]:
    """Report what each agent that is used here sees in this project, and append it to `sights`."""
    homes = {name: agent.home(environ, home) for name, agent in AGENTS.items()}
    if "claude" in programs or homes["claude"].is_dir():
        claude = claude_sight(root, home=home, agent_home=homes["claude"])
        sights.append(claude)
        yield from _seen(claude, root)
    if "codex" in programs:
        codex = codex_sight(root, home=home, agent_home=homes["codex"])
        sights.append(codex)
        yield from _seen(codex, root)
        for file in codex.cut:
            yield problem(
                Topic.SIGHT,
                f"{CODEX} reads only the beginning of {file}",
                "shorten it, or raise project_doc_max_bytes in Codex's config.toml",
            )


def _seen(sight: SeenInstructions, root: Path) -> Iterator[Finding]:
    files: list[str] = []
    for path in (*sight.instructions, *sight.cut):
        name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
        if path in sight.cut:
            name += " (in part)"
        files.append(name)
    skills = sorted({path.parent.name for path in sight.skills})
    listed = ", ".join(skills[:_MOST_SKILLS_NAMED]) or "none"
    if len(skills) > _MOST_SKILLS_NAMED:
        listed += f" and {len(skills) - _MOST_SKILLS_NAMED} more"
    yield fine(Topic.SIGHT, f"{sight.agent} reads in {root}: {', '.join(files) or 'no instruction file'}")
    yield fine(Topic.SIGHT, f"{sight.agent} offers these skills there: {listed}")
