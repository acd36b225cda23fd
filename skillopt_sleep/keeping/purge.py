"""Purge sessions from everything that is kept: what holds some of them is deleted whole, files first, rows last.

A killed purge can be run again: until the rows are gone it finds the same, and then only rewrites the store's file.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from glob import escape
from pathlib import Path, PurePath
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ProposalError
from skillopt_sleep.keeping import files
from skillopt_sleep.keeping.retention import numbers
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.projects import is_excluded
from skillopt_sleep.mining.forks import EarlierTurns
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.entry import AdoptionState, Entry
from skillopt_sleep.proposals.journal import RECORD, Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.records import NightReport, Proposal
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.bank import ADOPTED, OPEN
from skillopt_sleep.stores.purge import PurgedData, PurgedSession
from skillopt_sleep.stores.quotes import PurgeSearch, plain_words, rule_phrases
from skillopt_sleep.stores.sqlite import SqliteStore

Choice = tuple[Sequence[PurgedSession], PurgeSearch]


class ShorterUndo(NamedTuple):
    """An entry of the journal whose saved texts have nothing but our rules: enough to undo it, without the words."""

    entry: Entry
    texts: Sequence[tuple[bytes | None, bytes | None]]


@dataclass(frozen=True, kw_only=True)
class Purge:
    """All that a purge deletes: rows of the store, what `nights` hold but their numbers, and files.

    `withdrawn` are proposals of other sessions whose files hold some of it. The undo of adopted ones is kept
    (`undos`) without it, or if it is their rule itself, goes too (`unrecorded`). `folders` are those of projects.
    """

    found: PurgedData
    nights: tuple[str, ...]
    files: tuple[Path, ...]
    withdrawn: tuple[Proposal, ...]
    undos: tuple[ShorterUndo, ...]
    unrecorded: tuple[Proposal, ...]
    folders: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to purge."""
        return self.found.is_empty and not (self.nights or self.files or self.undos)


def of_project(rows: Iterable[PurgedSession], folder: str) -> tuple[list[PurgedSession], PurgeSearch]:
    """Return the sessions of the project in this folder or below it, and what else names it."""
    within = (escape(folder),)
    mine = [row for row in rows if is_excluded(row.session.project, within) or is_excluded(row.session.cwd, within)]
    return mine, PurgeSearch(folders=tuple(dict.fromkeys((folder, os.path.realpath(folder)))))


def of_session(rows: Sequence[PurgedSession], name: str) -> tuple[list[PurgedSession], PurgeSearch]:
    """Return the session with this id, its sub-agents' and those that repeat it: forks and copies."""
    chosen = [row for row in rows if row.session.id == name]
    return _with_companions(rows, chosen), PurgeSearch()


def of_words(rows: Sequence[PurgedSession], words: str) -> tuple[list[PurgedSession], PurgeSearch]:
    """Return the sessions that hold these words, in capitals or not, and what else does."""
    search = PurgeSearch(phrases=(plain_words(words),))
    chosen = [row for row in rows if search.is_in(msgspec.to_builtins(row.session))]
    return _with_companions(rows, chosen), search


def plan(store: SqliteStore, paths: Paths, choose: Callable[[Sequence[PurgedSession]], Choice]) -> Purge:
    """Find everything that is kept of the chosen sessions; changes nothing."""
    rows, search = choose(list(store.purge.rows()))
    found = store.purge.found(rows, search)
    plain = search._replace(ids=search.ids | found.ids)
    sweep = files.Sweep(plain, PurgeSearch(phrases=rule_phrases(found.contents)), PurgeSearch(ids=found.paths))
    gone = {entry.proposal.id: entry for entry in found.proposals}
    staged = [path for path in files.proposal_folders(paths) if path.name in gone or sweep.is_in_folder(path)]
    adopted = [path for path in files.adoption_folders(paths) if path.name in gone or sweep.is_in_folder(path)]
    journal = Journal(paths.adoptions)
    entries = [entry for entry in journal.entries() if paths.adoptions / entry.proposal in adopted]
    undos = [_shorter(entry, journal, sweep) for entry in entries if entry.proposal not in gone]
    kept = {one.entry.proposal: one for one in undos if one is not None}
    known = store.bank.proposals()
    withdrawn = [
        one.proposal
        for one in known
        if one.state in OPEN
        and one.proposal.id not in gone
        and store.folder(one.proposal.night) / files.PROPOSALS / one.proposal.id in staged
    ]
    unrecorded = [
        one.proposal
        for one in known
        if one.state == ADOPTED
        and (one.proposal.id in gone or paths.adoptions / one.proposal.id in adopted)
        and one.proposal.id not in kept
    ]
    nights = tuple(_nights(paths, found, sweep))
    taken = list(staged)
    for path in adopted:
        if path.name not in kept:
            taken += [path / RECORD, path]  # without its record a folder that is half deleted isn't an adoption
    taken += files.other_files(paths, plain, sessions=found.sessions)
    unfinished = {line.id for line in store.nights() if not line.closed}
    for night in nights:
        taken += files.night_files(paths.nights / night)
        # What waits for an answer is of the night that is open.
        taken += sorted(paths.handoff.glob("*/*")) if night in unfinished else []
    others = [*files.logs(paths), *files.calibrations(paths)]
    if taken or kept or not found.is_empty or any(map(plain.is_in_file, others)):
        # What goes because of something else goes first: a purge that was killed finds the cause again.
        taken = [*others, *taken]
    return Purge(
        found=found,
        nights=nights,
        files=tuple(dict.fromkeys(taken)),
        withdrawn=tuple(withdrawn),
        undos=tuple(kept.values()),
        unrecorded=tuple(unrecorded),
        folders=search.folders,
    )


def carry_out(purge: Purge, store: SqliteStore, paths: Paths, *, now: datetime) -> None:
    """Delete it all; raise StoreError if the store's file can't be rewritten, after which it can be tried again."""
    because = f"what this night read was purged on {now:%Y-%m-%d}; its numbers are left"
    reports: dict[str, NightReport | None] = {}
    for night in purge.nights:
        report = store.report(night)
        reports[night] = numbers(report, because=because, documents=False) if report else None
    store.purge.withdraw(purge.withdrawn)
    journal = Journal(paths.adoptions)
    if purge.unrecorded:
        journal.lose_record()
    files.delete(purge.files)
    for undo in purge.undos:
        journal.replace(undo.entry, *undo.texts)
    for night, report in reports.items():
        folder = store.folder(night)
        if report is not None and folder.is_dir():
            for reporter in REPORTERS:
                reporter.write(report, folder)
    store.purge.delete(purge.found, reports, folders=purge.folders)
    store.purge.compact()


def _nights(paths: Paths, found: PurgedData, sweep: files.Sweep) -> Iterator[str]:
    """Yield the nights that hold some of it: those found in the store, and those with a file that does."""
    yield from sorted(found.nights)
    for folder in sorted(paths.nights.glob("*")):
        if folder.name not in found.nights and sweep.is_in(files.night_files(folder)):
            yield folder.name


def _shorter(entry: Entry, journal: Journal, sweep: files.Sweep) -> ShorterUndo | None:
    """Return what undoes an adoption without the words; None if nothing does, or if there is nothing to undo."""
    if entry.state is AdoptionState.UNDONE:
        return None
    texts: list[tuple[bytes | None, bytes | None]] = []
    written = list(entry.files)
    try:
        for index, file in enumerate(written):
            path = Path(file.path)
            before, after = (_ours(path, text, sweep) for text in journal.texts(entry, index))
            if live.body(path, before) == live.body(path, after):
                return None
            texts.append((before, after))
            written[index] = replace(file, before=digest(before), after=digest(after))
    except ProposalError:
        return None
    changed = replace(entry, files=tuple(written), taken_back=())
    saved = [to_json(changed), *(text for both in texts for text in both if text is not None)]
    return None if any(map(sweep.is_in_bytes, saved)) else ShorterUndo(changed, texts)


def _ours(path: Path, text: bytes | None, sweep: files.Sweep) -> bytes | None:
    """Return a text with only our rules, without those lines that hold the words; None if there is no file."""
    if text is None:
        return None
    body = "\n".join(line for line in live.body(path, text).split("\n") if not sweep.is_in_line(line))
    return live.change(path, None if live.own_file(path) else b"", "", body).data


def _with_companions(rows: Sequence[PurgedSession], chosen: Sequence[PurgedSession]) -> list[PurgedSession]:
    """Return these sessions with those of their sub-agents, and with those that copied something from them."""
    if not chosen:
        return []
    names = {row.session.id for row in chosen}
    own = {name.partition(":")[2] for name in names}
    said = EarlierTurns()
    for row in chosen:
        said.add(row.session)
    all_of_them: list[PurgedSession] = []
    for row in rows:
        is_below = not own.isdisjoint(PurePath(row.path).parts)
        if row.session.id in names or is_below or said.copied(row.session):
            all_of_them.append(row)
    return all_of_them
