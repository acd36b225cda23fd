"""The command `logs`: print the log of the nights and the daemon, and follow it."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from skillopt_sleep.cli.completing import night_ids
from skillopt_sleep.cli.console import BAD, CAREFUL, DIM, Part, say_json, say_row, warn
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.reporters.words import stage_words
from skillopt_sleep.settings import find_paths

LAST = 100
LOOK_SECONDS = 0.25
_HEAD = frozenset({"at", "level", "event", "process", "night", "traceback"})
_IDS = frozenset({"night_process"})  # numbers that are names, shown without separators
_MARKS = {"warning": ("!", CAREFUL), "error": ("✗", BAD), "critical": ("✗", BAD)}
TIME = 21  # the width of a time and the blanks behind it


def logs(
    night: Annotated[
        str, typer.Argument(help="Only this night, in full; the last 100 lines by default.", autocompletion=night_ids)
    ] = "",
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines as they come.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the log's JSON lines as they are.")] = False,
) -> None:
    """Print the log of the nights and the daemon."""
    from skillopt_sleep.kit.log import read_log

    path = find_paths().log
    if follow:
        _follow(path, night, as_json=as_json)
        return
    entries = list(read_log(path))
    if not entries and not night:
        warn(f"The log is empty; nights and the daemon write to {path}")
    wanted = _select(entries, night)
    if night and not wanted:
        raise _unknown_night(night, entries)
    for entry in wanted:
        _print(entry, as_json=as_json)


def _follow(path: Path, night: str, *, as_json: bool) -> None:
    """Print the log, and every new line until the user presses Ctrl-C."""
    followed = Followed(path)
    for entry in _select(followed.before, night):
        _print(entry, as_json=as_json)
    try:
        for entry in followed:
            if not night or entry.get("night") == night:
                _print(entry, as_json=as_json)
    except KeyboardInterrupt:
        return


def _select(entries: Sequence[dict[str, Any]], night: str) -> list[dict[str, Any]]:
    """Return all entries of a night, or the last ones of the log if no night is named."""
    if not night:
        return list(entries[-LAST:])
    return [entry for entry in entries if entry.get("night") == night]


def _unknown_night(night: str, entries: Sequence[Mapping[str, Any]]) -> ConfigError:
    known = list(dict.fromkeys(str(entry["night"]) for entry in entries if entry.get("night")))
    remedy = "the log is empty"
    if known:
        remedy = f"the last nights in it: {', '.join(reversed(known[-5:]))}"
    return ConfigError(f"the log has no lines of night {night!r}", remedy=remedy)


class Followed:
    """A growing log: `before` has its lines so far; iterating yields every new line, without end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sizes: dict[int, int] = {}
        self.before = list(self._new())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield from self._new()
            time.sleep(LOOK_SECONDS)

    def _new(self) -> Iterator[dict[str, Any]]:
        """Yield the whole lines added since the last look, also those of a file that was rotated since."""
        from skillopt_sleep.kit.log import log_files, read_line

        sizes: dict[int, int] = {}
        for file in log_files(self._path):
            try:
                with file.open("rb") as opened:
                    info = os.fstat(opened.fileno())
                    start = self._sizes.get(info.st_ino, 0)
                    if start > info.st_size:
                        start = 0  # a new file that reuses the inode of a deleted one
                    opened.seek(start)
                    added = opened.read()
            except FileNotFoundError:
                continue
            whole = added[: added.rfind(b"\n") + 1]
            sizes[info.st_ino] = start + len(whole)
            for text in whole.splitlines():
                entry = read_line(text)
                if entry is not None:
                    yield entry
        self._sizes = sizes


def _print(entry: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(entry, pretty=False)
    else:
        for label, parts in lines(entry):
            say_row(label, *parts, width=TIME)
    sys.stdout.flush()


def lines(entry: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Part]]]:
    """Yield one log entry: its local time, then night, event and other fields; a traceback goes below."""
    from skillopt_sleep.kit.markdown import one_line

    mark, style = _MARKS.get(str(entry.get("level")), ("", ""))
    event, fields = _told(entry)
    parts: list[Part] = []
    if mark:
        parts.append((f"{mark} ", style))
    if entry.get("night"):
        parts.append((f"{one_line(str(entry['night']))}  ", DIM))
    parts.append((one_line(event, limit=400), style))
    if fields:
        parts.append(f"  {'; '.join(fields)}")
    yield _local_time(entry), parts
    for part in str(entry.get("traceback") or "").splitlines():
        yield "", [one_line(part, limit=400)]


def _told(entry: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return what happened in words, and the other fields; a stage and a night's end are told like a sentence."""
    event = str(entry["event"])
    left = {key: value for key, value in entry.items() if key not in _HEAD and _is_set(value)}
    fields: list[str] = []
    if event == "stage ends" and "stage" in left:
        event = stage_words(str(left.pop("stage")))
        if "items" in left:
            fields.append(f"{_value(left.pop('items'))} done")
    elif event == "night ends" and "outcome" in left:
        event = f"night ends: {str(left.pop('outcome')).replace('_', ' ')}"
    for name in ("calls", "tokens"):
        if name in left:
            fields.append(f"{_value(left.pop(name))} {name}")
    if "usd" in left:
        fields.append(f"${left.pop('usd'):.2f}")
    if "seconds" in left:
        fields.append(f"{left.pop('seconds')} s")
    fields += [f"{key}: {_field(key, value)}" for key, value in left.items()]
    return event, fields


def _local_time(entry: Mapping[str, Any]) -> str:
    try:
        return f"{datetime.fromisoformat(str(entry.get('at'))).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:
        return "(no time)"


def _is_set(value: object) -> bool:
    """Return whether a field is worth showing: 0 is, but False, None and empty values aren't."""
    return value is not False and value not in (None, "", [], {})


def _field(key: str, value: object) -> str:
    return str(value) if key in _IDS else _value(value)


def _value(value: object) -> str:
    from skillopt_sleep.kit.markdown import one_line

    match value:
        case True:
            return "yes"
        case list():
            return " ".join(_value(item) for item in cast("list[object]", value))
        case int():
            return f"{value:,}"
        case _:
            return one_line(str(value), limit=400)
