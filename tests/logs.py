"""Read the log of a night back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from skillopt_sleep.kit.log import log_files, read_line


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of the log and its older files as fields, oldest first."""
    for file in log_files(path):
        for line in file.read_bytes().splitlines():
            fields = read_line(line)
            if fields is not None:
                yield fields
