"""Put together how a file was, and the way back to that."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from skillopt_sleep.deciding.happened import Event
from skillopt_sleep.deciding.preview import preview_of
from skillopt_sleep.deciding.shown import digest_of
from skillopt_sleep.deciding.undo import steps_to, take
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import shown
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.proposals.live import body
from skillopt_sleep.proposals.plan import MergeNeeded
from skillopt_sleep.proposals.versions import Step, Version, touches, versions
from skillopt_sleep.records import Record
from skillopt_sleep.web.addresses import key_of
from skillopt_sleep.web.card import ChangedFile, places_of
from skillopt_sleep.web.desk import Desk


class VersionRow(Record, frozen=True, kw_only=True):
    """A version of a file, what was done with which proposal to make it, and what that changed in our part."""

    number: int
    when: str = ""
    what: str = ""
    proposal: str = ""
    summary: str = ""
    here: bool = False
    change: tuple[ChangedFile, ...] = ()


class Way(Record, frozen=True, kw_only=True):
    """The way to another version: its steps, and what they make of each file together."""

    key: str
    path: str
    number: int
    steps: tuple[str, ...]
    files: tuple[ChangedFile, ...]
    edited: tuple[str, ...]
    shown: str
    trouble: tuple[tuple[str, str], ...] = ()


def way(desk: Desk, path: Path, number: int, *, trouble: Sequence[SleepError] = ()) -> tuple[Way, list[Step]]:
    """Return what leads to a version of a file, and its steps."""
    steps = steps_to(desk.store, desk.journal, path, number)
    preview = preview_of(desk.store, desk.journal, steps)
    changes = [change for change in preview.changes() if change.new != change.old]
    files = [
        ChangedFile(document=home_path(change.path), places=places_of(_text(change.old), _text(change.new)))
        for change in changes
    ]
    found = Way(
        key=key_of(path),
        path=home_path(str(path)),
        number=number,
        steps=tuple(f"{'adopt' if step.adopting else 'undo'} {step.proposal}" for step in steps),
        files=tuple(files),
        edited=tuple(map(home_path, preview.edited)),
        shown=digest_of((steps, [tuple(change) for change in changes])),
        trouble=tuple((error.message, error.remedy) for error in trouble),
    )
    return found, steps


def take_step(desk: Desk, step: Step) -> None:
    """Take a step, with the merge that was shown as a part of the whole way."""
    try:
        take(desk.store, desk.journal, step, agreed={}, told=_unsaid)
    except MergeNeeded as error:
        take(desk.store, desk.journal, step, agreed={error.proposal: error.plan}, told=_unsaid)


def version_rows(path: Path, desk: Desk, summaries: Mapping[str, str]) -> Iterator[VersionRow]:
    """Yield the versions of a file, the first one without anything of ours."""
    known = versions(desk.journal, path)
    yield VersionRow(number=0, what="nothing of ours is in it", here=not known)
    for version in known:
        yield VersionRow(
            number=version.number,
            when=shown(version.event.at),
            what="adopted" if version.event.adopted else "undone",
            proposal=version.event.proposal,
            summary=_summary(version, summaries),
            here=version is known[-1],
            change=tuple(_changed(path, version, desk)),
        )


def _summary(version: Version, summaries: Mapping[str, str]) -> str:
    """Return what a proposal changes, or that its change was taken out again; "" if it isn't known."""
    summary = summaries.get(version.event.proposal, "")
    if summary and not version.event.adopted:
        return f"taken out again: {summary}"
    return summary


def _changed(path: Path, version: Version, desk: Desk) -> Iterator[ChangedFile]:
    """Yield what an adoption or its undo changed in our part of a file, as the journal keeps it."""
    entry = desk.journal.get(version.event.proposal)
    if entry is None or not touches(entry, path):
        return
    for index, file in enumerate(entry.files):
        if str(path) in (file.path, file.target):
            before, after = desk.journal.texts(entry, index)
            old, new = redact(body(path, before)), redact(body(path, after))
            if not version.event.adopted:
                old, new = new, old
            yield ChangedFile(document=home_path(file.path), places=places_of(old, new))


def _text(data: bytes | None) -> str:
    return redact((data or b"").decode(errors="replace").removeprefix("\ufeff"))


def _unsaid(_event: Event) -> None:
    """Leave unsaid what happened: the page of the file shows it."""
