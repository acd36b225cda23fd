"""Purge sessions from everything that is kept: first their files, then the store.

A killed purge can be run again: until the store's rows are gone it finds the same, and then only writes the store's
file anew.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.errors import StaleProposal
from skillopt_sleep.keeping import files
from skillopt_sleep.keeping.numbers import numbers
from skillopt_sleep.keeping.trim import Trimmed, TrimmedEntry, trimmed, trimmed_entry
from skillopt_sleep.kit.leftovers import BASES
from skillopt_sleep.kit.sought import Sought, rule_phrases
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.records import NightReport, Proposal
from skillopt_sleep.replay.workspaces.bases import ABOUT
from skillopt_sleep.reporters import REPORTERS
from skillopt_sleep.settings import Paths
from skillopt_sleep.stores.bank import ADOPTED, UNDONE
from skillopt_sleep.stores.purge import Found, Row
from skillopt_sleep.stores.sqlite import SqliteStore

Choice = tuple[Sequence[Row], Sought]


@dataclass(frozen=True, kw_only=True)
class Purge:
    """All that a purge deletes: rows of the store, whole `nights` but for their numbers, files, and lines of logs.

    `copied` are proposals from other sessions whose saved files hold something of it and go too, of which those in
    `lost` could be adopted again until now, and `undoless` adopted ones whose undo goes. Of those that are
    `trimmed` only our own rules stay in the saved texts, and of the `entries` of the journal too; `refiled` are the
    proposals as the store has to know them then.
    """

    found: Found
    nights: tuple[str, ...]
    files: tuple[Path, ...]
    logs: dict[Path, bytes]
    copied: tuple[Proposal, ...]
    lost: tuple[str, ...]
    undoless: tuple[str, ...]
    trimmed: tuple[Trimmed, ...]
    refiled: tuple[Proposal, ...]
    entries: tuple[TrimmedEntry, ...]
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
    known = [entry for entry in store.bank.proposals() if entry.proposal.id not in gone]
    held = {store.folder(one.proposal.night) / files.PROPOSALS / one.proposal.id: one.proposal for one in known}
    hits = [*files.folders_with(sweep, staged), *files.folders_with(sweep, adopted)]
    shorter = _trimmed(held, hits, sweep)
    refiled = tuple(_refiled(held, shorter))
    entries = tuple(_entries(Journal(paths.adoptions), held, refiled, hits, sweep))
    kept = {one.folder for one in shorter} | {paths.adoptions / one.entry.proposal for one in entries}
    lost = [folder for folder in hits if folder not in kept]
    copies = [*_of(gone, staged), *(folder for folder in lost if folder in staged)]
    undos = [*_of(gone, adopted), *(folder for folder in lost if folder in adopted)]
    taken = [*copies, *undos, *files.other_files(paths, plain, sessions=found.sessions)]
    closed = {line.id for line in store.nights() if line.closed}
    for night in nights:
        taken += files.night_files(paths.nights / night)
        if night not in closed:
            # What waits for an answer is of the night that is open.
            taken += sorted(paths.handoff.glob("*/*"))
    abouts = paths.replays.glob(f"{BASES}/*/{ABOUT}")
    if taken or found.ids or any(map(plain.is_in_file, abouts)):
        taken += [*files.free_text(paths), *files.copies(paths)]
    return Purge(
        found=found,
        nights=nights,
        files=tuple(dict.fromkeys(taken)),
        logs=files.logs_with(paths, plain, nights=nights),
        copied=tuple(one for folder, one in held.items() if folder in copies),
        lost=tuple(
            one.proposal.id
            for folder, one in zip(held, known, strict=True)
            if folder in copies and one.state == UNDONE
        ),
        undoless=tuple(
            one.proposal.id for one in known if paths.adoptions / one.proposal.id in undos and one.state == ADOPTED
        ),
        trimmed=shorter,
        refiled=refiled,
        entries=entries,
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
    for shorter in (*purge.trimmed, *purge.entries):
        shorter.write()
    files.rewrite(purge.logs)
    for night, report in reports.items():
        folder = store.folder(night)
        if report is not None and folder.is_dir():
            for reporter in REPORTERS:
                reporter.write(report, folder)
    store.purge.delete(purge.found, reports, copied=purge.copied, refiled=purge.refiled, folders=purge.folders)
    store.purge.compact()


def _of(proposals: set[str], folders: Sequence[Path]) -> list[Path]:
    return [folder for folder in folders if folder.name in proposals]


def _trimmed(held: Mapping[Path, Proposal], hits: Sequence[Path], sweep: files.Sweep) -> tuple[Trimmed, ...]:
    """Return the proposals whose folders are hit and that are something without the words."""
    found = [trimmed(folder, held[folder], sweep.holds, sweep.holds_line) for folder in hits if folder in held]
    return tuple(one for one in found if one is not None)


def _refiled(held: Mapping[Path, Proposal], shorter: Sequence[Trimmed]) -> Iterator[Proposal]:
    """Yield the proposals whose texts are others than the store knows, those of a purge that was killed too."""
    changed = {one.folder: one.proposal for one in shorter}
    for folder, proposal in held.items():
        if folder in changed:
            yield changed[folder]
            continue
        with suppress(StaleProposal):
            filed = read_proposal(folder)
            if filed.result != proposal.result and filed.version == proposal.version:
                yield replace(proposal, base=filed.base, result=filed.result, copies=filed.copies)


def _entries(
    journal: Journal,
    held: Mapping[Path, Proposal],
    refiled: Sequence[Proposal],
    hits: Sequence[Path],
    sweep: files.Sweep,
) -> Iterator[TrimmedEntry]:
    """Yield the adoptions without the words, and those whose proposal has other texts now."""
    before = {proposal.id: proposal for proposal in held.values()}
    after = before | {proposal.id: proposal for proposal in refiled}
    names = {folder.name for folder in hits}
    for entry in journal.entries():
        proposal = before.get(entry.proposal)
        if proposal is None:
            continue
        made = entry.made or entry.after
        if entry.is_for(proposal.id, proposal.path, proposal.result):
            made = after[proposal.id].result
        if entry.proposal in names or made != (entry.made or entry.after):
            found = trimmed_entry(entry, journal, sweep.holds, sweep.holds_line, made=made)
            if found is not None:
                yield found
