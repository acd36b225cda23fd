"""Define what all records have in common, and how they put a number in words."""

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all records: immutable, keyword-only, and strict about unknown fields."""


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun, as in "1 task" or "2 tasks"; `many` if the plural isn't made by an s alone."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
