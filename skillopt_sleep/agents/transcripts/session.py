"""Turn a draft into the finished session: its turns and what was done after which, redacted and cut to size."""

import hashlib
import re
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise

from skillopt_sleep.agents.transcripts.draft import (
    INSTRUCTIONS_LIMIT,
    LIMITS,
    DraftCall,
    DraftChange,
    DraftMessage,
    SessionDraft,
    Stop,
    TypedShell,
)
from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.kit.redact import clip, clip_marked, redact
from skillopt_sleep.records import (
    ChangedOnDisk,
    Gaps,
    HalfRead,
    InForce,
    Origin,
    Role,
    Session,
    Stamp,
    ToolEvent,
    Turn,
    TypedCommand,
)

BRIEF_LIMIT = 200
COMMAND_LIMIT = 500

# How much of a text beyond the cut is searched too, to see a secret that the cut would split.
_BEYOND = 2_048
_LONGEST_PATH = 4_096
_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[/\\]")
_RECORD_ID = re.compile(r"(?:msg_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|msg_[0-9a-f]+")
# An earlier time comes from a clock that wasn't set.
_EARLIEST = datetime(2020, 1, 1, tzinfo=UTC)
# A greater number is a time in milliseconds.
_MILLISECONDS = 1e11


def finished(
    draft: SessionDraft,
    *,
    source: str,
    name: str,
    stamp: Stamp,
    damaged: int = 0,
    torn: bool = False,
    half_read: HalfRead | None = None,
) -> Session:
    """Return the finished record, redacted; without a time of its own it has the file's.

    A line that is `torn` off is damage only in a file that holds nothing else.
    """
    if torn and not draft.items:
        damaged += 1
    _leave_out_copies(draft)
    told = _Told(draft)
    ended = moment(draft.last) or datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
    started = moment(draft.first) or ended
    cwd = draft.cwd if _is_folder(draft.cwd) else ""
    return Session(
        id=f"{source}:{_redacted_name(name)}",
        source=source,
        project=_redacted(project_root(cwd)),
        cwd=_redacted(cwd),
        started=min(started, ended),
        ended=ended,
        turns=tuple(told.turns),
        commit=_redacted(draft.commit),
        entrypoint=_redacted(draft.entrypoint),
        tools=tuple(told.tools),
        stops=tuple(told.stops),
        commands=tuple(told.commands),
        changed_files=tuple(told.changed),
        skills=tuple(dict.fromkeys(_redacted(skill) for skill in draft.skills)),
        instructions=tuple(
            InForce(path=_redacted(path), text=_instructions(text)) for path, text in draft.instructions.items()
        ),
        gaps=Gaps(damaged=damaged, half_read=half_read),
    )


def _leave_out_copies(draft: SessionDraft) -> None:
    """Make prompts the harness's that were written again together with the next: nobody types both at once."""
    prompts = draft.prompts
    typed: set[str] = set()
    for prompt, later in pairwise(prompts):
        if prompt.text in typed and prompt.at is not None and prompt.at == later.at:
            prompt.origin = Origin.HARNESS
        typed.add(prompt.text)


class _Told:
    """The items of a session in order: its turns, and what was done after which of them.

    `_last_heard` is the last turn that the person or the agent said.
    """

    def __init__(self, draft: SessionDraft) -> None:
        self.turns: list[Turn] = []
        self.tools: list[ToolEvent] = []
        self.stops: dict[int, None] = {}
        self.commands: list[TypedCommand] = []
        self.changed: list[ChangedOnDisk] = []
        self._last_heard = 0
        self._calls: dict[int, int] = {}  # the turn of each call, by the call's id()
        for item in draft.items:
            if isinstance(item, DraftMessage):
                self._add_message(item)
            elif isinstance(item, DraftCall):
                self._calls[id(item)] = self._turn
                self.tools.append(_tool_event(item, self._turn))
            elif isinstance(item, Stop):
                self.stops[self._last_heard] = None
            elif isinstance(item, TypedShell):
                text = _clipped(item.text, COMMAND_LIMIT)
                self.commands.append(TypedCommand(turn=self._turn, text=text, at=moment(item.at)))
            else:
                self._add_changed(item)

    @property
    def _turn(self) -> int:
        """Return the index of the last turn, or 0 before the first."""
        return max(len(self.turns) - 1, 0)

    def _add_message(self, item: DraftMessage) -> None:
        """Add a message as a turn, unless it is blank."""
        if not item.text or item.text.isspace():
            return
        role = Role.ASSISTANT if item.origin is Origin.ASSISTANT else Role.USER
        limit = LIMITS[item.origin]
        text, pasted = _clipped_with_pastes(item, limit) if item.pasted else (_clipped(item.text, limit), ())
        turn = Turn(
            role=role, origin=item.origin, text=text, id=_redacted_id(item.id), at=moment(item.at), pasted=pasted
        )
        self.turns.append(turn)
        if item.origin is not Origin.HARNESS:
            self._last_heard = len(self.turns) - 1

    def _add_changed(self, item: DraftChange) -> None:
        """Add a file that changed on disk."""
        since = self._calls.get(id(item.call))
        if since is None:
            return
        file = ChangedOnDisk(
            turn=self._turn, since=since, path=_brief(item.path), restored=item.restored, at=moment(item.at)
        )
        self.changed.append(file)


def _is_folder(cwd: str) -> bool:
    """Return whether this may name a folder: a path that isn't absolute would lead to wherever we happen to run."""
    return len(cwd) <= _LONGEST_PATH and "\0" not in cwd and _ABSOLUTE.match(cwd) is not None


def _tool_event(call: DraftCall, turn: int) -> ToolEvent:
    name = _redacted(call.name)
    brief = _brief(call.brief) if call.brief else ""
    if not (call.error or call.rejected or call.changed):
        return ToolEvent(name=name, turn=turn, brief=brief, exit_code=call.exit_code)
    at = moment(call.at) if call.rejected or call.changed else None
    return ToolEvent(
        name=name,
        turn=turn,
        brief=brief,
        error=call.error,
        exit_code=call.exit_code,
        rejected=call.rejected,
        changed=call.changed,
        at=at,
    )


@lru_cache(maxsize=4096)
def _brief(text: str) -> str:
    """Redact and cut a brief; the same files and commands come again and again."""
    return _clipped(text, BRIEF_LIMIT)


@lru_cache(maxsize=4096)
def _redacted(name: str) -> str:
    """Redact the name of a folder, skill or tool, which is the same in many sessions."""
    return redact(name)


@lru_cache(maxsize=128)
def _instructions(text: str) -> str:
    """Redact and cut the text of an instruction file, which is in force in many sessions."""
    return _clipped(text, INSTRUCTIONS_LIMIT)


def _redacted_id(name: str) -> str:
    """Redact the id of a record, which is different each time and almost always a UUID or a message's number."""
    if not name or _RECORD_ID.fullmatch(name):
        return name
    return redact(name)


def _redacted_name(name: str) -> str:
    """Redact the session's own name; two names that held secrets stay apart."""
    clean = _redacted_id(name)
    if clean == name:
        return name
    return f"{clean}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


@lru_cache(maxsize=1024)
def _is_clean(part: str) -> bool:
    """Return whether there is no secret in a text of the harness, which says the same in many sessions."""
    return redact(part) == part


def _clipped(text: str, limit: int) -> str:
    """Return the redacted text, cut to its limit; almost always there is no secret in it, nor near the cut."""
    part = text[: limit + _BEYOND]
    is_clean = _is_clean(part) if limit == LIMITS[Origin.HARNESS] else redact(part) == part
    if not is_clean:
        return clip(text, limit)
    if len(text) <= limit:
        return text
    return part[: limit - 1] + "…"


def _clipped_with_pastes(item: DraftMessage, limit: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the redacted text, cut to its limit, and where what was pasted is in it."""
    starts, ends = zip(*item.pasted, strict=True)
    text, marks = clip_marked(item.text, limit, (*starts, *ends))
    parts = zip(marks[: len(starts)], marks[len(starts) :], strict=True)
    return text, tuple((start, end) for start, end in parts if start < end)


def moment(timestamp: str | float | None) -> datetime | None:
    """Return a record's time in UTC, or None if it can't be one.

    It is written in ISO 8601, or as seconds or milliseconds since 1970.
    """
    if timestamp is None:
        return None
    try:
        time = _parsed_time(timestamp)
    except (ValueError, OverflowError, OSError):
        return None
    return time if time >= _EARLIEST else None


def _parsed_time(timestamp: str | float) -> datetime:
    if isinstance(timestamp, str):
        time = datetime.fromisoformat(timestamp)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    seconds = timestamp / 1000 if timestamp > _MILLISECONDS else timestamp
    return datetime.fromtimestamp(seconds, tz=UTC)
