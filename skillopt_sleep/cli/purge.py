"""The command `purge`: delete a project, a session or some words from everything that is kept."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.again import session_ids, session_named
from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.cli.decisions import confirmed, consistent_journal
from skillopt_sleep.deciding.stored import opened, opened_to_read
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.keeping.purge import Choice, Purge, carry_out, of_project, of_session, of_words, plan
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.markdown import spelled
from skillopt_sleep.kit.words import counted
from skillopt_sleep.night.harvest import refresh_all
from skillopt_sleep.settings import Paths, Settings, find_paths, load
from skillopt_sleep.stores.purge import PurgedSession
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.wiring import agent_sources

_NAMED = 5  # so many known projects are named


def purge(
    *,
    project: Annotated[str, typer.Option(metavar="PATH", help="This project, and all below it.")] = "",
    session: Annotated[str, typer.Option(metavar="ID", help="This session.")] = "",
    text: Annotated[str, typer.Option(metavar="WORDS", help="Every session that holds them.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
) -> None:
    """Delete a project, a session or some words from all that is kept, for good.

    Your own files, adopted rules and your agents' transcripts stay. What was purged isn't read again, unless you ask
    for it: skillopt-sleep run --session ID.
    """
    if sum(map(bool, (project, session, text.strip()))) != 1:
        raise ConfigError(
            "purge needs one of --project, --session and --text", remedy="see: skillopt-sleep purge --help"
        )
    paths = find_paths()
    settings = load(paths)
    with ExitStack() as held:
        store = held.enter_context(opened_to_read(settings) if dry_run else opened(settings))
        if not dry_run:
            held.enter_context(store.alone())
            _read_all(settings, store)
        held.enter_context(consistent_journal(store))
        found = plan(store, paths, _choice(settings, store, project, session, text))
        if found.is_empty:
            if not dry_run:
                store.purge.compact()
            say(_nothing(store, project))
            return
        for line in _lines(found, paths):
            say(line)
        if dry_run:
            say("Nothing was deleted: this is a dry run.")
            return
        confirmed("Delete it? It can't be undone.", yes=yes, instead="to delete it without being asked, add --yes")
        carry_out(found, store, paths, now=utc_now())
    say(f"Purged {_counts(found)}; of the sessions only a hash of the id is kept, so that they aren't read again.")


def _read_all(settings: Settings, store: SqliteStore) -> None:
    """Read the history as it is now: a session that no night knows yet is purged too."""
    for folder, reason in refresh_all(agent_sources(settings), store.index).items():
        warn(f"{folder} can't be read, so what is new in it can be read by a later night: {reason}")


def _choice(
    settings: Settings, store: SqliteStore, project: str, session: str, text: str
) -> Callable[[Sequence[PurgedSession]], Choice]:
    if project:
        return lambda rows: of_project(rows, str(Path(project).expanduser().absolute()))
    if session:
        name = session_named(session, session_ids(store.index, agent_sources(settings), [session]))
        return lambda rows: of_session(rows, name)
    return lambda rows: of_words(rows, text)


def _nothing(store: SqliteStore, project: str) -> str:
    """Say that nothing is kept of what was asked for; of a project with the known ones."""
    if not project:
        return "Nothing is kept of that."
    folder = str(Path(project).expanduser().absolute())
    known = sorted({line.project for line in store.index.lines(unread=False) if line.project})
    more = ", …" if len(known) > _NAMED else ""
    names = ", ".join(map(spelled, known[:_NAMED])) or "none"
    return f"Nothing is known of a project in {spelled(folder)}. Known projects: {names}{more}"


def _counts(purge: Purge) -> str:
    found = purge.found
    parts = {
        "session": len(found.sessions),
        "task": len(found.tasks) + len(found.reviewed),
        "lesson": len(found.lessons),
        "proposal": len(found.proposals),
        "undecided or tried rule": len(found.candidates) + len(found.tried),
    }
    counts = [counted(number, noun) for noun, number in parts.items() if number]
    if purge.nights:
        counts.append(f"what {counted(len(purge.nights), 'night')} asked and answered")
    if purge.files:
        counts.append(counted(len(purge.files), "file"))
    return ", ".join(counts)


def _lines(purge: Purge, paths: Paths) -> Iterator[str]:
    """Yield what goes, what goes with it, and what stays."""
    yield f"To delete: {_counts(purge)}."
    if purge.nights:
        yield f"Of the report of {', '.join(purge.nights)} only outcome, counts and cost stay."
    if purge.found.unread:
        yield f"{counted(len(purge.found.unread), 'other session')} taught some of what goes, and will be read again."
    if purge.withdrawn:
        names = ", ".join(one.id for one in purge.withdrawn)
        yield f"Withdrawn, because the saved files hold some of it: {names}. The sessions will be read again."
    for proposal in purge.unrecorded:
        if not Path(proposal.root).is_dir():
            yield f"The folder {spelled(proposal.root)} is gone, and with it the rule of {proposal.id}."
            continue
        where = " and ".join(proposal.paths)
        yield f"Stays, because the file is yours: the rule of {proposal.id} in {where}"
        yield f"  to take it out, first run: skillopt-sleep undo {proposal.id}"
        for path in proposal.paths:
            yield f"  later, with all other rules there: skillopt-sleep undo {spelled(path)} --to 0"
    yield "All logs go, and all copies of repositories: the next replay makes new ones."
    yield f"Stays: your agents' own transcripts, and your settings in {paths.config}."
