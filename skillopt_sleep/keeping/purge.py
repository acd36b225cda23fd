"""Purge sessions from everything that is kept: first their files, then the store.

A killed purge can be run again: until the store's rows are gone it finds the same, and then only writes the store's
file anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from skillopt_sleep.keeping import files
from skillopt_sleep.keeping.numbers import numbers
from skillopt_sleep.kit.sought import Sought, rule_phrases
from skillopt_sleep.records import NightReport, Proposal
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.bank import ADOPTED
from skillopt_sleep.stores.purge import Found, Row
from skillopt_sleep.stores.sqlite import SqliteStore

Choice = tuple[Sequence[Row], Sought]


@dataclass(frozen=True, kw_only=True)
class Purge:
    """All that a purge deletes: rows of the store, whole `nights` but for their numbers, files, and lines of logs.

    `copied` are proposals from other sessions whose saved files hold something of it, and `undoless` those whose undo
    goes with theirs.
    """

    found: Found
    nights: tuple[str, ...]
    files: tuple[Path, ...]
    logs: dict[Path, bytes]
    copied: tuple[Proposal, ...]
    undoless: tuple[str, ...]
    folders: tuple[str, ...]

    @property
    def live(self) -> tuple[Proposal, ...]:
        """The adopted proposals that are forgotten: their rules stay in the person's files."""
        return tuple(entry.proposal for entry in self.found.proposals if entry.state == ADOPTED)

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to purge."""
        return not (self.found.ids or self.found.reviewed or self.found.proposals or self.nights or self.files)


def plan(store: SqliteStore, paths: Paths, choose: Callable[[Sequence[Row]], Choice]) -> Purge:
    """Find everything that is kept of the chosen sessions; changes nothing."""
    rows, sought = choose(list(store.purge.rows()))
    found = store.purge.found(rows, sought)
    plain = sought._replace(ids=sought.ids | found.ids)
    sweep = files.Sweep(plain, Sought(phrases=rule_phrases(found.contents)), Sought(ids=found.paths))
    gone = {entry.proposal.id for entry in found.proposals}
    nights = tuple(
        folder.name
        for folder in sorted(paths.nights.glob("*"))
        if folder.name in found.nights or sweep.is_in(files.night_files(folder))
    )
    nights = tuple(dict.fromkeys((*nights, *sorted(found.nights))))
    staged, adopted = files.proposal_folders(paths), files.adoption_folders(paths)
    copies = [*_of(gone, staged), *files.folders_with(sweep, staged)]
    undos = [*_of(gone, adopted), *files.folders_with(sweep, adopted)]
    taken = [*copies, *undos, *files.other_files(paths, plain, sessions=found.sessions)]
    closed = {line.id for line in store.nights() if line.closed}
    for night in nights:
        taken += files.night_files(paths.nights / night)
        if night not in closed:
            # What waits for an answer is of the night that is open.
            taken += sorted(paths.handoff.glob("*/*"))
    others = [entry.proposal for entry in store.bank.proposals() if entry.proposal.id not in gone]
    taken += files.free_text(paths) if taken or found.ids else []
    return Purge(
        found=found,
        nights=nights,
        files=tuple(dict.fromkeys(taken)),
        logs=files.logs_with(paths, plain, nights=nights),
        copied=tuple(one for one in others if store.folder(one.night) / files.PROPOSALS / one.id in copies),
        undoless=tuple(one.id for one in others if paths.adoptions / one.id in undos),
        folders=sought.folders,
    )


def carry_out(purge: Purge, store: SqliteStore, *, now: datetime) -> None:
    """Delete it all; raise StoreError if the store's file can't be rewritten, after which it can be tried again."""
    because = f"what this night read was purged on {now:%Y-%m-%d}; its numbers are left"
    reports: dict[str, NightReport | None] = {}
    for night in purge.nights:
        report = store.report(night)
        reports[night] = numbers(report, because=because, documents=False) if report else None
    files.delete(purge.files)
    files.rewrite(purge.logs)
    for night, report in reports.items():
        folder = store.folder(night)
        if report is not None and folder.is_dir():
            for reporter in REPORTERS:
                reporter.write(report, folder)
    store.purge.delete(purge.found, reports, copied=purge.copied, folders=purge.folders)
    store.purge.compact()


def _of(proposals: set[str], folders: Sequence[Path]) -> list[Path]:
    return [folder for folder in folders if folder.name in proposals]
