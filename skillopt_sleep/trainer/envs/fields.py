"""Note which fields of a dataset's rows are read, to say which are not."""

from collections.abc import Iterator, Mapping
from typing import Any

MOST_NAMES = 12


class Fields:
    """The fields that rows have, and those of them that were read."""

    def __init__(self) -> None:
        self._read: set[str] = set()
        self._had: dict[str, None] = {}

    def noting(self, row: Mapping[str, Any]) -> "NotedRow":
        """Return the row, of which it is noted what is read."""
        self._had.update(dict.fromkeys(row))
        return NotedRow(row, self._read)

    def remarks(self) -> tuple[str, ...]:
        """Say in one sentence which fields no row was asked for, if there are any."""
        unread = [name for name in self._had if name not in self._read]
        if not unread:
            return ()
        rest = f" and {len(unread) - MOST_NAMES} more" if len(unread) > MOST_NAMES else ""
        return (f"columns that are not used: {', '.join(unread[:MOST_NAMES])}{rest}",)


class NotedRow(Mapping[str, Any]):
    """A row that notes the names of the fields that are read; to look whether it has one is not to read it."""

    def __init__(self, row: Mapping[str, Any], read: set[str]) -> None:
        self._row = row
        self._read = read

    def __getitem__(self, name: str) -> Any:
        """Return a field, noting its name."""
        value = self._row[name]
        self._read.add(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._row

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the fields."""
        return iter(self._row)

    def __len__(self) -> int:
        """Return how many fields there are."""
        return len(self._row)
