"""The history of each document over the nights: waiting candidates, tried edits, the optimizer's notes."""

import math
import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import (
    CUT_SHORT,
    Earlier,
    Edit,
    EditOp,
    Offered,
    Outcome,
    Past,
    PastEdit,
    Proof,
    ProposedEdit,
    Spent,
    Standing,
    StepOutcome,
    Waiting,
    past_edit,
)
from skillopt_sleep.stores.bank import SqliteBank

DAY_CHARS = len("2026-01-31")
REMEMBERED = 100  # how many of a document's tried edits are recalled, newest first
# A night that was cut short, or found nothing new, tried nothing, so it brings no look back nearer.
_IDLE = ", ".join(f"'{outcome.value}'" for outcome in sorted({*CUT_SHORT, Outcome.NOTHING_NEW}))
_TRIED = f"outcome NOT IN ({_IDLE})"  # of a night that is still open it is NULL
NIGHTS = 60  # how many of the nights that are over are recalled, newest first


class SqliteHistory:
    """The history of each document for later nights, by its path."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        self._connection = connection
        self._lock = lock
        self._bank = SqliteBank(connection, lock)

    def past(self, path: str) -> Past:
        """Return what earlier nights learned about the document at this path."""
        tried = self._rows("SELECT body FROM tried WHERE path = ? ORDER BY id DESC LIMIT ?", (path, REMEMBERED))
        notebook = self._rows("SELECT body FROM notebooks WHERE path = ?", (path,))
        return Past(
            refused=self._bank.rejected(path),
            adopted=self._bank.adopted(path),
            proposed=self._proposed(path),
            waiting=self._waiting("WHERE path = ?", (path,)),
            tried=tuple(from_json(body, PastEdit) for (body,) in tried),
            notes=notebook[0][0] if notebook else "",
            snapshot=self._snapshot(path),
            offered=self._offered(path),
            nights=self._nights(),
            reworded=self._reworded(path),
        )

    def _nights(self) -> tuple[str, ...]:
        """Return the ids of the nights that are over and had something to try, newest first."""
        rows = self._rows(f"SELECT id FROM nights WHERE {_TRIED} ORDER BY rowid DESC LIMIT ?", (NIGHTS,))  # noqa: S608
        return tuple(night for (night,) in rows)

    def _offered(self, path: str) -> tuple[Offered, ...]:
        """Return the proven proposals that wait for the person."""
        offered: list[Offered] = []
        again = {proposal.id for proposal in self._bank.again()}
        for proposal in self._bank.waiting(path):
            if proposal.proof not in {Proof.TRIAL, Proof.EDITED}:
                continue
            offer = Offered(
                proposal=proposal.id,
                shas={file.path: file.sha for file in proposal.files},
                bodies={file.path: file.body for file in proposal.files},
                lessons=proposal.lessons,
                wording=proposal.edits if proposal.proof is Proof.EDITED else (),
                again=proposal.id in again,
            )
            offered.append(offer)
        return tuple(offered)

    def _reworded(self, path: str) -> tuple[tuple[Edit, str], ...]:
        """Return the edits whose words the person replaced by their own, each with the proposal that has those."""
        proposals = {entry.proposal.id: entry.proposal for entry in self._bank.proposals()}
        reworded: list[tuple[Edit, str]] = []
        for own in proposals.values():
            before = proposals.get(own.id.rpartition(".")[0])
            if own.proof is Proof.EDITED and before is not None and path in own.paths:
                reworded += [(edit, own.id) for edit in before.edits]
        return tuple(reworded)

    def count(self) -> int:
        """Return how many candidates are waiting for more evidence."""
        return self._rows("SELECT count(*) FROM waiting", ())[0][0]

    def named(self) -> frozenset[str]:
        """Return the ids of the tasks that the waiting candidates were learned from."""
        names: set[str] = set()
        for waiting in self._waiting("", ()):
            for edit in waiting.tested.edits:
                names.update(edit.tasks)
        return frozenset(names)

    def spent(self, since: datetime) -> Spent:
        """Return what the nights since then spent of the error rate, and how much of what was adopted since stays.

        What takes rules away has an error rate of its own, and earns nothing.
        """
        rates = self._rows(
            "SELECT json_extract(CAST(report AS TEXT), '$.error_rate.spent') FROM nights "
            "WHERE closed IS NOT NULL AND json_valid(CAST(report AS TEXT)) AND started >= ?",
            (since.isoformat(),),
        )
        adopted = 0
        for entry in self._bank.proposals(Standing.LIVE):
            teaches = any(edit.op is not EditOp.DELETE for edit in entry.proposal.edits)
            if teaches and entry.decided >= since.isoformat():
                adopted += 1
        return Spent(rates=math.fsum(rate or 0.0 for (rate,) in rates), adopted=adopted)

    def scores(self, tasks: Collection[str]) -> Mapping[str, float]:
        """Return the last score on each of these tasks with its document unchanged."""
        marks = ", ".join("?" * len(tasks))
        return dict(self._rows(f"SELECT task, before FROM scores WHERE task IN ({marks})", tasks))  # noqa: S608

    def keep(self, outcomes: Sequence[StepOutcome], *, night: str) -> None:
        """Save what a night did to its documents, within the caller's transaction."""
        for outcome in outcomes:
            path = outcome.document.path
            self._replace_waiting(path, outcome.tried.undecided)
            self._add_tried(path, outcome, night=night)
            self._look_back_from(outcome, night=night)
            self._connection.executemany(
                "INSERT INTO scores VALUES (?, ?, ?) ON CONFLICT (task) DO UPDATE SET "
                "night = excluded.night, before = excluded.before",
                [(task, night, before) for task, before in outcome.later.scores.items()],
            )
            if outcome.later.notebook is not None:
                self._connection.execute(
                    "INSERT INTO notebooks VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET body = excluded.body",
                    (path, outcome.later.notebook),
                )

    def _replace_waiting(self, path: str, candidates: Sequence[Waiting]) -> None:
        self._connection.execute("DELETE FROM waiting WHERE path = ?", (path,))
        for candidate in candidates:
            self._connection.execute("INSERT INTO waiting (path, body) VALUES (?, ?)", (path, to_json(candidate)))

    def _add_tried(self, path: str, outcome: StepOutcome, *, night: str) -> None:
        """Save the edits that were tried with their effects; those of waiting candidates are still being tried."""
        undecided: set[tuple[str, str]] = set()
        for candidate in outcome.tried.undecided:
            undecided.update(edit.key for edit in candidate.tested.edits)
        for trial in outcome.tried.effects:
            if trial.edit.key not in undecided:
                body = to_json(past_edit(trial, night=night))
                self._connection.execute("INSERT INTO tried (path, body) VALUES (?, ?)", (path, body))

    def _look_back_from(self, outcome: StepOutcome, *, night: str) -> None:
        """Save the body that later nights compare with, if there is none yet or this night made that comparison."""
        then = "UPDATE SET night = excluded.night, body = excluded.body" if outcome.later.compared else "NOTHING"
        self._connection.execute(
            f"INSERT INTO snapshots VALUES (?, ?, ?) ON CONFLICT (path) DO {then}",  # noqa: S608
            (outcome.document.path, night, outcome.document.body),
        )

    def _snapshot(self, path: str) -> Earlier | None:
        rows = self._rows(
            f"SELECT s.night, s.body, (SELECT count(*) FROM nights n WHERE n.{_TRIED} "  # noqa: S608
            "AND n.rowid >= (SELECT rowid FROM nights WHERE id = s.night)) FROM snapshots s WHERE s.path = ?",
            (path,),
        )
        if not rows:
            return None
        night, body, nights = rows[0]
        return Earlier(night=night, body=body, nights=nights)

    def _proposed(self, path: str) -> tuple[ProposedEdit, ...]:
        """Return the edits that were proposed for the document at this path, newest first."""
        edits: list[ProposedEdit] = []
        for entry in reversed(self._bank.proposals(*Standing)):
            if path not in entry.proposal.paths:
                continue
            since = entry.decided[:DAY_CHARS] or entry.proposal.night
            for edit in entry.proposal.edits:
                standing = Standing(entry.state)
                edits.append(
                    ProposedEdit(
                        edit=edit,
                        standing=standing,
                        since=since,
                        reason=entry.reason,
                        proposal=entry.proposal.id,
                    )
                )
        return tuple(edits)

    def _waiting(self, where: str, values: Collection[object]) -> tuple[Waiting, ...]:
        rows = self._rows(f"SELECT body FROM waiting {where} ORDER BY id", values)  # noqa: S608
        return tuple(from_json(body, Waiting) for (body,) in rows)

    def _rows(self, query: str, values: Collection[object]) -> list[Any]:
        with self._lock:
            return self._connection.execute(query, tuple(values)).fetchall()
