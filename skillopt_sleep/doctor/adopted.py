"""Check that adopted documents are seen by the agents they were learned from."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.doctor.findings import Finding, Topic, fine, problem, unknown
from skillopt_sleep.doctor.instructions import CLAUDE, SeenInstructions
from skillopt_sleep.errors import ProposalError
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.block import find
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import plan_undo

# The agents' names in the store.
SOURCES = {agent.title: agent.source for agent in AGENTS.values()}
_ENDED = frozenset({AdoptionState.DONE, AdoptionState.UNDONE})


def look_at_adopted(
    journal: Journal,
    sights: Sequence[SeenInstructions],
    *,
    root: Path,
    home: Path,
    sources: frozenset[tuple[str, str]],
) -> Iterator[Finding]:
    """Check every adopted document; in this project and the user's own also which agents see it, and which should.

    An agent should see it if the store has sessions of that agent (`sources`: pairs of source and project); if it has
    none at all, every agent should.
    """
    for error in journal.damaged():
        yield problem(Topic.SIGHT, error.message, error.remedy)
    last: dict[str, Entry] = {}
    for entry in journal.entries():
        last |= dict.fromkeys((file.path for file in entry.files), entry)
    for entry in {entry.proposal: entry for entry in last.values()}.values():
        if entry.state not in _ENDED:
            yield problem(
                Topic.SIGHT, f"an adoption of {entry.path} stopped half-way", "complete it: skillopt-sleep status"
            )
        if entry.state is not AdoptionState.DONE:
            continue
        document_root = Path(entry.root).resolve()
        if document_root == home.resolve():
            agents = {source for source, _ in sources}
        elif document_root == root.resolve():
            agents = {
                source
                for source, project in sources
                if project == str(document_root) or Path(project).resolve() == document_root
            }
        elif document_root.is_dir():
            yield from _document(entry, journal, (), set())
            continue
        else:
            continue
        yield from _document(entry, journal, sights, agents or set(SOURCES.values()))


def _document(
    entry: Entry, journal: Journal, sights: Sequence[SeenInstructions], agents: set[str]
) -> Iterator[Finding]:
    """Yield what is wrong or right with the files of an adoption: an agent needs to see one of them."""
    root = Path(entry.root)
    standing: list[Path] = []
    seen: dict[str, None] = {}
    for file in entry.files:
        path = Path(file.path)
        try:
            body = live.load(path, root=root, name=file.path)[0].body if path.exists() else ""
            held = body or any(move.path == file.path for move in plan_undo(entry, journal=journal).changing)
        except ProposalError as error:
            yield unknown(Topic.SIGHT, f"adopted into {path}, but {error.message}", error.remedy)
            return
        if not held:
            yield fine(Topic.SIGHT, f"what was adopted into {path} is no longer there")
            continue
        standing.append(path)
        if (blocks := len(find(path.read_bytes()))) > 1:
            once = f"skillopt-sleep undo {entry.proposal} --yes && skillopt-sleep undo --redo {entry.proposal}"
            yield problem(Topic.SIGHT, f"our block stands {blocks} times in {path}", f"to have one: {once}")
        seen |= dict.fromkeys(sight.agent for sight in sights if sight.sees(path, body))
    if not standing:
        return
    where = " and ".join(map(str, standing))
    for sight in sights:
        if sight.agent not in seen and SOURCES[sight.agent] in agents:
            remedy = _remedy(sight, standing[0], root)
            yield problem(Topic.SIGHT, f"adopted into {where}, but not seen by {sight.agent}", remedy)
    if seen:
        yield fine(Topic.SIGHT, f"adopted into {where}: seen by {' and '.join(seen)}")


def _remedy(sight: SeenInstructions, path: Path, root: Path) -> str:
    if sight.agent == CLAUDE:
        if path.name == "SKILL.md":
            skills = shlex.quote(str(root / ".claude" / "skills"))
            return f"link it: mkdir -p {skills} && ln -s ../../.agents/skills/{path.parent.name} {skills}/"
        inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else path
        return f"add the line @{inside} to {root / 'CLAUDE.md'}: with that file there, it reads no AGENTS.md"
    if path.name == "SKILL.md":
        return "check that its config.toml doesn't switch skills off"
    if path in sight.cut:
        return f"shorten {path}, or raise project_doc_max_bytes in its config.toml"
    if path.name == "AGENTS.md":
        return f"move our block to {root / 'AGENTS.override.md'}, which it reads instead"
    if path == root / "CLAUDE.md" and not (root / "AGENTS.md").exists():
        return 'set project_doc_fallback_filenames = ["CLAUDE.md"] in its config.toml'
    return f"copy the rules into {root / 'AGENTS.md'}"
