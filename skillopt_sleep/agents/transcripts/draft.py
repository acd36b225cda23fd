"""Collect a session while its file is read: what was said and done, in order, and what is known of it as a whole."""

import hashlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise

import msgspec

from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.kit.redact import clip, clip_marked, redact
from skillopt_sleep.records import (
    ChangedFile,
    InForce,
    Origin,
    Role,
    Session,
    Stamp,
    ToolEvent,
    Turn,
    TypedCommand,
)

USER_LIMIT = 20_000
ASSISTANT_LIMIT = 2_000
HARNESS_LIMIT = 300
BRIEF_LIMIT = 200
INSTRUCTIONS_LIMIT = 20_000
MOST_INSTRUCTIONS = 20
COMMAND_LIMIT = 500

# No real session has nearly as much. Beyond it the rest of a file isn't read, so that no file fills the memory.
MOST_ITEMS = 50_000
MOST_TEXT = 8_000_000

# How much of a text beyond the cut is searched too, to see a secret that the cut would split.
_BEYOND = 2_048
# How much of a text beyond its limit is kept until it is redacted and cut.
_BEYOND_LIMIT = 10_000
_LONGEST_PATH = 4_096
_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[/\\]")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# An earlier time comes from a clock that wasn't set.
_EARLIEST = datetime(2020, 1, 1, tzinfo=UTC)
# A greater number is a time in milliseconds.
_MILLISECONDS = 1e11
_LIMITS = {Origin.USER: USER_LIMIT, Origin.ASSISTANT: ASSISTANT_LIMIT, Origin.HARNESS: HARNESS_LIMIT}


class Message(msgspec.Struct, gc=False):
    """A text and where it comes from; `by_program` if a program typed it in a person's place.

    `pasted` are the parts of it that are known to be pasted, from a start up to an end, in order.
    """

    origin: Origin
    text: str
    id: str = ""
    by_program: bool = False
    at: str | float | None = None
    pasted: tuple[tuple[int, int], ...] = ()


class Call(msgspec.Struct, gc=False):
    """A tool call; `id` is that of the record it was read from, `changed` says that the person changed the edit."""

    name: str
    brief: str
    id: str = ""
    error: bool = False
    exit_code: int | None = None
    rejected: bool = False
    changed: bool = False
    at: str | float | None = None


class TypedShell(msgspec.Struct, gc=False):
    """A shell command that the person ran in the agent's prompt, after the message that says so."""

    text: str
    id: str = ""
    at: str | float | None = None


class Changed(msgspec.Struct, gc=False):
    """Somebody changed on disk what this call of the agent had written."""

    path: str
    call: Call
    restored: bool = False
    id: str = ""
    at: str | float | None = None


class Stop(msgspec.Struct, gc=False):
    """The person stopped the agent at its work; `id` is that of the record that says so."""

    id: str = ""
    at: str | float | None = None


Item = Message | Call | Stop | TypedShell | Changed


@dataclass(slots=True)
class Draft:
    """A session as far as it has been read; `items` is what was said and done, in order."""

    cwd: str = ""
    commit: str = ""
    entrypoint: str = ""
    first: str | float | None = None
    last: str | float | None = None
    items: list[Item] = field(default_factory=list[Item])
    skills: dict[str, None] = field(default_factory=dict[str, None])
    instructions: dict[str, str] = field(default_factory=dict[str, str])
    text_size: int = 0
    shortened: int = 0  # so many items were shortened and counted

    def is_full(self) -> bool:
        """Shorten the texts that came since the last call, and return whether the session can hold no more."""
        for item in self.items[self.shortened :]:
            if isinstance(item, Message):
                item.text = shorten(item.text, item.origin)
                self.text_size += len(item.text)
            elif isinstance(item, Call):
                item.brief = item.brief[:_BEYOND_LIMIT]
                self.text_size += len(item.brief)
            elif isinstance(item, TypedShell):
                item.text = item.text[:_BEYOND_LIMIT]
                self.text_size += len(item.text)
        self.shortened = len(self.items)
        return self.shortened >= MOST_ITEMS or self.text_size >= MOST_TEXT

    def stop(self, name: str = "") -> None:
        """Note that the person stopped the agent; a second note in a row is the same stop."""
        if not self.items or type(self.items[-1]) is not Stop:
            self.items.append(Stop(name))

    def note_instructions(self, path: str, text: str) -> None:
        """Note the text of an instruction file that was in force; the same file's later text replaces it."""
        if path in self.instructions or len(self.instructions) < MOST_INSTRUCTIONS:
            self.instructions[path] = text[: INSTRUCTIONS_LIMIT + _BEYOND_LIMIT]

    def date(self, begin: int, timestamp: str | float | None) -> None:
        """Note the time of the record from which the items from number `begin` on were read."""
        for item in self.items[begin:]:
            item.at = timestamp

    def saw(self, timestamp: str | float | None) -> None:
        """Note the time of a record."""
        if timestamp:
            if self.first is None:
                self.first = timestamp
            self.last = timestamp

    def by_program(self) -> bool:
        """Return whether a program typed all prompts; if a person typed some, a program's become the harness's."""
        prompts = [item for item in self.items if type(item) is Message and item.origin is Origin.USER]
        if all(prompt.by_program for prompt in prompts):
            return bool(prompts)
        for prompt in prompts:
            if prompt.by_program:
                prompt.origin = Origin.HARNESS
        return False

    def _leave_out_copies(self) -> None:
        """Make prompts the harness's that were written again together with the next: nobody types both at once."""
        prompts = [item for item in self.items if isinstance(item, Message) and item.origin is Origin.USER]
        typed: set[str] = set()
        for prompt, later in pairwise(prompts):
            if prompt.text in typed and prompt.at is not None and prompt.at == later.at:
                prompt.origin = Origin.HARNESS
            typed.add(prompt.text)

    def session(self, source: str, name: str, stamp: Stamp, *, damaged: int, torn: bool = False) -> Session:
        """Return the finished record, redacted; without a time of its own it has the file's.

        A line that is `torn` off is damage only in a file that holds nothing else.
        """
        if torn and not self.items:
            damaged += 1
        self._leave_out_copies()
        told = self._told()
        ended = moment(self.last) or datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
        started = moment(self.first) or ended
        cwd = self.cwd if _is_folder(self.cwd) else ""
        return Session(
            id=f"{source}:{_redacted_name(name)}",
            source=source,
            project=_redacted(project_root(cwd)),
            cwd=_redacted(cwd),
            started=min(started, ended),
            ended=ended,
            turns=tuple(told.turns),
            commit=_redacted(self.commit),
            entrypoint=_redacted(self.entrypoint),
            tools=tuple(told.tools),
            stops=tuple(told.stops),
            commands=tuple(told.commands),
            changed_files=tuple(told.changed),
            skills=tuple(dict.fromkeys(_redacted(skill) for skill in self.skills)),
            instructions=tuple(
                InForce(path=_redacted(path), text=_instructions(text)) for path, text in self.instructions.items()
            ),
            damaged=damaged,
        )

    def _told(self) -> "_Told":
        """Return what a session keeps of the items."""
        told = _Told()
        for item in self.items:
            if isinstance(item, Message):
                told.add_message(item)
            elif isinstance(item, Call):
                told.add_call(item)
            elif isinstance(item, Stop):
                told.stops[told.last_heard] = None
            elif isinstance(item, TypedShell):
                text = _clipped(item.text, COMMAND_LIMIT)
                told.commands.append(TypedCommand(turn=told.turn, text=text, at=moment(item.at)))
            else:
                told.add_changed(item)
        return told


class _Told:
    """The items of a session in order: its turns, and what was done after which of them.

    `last_heard` is the last turn that the person or the agent said.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.tools: list[ToolEvent] = []
        self.stops: dict[int, None] = {}
        self.commands: list[TypedCommand] = []
        self.changed: list[ChangedFile] = []
        self.last_heard = 0
        self._calls: dict[int, int] = {}  # the turn of each call, by the call's id()

    @property
    def turn(self) -> int:
        """Return the index of the last turn, or 0 before the first."""
        return max(len(self.turns) - 1, 0)

    def add_message(self, item: Message) -> None:
        """Add a message as a turn, unless it is blank."""
        if not item.text or item.text.isspace():
            return
        role = Role.ASSISTANT if item.origin is Origin.ASSISTANT else Role.USER
        limit = _LIMITS[item.origin]
        text, pasted = _clipped_with_pastes(item, limit) if item.pasted else (_clipped(item.text, limit), ())
        turn = Turn(
            role=role, origin=item.origin, text=text, id=_redacted_id(item.id), at=moment(item.at), pasted=pasted
        )
        self.turns.append(turn)
        if item.origin is not Origin.HARNESS:
            self.last_heard = len(self.turns) - 1

    def add_call(self, item: Call) -> None:
        """Add a tool call."""
        self._calls[id(item)] = self.turn
        self.tools.append(_tool_event(item, self.turn))

    def add_changed(self, item: Changed) -> None:
        """Add a file that changed on disk."""
        since = self._calls.get(id(item.call))
        if since is None:
            return
        file = ChangedFile(
            turn=self.turn, since=since, path=_brief(item.path), restored=item.restored, at=moment(item.at)
        )
        self.changed.append(file)


def shorten(text: str, origin: Origin) -> str:
    """Return the text up to its limit, and enough beyond it to recognize a secret that begins before the limit."""
    return text[: _LIMITS[origin] + _BEYOND_LIMIT]


def _is_folder(cwd: str) -> bool:
    """Return whether this may name a folder: a path that isn't absolute would lead to wherever we happen to run."""
    return len(cwd) <= _LONGEST_PATH and "\0" not in cwd and _ABSOLUTE.match(cwd) is not None


def _tool_event(call: Call, turn: int) -> ToolEvent:
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
    """Redact the id of a record, which is different each time and almost always a UUID."""
    if not name or _UUID.fullmatch(name):
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
    is_clean = _is_clean(part) if limit == HARNESS_LIMIT else redact(part) == part
    if not is_clean:
        return clip(text, limit)
    if len(text) <= limit:
        return text
    return part[: limit - 1] + "…"


def _clipped_with_pastes(item: Message, limit: int) -> tuple[str, tuple[tuple[int, int], ...]]:
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
