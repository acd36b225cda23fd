"""Codex: its sessions, its program and login, the documents it reads, and its hooks."""

from pathlib import Path

from skillopt_sleep.agents.codex.acting import CodexActing
from skillopt_sleep.agents.codex.deeds import TOOLS
from skillopt_sleep.agents.codex.documents import DOCUMENTS
from skillopt_sleep.agents.codex.hooks import HOOKS
from skillopt_sleep.agents.codex.program import Codex
from skillopt_sleep.protocols.agent import Agent, Transcripts


def _sessions(home: Path) -> Transcripts:
    from skillopt_sleep.agents.codex import sessions  # the readers take longest to import

    return sessions.Codex(home)


AGENT = Agent(
    title="Codex",
    source="codex",
    tested="0.171.0",
    api="openai",
    sessions=_sessions,
    program=Codex(),
    acting=CodexActing(),
    documents=DOCUMENTS,
    hooks=HOOKS,
    tools=TOOLS,
)
