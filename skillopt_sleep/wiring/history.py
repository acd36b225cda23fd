"""Read the whole session history of a person, from their files or from the index alone, and say what excludes one."""

from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.example import example_of
from skillopt_sleep.kit.projects import is_excluded
from skillopt_sleep.night.account import SessionHistory
from skillopt_sleep.night.harvest import refresh_all, unlisted_notes
from skillopt_sleep.night.survey import survey
from skillopt_sleep.records import Note, SessionLine
from skillopt_sleep.settings import Paths, Settings, find_paths
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring import Exclusions, agent_sources, example_sources, harvest_rules, lost_sessions
from skillopt_sleep.wiring.projects import KnownProjects


class HistoryReading(NamedTuple):
    """A history, and the problems on the way to it."""

    history: SessionHistory
    notes: Sequence[Note]


def read_history(store: SqliteStore, settings: Settings, paths: Paths, *, look: bool) -> HistoryReading:
    """Return the history; only if it is to `look`, files are read, and those that changed go into the index."""
    folder = example_of(paths.data)
    sources = example_sources(folder) if folder else agent_sources(settings)
    rules = harvest_rules(settings, paths)
    names = [source.name for source in sources]
    unlisted = refresh_all(sources if look else (), store.index)
    found = survey(names, store.index, rules)
    history = SessionHistory.of(found, store.index, rules, sources=names, horizon=store.horizon())
    notes: Sequence[Note] = (*unlisted_notes(unlisted), *found.notes)
    if isinstance(rules.excluded, Exclusions):
        notes = (*notes, *rules.excluded.notes)
    if look and not folder:
        notes = (*notes, *lost_sessions(settings))
    return HistoryReading(history, notes)


def excluded_by(settings: Settings, line: SessionLine) -> str:
    """Return which setting of the user or of the project excludes a session."""
    for pattern in settings.projects.exclude:
        if is_excluded(line.project, [pattern]) or is_excluded(line.cwd, [pattern]):
            return f"its project is excluded by {pattern!r} in projects.exclude"
    try:
        project = KnownProjects(find_paths().projects)(line.project)
    except ConfigError as error:
        return f"its project is excluded until its settings can be read: {error.message}"
    if project.enabled:
        return ".skillopt-sleep/project.toml of its project excludes this folder"
    return ".skillopt-sleep/project.toml of its project excludes the whole project"
