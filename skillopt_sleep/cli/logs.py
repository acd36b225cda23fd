"""skillopt-sleep logs: what the nights and the daemon wrote down."""

import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import find_paths

LAST = 100
LOOK_SECONDS = 0.25
_HEAD = frozenset({"at", "level", "event", "process", "night", "traceback"})
_NAMES = frozenset({"night_process"})  # a number that counts nothing


def logs(
    night: Annotated[str, typer.Argument(help="Only this night, all of it; else the last 100 lines.")] = "",
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is written from now on.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the lines as they are, in JSON.")] = False,
) -> None:
    """Print what the nights and the daemon wrote down, and go on as they write."""
    from skillopt_sleep.kit.log import read_log

    path = find_paths().log
    followed = Followed(path) if follow else None  # from here on: what is written meanwhile must not be lost
    told = list(read_log(path)) if followed is None else followed.before
    wanted = [line for line in told if not night or line.get("night") == night]
    if night and not wanted and not follow:
        known = list(dict.fromkeys(str(line["night"]) for line in told if line.get("night")))[-5:]
        raise ConfigError(
            f"the log says nothing of night {night!r}",
            remedy=f"the last nights it knows: {', '.join(reversed(known))}" if known else "the log is empty",
        )
    for line in wanted if night else deque(wanted, LAST):
        _print(line, as_json=as_json)
    if followed is None:
        if not wanted:
            warn(f"nothing is written down yet; a night and the daemon write to {path}")
        return
    try:
        for line in followed:
            if not night or line.get("night") == night:
                _print(line, as_json=as_json)
    except KeyboardInterrupt:
        return


class Followed:
    """A log that others write: `before` is what it says already; then, without end, every line as it comes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: dict[int, int] = {}
        self.before = list(self._new())

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield from self._new()
            time.sleep(LOOK_SECONDS)

    def _new(self) -> Iterator[dict[str, Any]]:
        """What was added since the last look: whole lines only, also of a file that was rotated meanwhile."""
        from skillopt_sleep.kit.log import log_files, read_line

        seen: dict[int, int] = {}
        for file in log_files(self._path):
            try:
                with file.open("rb") as opened:
                    info = os.fstat(opened.fileno())
                    before = self._seen.get(info.st_ino, 0)
                    # A new file may have the number of one that is gone.
                    start = before if before <= info.st_size else 0
                    opened.seek(start)
                    added = opened.read()
            except FileNotFoundError:
                continue
            whole = added[: added.rfind(b"\n") + 1]
            seen[info.st_ino] = start + len(whole)
            yield from (line for text in whole.splitlines() if (line := read_line(text)) is not None)
        self._seen = seen


def _print(line: Mapping[str, Any], *, as_json: bool) -> None:
    if as_json:
        say_json(line, pretty=False)
    else:
        for shown in lines(line):
            say(shown)
    sys.stdout.flush()


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """One line of the log for people: when (local time), which night, what, and all else that is known of it."""
    from skillopt_sleep.kit.markdown import one_line

    mark = {"warning": "!", "error": "✗", "critical": "✗"}.get(str(told.get("level")), " ")
    night = f"{one_line(str(told['night']))}: " if told.get("night") else ""
    fields = [
        f"{key}: {value if key in _NAMES else _value(value)}"
        for key, value in told.items()
        if key not in _HEAD and _is_said(value)
    ]
    event = one_line(str(told["event"]), limit=400)
    yield f"{_when(told)} {mark} {night}{event}{' – ' if fields else ''}{'; '.join(fields)}"
    for part in str(told.get("traceback") or "").splitlines():
        yield f"    {one_line(part, limit=400)}"


def _when(told: Mapping[str, Any]) -> str:
    try:
        return f"{datetime.fromisoformat(str(told.get('at'))).astimezone():%Y-%m-%d %H:%M:%S}"
    except ValueError:
        return "(no time)".ljust(19)


def _is_said(value: object) -> bool:
    """Whether a field says anything: nothing at all isn't worth its name, but 0 is."""
    return value is not False and value not in (None, "", [], {})


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
