"""Read what `claude -p --output-format stream-json` prints: one event a line, the result last."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from skillopt_sleep.records import Tokens, Usage

LATEST = 253402300799
# More than any call costs.
MOST_USD = 1_000_000.0
_Cost = Annotated[float, Meta(ge=0, le=MOST_USD)]


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


class Result(msgspec.Struct, tag_field="type", tag="result"):
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


_bill = msgspec.json.Decoder(dict[str, _ModelUsage])
_cost = msgspec.json.Decoder(_Cost)


class Limit(msgspec.Struct, rename="camel"):
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

    rate_limit_info: Limit


class _System(msgspec.Struct, tag_field="type", tag="system"):
    pass


class _Assistant(msgspec.Struct, tag_field="type", tag="assistant"):
    pass


class _User(msgspec.Struct, tag_field="type", tag="user"):
    pass


class Output(NamedTuple):
    """The last result and limit; how many lines were known events, and how many anything else."""

    result: Result | None
    limit: Limit | None
    known: int
    odd: int


_event: msgspec.json.Decoder[Result | _RateLimit | _System | _Assistant | _User]
_event = msgspec.json.Decoder(Result | _RateLimit | _System | _Assistant | _User)


def read_output(stdout: bytes) -> Output:
    """Read the events the program printed; anything else is counted."""
    result: Result | None = None
    limit: Limit | None = None
    known = 0
    odd = 0
    for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
        try:
            event = _event.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if line.strip():
                odd += 1
            continue
        known += 1
        if isinstance(event, Result):
            result = event
        elif isinstance(event, _RateLimit):
            limit = event.rate_limit_info
    return Output(result, limit, known, odd)
