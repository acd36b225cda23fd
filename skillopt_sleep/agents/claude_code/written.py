"""Follow the files that the agent wrote, to tell when somebody else changed them."""

import re
from typing import NamedTuple

from skillopt_sleep.agents.claude_code.records import Attachment
from skillopt_sleep.agents.transcripts.draft import DraftCall, DraftChange, ToolInput

WRITERS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
USER_MODIFIED = b'"userModified":true'
CHANGED_ON_DISK = "edited_text_file"

_LONGEST_EDIT = 4_000
_LINE_NUMBER = re.compile(r"\s*\d+(?:\t|→)")


class _Write(NamedTuple):
    """A call that wrote a file, and the text that it replaced by another; "" for a long one."""

    call: DraftCall
    old: str
    new: str


class WrittenFiles:
    """The files that the agent wrote so far, and what the program tells of them later."""

    def __init__(self) -> None:
        self._writes: dict[str, list[_Write]] = {}

    def note(self, call: DraftCall, given: ToolInput) -> None:
        """Note a call that writes a file; whether it worked is known later, by the call itself."""
        if call.name not in WRITERS or not isinstance(given.file_path, str):
            return
        write = _Write(call, _short(given.old_string), _short(given.new_string))
        self._writes.setdefault(given.file_path, []).append(write)

    def changed(self, attached: Attachment) -> DraftChange | None:
        """Return the change on disk that the program tells of, or None if the file isn't one of the agent's."""
        if attached.type != CHANGED_ON_DISK or not isinstance(attached.filename, str):
            return None
        for write in reversed(self._writes.get(attached.filename, [])):
            if not write.call.error:
                return DraftChange(attached.filename, write.call, restored=_is_restored(write, attached.snippet))
        return None


def _is_restored(write: _Write, snippet: object) -> bool:
    """Return whether what an edit took out is there again, and what it put in is gone."""
    if not isinstance(snippet, str):
        return False
    lines = {_LINE_NUMBER.sub("", line, count=1).strip() for line in snippet.splitlines()}
    old, new = _lines(write.old), _lines(write.new)
    return bool(old - new) and old - new <= lines and lines.isdisjoint(new - old)


def _short(text: object) -> str:
    return text if isinstance(text, str) and len(text) <= _LONGEST_EDIT else ""


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}
