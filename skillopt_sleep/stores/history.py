"""The history of each document over the nights: waiting candidates, tried edits, the optimizer's notes."""

import math
import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.records import (
    CUT_SHORT,
    Earlier,
    Edit,
    EditEffect,
    EditOp,
    EditStatus,
    Offered,
    Outcome,
    Past,
    Proof,
    ProposedEdit,
    SpentErrorRate,
    StepOutcome,
    WaitingCandidate,
)
from skillopt_sleep.stores.bank import Decided, SqliteBank
from skillopt_sleep.stores.schema import TableGroup, marks

DAY_CHARS = len("2026-01-31")
REMEMBERED = 100  # how many of a document's tried edits are recalled, newest first
# A night that was cut short, or found nothing new, tried nothing, so it brings no look back nearer.
_IDLE = ", ".join(f"'{outcome.value}'" for outcome in sorted({*CUT_SHORT, Outcome.NOTHING_NEW}))
_TRIED = f"outcome NOT IN ({_IDLE})"  # of a night that is still open it is NULL
_STATES = {status.value for status in EditStatus if status is not EditStatus.REWORDED}
NIGHTS = 60  # how many of the nights that are over are recalled, newest first


class SqliteHistory(TableGroup):
    """The history of each document for later nights, by its path."""

    def __init__(self, connection: sqlite3.Connection, lock: threading.RLock) -> None:
        super().__init__(connection, lock)
        self._bank = SqliteBank(connection, lock)

    def past(self, path: str) -> Past:
        """Return what earlier nights learned about the document at this path."""
        tried = self._rows("SELECT body FROM tried WHERE path = ? ORDER BY id DESC LIMIT ?", (path, REMEMBERED))
        notebook = self._rows("SELECT body FROM notebooks WHERE path = ?", (path,))
        return Past(
            proposed=self._proposed(path),
            waiting=self._waiting("WHERE path = ?", (path,)),
            tried=tuple(from_json(body, EditEffect) for (body,) in tried),
            notes=notebook[0][0] if notebook else "",
            snapshot=self._snapshot(path),
            offered=self._offered(path),
            nights=self._nights(),
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
                bodies={file.path: file.body for file in proposal.files},
                lessons=proposal.lessons,
                wording=proposal.edits if proposal.proof is Proof.EDITED else (),
                again=proposal.id in again,
            )
            offered.append(offer)
        return tuple(offered)

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

    def spent(self, since: datetime) -> SpentErrorRate:
        """Return what the nights since then spent of the error rate, and how much of what was adopted since stays.

        What takes rules away has an error rate of its own, and earns nothing.
        """
        rates = self._rows(
            "SELECT json_extract(CAST(report AS TEXT), '$.error_rate.spent') FROM nights "
            "WHERE closed IS NOT NULL AND json_valid(CAST(report AS TEXT)) AND started >= ?",
            (since.isoformat(),),
        )
        adopted = 0
        for entry in self._bank.proposals(EditStatus.LIVE):
            teaches = any(edit.op is not EditOp.DELETE for edit in entry.proposal.edits)
            if teaches and entry.decided >= since.isoformat():
                adopted += 1
        return SpentErrorRate(rates=math.fsum(rate or 0.0 for (rate,) in rates), adopted=adopted)

    def scores(self, tasks: Collection[str]) -> Mapping[str, float]:
        """Return the last score on each of these tasks with its document unchanged."""
        return dict(self._rows(f"SELECT task, before FROM scores WHERE task IN ({marks(tasks)})", tasks))  # noqa: S608

    def keep(self, outcomes: Sequence[StepOutcome], *, night: str) -> None:
        """Save what a night did to its documents, within the caller's transaction."""
        for outcome in outcomes:
            path = outcome.document.path
            self._connection.execute("DELETE FROM waiting WHERE path = ?", (path,))
            candidates = [(path, to_json(candidate)) for candidate in outcome.tried.undecided]
            self._connection.executemany("INSERT INTO waiting (path, body) VALUES (?, ?)", candidates)
            self._add_tried(path, outcome)
            self._look_back_from(outcome, night=night)
            self._connection.executemany(
                "INSERT INTO scores VALUES (?, ?) ON CONFLICT (task) DO UPDATE SET before = excluded.before",
                list(outcome.later.scores.items()),
            )
            if outcome.later.notebook is not None:
                self._connection.execute(
                    "INSERT INTO notebooks VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET body = excluded.body",
                    (path, outcome.later.notebook),
                )

    def _add_tried(self, path: str, outcome: StepOutcome) -> None:
        """Save the edits that were tried with their effects; those of waiting candidates are still being tried."""
        undecided: set[tuple[str, str]] = set()
        for candidate in outcome.tried.undecided:
            undecided.update(edit.key for edit in candidate.tested.edits)
        for trial in outcome.tried.effects:
            if trial.edit.key not in undecided:
                body = to_json(trial)
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
        known = {decided.proposal.id: decided for decided in self._bank.proposals()}
        for entry in reversed(known.values()):
            proposal = entry.proposal
            if path not in proposal.paths:
                continue
            before = known.get(proposal.id.rpartition(".")[0])
            if proposal.proof is Proof.EDITED and before is not None:
                edits += [_proposed(edit, EditStatus.REWORDED, entry) for edit in before.proposal.edits]
            if entry.state in _STATES:
                edits += [_proposed(edit, EditStatus(entry.state), entry) for edit in proposal.edits]
        return tuple(edits)

    def _waiting(self, where: str, values: Collection[object]) -> tuple[WaitingCandidate, ...]:
        rows = self._rows(f"SELECT body FROM waiting {where} ORDER BY id", values)  # noqa: S608
        return tuple(from_json(body, WaitingCandidate) for (body,) in rows)


def _proposed(edit: Edit, status: EditStatus, entry: Decided) -> ProposedEdit:
    """Return an edit with what became of it, as its proposal or the one that replaced its words tells."""
    return ProposedEdit(
        edit=edit,
        status=status,
        since=entry.decided[:DAY_CHARS] or entry.proposal.night,
        reason=entry.reason,
        proposal=entry.proposal.id,
    )
