"""Collect a session while its file is read: what was said and done, in order, and what is known of it as a whole."""

from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from skillopt_sleep.records import Origin

INSTRUCTIONS_LIMIT = 20_000
MOST_INSTRUCTIONS = 20
# So much of a text is kept in the session.
LIMITS = {Origin.USER: 20_000, Origin.ASSISTANT: 2_000, Origin.HARNESS: 300}

# No real session has nearly as much. Beyond it the rest of a file isn't used, so that no file fills the memory.
MOST_ITEMS = 50_000
MOST_TEXT = 8_000_000

# How much of a text beyond its limit is kept until it is redacted and cut.
_BEYOND_LIMIT = 10_000


class DraftMessage(msgspec.Struct, gc=False):
    """A text and where it comes from; `by_program` if a program typed it in a person's place.

    `pasted` are the parts of it that are known to be pasted, from a start up to an end, in order.
    """

    origin: Origin
    text: str
    id: str = ""
    by_program: bool = False
    at: str | float | None = None
    pasted: tuple[tuple[int, int], ...] = ()


class DraftCall(msgspec.Struct, gc=False):
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


class DraftChange(msgspec.Struct, gc=False):
    """Somebody changed on disk what this call of the agent had written."""

    path: str
    call: DraftCall
    restored: bool = False
    id: str = ""
    at: str | float | None = None


class Stop(msgspec.Struct, gc=False):
    """The person stopped the agent at its work; `id` is that of the record that says so."""

    id: str = ""
    at: str | float | None = None


Item = DraftMessage | DraftCall | Stop | TypedShell | DraftChange


@dataclass(slots=True)
class SessionDraft:
    """A session as far as it has been read; `items` is what was said and done, in order.

    `at` is the time of the record that is being read, and `size` the length of all texts. One that `is_full` can hold
    no more.
    """

    cwd: str = ""
    commit: str = ""
    entrypoint: str = ""
    first: str | float | None = None
    last: str | float | None = None
    items: list[Item] = field(default_factory=list[Item])
    skills: dict[str, None] = field(default_factory=dict[str, None])
    instructions: dict[str, str] = field(default_factory=dict[str, str])
    at: str | float | None = None
    size: int = 0
    is_full: bool = False

    @property
    def prompts(self) -> list[DraftMessage]:
        """Return what a person, or a program in their place, typed."""
        return [item for item in self.items if isinstance(item, DraftMessage) and item.origin is Origin.USER]

    def add(self, item: Item) -> None:
        """Add what was said or done at this time, a long text shortened."""
        item.at = self.at
        if isinstance(item, DraftMessage):
            item.text = shorten(item.text, item.origin)
            self.size += len(item.text)
        elif isinstance(item, DraftCall):
            item.brief = item.brief[:_BEYOND_LIMIT]
            self.size += len(item.brief)
        elif isinstance(item, TypedShell):
            item.text = item.text[:_BEYOND_LIMIT]
            self.size += len(item.text)
        self.items.append(item)
        self.is_full = self.size >= MOST_TEXT or len(self.items) >= MOST_ITEMS

    def stop(self, name: str = "") -> None:
        """Note that the person stopped the agent; a second note in a row is the same stop."""
        if not self.items or type(self.items[-1]) is not Stop:
            self.add(Stop(name))

    def note_instructions(self, path: str, text: str) -> None:
        """Note the text of an instruction file that was in force; the same file's later text replaces it."""
        if path in self.instructions or len(self.instructions) < MOST_INSTRUCTIONS:
            self.instructions[path] = text[: INSTRUCTIONS_LIMIT + _BEYOND_LIMIT]

    def leave_out_content(self) -> None:
        """Forget what was said and done, in a session of which only the place and the times are kept."""
        self.items.clear()
        self.skills.clear()
        self.instructions.clear()

    def saw(self, timestamp: str | float | None) -> None:
        """Note the time of a record."""
        if timestamp:
            if self.first is None:
                self.first = timestamp
            self.last = timestamp

    def by_program(self) -> bool:
        """Return whether a program typed all prompts; if a person typed some, a program's become the harness's."""
        prompts = self.prompts
        if all(prompt.by_program for prompt in prompts):
            return bool(prompts)
        for prompt in prompts:
            if prompt.by_program:
                prompt.origin = Origin.HARNESS
        return False


def shorten(text: str, origin: Origin) -> str:
    """Return the text up to its limit, and enough beyond it to recognize a secret that begins before the limit."""
    return text[: LIMITS[origin] + _BEYOND_LIMIT]


class ToolInput(msgspec.Struct, gc=False):
    """The parts of a tool's input that tell what the call was for, whatever their types."""

    command: Any = None
    cmd: Any = None
    file_path: Any = None
    notebook_path: Any = None
    path: Any = None
    pattern: Any = None
    url: Any = None
    query: Any = None
    skill: Any = None
    plan: Any = None
    description: Any = None
    old_string: Any = None
    new_string: Any = None

    @property
    def brief(self) -> str:
        """Return the command, file or address, or "" if the input names none."""
        for value in (self.command, self.cmd, self.file_path, self.notebook_path, self.path, self.pattern):
            if text := _text(value):
                return text
        return _text(self.url) or _text(self.query) or _text(self.skill) or _text(self.description)


_inputs = msgspec.json.Decoder(ToolInput)


def brief_of(tool_input: bytes | str | msgspec.Raw) -> str:
    """Return the brief of an input that is still JSON, or "" if it isn't JSON."""
    try:
        return _inputs.decode(tool_input).brief
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def _text(value: Any) -> str:
    if isinstance(value, list) and value:
        # A command given as arguments ends with what the shell is to run.
        value = cast("list[Any]", value)[-1]
    return value if isinstance(value, str) else ""
