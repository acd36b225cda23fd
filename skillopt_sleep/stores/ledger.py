"""Save what every call costs: reserved before it is made, settled after it."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from skillopt_sleep.protocols.models import Reservation, ReservedCost, SpendTally
from skillopt_sleep.records import CallState, Usage
from skillopt_sleep.stores.schema import SUMS, TableGroup

_TRILLION = 10**12
# The sums of calls, by purpose: running ones from the table spent, others from the calls themselves.
_RUNNING = f"SELECT purpose, max(highest_usd), {', '.join(f'sum({name})' for name in SUMS)} FROM spent WHERE "  # noqa: S608
_OF_CALLS = (
    f"SELECT purpose, max(coalesce(usd, 0)), {', '.join(f'sum({of})' for of in SUMS.values())} FROM ledger WHERE "  # noqa: S608
)
_BY_PURPOSE = " GROUP BY purpose ORDER BY purpose"
_LINE = ("calls", "input_tokens", "output_tokens", "cached_tokens", "usd", "unknown_usd", "unnamed")
_LINES = (
    f"SELECT night, purpose, model, {', '.join(f'sum({name})' for name in _LINE)} FROM spent "  # noqa: S608
    "WHERE night >= ? AND calls > 0 GROUP BY night, purpose, model ORDER BY night DESC, purpose, model"
)


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


class SqliteLedger(TableGroup):
    """The meter's memory: reserve a row before each call and settle it after; a crash leaves it counted as spent.

    `alone` means that nobody else writes to the file: the bill of an answered call is committed together with the
    answer that is put next.
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
        super().__init__(connection, lock)
        self._night = night
        self._clock = clock
        self._alone = alone

    def reserve(self, call: Reservation) -> int:
        """Record that a call is about to be made; return its entry."""
        at = self._clock().isoformat()
        row = (self._night(), at, call.purpose, call.model, call.project, call.repair, call.tokens, call.usd)
        with self._lock:
            cursor = self._connection.execute(
                "INSERT INTO ledger (night, at, purpose, model, state, project, repair, held_tokens, held_usd) "
                "VALUES (?, ?, ?, ?, 'reserved', ?, ?, ?, ?)",
                row,
            )
            end_write(self._connection)
            return cursor.lastrowid or 0

    def settle(
        self,
        entry: int,
        state: CallState,
        *,
        usage: Usage | None,
        usd: float | None,
        odd_events: int = 0,
        held: ReservedCost | None = None,
    ) -> None:
        """Record how the call ended and what it took; impossible token counts are recorded as unknown.

        `held` replaces the reserved tokens and price, which are counted for a call that reports none.
        """
        tokens: tuple[int | None, ...] = (None, None, None)
        if usage and usage.possible:
            tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        with self._lock:
            if self._alone and state is CallState.DONE and not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute(
                "UPDATE ledger SET state = ?, input_tokens = ?, output_tokens = ?, cached_tokens = ?, usd = ?, "
                "odd_events = ?, held_tokens = coalesce(?, held_tokens), held_usd = coalesce(?, held_usd) "
                "WHERE id = ?",
                (state, *tokens, usd, odd_events, *(held or (None, None)), entry),
            )

    def spent(self, *, project: str | None = None) -> SpendTally:
        """Return what this night has spent, over all its runs; a failed call without usage counts as free."""
        if project is None:
            return _tally(self._rows(f"{_RUNNING} night = ?{_BY_PURPOSE}", (self._night(),)))
        return _tally(self._rows(f"{_RUNNING} night = ? AND project = ?{_BY_PURPOSE}", (self._night(), project)))

    def spent_in_month(self, moment: datetime) -> SpendTally:
        """Return what all nights have spent in the month of this moment (UTC) and later."""
        return _tally(self._rows(f"{_RUNNING} month >= ?{_BY_PURPOSE}", (f"{moment:%Y-%m}",)))

    def spent_since(self, moment: datetime) -> SpendTally:
        """Return what all nights have spent since then, summed up call by call."""
        return _tally(self._rows(f"{_OF_CALLS} at >= ?{_BY_PURPOSE}", (moment.isoformat(),)))

    def lines(self, *, since: datetime | None = None) -> tuple[LedgerLine, ...]:
        """Return the spending by night, purpose and model of the nights since a day, newest night first."""
        rows = self._rows(_LINES, (f"{since:%Y-%m-%d}" if since else "",))
        return tuple(_line(row) for row in rows)


def end_write(connection: sqlite3.Connection) -> None:
    """Commit the bill that a ledger `alone` in its file left open, if there is one."""
    if connection.in_transaction:
        connection.execute("COMMIT")


def _line(row: Sequence[Any]) -> LedgerLine:
    line = LedgerLine(*row)
    return line._replace(usd=line.usd / _TRILLION)


def _tally(rows: Sequence[Sequence[Any]]) -> SpendTally:
    """Return the tally of sums by purpose."""
    totals: dict[str, int] = {}
    for column, name in enumerate(SUMS, start=2):
        totals[name] = sum(row[column] for row in rows)
    highest_usd = max((row[1] for row in rows), default=0.0)
    known = totals["usd"] / _TRILLION
    # A call that never told its price costs nothing if its model's price is known to be zero.
    may_cost = totals["unpriced"] or totals["held_usd"] or totals["without_held_usd"]
    return SpendTally(
        purposes={purpose: calls for purpose, _, calls, *_ in rows if calls},
        usage=Usage(
            input_tokens=totals["input_tokens"],
            output_tokens=totals["output_tokens"],
            cached_tokens=totals["cached_tokens"],
        ),
        usd=None if totals["unknown_usd"] and may_cost else known,
        unnamed=totals["unnamed"],
        tokens=totals["input_tokens"] + totals["output_tokens"] + totals["held_tokens"],
        dollars=known + totals["held_usd"] / _TRILLION + totals["without_held_usd"] * highest_usd,
        unpriced=totals["unpriced"],
        repairs=totals["repairs"],
        odd_events=totals["odd_events"],
    )
