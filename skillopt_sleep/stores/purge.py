"""Purge sessions from the store: find what was made of them, delete it, and leave no byte of it in the file."""

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from skillopt_sleep.errors import StoreError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import BY_HAND, NightReport, Proposal, Reading, Session, Stamp, unpacked
from skillopt_sleep.stores.bank import WITHDRAWN, Decided, SqliteBank
from skillopt_sleep.stores.quotes import PurgeSearch
from skillopt_sleep.stores.schema import TableGroup, hashed, marks

_MANY = 500
_PURGED = "(purged)"  # in the place of a project's path, where a night's money is counted
_QUOTED = "its files held some of what you purged, and were deleted; its sessions are read again"


class PurgedSession(NamedTuple):
    """An indexed session, with the file it was read from."""

    path: str
    session: Session


class PurgedData(NamedTuple):
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

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not any(
            (self.ids, self.reviewed, self.proposals, self.candidates, self.tried, self.nights, self.paths)
        )


class SqlitePurged(TableGroup):
    """The hashes of purged sessions, and those of the files that hold nothing else: so that none is read again."""

    def add(self, sessions: Iterable[str]) -> None:
        """Remember these sessions, within the caller's transaction."""
        rows = [(hashed(session), hashed(session)) for session in sessions]
        self._connection.executemany("INSERT OR IGNORE INTO purged VALUES (?, ?)", rows)

    def has_any(self) -> bool:
        """Return whether a person purged any session."""
        return bool(self._rows("SELECT EXISTS (SELECT 1 FROM purged)")[0][0])

    def among(self, names: Collection[str]) -> frozenset[str]:
        """Return which of these sessions or files were purged."""
        by_hash = {hashed(name): name for name in names}
        hashes = list(by_hash)
        found: set[str] = set()
        with self._lock:
            if not self.has_any():
                return frozenset()
            for at in range(0, len(hashes), _MANY):
                some = hashes[at : at + _MANY]
                rows = self._rows(f"SELECT hash FROM purged WHERE hash IN ({marks(some)})", some)  # noqa: S608
                found.update(by_hash[name] for (name,) in rows)
        return frozenset(found)

    def read_again(self, sessions: Collection[str]) -> bool:
        """Let these sessions be read again, with their files; return whether any of them was purged."""
        purged = self.among(sessions)
        with self._lock:
            self._connection.executemany(
                "DELETE FROM purged WHERE session = ?", [(hashed(session),) for session in purged]
            )
        return bool(purged)

    def taken_out(self, batch: Sequence[tuple[str, Stamp, Reading]]) -> list[tuple[str, Stamp, Reading]]:
        """Return what was read without purged sessions, and remember the files of one that hold nothing else."""
        named = [session.id for _, _, reading in batch for session in reading.sessions]
        purged = self.among(named)
        if not purged:
            return list(batch)
        rest: list[tuple[str, Stamp, Reading]] = []
        for path, stamp, reading in batch:
            sessions = tuple(session for session in reading.sessions if session.id not in purged)
            if len(sessions) == len(reading.sessions):
                rest.append((path, stamp, reading))
            elif sessions or reading.tasks or len(reading.sessions) > 1:
                rest.append((path, stamp, reading._replace(sessions=sessions)))
            else:
                rows = [(hashed(path), hashed(session.id)) for session in reading.sessions]
                self._connection.executemany("INSERT OR IGNORE INTO purged VALUES (?, ?)", rows)
                self._connection.execute("DELETE FROM files WHERE path = ?", (path,))
        return rest


class SqlitePurge(TableGroup):
    """Finds and deletes what the tables hold of sessions; the lock guards the connection."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        super().__init__(connection, lock)
        self._bank = SqliteBank(connection, lock)
        self._purged = SqlitePurged(connection, lock)

    def rows(self) -> Iterator[PurgedSession]:
        """Yield every indexed session."""
        with self._lock:
            for path, body in self._connection.execute("SELECT path, body FROM sessions"):
                yield PurgedSession(path, unpacked(body))

    def found(self, rows: Sequence[PurgedSession], search: PurgeSearch) -> PurgedData:
        """Find what was made of these sessions, and what else holds the words to purge."""
        sessions = frozenset(row.session.id for row in rows)
        first = search._replace(ids=search.ids | sessions)
        tasks, lessons, unread = self._learned(first)
        wider = first._replace(ids=first.ids | tasks | lessons)
        proposals = tuple(entry for entry in self._bank.proposals() if _names(entry, wider))
        candidates = self._hits("SELECT id, path, body FROM waiting", wider)
        tried = self._hits("SELECT id, path, body FROM tried", wider)
        nights, taught = self._reported(wider)
        paths = {path for _, path, _ in (*candidates, *tried)} | taught
        for path, body in self._rows("SELECT path, body FROM notebooks UNION ALL SELECT path, body FROM snapshots"):
            if wider.is_in_text(path) or wider.is_in_text(body):
                paths.add(path)
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
        return PurgedData(
            sessions=sessions,
            files=frozenset(row.path for row in rows),
            tasks=tasks,
            lessons=lessons,
            reviewed=self._reviewed(search),
            proposals=proposals,
            candidates=frozenset(number for number, _, _ in candidates),
            tried=frozenset(number for number, _, _ in tried),
            nights=nights,
            paths=frozenset(paths),
            contents=tuple(contents),
            unread=frozenset(unread - sessions),
        )

    def withdraw(self, proposals: Sequence[Proposal]) -> None:
        """Withdraw these proposals, before their files are deleted; their sessions are read again."""
        with self._writing():
            for proposal in proposals:
                self._connection.execute(
                    "UPDATE proposals SET state = ?, reason = ? WHERE id = ?", (WITHDRAWN, _QUOTED, proposal.id)
                )
                self._read_again(_sessions_of(proposal))

    def delete(
        self,
        found: PurgedData,
        reports: Mapping[str, NightReport | None],
        *,
        folders: Sequence[str],
    ) -> None:
        """Delete it in one transaction, with the answers of these nights, whose reports become the given ones.

        `folders` are projects whose paths go too. The sessions' ids are remembered by a hash, so that none is read
        again; their files are read once more to find that out.
        """
        with self._writing():
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
            self._read_again(found.unread)
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

    def _read_again(self, sessions: Collection[str]) -> None:
        rows = [(name,) for name in sessions]
        self._connection.executemany("UPDATE sessions SET read_by = NULL WHERE id = ?", rows)

    def _close_nights(self, reports: Mapping[str, NightReport | None]) -> None:
        self._delete("calls", "night", reports)
        self._delete("kept", "night", reports)
        for night, report in reports.items():
            if report is not None:
                body = to_json(report)
                self._connection.execute("UPDATE nights SET report = ? WHERE id = ?", (body, night))

    def _forget_folders(self, folders: Sequence[str]) -> None:
        for folder in folders:
            values = (_PURGED, folder, f"{folder}/")
            for table in ("ledger", "nights"):
                self._connection.execute(
                    f"UPDATE {table} SET project = ?1 WHERE project = ?2 OR instr(project, ?3) = 1",  # noqa: S608
                    values,
                )
        self._connection.execute("DELETE FROM spent WHERE calls = 0")

    def _learned(self, search: PurgeSearch) -> tuple[frozenset[str], frozenset[str], set[str]]:
        """Return the ids of the tasks and lessons that go, and the sessions that they came up in.

        A lesson that one of the sessions taught goes as a whole: its words may be from there. What a person wrote by
        hand stays unless it holds what is searched for itself.
        """
        lessons: set[str] = set()
        seen: set[str] = set()
        for name, body in self._decoded("SELECT id, body FROM lessons"):
            if search.is_in(body):
                lessons.add(name)
                seen.update(piece["session"] for key in ("quotes", "deeds") for piece in body.get(key, ()))
        tasks: set[str] = set()
        others: list[tuple[str, str, dict[str, Any]]] = []
        query = "SELECT id, lesson, edited, body, earlier FROM tasks"
        for name, lesson, edited, body, earlier in self._decoded(query):
            if search.is_in((body, earlier)):
                tasks.add(name)
                lessons |= {lesson} if lesson else set()
            elif edited is None and body["source"] != BY_HAND:
                others.append((name, lesson, body))
        for name, lesson, body in others:
            if lesson in lessons:
                tasks.add(name)
                seen.add(body["session"])
        return frozenset(tasks), frozenset(lessons), seen

    def _reviewed(self, search: PurgeSearch) -> frozenset[tuple[str, str]]:
        rows = self._rows("SELECT path, id, body FROM reviewed")
        return frozenset(
            (path, name) for path, name, body in rows if search.is_in((path, name, msgspec.msgpack.decode(body)))
        )

    def _reported(self, search: PurgeSearch) -> tuple[frozenset[str], set[str]]:
        """Return the nights whose reports or unfinished stages hold any of it, and their documents' paths."""
        nights: set[str] = set()
        paths: set[str] = set()
        for night, report in self._decoded("SELECT id, report FROM nights WHERE report IS NOT NULL"):
            if not search.is_in(report):
                continue
            nights.add(night)
            for outcome in report.get("documents", ()):
                if search.is_in(outcome):
                    paths.add(outcome["document"]["path"])
        for night, body in self._decoded("SELECT night, body FROM kept"):
            if search.is_in(body):
                nights.add(night)
        for night, body in self._decoded("SELECT night, body FROM calls"):
            if search.phrases and search.is_in(body):
                nights.add(night)
        return frozenset(nights), paths

    def _hits(self, query: str, search: PurgeSearch) -> list[tuple[int, str, dict[str, Any]]]:
        return [row for row in self._decoded(query) if search.is_in(row)]

    def _decoded(self, query: str) -> Iterator[Any]:
        """Yield the rows with their JSON decoded."""
        for row in self._rows(query):
            yield tuple(_decoded(value) for value in row)

    def _delete(self, table: str, column: str, values: Collection[object]) -> None:
        query = f"DELETE FROM {table} WHERE {column} = ?"  # noqa: S608 - constants
        self._connection.executemany(query, [(value,) for value in values])


def _decoded(value: object) -> object:
    return msgspec.json.decode(value) if isinstance(value, bytes) else value


def _names(entry: Decided, search: PurgeSearch) -> bool:
    versions = msgspec.to_builtins((entry.proposal, *entry.earlier))
    return search.is_in(versions) or search.is_in_text(entry.reason)


def _sessions_of(proposal: Proposal) -> set[str]:
    return {piece.session for piece in (*proposal.evidence, *proposal.deeds)}


def _unfinished(because: str) -> StoreError:
    return StoreError(
        f"what was purged may still be in the store's file: {because}",
        remedy="close other programs that use skillopt-sleep, and run the same command again",
    )
