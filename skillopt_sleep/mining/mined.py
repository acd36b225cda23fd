"""What mining amounts to."""

import msgspec

from skillopt_sleep.records import Note, Task


class Mined(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks, what went wrong on the way, and the sessions that a failed call left unread."""

    tasks: tuple[Task, ...] = ()
    notes: tuple[Note, ...] = ()
    lost: tuple[str, ...] = ()
