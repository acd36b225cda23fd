"""The command `harvest`: what is in the session history, and what is used or left out."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say_all, say_json, warn
from skillopt_sleep.cli.harvest_shown import account_data, explained, noted, show_account
from skillopt_sleep.deciding.stored import opened_to_read
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.night.account import SessionHistory, account
from skillopt_sleep.night.explain import explain, find
from skillopt_sleep.night.survey import in_full
from skillopt_sleep.settings import Paths, Settings, find_paths, load
from skillopt_sleep.stores.index import SqliteIndex
from skillopt_sleep.stores.running import alone
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.wiring.history import excluded_by, read_history

Shown = tuple[dict[str, object], Callable[[], None]]


def harvest(
    *,
    why: Annotated[
        str, typer.Option("--why", metavar="SESSION", help="Explain one session, given by part of its id or file.")
    ] = "",
    include_headless: Annotated[
        bool, typer.Option("--include-headless", help="Include sessions that a program started.")
    ] = False,
    new_store: Annotated[
        bool,
        typer.Option("--new-store", help="Set a broken store aside, and read all sessions again."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the turns of each session.")] = False,
) -> None:
    """Show which sessions were found, which are used or left out, and why. Sends nothing.

    What it reads is kept, redacted, in an index on this machine.
    """
    paths = find_paths()
    settings = load(paths, flags={"harvest.include_headless": include_headless or None})
    if new_store:
        _begin_anew(paths, settings)
    data, show = _read(paths, settings, why, as_json=as_json)
    if as_json:
        say_json(data)
        return
    show()


def _begin_anew(paths: Paths, settings: Settings) -> None:
    """Set a store aside that is corrupt or of another version, unless a night runs; one that can be used stays."""
    if not paths.database.exists():
        return
    with alone(paths.data, utc_now), closing(open_store(settings, paths, anew=True)) as store:
        warn(store.notice or "The store can be used, so it stays as it is.")


def _read(paths: Paths, settings: Settings, why: str, *, as_json: bool) -> Shown:
    """Harvest, and return the account of it, or the explanation of the session `why`, as data and to print."""
    # To explain one session nothing need be kept, so nothing is created.
    with opened_to_read(settings) if why else closing(open_store(settings, paths)) as store:
        history, notes = read_history(store, settings, paths, look=True)
        if why:
            return _explained(history, store.index, settings, why)
        sessions = in_full(history.survey.sessions, store.index) if as_json else ()
        purged = store.index.purged.has_any()
        gone = store.index.gone()
        taught = sum(not gone.keys().isdisjoint(lesson.sessions) for lesson in store.lessons.every())
    total = account(history)
    if as_json:
        data = account_data(total, sessions, notes)
        return {**data, "deleted": {"sessions": len(gone), "lessons": taught}}, lambda: None

    def show() -> None:
        show_account(total, settings.harvest, purged=purged, deleted=(len(gone), taught))
        say_all(noted(notes))

    return {}, show


def _explained(history: SessionHistory, index: SqliteIndex, settings: Settings, why: str) -> Shown:
    """Explain the session `why`."""
    line = find(history, why)
    explanation = explain(history, line, index, partial(excluded_by, settings))
    return explanation.data(), lambda: say_all(explained(explanation, now=history.rules.now))
