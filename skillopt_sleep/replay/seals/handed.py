"""Hand files to a program that exist in memory only, and pipes from it."""

import fcntl
import os
from types import TracebackType
from typing import Self

_LOWEST = 20  # a shell can name 0 to 9, and needs them for itself


class Handed:
    """File descriptors that one program inherits; all are closed at the end."""

    def __init__(self) -> None:
        self._ours: list[int] = []
        self.numbers: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for handle in (*self._ours, *self.numbers):
            os.close(handle)

    def file(self, content: bytes) -> int:
        """Return a file with this content, to be read once."""
        with os.fdopen(os.memfd_create("handed"), "wb") as file:
            file.write(content)
            file.flush()
            file.seek(0)
            return self._handed(file.fileno())

    def pipe(self) -> tuple[int, int]:
        """Return the end that we read from, and the end that the program writes to."""
        ours, theirs = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._ours.append(ours)
        with os.fdopen(theirs, "wb") as end:
            return ours, self._handed(end.fileno())

    def _handed(self, handle: int) -> int:
        number = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, _LOWEST)
        self.numbers.append(number)
        return number
