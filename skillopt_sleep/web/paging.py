"""Show a long list some rows at a time."""

from starlette.requests import Request

from skillopt_sleep.records import Record

_DIGITS = 9


class Stretch(Record, frozen=True, kw_only=True):
    """The rows from `first` to `last` of `all`, counted from 1; `newer` and `older` are where other pages begin."""

    first: int
    last: int
    all: int
    newer: int | None = None
    older: int | None = None

    @property
    def rows(self) -> slice:
        """The rows of the list to show."""
        return slice(self.first - 1, self.last) if self.all else slice(0, 0)


def stretch(rows: int, *, skipped: int, at_once: int) -> Stretch:
    """Return what to show of so many rows if some are skipped; past the end, the last page."""
    if skipped >= rows:
        skipped = max(rows - 1, 0) // at_once * at_once
    last = min(skipped + at_once, rows)
    return Stretch(
        first=min(skipped + 1, rows),
        last=last,
        all=rows,
        newer=max(skipped - at_once, 0) if skipped else None,
        older=last if last < rows else None,
    )


def skipped_in(request: Request, name: str = "skip") -> int:
    """Return how many rows an address skips; 0 if it doesn't say."""
    skipped = request.query_params.get(name, "0")
    if skipped.isascii() and skipped.isdecimal() and len(skipped) <= _DIGITS:
        return int(skipped)
    return 0
