"""Codex: its sessions, its program and login, the documents it reads, and its plugins."""

from pathlib import Path

from skillopt_sleep.agents.codex.acting import CodexActing
from skillopt_sleep.agents.codex.documents import DOCUMENTS
from skillopt_sleep.agents.codex.output import TOOLS
from skillopt_sleep.agents.codex.program import CodexProgram
from skillopt_sleep.protocols.agent import Agent, PluginWords, Transcripts


def _sessions(home: Path) -> Transcripts:
    from skillopt_sleep.agents.codex import sessions  # the readers take longest to import

    return sessions.Codex(home)


AGENT = Agent(
    title="Codex",
    source="codex",
    tested="0.171.0",
    api="openai",
    sessions=_sessions,
    program=CodexProgram(),
    acting=CodexActing(),
    documents=DOCUMENTS,
    plugin=PluginWords(
        install="add",
        remove="remove",
        then="Codex runs the plugin's hooks only once you trust them: open codex and type /hooks",
    ),
    tools=TOOLS,
)
