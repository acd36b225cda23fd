"""What `claude -p --output-format stream-json` says: one event a line, the last of them the result."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from skillopt_sleep.records import Tokens, Usage

LATEST = 253402300799
MOST_USD = 1_000_000.0  # more than any call costs
_Cost = Annotated[float, Meta(ge=0, le=MOST_USD)]


class _ModelUsage(msgspec.Struct, rename="camel"):
    """Tokens of all requests to one model; those for and from the cache aren't in `input_tokens`."""

    input_tokens: Tokens | None = None
    cache_creation_input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cost_basis: str | None = None

    @property
    def spent(self) -> Usage:
        cached = self.cache_read_input_tokens or 0
        whole = (self.input_tokens or 0) + (self.cache_creation_input_tokens or 0) + cached
        return Usage(input_tokens=whole, output_tokens=self.output_tokens or 0, cached_tokens=cached)


class Result(msgspec.Struct, tag_field="type", tag="result"):
    """The last event; `subtype` is success for failures too, and an answer of no model has no `models`."""

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
        """What each model took; none where it isn't told, or is what can't be."""
        try:
            return _bill.decode(self.bill)
        except msgspec.DecodeError:
            return {}

    @property
    def usage(self) -> Usage | None:
        """The tokens of all requests (the event's own `usage` may leave some out); None where none were named."""
        spent = sum((used.spent for used in self.models.values()), start=Usage())
        if not spent.tokens:
            # A request that the server refused costs nothing; where a connection broke, what it cost is unknown.
            return None if self.api_error_status is None else Usage()
        return spent

    @property
    def usd(self) -> float | None:
        """The program's own figure; None for a model without a price, where it makes one up, and without usage."""
        made_up = any(
            used.cost_basis == "unknown" or (used.cost_basis is None and "claude" not in name)
            for name, used in self.models.items()
        )
        try:
            return None if made_up or self.usage is None else _cost.decode(self.total_cost_usd)
        except msgspec.DecodeError:
            return None

    @property
    def model(self) -> str:
        """The model that wrote most of it."""
        models = self.models
        return max(models, key=lambda name: models[name].output_tokens or 0, default="")


_bill = msgspec.json.Decoder(dict[str, _ModelUsage])
_cost = msgspec.json.Decoder(_Cost)


class Limit(msgspec.Struct, rename="camel"):
    """A subscription's share as it was at a request."""

    status: str
    resets_at: Annotated[int, Meta(ge=0, le=LATEST)] | None = None
    rate_limit_type: str | None = None
    is_using_overage: bool | None = None

    @property
    def reached(self) -> bool:
        """Whether it is used up; rejected without a reason is no more than a 429 that will pass."""
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
    """Message after every request that was made with a subscription."""

    rate_limit_info: Limit


class _System(msgspec.Struct, tag_field="type", tag="system"):
    pass


class _Assistant(msgspec.Struct, tag_field="type", tag="assistant"):
    pass


class _User(msgspec.Struct, tag_field="type", tag="user"):
    pass


class Heard(NamedTuple):
    """The last result and limit; how many lines were events that we know, and how many anything else."""

    result: Result | None
    limit: Limit | None
    known: int
    odd: int


_event: msgspec.json.Decoder[Result | _RateLimit | _System | _Assistant | _User]
_event = msgspec.json.Decoder(Result | _RateLimit | _System | _Assistant | _User)


def listen(stdout: bytes) -> Heard:
    """What was said, whatever it is."""
    result, limit, known, odd = None, None, 0, 0
    for line in BytesIO(stdout):  # one at a time: a flood may be a million lines
        try:
            event = _event.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            odd += bool(line.strip())
            continue
        known += 1
        if isinstance(event, Result):
            result = event
        elif isinstance(event, _RateLimit):
            limit = event.rate_limit_info
    return Heard(result, limit, known, odd)
