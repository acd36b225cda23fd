"""Find the whole records in a damaged line.

A crash or a second writer tore a record, ran two together, or left a run of NULs. What is written within a record,
such as the result of a tool, may look like a record itself and must not be taken for one. So an object counts only if
it begins or ends where the damage is, or ends where the line does.
"""

import re
from itertools import islice

import msgspec

MOST_TRIES = 64

_GAP = re.compile(rb"(?:[\x00\s]|\xef\xbb\xbf)*")
_FILLING = b"\x00 \t\r\n"
_BREAK = re.compile(r"\(byte (\d+)\)")
_TRAILING = "trailing characters"
# Damage is noticed a few bytes away: after the first quote in a text, at the start of a cut-off `false`.
_NEAR = 8
_any = msgspec.json.Decoder(msgspec.Raw)


def whole_records(line: bytes, record_start: re.Pattern[bytes]) -> list[bytes]:
    """Return the records in a line that can't be decoded as one, in order, or none if it is nested too deeply.

    `record_start` matches how a record of the agent begins.
    """
    records: list[bytes] = []
    end = len(line.rstrip(_FILLING))
    at = 0
    try:
        for _ in range(MOST_TRIES):
            at = _after_gap(line, at, end)
            if at >= end:
                break
            stop, is_whole = _object(line, at, end)
            if is_whole:
                records.append(line[at:stop].rstrip())
                at = stop
            else:
                at = _next(line, at, stop, end, record_start)
    except RecursionError:
        return []
    return records


def _object(line: bytes, at: int, end: int) -> tuple[int, bool]:
    """Return where the object that begins here ends and True, or where it stops making sense and False."""
    if line[at] != ord("{"):
        return at, False
    view = memoryview(line)
    try:
        _any.decode(view[at:end])
    except msgspec.DecodeError as error:
        reason = str(error)
    else:
        return end, True
    place = _BREAK.search(reason)
    if place is None:
        return end, False
    stop = at + int(place[1])
    if _TRAILING not in reason:
        return stop, False
    try:
        # The first character after the object was read too.
        _any.decode(view[at : stop - 1])
    except msgspec.DecodeError:
        return stop, False
    return stop - 1, True


def _next(line: bytes, at: int, stop: int, end: int, record_start: re.Pattern[bytes]) -> int:
    """Return where to go on after a record that breaks off at `stop`."""
    near = record_start.search(line, max(at + 1, stop - _NEAR), end)
    if near is not None and near.start() <= max(_after_gap(line, stop, end), stop + _NEAR):
        return near.start()
    for start in islice(record_start.finditer(line, at + 1, end), MOST_TRIES):
        last, is_whole = _object(line, start.start(), end)
        if is_whole and last in {stop, end}:
            return start.start()
    return end


def _after_gap(line: bytes, at: int, end: int) -> int:
    gap = _GAP.match(line, at, end)
    return gap.end() if gap else at
