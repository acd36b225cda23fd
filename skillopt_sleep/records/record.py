"""Define what all records have in common."""

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of all records: immutable, keyword-only, and strict about unknown fields."""
