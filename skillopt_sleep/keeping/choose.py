"""Choose the sessions to purge: those of a project, one by its id, or those that hold some words."""

import os
from collections.abc import Iterable, Sequence
from glob import escape
from pathlib import PurePath

import msgspec

from skillopt_sleep.kit.exclude import is_excluded
from skillopt_sleep.kit.sought import Sought, plain_words
from skillopt_sleep.mining.forks import Said
from skillopt_sleep.records import Session
from skillopt_sleep.stores.purge import Row


def of_project(rows: Iterable[Row], folder: str) -> tuple[list[Row], Sought]:
    """Return the sessions of the project in this folder or below it, and what else names it."""
    within = (escape(folder),)
    mine = [row for row in rows if _is_in_project(row.session, within)]
    return mine, Sought(folders=tuple(dict.fromkeys((folder, os.path.realpath(folder)))))


def of_session(rows: Sequence[Row], name: str) -> tuple[list[Row], Sought]:
    """Return the session with this id, its sub-agents' and those that repeat it: forks and copies."""
    chosen = [row for row in rows if row.session.id == name]
    return _with_companions(rows, chosen), Sought()


def of_words(rows: Sequence[Row], words: str) -> tuple[list[Row], Sought]:
    """Return the sessions that hold these words, in capitals or not, and what else does."""
    sought = Sought(phrases=(plain_words(words),))
    chosen = [row for row in rows if sought.is_in(msgspec.to_builtins(row.session))]
    return _with_companions(rows, chosen), sought


def _is_in_project(session: Session, within: tuple[str]) -> bool:
    return is_excluded(session.project, within) or is_excluded(session.cwd, within)


def _with_companions(rows: Sequence[Row], chosen: Sequence[Row]) -> list[Row]:
    """Return these sessions with those of their sub-agents, and with those that copied something from them."""
    if not chosen:
        return []
    names = {row.session.id for row in chosen}
    own = {name.partition(":")[2] for name in names}
    said = Said()
    for row in chosen:
        said.add(row.session)
    all_of_them: list[Row] = []
    for row in rows:
        is_below = not own.isdisjoint(PurePath(row.path).parts)
        if row.session.id in names or is_below or said.copied(row.session):
            all_of_them.append(row)
    return all_of_them
