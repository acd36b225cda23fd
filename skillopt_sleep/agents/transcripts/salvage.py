"""The whole records in a damaged line: a crash or a second writer tore one, ran two together, or left a run of NULs.

What stands within a record, such as the result of a tool, may look like a record itself and must not be taken for
one. So an object counts only where it begins or ends where the damage is, or ends where the line does.
"""

import re
from itertools import islice

import msgspec

MOST_TRIES = 64

_HEAD = re.compile(
    rb'\{\s*"(?:parentUuid|timestamp|type"\s*:\s*"'
    rb'(?:user|assistant|system|attachment|event_msg|response_item|session_meta|turn_context))"'
)
_GAP = re.compile(rb"(?:[\x00\s]|\xef\xbb\xbf)*")
_FILLING = b"\x00 \t\r\n"
_BREAK = re.compile(r"\(byte (\d+)\)")
_TRAILING = "trailing characters"
_NEAR = 8  # damage is noticed a few bytes away: after the first quote in a text, at the start of a cut-off `false`
_any = msgspec.json.Decoder(msgspec.Raw)


def whole_records(line: bytes) -> list[bytes]:
    """The objects in a line that can't be decoded as one, in order; nothing where it is nested too deeply to tell."""
    found: list[bytes] = []
    end = len(line.rstrip(_FILLING))
    at = 0
    try:
        for _ in range(MOST_TRIES):
            at = _after_gap(line, at, end)
            if at >= end:
                break
            stop, whole = _object(line, at, end)
            if whole:
                found.append(line[at:stop].rstrip())
            at = stop if whole else _next(line, at, stop, end)
    except RecursionError:
        return []
    return found


def _object(line: bytes, at: int, end: int) -> tuple[int, bool]:
    """Where the object that begins here ends, or where it stops making sense, and which of the two."""
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


def _next(line: bytes, at: int, stop: int, end: int) -> int:
    """Where to go on after a record that breaks off at `stop`."""
    near = _HEAD.search(line, max(at + 1, stop - _NEAR), end)
    if near is not None and near.start() <= max(_after_gap(line, stop, end), stop + _NEAR):
        return near.start()
    for head in islice(_HEAD.finditer(line, at + 1, end), MOST_TRIES):
        last, whole = _object(line, head.start(), end)
        if whole and last in {stop, end}:
            return head.start()
    return end


def _after_gap(line: bytes, at: int, end: int) -> int:
    gap = _GAP.match(line, at, end)
    return gap.end() if gap else at
