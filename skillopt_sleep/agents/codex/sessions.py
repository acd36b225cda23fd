"""Codex's sessions: <codex home>/sessions/**/*.jsonl and archived_sessions/**/*.jsonl, one rollout a file.

After a week Codex compresses a rollout into `.jsonl.zst`; while such a session goes on, the plain file is there too.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from skillopt_sleep.agents.codex.reader import RolloutReader
from skillopt_sleep.agents.codex.records import decode_line
from skillopt_sleep.agents.codex.rewinds import ENDINGS, FOLDERS, parts, session_in
from skillopt_sleep.agents.transcripts.files import find_sessions, ignore, read_each
from skillopt_sleep.agents.transcripts.jsonl import COMPRESSED, Records, half_read
from skillopt_sleep.agents.transcripts.session import finished
from skillopt_sleep.protocols.work import Unlisted
from skillopt_sleep.records import LeftOut, Packed, Reading, Stamp

NAME = "codex"


class Codex:
    """The sessions in one Codex home, live and archived."""

    name = NAME

    def __init__(self, home: Path) -> None:
        self.folders = tuple(str(home / folder) for folder in FOLDERS)

    def stamps(self, unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Yield path and stamp of every rollout, by stat calls only."""
        for folder in self.folders:
            found = dict(find_sessions(folder, unlisted, endings=ENDINGS))
            for path, stamp in found.items():
                plain = path.removesuffix(COMPRESSED)
                if plain == path or plain not in found:
                    yield path, stamp

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files, each once; the stamp is the one the file had when it was read."""
        return read_each(paths, parse)


def parse(path: str) -> tuple[Stamp, Reading]:
    """Parse one rollout, after what is left of those that it goes on from; raises OSError if it can't be read."""
    reader = RolloutReader()
    files = [Records(part.path, decode_line, part.size) for part in parts(path)]
    for lines in files:
        for line in lines:
            if reader.draft.is_full:
                lines.damaged += 1
                reader.draft.saw(line.timestamp)
            elif line.payload is not None:
                reader.take(line, line.payload)
    own = files[-1]
    left_out = reader.left_out()
    if left_out is LeftOut.SUBAGENT:
        reader.draft.leave_out_content()
    session = finished(
        reader.draft,
        source=NAME,
        name=reader.name or session_in(path),
        stamp=own.stamp,
        damaged=sum(lines.damaged for lines in files),
        torn=own.torn,
        half_read=half_read(reader.unknown, reader.version, sum(lines.count for lines in files)),
    )
    return own.stamp, Reading(sessions=(Packed.of(session, left_out),))
