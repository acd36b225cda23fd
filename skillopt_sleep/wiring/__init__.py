"""Build what the settings ask for; the only package that names concrete classes.

Here is what reads the history, so that looking at it loads nothing of a night; a night is wired in wiring/night.py.
"""

import os
from collections.abc import Iterator, Mapping
from functools import cache
from glob import escape
from pathlib import Path

from msgspec.structs import asdict, replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.projects import is_excluded
from skillopt_sleep.mining.tasks_file import TasksFile
from skillopt_sleep.night.survey import HarvestRules
from skillopt_sleep.protocols.crew import Again, MineRules, Reach, SessionRules
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import Note
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.hooks import HookSpool
from skillopt_sleep.wiring.projects import KnownProjects

# This share of a night's calls and tokens may go into mining; the rest is for trying out what was found.
_MINING_SHARE = 0.25


def agent_sources(settings: Settings, environ: Mapping[str, str] = os.environ) -> tuple[SessionSource, ...]:
    """Return the sources that the settings name: agents' sessions and the user's own tasks."""
    sources: dict[str, SessionSource] = {}
    for agent in AGENTS.values():
        sources[agent.source] = agent.sessions(agent.home(environ, Path.home()))
    sources["tasks_file"] = TasksFile(tuple(Path(os.path.expanduser(name)) for name in settings.harvest.tasks_files))  # noqa: PTH111 - takes any text
    return tuple(sources[name] for name in settings.harvest.sources)


def lost_sessions(settings: Settings, environ: Mapping[str, str] = os.environ) -> Iterator[Note]:
    """Yield what Claude Code's list of prompts tells of sessions without a file; Codex deletes none."""
    from skillopt_sleep.agents.claude_code.history import lost  # status starts sooner without

    agent = AGENTS["claude"]
    if agent.source in settings.harvest.sources:
        yield from lost(agent.home(environ, Path.home()))


def session_folders(settings: Settings, environ: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the folders in which the agents write their sessions, whether they exist yet or not."""
    agents = {agent.source: agent for agent in AGENTS.values()}
    folders: list[Path] = []
    for name in settings.harvest.sources:
        if name in agents:
            agent = agents[name]
            folders += map(Path, agent.sessions(agent.home(environ, Path.home())).folders)
    return tuple(folders)


def example_sources(folder: Path) -> tuple[SessionSource, ...]:
    """Return the sources of the example day, whose sessions were written to this folder."""
    return tuple(agent.sessions(agent.home({}, folder / "home")) for agent in AGENTS.values())


def harvest_rules(settings: Settings, paths: Paths) -> HarvestRules:
    """Return the rules by which the commands that look at the whole history leave sessions out."""
    rules = session_rules(settings, paths, again=Again(since=None))
    return HarvestRules.of(rules, now=utc_now(), horizon=None)


def session_rules(settings: Settings, paths: Paths, *, only: str = "", again: Again | None = None) -> SessionRules:
    """Return the rules by which a night leaves sessions out; `only` leaves out all but one project's."""
    return SessionRules(
        include_headless=settings.harvest.include_headless,
        excluded=Exclusions(settings, paths, only=only),
        own_roots=(str(paths.data),),
        only=only,
        spool=HookSpool(paths.spool),
        again=again,
        reach=_reach(settings),
    )


def _reach(settings: Settings) -> Reach | None:
    """Return how much of the history a night may mine, None if rules do it, which costs nothing."""
    if settings.mine.miner == "heuristic":
        return None
    return Reach(
        calls=max(1, int(settings.budget.calls * _MINING_SHARE)),
        tokens=int(settings.budget.tokens * _MINING_SHARE),
        per_call=mine_rules(settings).sessions_per_call,
    )


def mine_rules(settings: Settings) -> MineRules:
    """Return how a night mines: a small model, as people run on their own machine, answers for one session a call."""
    rules = MineRules(**asdict(settings.mine))
    return replace(rules, sessions_per_call=1) if settings.backend.is_local else rules


class Exclusions:
    """Decides which sessions are left out: the user's excluded projects, and projects that opt out themselves."""

    def __init__(self, settings: Settings, paths: Paths, *, only: str = "") -> None:
        self._patterns = settings.projects.exclude
        self._project_settings = KnownProjects(paths.projects)
        self._only = (only,) if only else ()
        self.notes: list[Note] = []
        self._decided = cache(self._decide)

    def __call__(self, project: str, cwd: str) -> bool:
        """Return whether a session of this project, run in the folder `cwd`, is left out."""
        return self._decided(project, cwd)

    def _decide(self, project: str, cwd: str) -> bool:
        if self._only and not (is_excluded(project, self._only) or is_excluded(cwd, self._only)):
            return True
        if is_excluded(project, self._patterns) or is_excluded(cwd, self._patterns):
            return True
        return self._opts_out(project, cwd)

    def _opts_out(self, project: str, cwd: str) -> bool:
        """Return whether the project's own settings exclude the session; if they can't be read, note it and do."""
        try:
            settings = self._project_settings(project)
        except ConfigError as error:
            if all(note.summary != error.message for note in self.notes):
                self.notes.append(Note(stage="harvest", summary=error.message, remedy=error.remedy))
            return True
        if not settings.enabled:
            return True
        return is_excluded(cwd, tuple(f"{escape(project)}/{path}" for path in settings.exclude))
