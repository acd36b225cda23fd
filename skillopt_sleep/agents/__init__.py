"""Agents: one folder for each coding agent, and one line in this dict."""

from skillopt_sleep.agents import claude_code, codex
from skillopt_sleep.kit.words import counted
from skillopt_sleep.protocols.agent import Agent
from skillopt_sleep.records import UnknownKinds

# By the name of the agent's program, as in `backend.name`. Where several agents would do, the first one is taken.
AGENTS: dict[str, Agent] = {
    "claude": claude_code.AGENT,
    "codex": codex.AGENT,
}
TITLES = {agent.source: agent.title for agent in AGENTS.values()}  # what people call the agent of a session's source
_TESTED = {agent.source: agent.tested for agent in AGENTS.values()}


def half_read(source: str, unknown: UnknownKinds) -> str:
    """Say how much of what a version of an agent wrote is of kinds that we don't know."""
    version = f"{TITLES[source]} {unknown.version}".strip()
    share = round(100 * unknown.count / unknown.records) or "under 1"
    kinds = counted(len(unknown.kinds), "unknown kind")
    return f"{version} (tested to {_TESTED[source]}): {share} % of records of {kinds}"
