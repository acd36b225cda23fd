"""Purge sessions from the store: find what was made of them, delete it, and leave no byte of it in the file."""

import sqlite3
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.kit.sought import Sought
from skillopt_sleep.records import BY_HAND, NightReport, Proposal, Session, report_data, unpacked
from skillopt_sleep.stores.bank import UNDONE, WAITING, WITHDRAWN, Decided, SqliteBank
from skillopt_sleep.stores.purged import SqlitePurged

_PURGED = "(purged)"  # in the place of a project's path, where a night's money is counted
_GONE = "its saved files were deleted with what you purged; it can't be adopted again"
_AGAIN = "purge deleted its files: its sessions are read again, and it is proposed anew"


class Row(NamedTuple):
    """An indexed session, with the file it was read from."""

    path: str
    session: Session


class Found(NamedTuple):
    """The part of the store that a purge deletes; `unread` are other sessions that taught the same, to be read again.

    `paths` are those of the documents that learned of it, `contents` the rules that were proposed for them.
    """

    sessions: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()
    lessons: frozenset[str] = frozenset()
    reviewed: frozenset[tuple[str, str]] = frozenset()
    proposals: tuple[Decided, ...] = ()
    candidates: frozenset[int] = frozenset()
    tried: frozenset[int] = frozenset()
    nights: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    contents: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()

    @property
    def ids(self) -> frozenset[str]:
        """The ids by which anything else that is kept may name it."""
        return self.sessions | self.tasks | self.lessons


class SqlitePurge:
    """Finds and deletes what the tables hold of sessions; the lock guards the connection."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection = connection
        self._lock = lock
        self._bank = SqliteBank(connection, lock)
        self._purged = SqlitePurged(connection, lock)

    def rows(self) -> Iterator[Row]:
        """Yield every indexed session."""
        with self._lock:
            for path, body in self._connection.execute("SELECT path, body FROM sessions"):
                yield Row(path, unpacked(body))

    def found(self, rows: Sequence[Row], sought: Sought) -> Found:
        """Return what was made of these sessions, and what else holds what is sought."""
        sessions = frozenset(row.session.id for row in rows)
        first = sought._replace(ids=sought.ids | sessions)
        tasks, lessons, unread = self._learned(first)
        wider = first._replace(ids=first.ids | tasks | lessons)
        proposals = tuple(entry for entry in self._bank.proposals() if _names(entry, wider))
        candidates = self._hits("SELECT id, path, body FROM waiting", wider)
        tried = self._hits("SELECT id, path, body FROM tried", wider)
        nights, taught = self._reported(wider)
        paths = {path for _, path, _ in (*candidates, *tried)} | taught
        contents: dict[str, None] = {}
        for entry in proposals:
            paths.update(entry.proposal.paths)
            unread |= _sessions_of(entry.proposal)
            for version in (*entry.earlier, entry.proposal):
                contents |= dict.fromkeys(edit.content for edit in version.edits)
        for _, _, body in candidates:
            contents |= dict.fromkeys(edit["content"] for edit in body["tested"]["edits"] if "content" in edit)
        for _, _, body in tried:
            contents[body["edit"].get("content", "")] = None
        return Found(
            sessions=sessions,
            files=frozenset(row.path for row in rows),
            tasks=tasks,
            lessons=lessons,
            reviewed=self._reviewed(sought),
            proposals=proposals,
            candidates=frozenset(number for number, _, _ in candidates),
            tried=frozenset(number for number, _, _ in tried),
            nights=nights,
            paths=frozenset(paths),
            contents=tuple(contents),
            unread=frozenset(unread - sessions),
        )

    def delete(
        self,
        found: Found,
        reports: Mapping[str, NightReport | None],
        *,
        copied: Sequence[Proposal],
        refiled: Sequence[Proposal] = (),
        folders: Sequence[str],
    ) -> None:
        """Delete it in one transaction, with the answers of these nights, whose reports become the given ones.

        `copied` are proposals whose files hold something of it: what waits of them is withdrawn, and learned anew;
        what was undone is withdrawn too. `refiled` are proposals whose saved texts are others now.
        `folders` are projects whose paths go too. The sessions' ids are remembered by a hash, so that none is read
        again; their files are read once more to find that out.
        """
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            self._purged.add(found.sessions)
            self._delete("sessions", "id", found.sessions)
            self._delete("files", "path", found.files)
            self._delete("tasks", "id", found.tasks)
            self._delete("scores", "task", found.tasks)
            self._delete("lessons", "id", found.lessons)
            self._delete("proposals", "id", [entry.proposal.id for entry in found.proposals])
            self._delete("waiting", "id", found.candidates)
            self._delete("tried", "id", found.tried)
            self._delete("notebooks", "path", found.paths)
            self._delete("snapshots", "path", found.paths)
            for path, name in found.reviewed:
                self._connection.execute("DELETE FROM reviewed WHERE path = ? AND id = ?", (path, name))
            self._close_nights(reports)
            unread = set(found.unread)
            for proposal in copied:
                unread |= _sessions_of(proposal)
                for state, reason in ((WAITING, _AGAIN), (UNDONE, _GONE)):
                    self._connection.execute(
                        "UPDATE proposals SET state = ?, reason = ? WHERE id = ? AND state = ?",
                        (WITHDRAWN, reason, proposal.id, state),
                    )
            rows = [(to_json(proposal), proposal.id) for proposal in refiled]
            self._connection.executemany("UPDATE proposals SET body = ? WHERE id = ?", rows)
            self._connection.executemany(
                "UPDATE sessions SET read_by = NULL WHERE id = ?", [(name,) for name in unread]
            )
            self._forget_folders(folders)

    def compact(self) -> None:
        """Rewrite the file without what was deleted; raise StoreError if another program holds the store."""
        try:
            with self._lock:
                self._connection.execute("VACUUM")
                busy = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:
            raise _unfinished(str(error)) from error
        if busy:
            raise _unfinished("another program reads it")

    def _close_nights(self, reports: Mapping[str, NightReport | None]) -> None:
        self._delete("calls", "night", reports)
        self._delete("kept", "night", reports)
        for night, report in reports.items():
            if report is not None:
                body = to_json(report_data(report))
                self._connection.execute("UPDATE nights SET report = ? WHERE id = ?", (body, night))

    def _forget_folders(self, folders: Sequence[str]) -> None:
        for folder in folders:
            values = (_PURGED, folder, f"{folder}/%")
            self._connection.execute("UPDATE ledger SET project = ? WHERE project = ? OR project LIKE ?", values)
            self._connection.execute("UPDATE nights SET project = ? WHERE project = ? OR project LIKE ?", values)

    def _learned(self, sought: Sought) -> tuple[frozenset[str], frozenset[str], set[str]]:
        """Return the ids of the tasks and lessons that go, and the sessions that they came up in.

        A lesson that one of the sessions taught goes as a whole: its words may be from there. What a person wrote by
        hand stays unless it holds what is sought itself.
        """
        lessons: set[str] = set()
        seen: set[str] = set()
        for name, body in self._rows("SELECT id, body FROM lessons"):
            if sought.is_in(body):
                lessons.add(name)
                seen.update(piece["session"] for key in ("quotes", "deeds") for piece in body.get(key, ()))
        tasks: set[str] = set()
        others: list[tuple[str, str, dict[str, Any]]] = []
        query = "SELECT id, lesson, edited, body, earlier FROM tasks"
        for name, lesson, edited, body, earlier in self._rows(query):
            if sought.is_in((body, earlier)):
                tasks.add(name)
                lessons |= {lesson} if lesson else set()
            elif edited is None and body["source"] != BY_HAND:
                others.append((name, lesson, body))
        for name, lesson, body in others:
            if lesson in lessons:
                tasks.add(name)
                seen.add(body["session"])
        return frozenset(tasks), frozenset(lessons), seen

    def _reviewed(self, sought: Sought) -> frozenset[tuple[str, str]]:
        with self._lock:
            rows = self._connection.execute("SELECT path, id, body FROM reviewed").fetchall()
        return frozenset((path, name) for path, name, body in rows if sought.is_in(msgspec.msgpack.decode(body)))

    def _reported(self, sought: Sought) -> tuple[frozenset[str], set[str]]:
        """Return the nights whose reports or unfinished stages hold what is sought, and their documents' paths."""
        nights: set[str] = set()
        paths: set[str] = set()
        for night, report in self._rows("SELECT id, report FROM nights WHERE report IS NOT NULL"):
            if not sought.is_in(report):
                continue
            nights.add(night)
            for outcome in report.get("documents", ()):
                if sought.is_in(outcome):
                    paths.add(outcome["document"]["path"])
        for night, body in self._rows("SELECT night, body FROM kept"):
            if sought.is_in(body):
                nights.add(night)
        for night, body in self._rows("SELECT night, body FROM calls"):
            if sought.phrases and sought.is_in(body):
                nights.add(night)
        return frozenset(nights), paths

    def _hits(self, query: str, sought: Sought) -> list[tuple[int, str, dict[str, Any]]]:
        return [row for row in self._rows(query) if sought.is_in(row)]

    def _rows(self, query: str) -> Iterator[Any]:
        """Yield the rows with their JSON decoded."""
        with self._lock:
            for row in self._connection.execute(query).fetchall():
                yield tuple(_decoded(value) for value in row)

    def _delete(self, table: str, column: str, values: Collection[object]) -> None:
        query = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 - constants
        self._connection.executemany(query, [(value,) for value in values])


def _decoded(value: object) -> object:
    return msgspec.json.decode(value) if isinstance(value, bytes) else value


def _names(entry: Decided, sought: Sought) -> bool:
    versions = msgspec.to_builtins((entry.proposal, *entry.earlier))
    return sought.is_in(versions) or sought.is_in_text(entry.reason)


def _sessions_of(proposal: Proposal) -> set[str]:
    return {piece.session for piece in (*proposal.evidence, *proposal.deeds)}


def _unfinished(because: str) -> StoreError:
    return StoreError(
        f"what was purged may still be in the store's file: {because}",
        remedy="close other programs that use skillopt-sleep, and run the same command again",
    )
