"""Read what `claude -p --output-format stream-json` prints: one event a line, the result last."""

import re
from datetime import UTC, datetime
from io import BytesIO
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from skillopt_sleep.agents.sealed.actions import Actions
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.records import Tokens, Usage

LATEST = 253402300799
# More than any call costs.
MOST_USD = 1_000_000.0

_Cost = Annotated[float, Meta(ge=0, le=MOST_USD)]
_SHELL = "Bash"
_SYNTHETIC = "<synthetic>"  # the model of messages that the program wrote itself
_EXIT = re.compile(r"\AExit code (\d{1,3})\b\n?")
_NOTED_EXIT = re.compile(r"\(exit code (\d{1,3})\)")
_IN_BACKGROUND = "Command running in background"
_NOT_RUN = "<tool_use_error>"


class _ModelUsage(msgspec.Struct, rename="camel"):
    """The tokens of all requests to one model; those to and from the cache aren't in `input_tokens`."""

    input_tokens: Tokens | None = None
    cache_creation_input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cost_basis: str | None = None

    @property
    def usage(self) -> Usage:
        cached = self.cache_read_input_tokens or 0
        input_tokens = (self.input_tokens or 0) + (self.cache_creation_input_tokens or 0) + cached
        return Usage(input_tokens=input_tokens, output_tokens=self.output_tokens or 0, cached_tokens=cached)


class FinalResult(msgspec.Struct, tag_field="type", tag="result"):
    """The last event; `subtype` is "success" for failures too, and an answer without a model call has no `models`."""

    is_error: bool
    subtype: str
    bill: msgspec.Raw = msgspec.field(name="modelUsage", default=msgspec.Raw(b"{}"))
    result: str | None = None
    structured_output: dict[str, Any] | None = None
    stop_reason: str | None = None
    terminal_reason: str | None = None
    api_error_status: int | None = None
    api_error: str | None = None
    total_cost_usd: msgspec.Raw = msgspec.Raw(b"null")
    errors: tuple[Any, ...] = ()

    @property
    def words(self) -> str:
        """Return what it says in words, shortened."""
        return one_line(self.result or " ".join(map(str, self.errors)), limit=200)

    @property
    def models(self) -> dict[str, _ModelUsage]:
        """Return what each model took, or nothing if the event doesn't say so or can't be right."""
        try:
            return _bill.decode(self.bill)
        except msgspec.DecodeError:
            return {}

    @property
    def usage(self) -> Usage | None:
        """Return the tokens of all requests, or None if they are unknown.

        They are summed over the models, because the event's own `usage` may leave some out.
        """
        total = sum((used.usage for used in self.models.values()), start=Usage())
        if total.tokens:
            return total
        # A request that the server refused costs nothing; if a connection broke, what it cost is unknown.
        return None if self.api_error_status is None else Usage()

    @property
    def usd(self) -> float | None:
        """Return the program's own figure, or None without usage and for a model whose price it makes up."""
        if self.usage is None:
            return None
        for name, used in self.models.items():
            if used.cost_basis == "unknown" or (used.cost_basis is None and "claude" not in name):
                return None
        try:
            return _cost.decode(self.total_cost_usd)
        except msgspec.DecodeError:
            return None

    @property
    def model(self) -> str:
        """Return the model that wrote most of the answer."""
        models = self.models
        return max(models, key=lambda name: models[name].output_tokens or 0, default="")


class SubscriptionLimit(msgspec.Struct, rename="camel"):
    """The state of a subscription's limit at a request."""

    status: str
    resets_at: Annotated[int, Meta(ge=0, le=LATEST)] | None = None
    rate_limit_type: str | None = None
    is_using_overage: bool | None = None

    @property
    def reached(self) -> bool:
        """Return whether the limit is used up; a rejection without a reason is only a 429 that will pass."""
        named = self.resets_at is not None or self.rate_limit_type is not None
        return self.is_using_overage is True or (self.status == "rejected" and named)

    def __str__(self) -> str:
        which = (self.rate_limit_type or "usage").replace("_", " ")
        until = ""
        if self.resets_at is not None:
            until = f" until {datetime.fromtimestamp(self.resets_at, UTC):%Y-%m-%d %H:%M} UTC"
        charged = "; more is charged as extra usage" if self.is_using_overage else ""
        return f"the subscription's {which} limit is used up{until}{charged}"


class _RateLimit(msgspec.Struct, tag_field="type", tag="rate_limit_event"):
    """The report that follows every request made with a subscription."""

    rate_limit_info: SubscriptionLimit


class _System(msgspec.Struct, tag_field="type", tag="system"):
    """A note of the program's, such as that a command in the background ended."""

    subtype: str = ""
    session_id: str = ""
    tool_use_id: str = ""
    summary: str = ""


class _Input(msgspec.Struct):
    command: Any = None


class _Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""
    input: _Input | None = None
    tool_use_id: str = ""
    content: msgspec.Raw = msgspec.Raw(b'""')
    is_error: bool | None = None


class _Message(msgspec.Struct):
    id: str = ""
    model: str = ""
    content: str | list[_Block] = ""

    @property
    def blocks(self) -> list[_Block]:
        return [] if isinstance(self.content, str) else self.content


class _Assistant(msgspec.Struct, tag_field="type", tag="assistant"):
    """A message of the model: its text and the tools that it calls."""

    message: _Message = msgspec.field(default_factory=_Message)
    session_id: str = ""


class _User(msgspec.Struct, tag_field="type", tag="user"):
    """The results of tools."""

    message: _Message = msgspec.field(default_factory=_Message)
    session_id: str = ""
    tool_use_result: msgspec.Raw = msgspec.Raw(b"null")


class _Interpreted(msgspec.Struct):
    meaning: str | None = msgspec.field(default=None, name="returnCodeInterpretation")


class _Text(msgspec.Struct):
    text: str = ""


_bill = msgspec.json.Decoder(dict[str, _ModelUsage])
_cost = msgspec.json.Decoder(_Cost)
_interpreted = msgspec.json.Decoder(_Interpreted)
_content = msgspec.json.Decoder(str | list[_Text])
_event: msgspec.json.Decoder[FinalResult | _RateLimit | _System | _Assistant | _User]
_event = msgspec.json.Decoder(FinalResult | _RateLimit | _System | _Assistant | _User)


class ClaudeOutput:
    """The program's output: result and limits of its last run, and its actions in all runs.

    `known` counts the events of the last run, and `odd` its lines that are none; `turns` the answers of the model.
    """

    def __init__(self) -> None:
        self.result: FinalResult | None = None
        self.limit: SubscriptionLimit | None = None
        self.known = 0
        self.odd = 0
        self.session = ""
        self.model = ""
        self.actions = Actions()
        self._answers: set[str] = set()

    @property
    def turns(self) -> int:
        """Return how often the model answered."""
        return len(self._answers)

    def read(self, stdout: bytes) -> "ClaudeOutput":
        """Read the events of one run, and return this."""
        self.result = self.limit = None
        self.known = self.odd = 0
        for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
            try:
                event = _event.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.odd += bool(line.strip())
                continue
            self.known += 1
            if isinstance(event, FinalResult):
                self.result = event
            elif isinstance(event, _RateLimit):
                self.limit = event.rate_limit_info
            else:
                self.session = event.session_id or self.session
                self._take(event)
        return self

    def _take(self, event: _System | _Assistant | _User) -> None:
        if isinstance(event, _System):
            if event.subtype == "task_notification" and (code := _NOTED_EXIT.search(event.summary)):
                self.actions.end(event.tool_use_id, int(code[1]))
        elif isinstance(event, _User):
            for block in event.message.blocks:
                if block.type == "tool_result":
                    self._end(block, event)
        elif event.message.blocks and event.message.model != _SYNTHETIC:
            self._answers.add(event.message.id)
            self.model = event.message.model or self.model
            for block in event.message.blocks:
                if block.type == "tool_use":
                    self._begin(block)

    def _begin(self, block: _Block) -> None:
        self.actions.call(block.id, block.name)
        if block.name == _SHELL:
            command = block.input.command if block.input else None
            self.actions.begin(block.id, command if isinstance(command, str) else "")

    def _end(self, block: _Block, event: _User) -> None:
        text = _text(block.content)
        if text.startswith(_NOT_RUN):
            self.actions.drop(block.tool_use_id)
        else:
            self.actions.end(block.tool_use_id, _exit_status(text, block, event), _EXIT.sub("", text))


def _exit_status(text: str, block: _Block, event: _User) -> int | None:
    if exit_code := _EXIT.match(text):
        return int(exit_code[1])
    if block.is_error or text.startswith(_IN_BACKGROUND):
        return None
    try:
        meaning = _interpreted.decode(event.tool_use_result).meaning
    except msgspec.DecodeError:
        meaning = None
    # A 1 that says something, such as that grep found nothing, isn't reported as an error.
    return 1 if meaning else 0


def _text(content: msgspec.Raw) -> str:
    try:
        value = _content.decode(content)
    except msgspec.DecodeError:
        return ""
    return value if isinstance(value, str) else "\n".join(block.text for block in value)
