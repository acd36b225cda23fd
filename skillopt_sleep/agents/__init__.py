"""Agents: one folder for each coding agent, and one line in this dict."""

from skillopt_sleep.agents import claude_code, codex
from skillopt_sleep.protocols.agent import Agent

# By the name of the agent's program, as in `backend.name`. Where several agents would do, the first one is taken.
AGENTS: dict[str, Agent] = {
    "claude": claude_code.AGENT,
    "codex": codex.AGENT,
}
TITLES = {agent.source: agent.title for agent in AGENTS.values()}  # what people call the agent of a session's source
