"""Save what was spent, and every answer of a model before it is used."""

import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.protocols import Held, Reservation, Tally
from skillopt_sleep.records import CUT_SHORT, SEALED_KEY, CallState, Completion, Purpose, Usage
from skillopt_sleep.stores.running import HeldSums, Marks, Row, Running, Watch

# What _tally sums up. A call that hasn't reported its tokens or price counts with what was held for it.
_TOTALS = {
    "input_tokens": "total(input_tokens)",
    "output_tokens": "total(output_tokens)",
    "cached_tokens": "total(cached_tokens)",
    "usd": "total(usd)",
    "unknown_usd": "total((state != 'failed' OR input_tokens IS NOT NULL) AND usd IS NULL)",
    "unnamed": "total(state != 'failed' AND input_tokens IS NULL)",
    "held_tokens": "total(CASE WHEN input_tokens IS NULL AND state != 'failed' THEN held_tokens END)",
    "held_usd": "total(CASE WHEN usd IS NULL AND state != 'failed' THEN held_usd END)",
    "unpriced": "total((state = 'done' OR input_tokens IS NOT NULL) AND usd IS NULL)",
    "repairs": "total(repair)",
    "odd_events": "total(odd_events)",
    "without_held_usd": "total(state IN ('reserved', 'lost') AND usd IS NULL AND held_usd IS NULL)",
}
_SUMS = f"SELECT purpose, count(*), max(usd), {', '.join(_TOTALS.values())} FROM ledger WHERE "  # noqa: S608


class LedgerLine(NamedTuple):
    """The spending of one night on one purpose with one model.

    The sums hold what is known: `unnamed` calls reported no tokens, `unpriced` ones have no price.
    """

    night: str
    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float
    unpriced: int
    unnamed: int


class _Scope(NamedTuple):
    """The rows that a sum is over: those of a night, or of one project in it, or all since a moment."""

    night: str = ""
    project: str | None = None
    since: str = ""

    def covers(self, night: str, row: Row) -> bool:
        """Return whether a row of this night is one of them."""
        if self.since:
            return row.at >= self.since
        return night == self.night and self.project in {None, row.project}

    def condition(self) -> tuple[str, tuple[str, ...]]:
        """Return the condition in SQL, and its values."""
        if self.since:
            return "at >= ?", (self.since,)
        if self.project is None:
            return "night = ?", (self.night,)
        return "night = ? AND project = ?", (self.night, self.project)


class SqliteLedger:
    """The meter's memory: reserve a row before each call and settle it after; a crash leaves it counted as spent.

    `alone` means that nobody else writes to the file: sums are read from it only once, and the bill of an answered
    call is committed together with the answer that is put next.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
        *,
        alone: bool = False,
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._night = night
        self._clock = clock
        self._alone = alone
        self._watch = Watch(connection)
        self._marks: Marks | None = None
        self._running: dict[_Scope, Running] = {}
        # The last answer of `lines`, and what it was asked of: the file, our own changes, and since when.
        self._summed_up: tuple[tuple[int, int, datetime | None], tuple[LedgerLine, ...]] | None = None
        self._open: dict[int, Row] = {}  # calls that this process reserved and hasn't settled

    def reserve(self, call: Reservation) -> int:
        """Record that a call is about to be made; return its entry."""
        with self._lock:
            night, at = self._night(), self._clock().isoformat()
            cursor = self._connection.execute(
                "INSERT INTO ledger (night, at, purpose, model, state, project, repair, held_tokens, held_usd) "
                "VALUES (?, ?, ?, ?, 'reserved', ?, ?, ?, ?)",
                (
                    night,
                    at,
                    call.purpose,
                    call.model,
                    call.project,
                    call.repair,
                    call.tokens,
                    call.usd,
                ),
            )
            entry = cursor.lastrowid or 0
            end_write(self._connection)
            row = Row(
                purpose=call.purpose,
                project=call.project,
                at=at,
                held_tokens=call.tokens,
                held_usd=call.usd,
                repair=call.repair,
            )
            self._open[entry] = row
            for scope, running in self._running.items():
                if scope.covers(night, row):
                    running.reserved(row)
            return entry

    def settle(
        self,
        entry: int,
        state: CallState,
        *,
        usage: Usage | None,
        usd: float | None,
        odd_events: int = 0,
        held: Held | None = None,
    ) -> None:
        """Record how the call ended and what it took; impossible token counts are recorded as unknown.

        `held` replaces the reserved tokens and price, which are counted for a call that reports none.
        """
        believed = usage if usage and usage.possible else None
        tokens: tuple[int | None, ...] = (None, None, None)
        if believed:
            tokens = (believed.input_tokens, believed.output_tokens, believed.cached_tokens)
        with self._lock:
            if self._alone and state is CallState.DONE and not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(
                "UPDATE ledger SET state = ?, input_tokens = ?, output_tokens = ?, cached_tokens = ?, usd = ?, "
                "odd_events = ?, held_tokens = coalesce(?, held_tokens), held_usd = coalesce(?, held_usd) "
                "WHERE id = ?",
                (state, *tokens, usd, odd_events, *(held or (None, None)), entry),
            )
            before = self._open.pop(entry, None)
            if before is None:
                self._running.clear()  # its row isn't known as it is: the sums are read again
                return
            after = before._replace(state=state, usage=believed, usd=usd, odd_events=odd_events)
            self._count(before, after if held is None else _holding(after, held))

    def spent(self, *, project: str | None = None) -> Tally:
        """Return what this night has spent, over all its runs; a failed call without usage counts as free."""
        return self._summed(_Scope(night=self._night(), project=project))

    def spent_since(self, moment: datetime) -> Tally:
        """Return what all nights have spent since then."""
        return self._summed(_Scope(since=moment.isoformat()))

    def lines(self, *, since: datetime | None = None) -> tuple[LedgerLine, ...]:
        """Sum up the spending by night, purpose and model, newest night first; while nothing changes, only once."""
        with self._lock:
            (version,) = self._connection.execute("PRAGMA data_version").fetchone()
            asked = (version, self._connection.total_changes, since)
            if self._summed_up is None or self._summed_up[0] != asked:
                self._summed_up = (asked, self._lines(since))
            return self._summed_up[1]

    def _lines(self, since: datetime | None) -> tuple[LedgerLine, ...]:
        rows = self._connection.execute(
            "SELECT night, purpose, model, count(*), total(input_tokens), total(output_tokens), "
            "total(cached_tokens), total(usd), "
            "total((state != 'failed' OR input_tokens IS NOT NULL) AND usd IS NULL), "
            "total(state != 'failed' AND input_tokens IS NULL) FROM ledger WHERE at >= ? "
            "GROUP BY night, purpose, model ORDER BY night DESC, purpose, model",
            (since.isoformat() if since else "",),
        ).fetchall()
        lines: list[LedgerLine] = []
        for night, purpose, model, calls, inputs, outputs, cached, usd, unpriced, unnamed in rows:
            line = LedgerLine(
                night=night,
                purpose=purpose,
                model=model,
                calls=calls,
                input_tokens=int(inputs),
                output_tokens=int(outputs),
                cached_tokens=int(cached),
                usd=usd,
                unpriced=int(unpriced),
                unnamed=int(unnamed),
            )
            lines.append(line)
        return tuple(lines)

    def _summed(self, scope: "_Scope") -> Tally:
        """Return the sums of a scope: read from the table once, and again if somebody else changed it."""
        with self._lock:
            if not self._alone:
                self._look_for_others()
            if scope not in self._running:
                if scope.since:
                    self._running = {known: sums for known, sums in self._running.items() if not known.since}
                self._running[scope] = self._read(scope)
            return self._running[scope].tally()

    def _count(self, before: Row, after: Row) -> None:
        """Bring all sums up to date with a call that was settled."""
        night = self._night()
        for scope, running in self._running.items():
            if scope.covers(night, before):
                running.settled(before, after)

    def _look_for_others(self) -> None:
        """Forget all sums if somebody else changed the table."""
        marks = self._watch.marks()
        if marks != self._marks:
            self._running.clear()
            self._open.clear()
            self._marks = marks

    def _read(self, scope: "_Scope") -> Running:
        """Sum up the rows of a scope."""
        where, values = scope.condition()
        rows = self._connection.execute(f"{_SUMS}{where} GROUP BY purpose ORDER BY purpose", values).fetchall()
        totals: dict[str, float] = {}
        for column, name in enumerate(_TOTALS, start=3):
            totals[name] = sum(row[column] for row in rows)
        highest_price = max((row[2] or 0.0 for row in rows), default=0.0)
        tally = Tally(
            purposes={purpose: calls for purpose, calls, *_ in rows},
            usage=Usage(
                input_tokens=int(totals["input_tokens"]),
                output_tokens=int(totals["output_tokens"]),
                cached_tokens=int(totals["cached_tokens"]),
            ),
            usd=None if totals["unknown_usd"] else float(totals["usd"]),
            unnamed=int(totals["unnamed"]),
            tokens=int(totals["input_tokens"] + totals["output_tokens"] + totals["held_tokens"]),
            dollars=float(totals["usd"] + totals["held_usd"] + totals["without_held_usd"] * highest_price),
            unpriced=int(totals["unpriced"]),
            repairs=int(totals["repairs"]),
            odd_events=int(totals["odd_events"]),
        )
        held = HeldSums(
            usd=float(totals["usd"]),
            unknown_usd=int(totals["unknown_usd"]),
            held_usd=float(totals["held_usd"]),
            without_held_usd=int(totals["without_held_usd"]),
            highest_usd=highest_price,
        )
        return Running(tally, held=held)


def _holding(row: Row, held: Held) -> Row:
    """Return the row with other tokens held for it, and with another price if that is known."""
    return row._replace(held_tokens=held.tokens, held_usd=row.held_usd if held.usd is None else held.usd)


def end_write(connection: sqlite3.Connection) -> None:
    """Commit the bill that a ledger `alone` in its file left open, if there is one."""
    if connection.in_transaction:
        connection.execute("COMMIT")


_CUT = ", ".join(f"'{outcome.value}'" for outcome in sorted(CUT_SHORT))


class Nights(Enum):
    """The nights whose answers may be used, as an SQL condition."""

    ALL = "1"
    TONIGHT = "night = :night"
    WITH_CUT_SHORT = (
        f"(night = :night OR night IN (SELECT id FROM nights WHERE outcome IN ({_CUT}) AND started > coalesce("  # noqa: S608
        f"(SELECT max(started) FROM nights WHERE outcome IS NOT NULL AND outcome NOT IN ({_CUT})), '')))"
    )


def first_drawn(connection: sqlite3.Connection, night: str) -> str:
    """Return the first of the nights whose attempts count in this night: itself, or one cut short before it."""
    query = (
        f"SELECT night FROM (SELECT id AS night, started FROM nights) WHERE {Nights.WITH_CUT_SHORT.value} "  # noqa: S608
        "ORDER BY started, night LIMIT 1"
    )
    row = connection.execute(query, {"night": night}).fetchone()
    return str(row[0]) if row else night


class SqliteCalls:
    """Completed calls by a key of their content."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
        *,
        of: Nights = Nights.ALL,
    ) -> None:
        self._connection = connection
        self._lock = lock
        self._night = night
        self._clock = clock
        self._of = of

    def of_this_night(self) -> "SqliteCalls":
        """Return a view with this night's answers only: what earlier nights asked is asked again, once."""
        return SqliteCalls(self._connection, self._lock, self._night, self._clock, of=Nights.TONIGHT)

    def draws(self) -> "SqliteCalls":
        """Return a view that adds the nights cut short right before this one, unless it is limited to this night."""
        of = Nights.TONIGHT if self._of is Nights.TONIGHT else Nights.WITH_CUT_SHORT
        return SqliteCalls(self._connection, self._lock, self._night, self._clock, of=of)

    def get(self, key: str) -> Completion | None:
        """Return the stored answer without its decoded form, or None."""
        query = f"SELECT body FROM calls WHERE key = :key AND {self._of.value}"  # noqa: S608
        values = {"key": key}
        if self._of is not Nights.ALL:
            values["night"] = self._night()
        with self._lock:
            row = self._connection.execute(query, values).fetchone()
        if row is None:
            return None
        return from_json(row[0], Completion)

    def put(self, key: str, *, purpose: Purpose, completion: Completion) -> None:
        """Save an answer before it is used; its decoded form is left out, and made again after reading."""
        body = to_json(
            {"text": completion.text, "usage": completion.usage, "usd": completion.usd, "model": completion.model}
        )
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO calls (key, night, purpose, model, at, body) VALUES (?, ?, ?, ?, ?, ?)",
                (key, self._night(), purpose, completion.model, self._clock().isoformat(), body),
            )
            end_write(self._connection)

    def sealed_usages(self, most: int) -> tuple[tuple[str, Usage], ...]:
        """Return the model and the tokens of the last completed sealed attempts, newest first."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT body FROM calls WHERE key >= ? AND key < ? ORDER BY at DESC LIMIT ?",
                (SEALED_KEY, SEALED_KEY[:-1] + chr(ord(SEALED_KEY[-1]) + 1), most),
            ).fetchall()
        completions = [from_json(body, Completion) for (body,) in rows]
        return tuple((one.model, one.usage) for one in completions if one.usage)
