"""Read the whole session history of a person, from their files or from the index alone."""

from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.example import example_of
from skillopt_sleep.night.account import History
from skillopt_sleep.night.harvest import refresh_all, unlisted_notes
from skillopt_sleep.night.survey import survey
from skillopt_sleep.records import Note
from skillopt_sleep.settings import Paths, Settings
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring import Exclusions, agent_sources, example_sources, harvest_rules, lost_sessions


class Looked(NamedTuple):
    """A history, and the problems on the way to it."""

    history: History
    notes: Sequence[Note]


def read_history(store: SqliteStore, settings: Settings, paths: Paths, *, look: bool) -> Looked:
    """Return the history; only if it is to `look`, files are read, and those that changed go into the index."""
    folder = example_of(paths.data)
    sources = example_sources(folder) if folder else agent_sources(settings)
    rules = harvest_rules(settings, paths)
    names = [source.name for source in sources]
    unlisted = refresh_all(sources if look else (), store.index)
    found = survey(names, store.index, rules)
    history = History.of(found, store.index, rules, sources=names, horizon=store.horizon())
    notes: Sequence[Note] = (*unlisted_notes(unlisted), *found.notes)
    if isinstance(rules.excluded, Exclusions):
        notes = (*notes, *rules.excluded.notes)
    if look and not folder:
        notes = (*notes, *lost_sessions(settings))
    return Looked(history, notes)
