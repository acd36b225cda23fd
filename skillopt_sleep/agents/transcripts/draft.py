"""A session while its file is read: what was said and called, in order, and what is known of it as a whole."""

import hashlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.kit.redact import clip, redact
from skillopt_sleep.records import Origin, Role, Session, Stamp, ToolEvent, Turn, Usage

USER_LIMIT = 20_000
ASSISTANT_LIMIT = 2_000
HARNESS_LIMIT = 300
BRIEF_LIMIT = 200

# No session has near as much: beyond it a file is no longer read, so that none fills the memory.
MOST_ITEMS = 50_000
MOST_TEXT = 8_000_000

_BEYOND = 2_048  # a secret that the cut would split is seen by so much of it
_HELD = 10_000  # so much beyond its limit is kept of a text until it is redacted and cut
_LONGEST_PATH = 4_096
_ABSOLUTE = re.compile(r"/|\\\\|[A-Za-z]:[/\\]")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_EARLIEST = datetime(2020, 1, 1, tzinfo=UTC)  # an earlier time is that of a clock that wasn't set
_LIMITS = {Origin.USER: USER_LIMIT, Origin.ASSISTANT: ASSISTANT_LIMIT, Origin.HARNESS: HARNESS_LIMIT}


class Said(msgspec.Struct, gc=False):
    """A text and where it comes from; `by_program` where a program typed it in a person's place."""

    origin: Origin
    text: str
    id: str = ""
    by_program: bool = False


class Called(msgspec.Struct, gc=False):
    """A tool call; `id` is that of the record it stands in."""

    name: str
    brief: str
    id: str = ""
    error: bool = False
    exit_code: int | None = None
    rejected: bool = False


class Stopped(msgspec.Struct, gc=False):
    """The person stopped the agent at its work; `id` is that of the record that says so."""

    id: str = ""


@dataclass(slots=True)
class Draft:
    """What is known so far."""

    cwd: str = ""
    commit: str = ""
    entrypoint: str = ""
    first: str | float | None = None
    last: str | float | None = None
    items: list[Said | Called | Stopped] = field(default_factory=list[Said | Called | Stopped])
    skills: dict[str, None] = field(default_factory=dict[str, None])
    models: dict[str, None] = field(default_factory=dict[str, None])
    usage: Usage = field(default_factory=Usage)
    held: int = 0
    trimmed: int = 0

    def is_full(self) -> bool:
        """Let go of what is of no use in the texts that came since the last time; whether a session holds no more."""
        for item in self.items[self.trimmed :]:
            if isinstance(item, Said):
                item.text = held(item.text, item.origin)
                self.held += len(item.text)
            elif isinstance(item, Called):
                item.brief = item.brief[:_HELD]
                self.held += len(item.brief)
        self.trimmed = len(self.items)
        return self.trimmed >= MOST_ITEMS or self.held >= MOST_TEXT

    def stop(self, name: str = "") -> None:
        """Note that the person stopped the agent, once where the program says so twice."""
        if not self.items or type(self.items[-1]) is not Stopped:
            self.items.append(Stopped(name))

    def saw(self, timestamp: str | float | None) -> None:
        """Note the time of a record."""
        if timestamp:
            if self.first is None:
                self.first = timestamp
            self.last = timestamp

    def by_program(self) -> bool:
        """Whether all prompts were typed by a program; where a person typed too, a program's become the harness's."""
        prompts = [item for item in self.items if type(item) is Said and item.origin is Origin.USER]
        if all(prompt.by_program for prompt in prompts):
            return bool(prompts)
        for prompt in prompts:
            if prompt.by_program:
                prompt.origin = Origin.HARNESS
        return False

    def session(self, source: str, name: str, stamp: Stamp, *, damaged: int) -> Session:
        """The finished record, redacted; without any time of its own it has the file's."""
        turns, tools, stops = self._turns()
        ended = moment(self.last) or datetime.fromtimestamp(stamp.mtime_ns / 1e9, tz=UTC)
        started = moment(self.first) or ended
        cwd = self.cwd if _is_folder(self.cwd) else ""
        return Session(
            id=f"{source}:{_own_name(name)}",
            source=source,
            project=_redacted(project_root(cwd)),
            cwd=_redacted(cwd),
            started=min(started, ended),
            ended=ended,
            turns=turns,
            commit=_redacted(self.commit),
            entrypoint=_redacted(self.entrypoint),
            tools=tools,
            stops=stops,
            skills=tuple(dict.fromkeys(_redacted(skill) for skill in self.skills)),
            models=tuple(dict.fromkeys(_redacted(model) for model in self.models)),
            usage=self.usage,
            damaged=damaged,
        )

    def _turns(self) -> tuple[tuple[Turn, ...], tuple[ToolEvent, ...], tuple[int, ...]]:
        turns: list[Turn] = []
        tools: list[ToolEvent] = []
        stops: dict[int, None] = {}
        heard = 0
        for item in self.items:
            if isinstance(item, Called):
                tools.append(_event(item, max(len(turns) - 1, 0)))
            elif isinstance(item, Stopped):
                stops[heard] = None
            elif item.text and not item.text.isspace():
                role = Role.ASSISTANT if item.origin is Origin.ASSISTANT else Role.USER
                text = _kept(item.text, _LIMITS[item.origin])
                turns.append(Turn(role=role, origin=item.origin, text=text, id=_redacted_id(item.id)))
                if item.origin is not Origin.HARNESS:
                    heard = len(turns) - 1
        return tuple(turns), tuple(tools), tuple(stops)


def held(text: str, origin: Origin) -> str:
    """So much of a text as can be of use: its limit, and enough to find a secret that begins before it."""
    most = _LIMITS[origin] + _HELD
    return text if len(text) <= most else text[:most]


def _is_folder(cwd: str) -> bool:
    """Whether this may name a folder: what isn't whole and absolute would lead to wherever we happen to run."""
    return len(cwd) <= _LONGEST_PATH and "\0" not in cwd and _ABSOLUTE.match(cwd) is not None


def _event(call: Called, turn: int) -> ToolEvent:
    name = _redacted(call.name)
    brief = _brief(call.brief) if call.brief else ""
    if not (call.error or call.rejected):
        return ToolEvent(name=name, turn=turn, brief=brief, exit_code=call.exit_code)
    return ToolEvent(
        name=name, turn=turn, brief=brief, error=call.error, exit_code=call.exit_code, rejected=call.rejected
    )


@lru_cache(maxsize=4096)
def _brief(text: str) -> str:
    """The same files and commands come again and again."""
    return _kept(text, BRIEF_LIMIT)


@lru_cache(maxsize=4096)
def _redacted(name: str) -> str:
    """Names of folders, branches, models, skills and tools, which are the same in many sessions."""
    return redact(name)


def _redacted_id(name: str) -> str:
    """The id of a record, which is different each time and almost always a UUID."""
    return name if not name or _UUID.fullmatch(name) else redact(name)


def _own_name(name: str) -> str:
    """The session's own name; two that held secrets stay apart."""
    clean = _redacted_id(name)
    return clean if clean == name else f"{clean}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


@lru_cache(maxsize=1024)
def _is_clean(part: str) -> bool:
    """The harness says the same in every session of a project."""
    return redact(part) == part


def _kept(text: str, limit: int) -> str:
    """The redacted text, cut to its limit; almost always there is no secret in it, nor near the cut."""
    part = text[: limit + _BEYOND]
    if not (_is_clean(part) if limit == HARNESS_LIMIT else redact(part) == part):
        return clip(text, limit)
    return text if len(text) <= limit else part[: limit - 1] + "…"


def moment(timestamp: str | float | None) -> datetime | None:
    """A record's time in UTC: ISO 8601, or seconds or milliseconds since 1970; None where it can't be one."""
    try:
        if isinstance(timestamp, str):
            found = datetime.fromisoformat(timestamp)
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        elif timestamp is not None:
            found = datetime.fromtimestamp(timestamp / 1000 if timestamp > 1e11 else timestamp, tz=UTC)  # noqa: PLR2004
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found >= _EARLIEST else None
