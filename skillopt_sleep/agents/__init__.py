"""Agents: one folder for each coding agent, and one line in this dict."""

from collections.abc import Iterable

from skillopt_sleep.agents import claude_code, codex
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.agent import Agent
from skillopt_sleep.records import HalfRead

# By the name of the agent's program, as in `backend.name`. Where several agents would do, the first one is taken.
AGENTS: dict[str, Agent] = {
    "claude": claude_code.AGENT,
    "codex": codex.AGENT,
}
SHELLS = frozenset[str]().union(*(agent.tools.shells for agent in AGENTS.values()))
WRITERS = frozenset[str]().union(*(agent.tools.writers for agent in AGENTS.values()))
READERS = frozenset[str]().union(*(agent.tools.readers for agent in AGENTS.values()))
TITLES = {agent.source: agent.title for agent in AGENTS.values()}  # what people call the agent of a session's source
PROMPT_LISTS = frozenset(agent.prompt_list for agent in AGENTS.values() if agent.prompt_list)
_TESTED = {agent.source: agent.tested for agent in AGENTS.values()}


def half_read(found: Iterable[tuple[str, HalfRead | None]]) -> tuple[str, ...]:
    """Say for each version of an agent how much of its half-read sessions is of kinds that we don't know."""
    versions: dict[tuple[str, str], list[HalfRead]] = {}
    for source, one in found:
        if one is not None:
            versions.setdefault((source, one.version), []).append(one)
    lines: list[str] = []
    for (source, version), several in sorted(versions.items()):
        share = round(100 * sum(one.unknown for one in several) / sum(one.records for one in several)) or "under 1"
        kinds = counted(len({kind for one in several for kind in one.kinds}), "unknown kind")
        named = f"{TITLES[source]} {version or 'of an unknown version'}"
        lines.append(f"{named} (tested to {_TESTED[source]}): {share} % of records of {kinds}")
    return tuple(lines)
