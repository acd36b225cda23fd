"""Whether what was adopted is really seen by the agents it was learned from."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem, unknown
from skillopt_sleep.doctor.sight import CLAUDE, Sight
from skillopt_sleep.errors import ProposalError
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.journal import AdoptionState, Entry, Journal

# The names under which the store has the sessions of the agents.
SOURCES = {agent.title: agent.source for agent in AGENTS.values()}
_ENDED = frozenset({AdoptionState.DONE, AdoptionState.UNDONE})


def adopted(
    journal: Journal,
    sights: Sequence[Sight],
    *,
    root: Path,
    home: Path,
    sources: frozenset[tuple[str, str]],
) -> Iterator[Finding]:
    """Every adopted document of this project and of the user: who sees it, and who doesn't though he should.

    An agent should where the store has sessions of it (`sources`: by source and project), or none of any agent.
    """
    for error in journal.damaged():
        yield problem(Topic.SIGHT, error.message, error.remedy)
    last = {entry.path: entry for entry in journal.entries()}
    for entry in last.values():
        if entry.state not in _ENDED:
            yield problem(
                Topic.SIGHT, f"an adoption of {entry.path} stopped half-way", "settle it: skillopt-sleep status"
            )
        own = Path(entry.root).resolve()
        if entry.state is AdoptionState.DONE and own in {root.resolve(), home.resolve()}:
            here = {source for source, project in sources if own == home.resolve() or _is_same(project, own)}
            yield from _document(entry, sights, here or set(SOURCES.values()))


def _is_same(project: str, root: Path) -> bool:
    return project == str(root) or Path(project).resolve() == root


def _document(entry: Entry, sights: Sequence[Sight], agents: set[str]) -> Iterator[Finding]:
    path, root = Path(entry.path), Path(entry.root)
    try:
        body = live.load(path, root=root, name=entry.path)[0].body if path.exists() else ""
    except ProposalError as error:
        yield unknown(Topic.SIGHT, f"adopted into {path}, but {error.message}", error.remedy)
        return
    if not body:
        yield fine(Topic.SIGHT, f"what was adopted into {path} is no longer there")
        return
    seen = [sight.agent for sight in sights if sight.sees(path, body)]
    for sight in sights:
        if sight.agent not in seen and SOURCES[sight.agent] in agents:
            yield problem(
                Topic.SIGHT, f"adopted into {path}, but not seen by {sight.agent}", _remedy(sight, path, root)
            )
    if seen:
        yield fine(Topic.SIGHT, f"adopted into {path}: seen by {' and '.join(seen)}")


def _remedy(sight: Sight, path: Path, root: Path) -> str:
    if sight.agent == CLAUDE:
        if path.name == "SKILL.md":
            skills = shlex.quote(str(root / ".claude" / "skills"))
            return f"link it: mkdir -p {skills} && ln -s ../../.agents/skills/{path.parent.name} {skills}/"
        inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else path
        return f"write a line @{inside} into {root / 'CLAUDE.md'}, beside which it reads no AGENTS.md"
    if path.name == "SKILL.md":
        return "see that skills aren't switched off in its config.toml"
    if path in sight.cut:
        return f"shorten {path}, or raise project_doc_max_bytes in its config.toml"
    if path.name == "AGENTS.md":
        return f"move our block to {root / 'AGENTS.override.md'}, which it reads instead"
    if path == root / "CLAUDE.md" and not (root / "AGENTS.md").exists():
        return 'set project_doc_fallback_filenames = ["CLAUDE.md"] in its config.toml'
    return f"copy the rules into {root / 'AGENTS.md'}"
