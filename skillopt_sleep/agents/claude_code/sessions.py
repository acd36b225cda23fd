"""Claude Code's sessions: <config dir>/projects/**/*.jsonl, one session a file.

What was pasted in them is in <config dir>/history.jsonl and paste-cache/ (history.py). Of a session without a file
that list has what the person typed.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from skillopt_sleep.agents.claude_code.history import (
    NO_PASTES,
    PromptHistory,
    decode_prompt,
    expanded,
    pastes_of,
)
from skillopt_sleep.agents.claude_code.program import PROMPT_LIST
from skillopt_sleep.agents.claude_code.reader import SessionReader
from skillopt_sleep.agents.claude_code.records import (
    MOST_RECORDS,
    SessionRecord,
    TreeLink,
    decode_link,
    decode_record,
)
from skillopt_sleep.agents.claude_code.tree import strangers
from skillopt_sleep.agents.transcripts.draft import DraftMessage, SessionDraft
from skillopt_sleep.agents.transcripts.files import find_sessions, ignore, read_each, stamp_of
from skillopt_sleep.agents.transcripts.jsonl import Records, half_read
from skillopt_sleep.agents.transcripts.session import finished
from skillopt_sleep.protocols.work import Unlisted
from skillopt_sleep.records import LeftOut, Origin, Packed, Reading, Stamp

NAME = "claude_code"


class ClaudeCode:
    """The sessions in one configuration folder of Claude Code."""

    name = NAME

    def __init__(self, config_dir: Path) -> None:
        self._projects = str(config_dir / "projects")
        self._home = config_dir
        self._list = config_dir / PROMPT_LIST
        self.folders: tuple[str, ...] = (self._projects,)

    def stamps(self, unlisted: Unlisted = ignore, /) -> Iterator[tuple[str, Stamp]]:
        """Yield path and stamp of every session file and of the list of prompts, by stat calls only."""
        yield from find_sessions(self._projects, unlisted)
        if self._list.is_file() and not self._list.is_symlink():
            yield str(self._list), stamp_of(str(self._list))

    def read(self, paths: Sequence[str], /) -> Iterator[tuple[str, Stamp, Reading]]:
        """Parse these files, each once; the stamp is the one the file had when it was read."""
        of_session = partial(parse, history=PromptHistory.of(self._home))
        return read_each(paths, lambda path: parse_list(path) if path == str(self._list) else of_session(path))


def parse(path: str, history: PromptHistory | None = None) -> tuple[Stamp, Reading]:
    """Parse one session file, with what the list of prompts says was pasted; raises OSError if it can't be read."""
    file = Path(path)
    is_subagents = file.name.startswith("agent-") or file.parent.name == "subagents"
    pastes = pastes_of(file.stem, history) if history and not is_subagents else NO_PASTES
    records, reader = _read(path, SessionReader(file.stem, pastes=pastes))
    # A sub-agent's records all name the session that it works for, and nothing of them is kept.
    if reader.mixed and not is_subagents and (others := strangers(_tree(path), file.stem)):
        records, reader = _read(path, SessionReader(file.stem, others, pastes))
    if reader.forked:
        reader.drop(_tree(path))
    sessions: list[Packed] = []
    for number, draft in enumerate(reader.drafts, start=1):
        left_out = LeftOut.SUBAGENT if is_subagents else reader.left_out(draft)
        if left_out is LeftOut.SUBAGENT:
            draft.leave_out_content()
        is_first = number == 1
        session = finished(
            draft,
            source=NAME,
            name=file.stem if is_first else f"{file.stem}#{number}",
            stamp=records.stamp,
            damaged=records.damaged + reader.misplaced if is_first else 0,
            torn=records.torn,
            half_read=half_read(reader.unknown, reader.version, records.count) if is_first else None,
        )
        sessions.append(Packed.of(session, left_out))
    return records.stamp, Reading(sessions=tuple(sessions))


def parse_list(path: str) -> tuple[Stamp, Reading]:
    """Parse the list of prompts: of the sessions that have no file it tells what was typed, without any answer."""
    home = Path(path).parent
    saved = {Path(file).stem for file, _ in find_sessions(str(home / "projects"))}
    prompts = Records(path, decode_prompt)
    drafts: dict[str, SessionDraft] = {}
    for prompt in prompts:
        # What the person told the program or the shell is no request.
        if not prompt.session_id or prompt.session_id in saved or prompt.display.startswith(("/", "!")):
            continue
        draft = drafts.setdefault(prompt.session_id, SessionDraft(cwd=prompt.project))
        if not draft.is_full:
            text, pasted = expanded(prompt, home)
            draft.at = prompt.timestamp
            draft.saw(draft.at)
            draft.add(DraftMessage(Origin.USER, text or prompt.display, pasted=pasted))
    sessions = [finished(draft, source=NAME, name=name, stamp=prompts.stamp) for name, draft in drafts.items()]
    return prompts.stamp, Reading(sessions=tuple(Packed.of(session, None) for session in sessions))


def _read(path: str, reader: SessionReader) -> tuple[Records[SessionRecord], SessionReader]:
    """Let the reader take all records; those after it is full count as damaged."""
    records = Records(path, decode_record)
    for record in records:
        if reader.is_full:
            records.damaged += 1
            reader.draft.saw(record.timestamp)
        else:
            reader.take(record)
    return records, reader


def _tree(path: str) -> list[TreeLink]:
    """Return the records' places in the tree, of at most as many records as a session can hold."""
    return list(islice((link for link in Records(path, decode_link) if link.uuid), MOST_RECORDS))
