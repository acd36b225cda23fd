"""Follow the files that the agent wrote, to tell when somebody else changed them."""

import re
from typing import NamedTuple

from skillopt_sleep.agents.claude_code.records import Attachment
from skillopt_sleep.agents.transcripts.briefs import ToolInput
from skillopt_sleep.agents.transcripts.draft import Call, Changed

WRITERS = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
USER_MODIFIED = b'"userModified":true'
CHANGED_ON_DISK = "edited_text_file"

_LONGEST_EDIT = 4_000
_LINE_NUMBER = re.compile(r"\s*\d+(?:\t|→)")


class _Write(NamedTuple):
    """A call that wrote a file, and the lines it took out and put in as far as they are known."""

    call: Call
    taken: frozenset[str] = frozenset()
    put: frozenset[str] = frozenset()


class Written:
    """The files that the agent wrote so far, and what the program tells of them later."""

    def __init__(self) -> None:
        self._writes: dict[str, list[_Write]] = {}

    def note(self, call: Call, given: ToolInput) -> None:
        """Note a call that writes a file; whether it worked is known later, by the call itself."""
        if call.name not in WRITERS or not isinstance(given.file_path, str):
            return
        old = _lines(given.old_string)
        new = _lines(given.new_string)
        self._writes.setdefault(given.file_path, []).append(_Write(call, old - new, new - old))

    def changed(self, attached: Attachment) -> Changed | None:
        """Return the change on disk that the program tells of, or None if the file isn't one of the agent's."""
        if attached.type != CHANGED_ON_DISK or not isinstance(attached.filename, str):
            return None
        for write in reversed(self._writes.get(attached.filename, [])):
            if not write.call.error:
                return Changed(attached.filename, write.call, restored=_is_restored(write, attached.snippet))
        return None


def _is_restored(write: _Write, snippet: object) -> bool:
    """Return whether what an edit took out is there again, and what it put in is gone."""
    if not isinstance(snippet, str):
        return False
    lines = {_LINE_NUMBER.sub("", line, count=1).strip() for line in snippet.splitlines()}
    return bool(write.taken) and write.taken <= lines and write.put.isdisjoint(lines)


def _lines(text: object) -> frozenset[str]:
    if not isinstance(text, str) or len(text) > _LONGEST_EDIT:
        return frozenset()
    return frozenset(line.strip() for line in text.splitlines() if line.strip())
