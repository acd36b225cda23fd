"""Show how files change before they do, and change them only as it was shown: to a version, or by a merge."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.deciding.decide import Event
from skillopt_sleep.deciding.read import digest_of, text_of
from skillopt_sleep.deciding.undo import Step, Version, preview_of, steps_to, take
from skillopt_sleep.kit.words import home_path
from skillopt_sleep.pages.blocks import Diff
from skillopt_sleep.proposals.live import body
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.proposals.written import Move
from skillopt_sleep.reporters.rule import Change
from skillopt_sleep.reporters.rule_page import changed
from skillopt_sleep.web.site import StoreAndJournal


def diffs(moves: Iterable[Move]) -> tuple[Diff, ...]:
    """Return what changes in each file."""
    return tuple(changed([Change(home_path(move.path), text_of(move.old), text_of(move.new)) for move in moves]))


def agreed_to(digest: str, act: Callable[[Plan | None], None]) -> None:
    """Act, and if that needs a merge, with the merge that the person saw; raises MergeNeeded if it is another."""
    try:
        act(None)
    except MergeNeeded as error:
        if merge_digest(error.plan) != digest:
            raise
        act(error.plan)


def merge_digest(plan: Plan) -> str:
    """Return a hash that identifies a merge."""
    return digest_of((move.path, move.old, move.new) for move in plan.moves)


class VersionChange(NamedTuple):
    """What leads a file to another version: its steps, and what they make of each file together.

    The files that are `edited` were changed by hand; `shown` tells whether that is still as on this page.
    """

    steps: list[Step]
    files: tuple[Diff, ...]
    edited: list[str]
    shown: str


def change_to_version(kept: StoreAndJournal, path: Path, number: int) -> VersionChange:
    """Return what leads to a version of a file."""
    steps = steps_to(kept.store, kept.journal, path, number)
    preview = preview_of(kept.store, kept.journal, steps)
    shown = digest_of((steps, [(move.path, move.old, move.new) for move in preview.changing]))
    return VersionChange(steps, diffs(preview.changing), list(map(home_path, preview.edited)), shown)


def take_step(kept: StoreAndJournal, step: Step) -> None:
    """Take a step, with the merge that was shown as a part of the whole way."""
    try:
        take(kept.store, kept.journal, step, agreed={}, on_event=unsaid)
    except MergeNeeded as error:
        take(kept.store, kept.journal, step, agreed={error.proposal: error.plan}, on_event=unsaid)


def change_of(path: Path, version: Version, kept: StoreAndJournal) -> Iterator[Diff]:
    """Yield what an adoption or its undo changed in our part of a file, as the journal keeps it."""
    entry = kept.journal.get(version.proposal)
    if entry is None:
        return
    place = entry.place_of(path)
    if place is None:
        return
    old, new = (body(path, text) for text in kept.journal.texts(entry, place))
    if not version.adopted:
        old, new = new, old
    yield from changed([Change(home_path(entry.files[place].path), old, new)])


def unsaid(_event: Event) -> None:
    """Show no message: the next page says what happened, as the store knows it."""
