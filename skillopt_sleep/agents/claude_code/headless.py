"""Tell whether a person or a program typed a prompt, by Claude Code's queue, if its records name no entrypoint.

From 2.0.45 on until the entrypoint came, every prompt of a program (`-p`, the SDK) goes through the queue: it is
taken out without having been put in, or at once. What a person types while the agent is idle doesn't, and what they
type ahead waits there until the agent has finished.
"""

from datetime import datetime, timedelta

from skillopt_sleep.agents.transcripts.draft import moment

_AT_ONCE = timedelta(milliseconds=100)


class Queue:
    """Follows the queue's operations in the order of the file, and tells for each prompt who typed it."""

    def __init__(self) -> None:
        self._waiting: list[datetime | None] = []
        self._taken: datetime | None = None  # when a program's prompt was last taken out
        self._due = False  # that prompt hasn't come yet
        self._ahead = False  # the next prompt waited while the agent worked
        self._by_program = False  # who typed the last prompt

    def note(self, operation: str | None, timestamp: str | float | None) -> None:
        """Follow one operation."""
        at = moment(timestamp)
        if operation == "enqueue":
            self._waiting.append(at)
        elif operation == "remove":
            del self._waiting[:1]
        elif operation != "dequeue":
            self._waiting.clear()
        elif self._waiting and not _at_once(self._waiting.pop(0), at):
            self._ahead = True
        else:
            self._taken = at
            self._due = True

    def is_by_program(self, timestamp: str | float | None, *, ahead: bool = False) -> bool:
        """Return whether a program typed the prompt of this time: the next in the file, or one that came `ahead`."""
        at = moment(timestamp)
        if self._due and self._taken and at and at < self._taken:
            # A fork that a program made begins with what it copied.
            return True
        # A prompt that waited was typed by whoever gave the agent its current work.
        waited = ahead or self._ahead
        self._by_program = self._due or (waited and self._by_program)
        self._due = False
        self._ahead = False
        return self._by_program


def _at_once(put: datetime | None, taken: datetime | None) -> bool:
    return put is not None and taken is not None and taken - put <= _AT_ONCE
