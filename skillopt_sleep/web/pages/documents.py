"""The pages of the files with rules: what each line rests on, how the file was, and how to go back to that."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.deciding.origin import rests_on
from skillopt_sleep.deciding.undo import Version, versions
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import to_the_minute, utc_now
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.pages.blocks import Block, Cell, Fold, Heading, Link, Sentence, Table
from skillopt_sleep.proposals.entry import Entry
from skillopt_sleep.proposals.origins import Managed, RuleOrigin, adopted_files, managed_lines, origins
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.reporters.status import HAND_WRITTEN
from skillopt_sleep.stores.bank import ADOPTED, Decided
from skillopt_sleep.web.card import notice_of, state_shown
from skillopt_sleep.web.changes import change_of, change_to_version, take_step
from skillopt_sleep.web.site import (
    Page,
    StoreAndJournal,
    done,
    field,
    file_at,
    key_of,
    paged,
    show,
    show_blocks,
    store_and_journal,
)

AT_ONCE = 50
ADOPTED_LINES = "What your agents read, with the lines that you adopted."
NOTHING_ADOPTED = "Nothing was adopted yet. What waits for you:"
OF_A_FILE = 20  # lines and versions that are shown at once
_OK = 200
_CONFLICT = 409


class _Known(NamedTuple):
    """What is known of all files: the proposals by id, their rules, and the adoptions."""

    decided: dict[str, Decided]
    origins: list[RuleOrigin]
    entries: tuple[Entry, ...]

    def paths(self) -> list[Path]:
        """Return the files that have rules, and then those that had some."""
        found = dict.fromkeys(adopted_files(self.origins))
        for entry in self.entries:
            found |= {Path(file.path): None for file in entry.files if Path(file.path).is_file()}
        return list(found)

    def named(self, key: str) -> Path:
        """Return the file of this key; a page that isn't there without one."""
        for path in self.paths():
            if key_of(path) == key:
                return path
        raise HTTPException(404)

    def lines(self, path: Path) -> tuple[list[Managed], tuple[SleepError, ...]]:
        """Return our lines of a file; none, and why, if they can't be read."""
        try:
            return managed_lines(path, self.origins), ()
        except SleepError as error:
            return [], (error,)


def _known(kept: StoreAndJournal) -> _Known:
    decided = {one.proposal.id: one for one in kept.store.bank.proposals()}
    lessons: set[str] = set()
    for one in decided.values():
        lessons.update(one.proposal.lessons, *(edit.lessons for edit in one.proposal.edits))
    found = origins(decided.values(), kept.store.lessons.named(lessons))
    return _Known(decided, list(found), tuple(kept.journal.entries()))


class _Line(NamedTuple):
    """One of our lines and what it rests on; one that can be taken back has the proposal that was `adopted`."""

    line: Managed
    blocks: tuple[Block, ...]
    adopted: Decided | None
    shown: str = ""


def _line(line: Managed, known: _Known, *, now: datetime) -> _Line:
    if line.origin is None:
        return _Line(line, (Sentence(sentence(HAND_WRITTEN), "soft"),), None)
    proposed = line.origin.proposed
    entry = known.decided[proposed.proposal]
    adopted = entry if proposed.state == ADOPTED else None
    return _Line(line, tuple(rests_on(line.origin, now=now)), adopted, state_shown(entry))


def _version(
    path: Path, version: Version | None, known: _Known, kept: StoreAndJournal, *, latest: int
) -> Iterator[Block]:
    """Yield what was done to make a version, when, what that changed, and the way to it; 0 has nothing of ours."""
    number = version.number if version else 0
    stands = ", as it is now" if number == latest else ""
    if version is None:
        yield Heading(f"0 · nothing of ours is in it{stands}", 3)
    else:
        did = "adopted" if version.adopted else "undone"
        yield Heading(f"{number} · {version.proposal} {did}{stands}", 3, address=f"/inbox/{version.proposal}")
        words = [to_the_minute(version.at)]
        if version.proposal in known.decided:
            words.append(known.decided[version.proposal].proposal.summary)
        yield Sentence(" · ".join(words), "where")
        changes = tuple(change_of(path, version, kept))
        if changes:
            yield Fold("What it changed", changes)
    if number != latest:
        yield Sentence("", link=Link("See the way to this version", f"{file_at(path)}/to/{number}"))


def _list(request: Request) -> Response:
    with store_and_journal(request) as kept:
        known = _known(kept)
        part = paged(request, known.paths(), at_once=AT_ONCE)
        rows = [_holds(path, known, kept) for path in part.shown]
    shown: tuple[Block, ...] = (Sentence(NOTHING_ADOPTED, "empty", Link("Inbox", "/inbox")),)
    if rows:
        shown = Sentence(ADOPTED_LINES, "soft"), Table(("file", "lines", "versions"), tuple(rows))
    return show_blocks(request, shown, title="Documents", part=part)


def _holds(path: Path, known: _Known, kept: StoreAndJournal) -> tuple[Cell, ...]:
    """Return a file, how many lines of ours and of the person our part of it has, and how many versions there are."""
    lines, _ = known.lines(path)
    ours = sum(line.origin is not None for line in lines)
    theirs = len(lines) - ours
    text = counted(ours, "line") if ours else "no line of ours now"
    if theirs:
        text = f"{text}, and {theirs} of yours between the markers"
    return Link(home_path(str(path)), file_at(path)), text, counted(len(versions(kept.journal, path)), "version")


def _one(request: Request) -> Response:
    key, did, now = request.path_params["key"], request.query_params.get("did", ""), utc_now()
    with store_and_journal(request) as kept:
        known = _known(kept)
        path = known.named(key)
        lines, trouble = known.lines(path)
        made = versions(kept.journal, path)
        latest = made[-1].number if made else 0
        return show(
            request,
            "document.html.j2",
            title=f"{home_path(str(path))} · Documents",
            path=home_path(str(path)),
            lines=paged(request, lines, at_once=OF_A_FILE).each(lambda line: _line(line, known, now=now)),
            versions=paged(request, [*made[::-1], None], at_once=OF_A_FILE, name="versions").each(
                lambda version: tuple(_version(path, version, known, kept, latest=latest))
            ),
            notice=notice_of(kept.store, did, now=now) if did else None,
            trouble=(*kept.damaged, *trouble),
        )


def _to(request: Request) -> Response:
    """Show the change to a version, and make it if it is still the one that was shown."""
    key, number = request.path_params["key"], request.path_params["number"]
    trouble: tuple[SleepError, ...] = ()
    with store_and_journal(request) as kept:
        path = _known(kept).named(key)
        name = home_path(str(path))
        change = change_to_version(kept, path, number)
        if request.method == "POST" and change.shown == field(request, "shown"):
            try:
                for step in change.steps:
                    take_step(kept, step)
            except SleepError as error:
                trouble = (error,)
                change = change_to_version(kept, path, number)
            else:
                return done(request, f"/documents/{key}", f"{name} is as it was in version {number}.")
    return show(
        request,
        "version.html.j2",
        title=f"Version {number} · Documents",
        status=_CONFLICT if request.method == "POST" else _OK,
        key=key,
        path=name,
        number=number,
        change=change,
        trouble=trouble,
    )


PAGE = Page(
    "/documents",
    "Documents",
    (
        Route("/documents", _list),
        Route("/documents/{key}", _one),
        Route("/documents/{key}/to/{number:int}", _to, methods=["GET", "POST"]),
    ),
)
