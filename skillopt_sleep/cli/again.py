"""The options `--again` and `--session` of `run`: read sessions again that earlier nights have read."""

from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.night.harvest import refresh_all
from skillopt_sleep.protocols.crew import Again
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.settings import Paths, Settings, seconds
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.wiring import agent_sources

_CANDIDATES = 4


class AskedAgain(NamedTuple):
    """The options as the user gave them; `sessions` ask for sessions to be read again by themselves."""

    again: bool = False
    sessions: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """Return the options as words of a command line."""
        words = ["--again"] if self.again else []
        for session in self.sessions:
            words += ["--session", session]
        return words


def chosen(asked: AskedAgain, settings: Settings, paths: Paths) -> Again | None:
    """Return the sessions to read again, None if no option asks for any; ConfigError if one of them isn't known."""
    words = asked.words()
    if not words:
        return None
    sessions = _resolved(asked.sessions, settings, paths) if asked.sessions else frozenset[str]()
    since = None if sessions else utc_now() - timedelta(seconds=seconds(settings.harvest.lookback))
    return Again(since=since, sessions=sessions, asked=" ".join(words))


def _resolved(names: Collection[str], settings: Settings, paths: Paths) -> frozenset[str]:
    """Return the ids of the sessions that these names stand for, of the history as it is now."""
    store = open_store(settings, paths)
    try:
        sources = agent_sources(settings)
        refresh_all(sources, store.index)
        ids = session_ids(store.index, sources, names)
        found = frozenset(session_named(name, ids) for name in names)
        # A person who names a purged session wants it read after all.
        if store.index.purged.read_again(found):
            refresh_all(sources, store.index)
    finally:
        store.close()
    return found


def session_ids(index: SqliteIndex, sources: Collection[SessionSource], names: Collection[str]) -> list[str]:
    """Return the ids of all sessions, those of purged ones as far as these names or their files' names tell them."""
    ids = [line.id for line in index.lines(unread=False)]
    for source in sources:
        # Of a purged session only a hash is kept, but its file's name ends with its id.
        known = [*names, *(Path(path).name.partition(".")[0][-36:] for path, _ in source.stamps())]
        ids += index.purged.among([*names, *(f"{source.name}:{own}" for own in known)])
    return ids


def session_named(name: str, ids: Collection[str]) -> str:
    """Return the id that is this name or the only one that begins with it, with or without the agent's name.

    Raises ConfigError, with candidates, if there is none or more than one.
    """
    if name in ids:
        return name
    matches: list[str] = []
    for known in ids:
        own = known.partition(":")[2]
        if own == name:
            return known
        if known.startswith(name) or own.startswith(name):
            matches.append(known)
    if not name or not matches:
        raise ConfigError(
            f"--session {name!r}: no session's id begins with that", remedy="see: skillopt-sleep harvest --json"
        )
    if len(matches) > 1:
        more = ", …" if len(matches) > _CANDIDATES else ""
        raise ConfigError(
            f"--session {name!r}: {len(matches)} sessions' ids begin with that: "
            f"{', '.join(matches[:_CANDIDATES])}{more}",
            remedy="type more of the id",
        )
    return matches[0]
