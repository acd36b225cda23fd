"""What was spent and what was answered, durable before it is used."""

import sqlite3
import threading
from collections.abc import Callable
from datetime import datetime

from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.protocols import Tally
from skillopt_sleep.records import Completion, Purpose, Usage


class SqliteLedger:
    """The meter's memory: a row is reserved before a call and reconciled after it; a crash leaves it as spent."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._connection, self._lock, self._night, self._clock = connection, lock, night, clock

    def reserve(self, *, purpose: Purpose, model: str) -> int:
        """Write down that a call is about to be made."""
        with self._lock:
            cursor = self._connection.execute(
                "INSERT INTO ledger (night, at, purpose, model, state) VALUES (?, ?, ?, ?, 'reserved')",
                (self._night(), self._clock().isoformat(), purpose, model),
            )
            return cursor.lastrowid or 0

    def reconcile(self, entry: int, *, usage: Usage | None, usd: float | None, failed: bool) -> None:
        """Write down what the call took."""
        tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens) if usage else (None, None, None)
        with self._lock:
            self._connection.execute(
                "UPDATE ledger SET state = ?, input_tokens = ?, output_tokens = ?, cached_tokens = ?, usd = ? "
                "WHERE id = ?",
                ("failed" if failed else "done", *tokens, usd, entry),
            )

    def spent(self) -> Tally:
        """What this night spent, by all its lives; a failed call that named no usage is not an unknown cost."""
        with self._lock:
            rows = self._connection.execute(
                "SELECT purpose, count(*), total(input_tokens), total(output_tokens), total(cached_tokens), "
                "total(usd), "
                "total((state != 'failed' OR input_tokens IS NOT NULL) AND usd IS NULL), "
                "total(state != 'failed' AND input_tokens IS NULL) "
                "FROM ledger WHERE night = ? GROUP BY purpose ORDER BY purpose",
                (self._night(),),
            ).fetchall()
        inputs, outputs, cached, usd, unpriced, unnamed = (sum(row[column] for row in rows) for column in range(2, 8))
        return Tally(
            purposes={row[0]: row[1] for row in rows},
            usage=Usage(input_tokens=int(inputs), output_tokens=int(outputs), cached_tokens=int(cached)),
            usd=None if unpriced else float(usd),
            unnamed=int(unnamed),
        )


class SqliteCalls:
    """Completed calls by content."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: threading.RLock,
        night: Callable[[], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._connection, self._lock, self._night, self._clock = connection, lock, night, clock

    def get(self, key: str) -> Completion | None:
        """The stored answer, undecoded, or None."""
        with self._lock:
            row = self._connection.execute("SELECT body FROM calls WHERE key = ?", (key,)).fetchone()
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
