"""Keep the sums of a ledger up to date call by call: a limit costs the same at call 1,000,000 as at call 1."""

import sqlite3
from collections import Counter
from typing import NamedTuple

from skillopt_sleep.protocols import Tally
from skillopt_sleep.records import CallState, Purpose, Usage

# Another process commits, or this connection moves or removes rows: then the sums are read again from the table.
_MOVED = """
CREATE TEMP TABLE IF NOT EXISTS ledger_moves (count INTEGER NOT NULL);
INSERT INTO temp.ledger_moves SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM temp.ledger_moves);
CREATE TEMP TRIGGER IF NOT EXISTS ledger_deleted AFTER DELETE ON main.ledger
    BEGIN UPDATE ledger_moves SET count = count + 1; END;
CREATE TEMP TRIGGER IF NOT EXISTS ledger_moved AFTER UPDATE OF night, at, project ON main.ledger
    BEGIN UPDATE ledger_moves SET count = count + 1; END;
"""


_TRILLION = 10**12


class Row(NamedTuple):
    """One call as the ledger has it."""

    purpose: Purpose
    project: str
    at: str
    state: CallState = CallState.RESERVED
    usage: Usage | None = None
    usd: float | None = None
    held_tokens: int = 0
    held_usd: float | None = None
    repair: bool = False
    odd_events: int = 0

    @property
    def may_be_billed(self) -> bool:
        """Whether the call may have cost something."""
        return self.state is not CallState.FAILED or self.usage is not None


class Marks(NamedTuple):
    """The state of a file in which sums of its rows hold: commits of other processes, and moves by this one."""

    data_version: int
    moves: int


class Watch:
    """Tells whether something else than the ledger's own calls changed its rows."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._is_set = False

    def marks(self) -> Marks:
        """Return the file's present state."""
        if not self._is_set:
            self._connection.executescript(_MOVED)
            self._is_set = True
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        (moves,) = self._connection.execute("SELECT count FROM temp.ledger_moves").fetchone()
        return Marks(version, moves)


class Running:
    """The sums over some rows, which start as `tally` and take in each call as it is reserved and settled.

    Dollars are added in whole trillionths, so nothing is lost: ten calls of $0.1 reach a limit of $1.
    """

    def __init__(self, tally: Tally, *, held: "HeldSums") -> None:
        self._purposes = Counter[str](tally.purposes)
        usage = tally.usage
        self._tokens = [usage.input_tokens, usage.output_tokens, usage.cached_tokens]
        self._usd = _trillionths(held.usd)
        self._unknown_usd = held.unknown_usd
        self._held_tokens = tally.tokens - usage.tokens
        self._held_usd = _trillionths(held.held_usd)
        self._without_held_usd = held.without_held_usd
        self._highest_usd = held.highest_usd
        self._unnamed, self._unpriced = tally.unnamed, tally.unpriced
        self._repairs, self._odd_events = tally.repairs, tally.odd_events

    def reserved(self, row: Row) -> None:
        """Take in a call that is about to be made."""
        self._purposes[row.purpose.value] += 1
        self._repairs += row.repair
        self._add(row, 1)

    def settled(self, before: Row, after: Row) -> None:
        """Replace a call by the same call as it ended."""
        self._add(before, -1)
        self._add(after, 1)
        if after.usd is not None:
            self._highest_usd = max(self._highest_usd, after.usd)

    def tally(self) -> Tally:
        """Return the sums as they are now."""
        inputs, outputs, cached = self._tokens
        known = self._usd / _TRILLION
        dollars = known + self._held_usd / _TRILLION + self._without_held_usd * self._highest_usd
        return Tally(
            purposes=dict(sorted(self._purposes.items())),
            usage=Usage(input_tokens=inputs, output_tokens=outputs, cached_tokens=cached),
            usd=None if self._unknown_usd else known,
            unnamed=self._unnamed,
            tokens=inputs + outputs + self._held_tokens,
            dollars=dollars,
            unpriced=self._unpriced,
            repairs=self._repairs,
            odd_events=self._odd_events,
        )

    def _add(self, row: Row, sign: int) -> None:
        self._odd_events += sign * row.odd_events
        if row.usage is not None:
            self._tokens[0] += sign * row.usage.input_tokens
            self._tokens[1] += sign * row.usage.output_tokens
            self._tokens[2] += sign * row.usage.cached_tokens
        elif row.state is not CallState.FAILED:
            self._unnamed += sign
            self._held_tokens += sign * row.held_tokens
        if row.usd is not None:
            self._usd += sign * _trillionths(row.usd)
            return
        self._unknown_usd += sign * row.may_be_billed
        if row.state is CallState.DONE or row.usage is not None:
            self._unpriced += sign
        if row.state is not CallState.FAILED and row.held_usd is not None:
            self._held_usd += sign * _trillionths(row.held_usd)
        elif row.state in {CallState.RESERVED, CallState.LOST}:
            self._without_held_usd += sign


class HeldSums(NamedTuple):
    """What the sums need beside a tally: known dollars, calls of unknown price, and what is held for these."""

    usd: float
    unknown_usd: int
    held_usd: float
    without_held_usd: int
    highest_usd: float


def _trillionths(usd: float) -> int:
    return round(usd * _TRILLION)
