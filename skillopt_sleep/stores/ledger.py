"""What was spent and what was answered, durable before it is used."""

import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime
from enum import Enum
from typing import NamedTuple

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.protocols import Held, Reservation, Tally
from skillopt_sleep.records import CUT_SHORT, CallState, Completion, Purpose, Usage

_SUMS = """
    SELECT purpose, count(*), total(input_tokens), total(output_tokens), total(cached_tokens), total(usd),
        total((state != 'failed' OR input_tokens IS NOT NULL) AND usd IS NULL),
        total(state != 'failed' AND input_tokens IS NULL),
        total(CASE WHEN input_tokens IS NULL AND state != 'failed' THEN held_tokens END),
        total(CASE WHEN usd IS NULL AND state != 'failed' THEN held_usd END),
        total((state = 'done' OR input_tokens IS NOT NULL) AND usd IS NULL), total(repair), total(odd_events),
        total(state IN ('reserved', 'lost') AND usd IS NULL AND held_usd IS NULL), max(usd)
    FROM ledger WHERE """


class LedgerLine(NamedTuple):
    """What one night spent on a purpose with a model: what is known of tokens and dollars.

    `unnamed` calls didn't tell their tokens, `unpriced` ones have no price.
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


class SqliteLedger:
    """The meter's memory: a row is reserved before a call and settled after it; a crash leaves it as spent."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._connection, self._lock, self._night, self._clock = connection, lock, night, clock

    def reserve(self, call: Reservation) -> int:
        """Write down that a call is about to be made."""
        with self._lock:
            cursor = self._connection.execute(
                "INSERT INTO ledger (night, at, purpose, model, state, project, repair, held_tokens, held_usd) "
                "VALUES (?, ?, ?, ?, 'reserved', ?, ?, ?, ?)",
                (
                    *(self._night(), self._clock().isoformat(), call.purpose, call.model),
                    *(call.project, call.repair, call.tokens, call.usd),
                ),
            )
            return cursor.lastrowid or 0

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
        """Write down how the call ended and what it took; tokens that no call can take are unknown.

        `held` is what to count where it named no tokens, or no price, if that is more than was reserved.
        """
        known = usage if usage and usage.possible else None
        tokens = (known.input_tokens, known.output_tokens, known.cached_tokens) if known else (None, None, None)
        with self._lock:
            self._connection.execute(
                "UPDATE ledger SET state = ?, input_tokens = ?, output_tokens = ?, cached_tokens = ?, usd = ?, "
                "odd_events = ?, held_tokens = coalesce(?, held_tokens), held_usd = coalesce(?, held_usd) "
                "WHERE id = ?",
                (state, *tokens, usd, odd_events, *(held or (None, None)), entry),
            )

    def spent(self, *, project: str | None = None) -> Tally:
        """What this night spent, by all its lives; a failed call that named no usage is not an unknown cost."""
        if project is None:
            return self._tally("night = ?", (self._night(),))
        return self._tally("night = ? AND project = ?", (self._night(), project))

    def spent_since(self, moment: datetime) -> Tally:
        """What all nights spent since then."""
        return self._tally("at >= ?", (moment.isoformat(),))

    def lines(self, *, since: datetime | None = None) -> tuple[LedgerLine, ...]:
        """What was spent by night, purpose and model, newest night first."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT night, purpose, model, count(*), total(input_tokens), total(output_tokens), "
                "total(cached_tokens), total(usd), "
                "total((state != 'failed' OR input_tokens IS NOT NULL) AND usd IS NULL), "
                "total(state != 'failed' AND input_tokens IS NULL) FROM ledger WHERE at >= ? "
                "GROUP BY night, purpose, model ORDER BY night DESC, purpose, model",
                (since.isoformat() if since else "",),
            ).fetchall()
        return tuple(
            LedgerLine(
                night, purpose, model, calls, int(ins), int(outs), int(cached), usd, int(unpriced), int(unnamed)
            )
            for night, purpose, model, calls, ins, outs, cached, usd, unpriced, unnamed in rows
        )

    def _tally(self, where: str, values: tuple[str, ...]) -> Tally:
        with self._lock:
            rows = self._connection.execute(f"{_SUMS}{where} GROUP BY purpose ORDER BY purpose", values).fetchall()
        sums = [sum(row[column] for row in rows) for column in range(2, 14)]
        inputs, outputs, cached, usd, unknown, unnamed, held, held_usd, unpriced, repairs, odd, unheld = sums
        dearest = max((row[14] for row in rows if row[14] is not None), default=0.0)
        return Tally(
            purposes={row[0]: row[1] for row in rows},
            usage=Usage(input_tokens=int(inputs), output_tokens=int(outputs), cached_tokens=int(cached)),
            usd=None if unknown else float(usd),
            unnamed=int(unnamed),
            tokens=int(inputs + outputs + held),
            dollars=float(usd + held_usd + unheld * dearest),
            unpriced=int(unpriced),
            repairs=int(repairs),
            odd_events=int(odd),
        )


_CUT = ", ".join(f"'{outcome.value}'" for outcome in sorted(CUT_SHORT))


class Nights(Enum):
    """Whose answers hold, as SQL."""

    ALL = "1"
    TONIGHT = "night = :night"
    GONE_ON = (
        f"(night = :night OR night IN (SELECT id FROM nights WHERE outcome IN ({_CUT}) AND started > coalesce("  # noqa: S608
        f"(SELECT max(started) FROM nights WHERE outcome IS NOT NULL AND outcome NOT IN ({_CUT})), '')))"
    )


class SqliteCalls:
    """Completed calls by content."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
        *,
        of: Nights = Nights.ALL,
    ) -> None:
        self._connection, self._lock, self._night, self._clock = connection, lock, night, clock
        self._of = of

    def of_this_night(self) -> "SqliteCalls":
        """Those that know no other night's answers: what was answered before is asked again, once."""
        return SqliteCalls(self._connection, self._lock, self._night, self._clock, of=Nights.TONIGHT)

    def draws(self) -> "SqliteCalls":
        """Those of this night and of nights that were cut short right before it, unless this one alone was named."""
        of = Nights.TONIGHT if self._of is Nights.TONIGHT else Nights.GONE_ON
        return SqliteCalls(self._connection, self._lock, self._night, self._clock, of=of)

    def get(self, key: str) -> Completion | None:
        """The stored answer, undecoded, or None."""
        with self._lock:
            row = self._connection.execute(
                f"SELECT body FROM calls WHERE key = :key AND {self._of.value}",  # noqa: S608
                {"key": key} if self._of is Nights.ALL else {"key": key, "night": self._night()},
            ).fetchone()
        return from_json(row[0], Completion) if row else None

    def put(self, key: str, *, purpose: Purpose, completion: Completion) -> None:
        """Keep an answer before it is used; its decoded form is made again when it is read."""
        body = to_json(
            {"text": completion.text, "usage": completion.usage, "usd": completion.usd, "model": completion.model}
        )
        with self._lock:
            self._connection.execute(
                "INSERT OR REPLACE INTO calls (key, night, purpose, model, at, body) VALUES (?, ?, ?, ?, ?, ?)",
                (key, self._night(), purpose, completion.model, self._clock().isoformat(), body),
            )
