"""What all records share."""

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all records share: immutable, named fields, nothing unknown."""
