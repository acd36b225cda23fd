"""The pages of the files with rules: what each line rests on, how the file was, and the way back to that."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.deciding.origin_words import decision, tried
from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import ago, counted, home_path
from skillopt_sleep.proposals.entry import Entry
from skillopt_sleep.proposals.origins import Managed, Origin, adopted_files, managed_lines, origins
from skillopt_sleep.proposals.versions import versions
from skillopt_sleep.records import Record, said_or_done
from skillopt_sleep.reporters.card import Said
from skillopt_sleep.reporters.gains import sentence
from skillopt_sleep.stores.bank import ADOPTED, Decided
from skillopt_sleep.web.addresses import key_of
from skillopt_sleep.web.desk import Desk, desk_of, field
from skillopt_sleep.web.forms import done
from skillopt_sleep.web.site import Page, show
from skillopt_sleep.web.versions import VersionRow, take_step, version_rows, way
from skillopt_sleep.web.ways import Notice, notice_of, state_shown

MOST_SAID = 3
_OK = 200
_CONFLICT = 409


class FileRow(Record, frozen=True, kw_only=True):
    """A file in the list; `key` names it in an address."""

    key: str
    path: str
    lines: str
    versions: str


class LineRow(Record, frozen=True, kw_only=True):
    """One of our lines: the words behind it, its trial, the decision that put it there, and `by` which proposal.

    One that can be taken back has that as its `proposal`, with the number of its rules, and what was shown of it.
    """

    number: int
    text: str
    said: tuple[Said, ...] = ()
    often: str = ""
    lessons: tuple[tuple[str, str], ...] = ()
    tried: str = ""
    label: str = ""
    decision: str = ""
    by: str = ""
    proposal: str = ""
    rules: int = 1
    shown: str = ""


class File(Record, frozen=True, kw_only=True):
    """A file with our lines and its versions, the newest first."""

    key: str
    path: str
    lines: tuple[LineRow, ...]
    versions: tuple[VersionRow, ...]
    notice: Notice | None = None
    trouble: tuple[tuple[str, str], ...] = ()


class _Known(NamedTuple):
    """What is known of all files: the proposals by id, their rules, and the adoptions."""

    decided: dict[str, Decided]
    origins: list[Origin]
    entries: tuple[Entry, ...]

    def paths(self) -> list[Path]:
        """Return the files that have rules, and then those that had some."""
        found = dict.fromkeys(adopted_files(self.origins))
        for entry in self.entries:
            found |= {Path(file.path): None for file in entry.files if Path(file.path).is_file()}
        return list(found)

    def named(self, key: str) -> Path | None:
        """Return the file of this key, None if there is none."""
        return next((path for path in self.paths() if key_of(path) == key), None)


def documents(desk: Desk) -> tuple[FileRow, ...]:
    """Return the files with rules."""
    known = _known(desk)
    return tuple(_row(path, known, desk) for path in known.paths())


def document(desk: Desk, key: str, *, did: str = "", now: datetime | None = None) -> File | None:
    """Return one of these files; None if there is none of this key."""
    known = _known(desk)
    path = known.named(key)
    if path is None:
        return None
    now = now or utc_now()
    lines, trouble = _lines(path, known)
    summaries = {name: one.proposal.summary for name, one in known.decided.items()}
    return File(
        key=key,
        path=home_path(str(path)),
        lines=tuple(_line(line, known.decided, now=now) for line in lines),
        versions=tuple(reversed(list(version_rows(path, desk, summaries)))),
        notice=notice_of(desk.store, did, now=now) if did else None,
        trouble=tuple((error.message, error.remedy) for error in (*desk.damaged, *trouble)),
    )


def _known(desk: Desk) -> _Known:
    decided = {one.proposal.id: one for one in desk.store.bank.proposals()}
    lessons: set[str] = set()
    for one in decided.values():
        lessons.update(one.proposal.lessons, *(edit.lessons for edit in one.proposal.edits))
    found = origins(decided.values(), desk.store.lessons.named(lessons))
    return _Known(decided, list(found), tuple(desk.journal.entries()))


def _row(path: Path, known: _Known, desk: Desk) -> FileRow:
    lines, _ = _lines(path, known)
    ours = sum(line.origin is not None for line in lines)
    theirs = len(lines) - ours
    text = counted(ours, "line") if ours else "no line of ours now"
    return FileRow(
        key=key_of(path),
        path=home_path(str(path)),
        lines=f"{text}, and {theirs} of yours between the markers" if theirs else text,
        versions=counted(len(versions(desk.journal, path)), "version"),
    )


def _lines(path: Path, known: _Known) -> tuple[list[Managed], tuple[SleepError, ...]]:
    """Return our lines of a file; none, and why, if they can't be read."""
    try:
        return managed_lines(path, known.origins), ()
    except SleepError as error:
        return [], (error,)


def _line(line: Managed, decided: Mapping[str, Decided], *, now: datetime) -> LineRow:
    origin = line.origin
    if origin is None:
        return LineRow(number=line.number, text=line.line)
    said: list[Said] = []
    for piece in origin.said[:MOST_SAID]:
        said.append(Said(said_or_done(piece, piece.quote), ago(piece.at, now) if piece.at else ""))
    entry = decided[origin.proposal]
    return LineRow(
        number=line.number,
        text=line.line,
        said=tuple(said),
        often=f"asked for in {counted(origin.sessions, 'session')}" if origin.sessions > 1 else "",
        lessons=tuple(zip(origin.lessons, origin.wordings, strict=False)),
        tried=sentence(tried(origin)),
        label=sentence(origin.label),
        decision=f"{sentence(decision(origin, now=now)).removesuffix('.')}:",
        by=origin.proposal,
        proposal=origin.proposal if origin.state == ADOPTED else "",
        rules=len(entry.proposal.edits),
        shown=state_shown(entry),
    )


def _list(request: Request) -> Response:
    with desk_of(request) as desk:
        view = documents(desk)
    return show(request, "documents.html.j2", view, title="Documents")


def _one(request: Request) -> Response:
    with desk_of(request) as desk:
        view = document(desk, request.path_params["key"], did=request.query_params.get("did", ""))
    if view is None:
        raise HTTPException(404)
    return show(request, "document.html.j2", view, title=f"{view.path} · Documents")


def _to(request: Request) -> Response:
    """Show the way to a version, and take it if it is still the one that was shown."""
    number = request.path_params["number"]
    with desk_of(request) as desk:
        path = _known(desk).named(request.path_params["key"])
        if path is None:
            raise HTTPException(404)
        view, steps = way(desk, path, number)
        if request.method == "POST" and view.shown == field(request, "shown"):
            try:
                for step in steps:
                    take_step(desk, step)
            except SleepError as error:
                view, _ = way(desk, path, number, trouble=(error,))
            else:
                return done(request, f"/documents/{view.key}", f"{view.path} is as it was in version {number}.")
        status = _CONFLICT if request.method == "POST" else _OK
    return show(request, "way.html.j2", view, title=f"Version {number} · Documents", status=status)


PAGE = Page(
    "/documents",
    "Documents",
    (
        Route("/documents", _list),
        Route("/documents/{key}", _one),
        Route("/documents/{key}/to/{number:int}", _to, methods=["GET", "POST"]),
    ),
)
