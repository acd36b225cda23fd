"""Describe a coding agent to the rest of the program; each agent's folder fills in one record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import NamedTuple, Protocol

from skillopt_sleep.protocols.acting import Acting
from skillopt_sleep.protocols.program import Dialect
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import InForce

# An agent may read only the beginning of a file; this room in it is kept for our block.
BLOCK_ROOM = 4 * 1024
LOADED_BYTES = 1024 * 1024  # more of one file than goes into any prompt of ours


class Transcripts(SessionSource, Protocol):
    """An agent's sessions, which appear as files below a few folders."""

    folders: tuple[str, ...]  # where sessions appear, whether the folders exist yet or not


class Start(NamedTuple):
    """Where an agent is started: in a folder of a project, by a user with this home and this home of the agent's."""

    root: Path
    folder: Path
    home: Path
    agent_home: Path


@dataclass(frozen=True, kw_only=True)
class Documents:
    """The instruction files an agent reads in a project; paths are relative to the project's root.

    `places(at)` returns where the project's lessons may go, best first; `reads(at, path)` tells whether the agent
    gets to see a file there; `is_used(root)` tells whether the project is set up for the agent; `loads(at)` returns
    all that the agent puts before the first request, in its order. `skills` is the folder of the project's own
    skills. `limits` names the files of which the agent reads only so many bytes. `personal(at)` returns where the
    person's own lessons may go, best first: files that the agent reads in every project.
    """

    places: Callable[[Start], tuple[PurePath, ...]]
    personal: Callable[[Start], tuple[PurePath, ...]]
    reads: Callable[[Start, PurePath], bool]
    is_used: Callable[[Path], bool]
    loads: Callable[[Start], tuple[InForce, ...]]
    skills: PurePath
    limits: Mapping[PurePath, int] = field(default_factory=dict[PurePath, int])


class PluginWords(NamedTuple):
    """The words by which an agent's program installs and removes a plugin; `then` is what to do after that."""

    install: str
    remove: str
    then: str = ""


class ToolNames(NamedTuple):
    """The names of an agent's own tools: those that run a command, write files, or only read."""

    shells: frozenset[str] = frozenset()
    writers: frozenset[str] = frozenset()
    readers: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Agent:
    """A coding agent: what people call it, the name of its sessions' source, and what it reads, writes and runs.

    `tested` is the latest version of its program whose sessions we know.

    `sessions` makes the source of the sessions in an agent's home, where the file `prompt_list`, if there is one, has
    the prompts of all sessions. `api` is the API that its program speaks, as in
    `backend.name`.
    """

    title: str
    source: str
    tested: str
    api: str
    sessions: Callable[[Path], Transcripts]
    program: Dialect
    acting: Acting
    documents: Documents
    plugin: PluginWords
    tools: ToolNames
    prompt_list: str = ""

    def home(self, environ: Mapping[str, str], user_home: Path) -> Path:
        """Return the folder in which the agent keeps its settings and sessions."""
        return Path(environ.get(self.program.home_env) or user_home / self.program.home_name)
