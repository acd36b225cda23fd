"""Claude Code: its sessions, its program and login, the documents it reads, and its plugins."""

from pathlib import Path

from skillopt_sleep.agents.claude_code.acting import ClaudeActing
from skillopt_sleep.agents.claude_code.documents import DOCUMENTS
from skillopt_sleep.agents.claude_code.program import PROMPT_LIST, Claude
from skillopt_sleep.protocols.agent import Agent, PluginWords, ToolNames, Transcripts


def _sessions(home: Path) -> Transcripts:
    from skillopt_sleep.agents.claude_code.sessions import ClaudeCode  # the readers take longest to import

    return ClaudeCode(home)


AGENT = Agent(
    title="Claude Code",
    source="claude_code",
    tested="2.1.332",
    api="anthropic",
    sessions=_sessions,
    prompt_list=PROMPT_LIST,
    program=Claude(),
    acting=ClaudeActing(),
    documents=DOCUMENTS,
    plugin=PluginWords(install="install", remove="uninstall"),
    tools=ToolNames(
        shells=frozenset({"Bash"}),
        writers=frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"}),
        readers=frozenset({"Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "Task", "TodoWrite"}),
    ),
)
