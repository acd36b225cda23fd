"""Write and read a log of JSON lines that several processes share; it is rotated by size."""

import io
import json
import logging
import os
import traceback
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, cast

import filelock

from skillopt_sleep.kit.codec import map_strings, to_json
from skillopt_sleep.kit.files import PRIVATE_FILE, private_dir
from skillopt_sleep.kit.redact import redact

MOST_BYTES = 1_000_000
KEPT = 5
LOCK_SECONDS = 5.0

_LOGGER = logging.getLogger("skillopt_sleep")
# Without a handler, Python would print what no other handler takes.
_LOGGER.addHandler(logging.NullHandler())


def log_to(path: Path, *, most: int = MOST_BYTES, kept: int = KEPT) -> None:
    """Write this process's log from now on into this file only; create its folder if necessary."""
    private_dir(path.parent)
    stop_logging()
    handler = _SharedFile(path, maxBytes=most, backupCount=kept, encoding="utf-8", delay=True)
    handler.setFormatter(_Lines())
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(logging.INFO)
    _LOGGER.propagate = False


def stop_logging() -> None:
    """Stop writing the log."""
    for handler in list(_LOGGER.handlers):
        if isinstance(handler, _SharedFile):
            _LOGGER.removeHandler(handler)
            handler.close()


def tell(event: str, *, level: int = logging.INFO, error: BaseException | None = None, **fields: object) -> None:
    """Write one line to the log: what happened, with these fields, redacted."""
    _LOGGER.log(level, event, exc_info=error, extra={"fields": fields})


def log_files(path: Path) -> list[Path]:
    """Return the existing files of a log, oldest first."""
    numbered: list[tuple[int, Path]] = []
    for file in path.parent.glob(f"{path.name}.*"):
        number = file.suffix[1:]
        if number.isdigit():
            numbered.append((int(number), file))
    files = [file for _, file in sorted(numbered, reverse=True)]
    if path.exists():
        files.append(path)
    return files


def read_line(line: str | bytes) -> dict[str, Any] | None:
    """Return the fields of one line, or None if it isn't a whole line of ours."""
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    if isinstance(fields, dict) and "event" in fields:
        return cast("dict[str, Any]", fields)
    return None


class _Lines(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        fields = cast("dict[str, object]", getattr(record, "fields", {}))
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            "process": record.process,
            **fields,
        }
        if record.exc_info and (error := record.exc_info[1]):
            line["traceback"] = "".join(traceback.format_exception(error))
        return to_json(map_strings(line, redact)).decode()


class _SharedFile(RotatingFileHandler):
    """Opens the file for every line, under a lock, so that no process writes to one that another has rotated away."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            with filelock.FileLock(f"{self.baseFilename}.lock", timeout=LOCK_SECONDS, mode=PRIVATE_FILE):
                super().emit(record)
                self._close_file()
        except OSError:
            self._close_file()  # a full disk must not end a night

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - as logging calls it
        """Do nothing: what can't be logged is lost, and the work goes on."""

    def _open(self) -> io.TextIOWrapper:
        def private(name: str, flags: int) -> int:
            return os.open(name, flags, PRIVATE_FILE)

        return open(self.baseFilename, "a", encoding="utf-8", opener=private)

    def _close_file(self) -> None:
        if self.stream:
            self.stream.close()
            self.stream = cast("Any", None)
