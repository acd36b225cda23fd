"""What a server means by its no: the kind of failure, from status, error code and words, and when to ask again."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, cast

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.clock import utc_now

# A limit that lasts longer is a quota that is used up: nobody waits for it in the night.
LONGEST_WAIT = 300.0
MOST_TEXT = 2_000

_BY_STATUS = {
    401: FailureKind.LOGIN,
    402: FailureKind.QUOTA,
    403: FailureKind.LOGIN,
    404: FailureKind.MODEL,
    408: FailureKind.TIMED_OUT,
    413: FailureKind.TOO_LONG,
    429: FailureKind.RATE_LIMITED,
}
_SERVER_ERROR = 500
_NAMES = {
    FailureKind.QUOTA: {
        "insufficient_quota",
        "billing_error",
        "billing_hard_limit_reached",
        "billing_not_active",
        "usage_limit_reached",
        "enforced_spend_limit_reached",
        "contract_spend_limit_reached",
        "linked_organization_spend_limit_reached",
    },
    FailureKind.TOO_LONG: {
        "context_length_exceeded",
        "exceed_context_size_error",
        "request_too_large",
        "string_above_max_length",
    },
    FailureKind.MODEL: {"model_not_found", "deploymentnotfound"},
    FailureKind.REFUSED: {
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "bio_policy",
        "misalignment_policy_violation",
        "invalid_prompt",
    },
}
_QUOTA = re.compile(
    r"credit balance|insufficient (?:quota|credits?|funds|balance)|requires more credits|out of credits?"
    r"|exceeded your current quota|quota exceeded|(?:usage|spend|spending|billing)(?: hard)? limits?\b",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"maximum context length|exceeds?\b.{0,60}\bcontext|context (?:length|size|window) (?:is )?exceeded"
    r"|(?:prompt|input|request) (?:is )?too (?:long|large)",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"\bmodels?\b.{0,100}?\b(?:(?:does not|doesn't) exist|not (?:found|available)|is not a valid|no longer available)"
    r"|\b(?:unknown|invalid|no such) model\b|^model: |\bdeployment\b.{0,60}\bdoes not exist",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"content (?:management )?polic|content filter|usage polic|safety system", re.IGNORECASE)
_SCHEMA = re.compile(
    r"response_format|json_schema|text\.format|output_config|output_format|structured output", re.IGNORECASE
)
_SCOPE = re.compile(r"\bscopes?\b", re.IGNORECASE)
_AGAIN = re.compile(r"(?:try again|retry|wait) (?:in|after|for) ((?:\s*\d+(?:\.\d+)?\s*[a-z]+)+)", re.IGNORECASE)
_SPAN = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)(?![a-z])", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_BAD_REQUESTS = frozenset({400, 422})


class Refusal(NamedTuple):
    """A server's no: its status, what it calls the error, its words, and the seconds it asks to wait."""

    status: int
    names: frozenset[str] = frozenset()
    text: str = ""
    wait: float | None = None

    @property
    def kind(self) -> FailureKind:
        """What kind of failure it is."""
        for kind, names in _NAMES.items():
            if self.names & names:
                return kind
        soon = self.wait is not None and self.wait <= LONGEST_WAIT
        if _QUOTA.search(self.text) and not soon:
            return FailureKind.QUOTA
        if _TOO_LONG.search(self.text):
            return FailureKind.TOO_LONG
        if self.of_model:
            return FailureKind.MODEL
        if self.status in _BAD_REQUESTS and _REFUSED.search(self.text):
            return FailureKind.REFUSED
        if self.status >= _SERVER_ERROR:
            return FailureKind.OVERLOADED
        kind = _BY_STATUS.get(self.status, FailureKind.BAD_REQUEST)
        waits_for_ever = kind is FailureKind.RATE_LIMITED and self.wait is not None and not soon
        return FailureKind.QUOTA if waits_for_ever else kind

    @property
    def again(self) -> datetime | None:
        """When it says to ask again, where it says so."""
        return None if self.wait is None else utc_now() + timedelta(seconds=self.wait)

    @property
    def of_model(self) -> bool:
        """Whether its words say that there is no such model; a 404 alone may be a wrong address."""
        if self.names & _NAMES[FailureKind.MODEL]:
            return True
        passing = self.status >= _SERVER_ERROR or _BY_STATUS.get(self.status) is FailureKind.RATE_LIMITED
        return not passing and bool(_MODEL.search(self.text))

    @property
    def of_schema(self) -> bool:
        """Whether it dislikes that a structured reply is asked for."""
        return self.status in _BAD_REQUESTS and bool(_SCHEMA.search(self.text))

    @property
    def of_scope(self) -> bool:
        """Whether the key is good, but not for this kind of request."""
        return bool(_SCOPE.search(self.text))


def refusal(status: int, body: object, headers: Mapping[str, str]) -> Refusal:
    """What the answer says, in any of the shapes that servers give an error."""
    error = _inner(body)
    names = [error.get(key) for key in ("code", "type", "status")]
    names += [_fields(error.get(key)).get(name) for key, name in (("innererror", "code"), ("details", "error_code"))]
    words = next((error[key] for key in ("message", "detail", "error") if isinstance(error.get(key), str)), None)
    text = (words or (body if isinstance(body, str) else "") or f"status {status}")[:MOST_TEXT]
    return Refusal(
        status=status,
        names=frozenset(name.lower() for name in names if isinstance(name, str)),
        text=text,
        wait=_wait(headers, error, text),
    )


def _inner(body: object) -> dict[str, Any]:
    """The error in a body: itself, or under `error`, or in a list of one."""
    if isinstance(body, list):
        found = cast("list[object]", body)
        return _inner(found[0]) if found else {}
    fields = _fields(body)
    return _fields(fields.get("error")) or fields


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _wait(headers: Mapping[str, str], error: Mapping[str, Any], text: str) -> float | None:
    """How many seconds the server asks to wait: by header, in seconds or as a date, else in its error or words."""
    exact, named = headers.get("retry-after-ms", ""), headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(exact):
        return float(exact) / 1000
    if _NUMBER.fullmatch(named):
        return float(named)
    if named:
        try:
            date = parsedate_to_datetime(named)
        except ValueError:
            return None
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (date - utc_now()).total_seconds())
    resets = error.get("resets_in_seconds")
    if isinstance(resets, int | float) and resets >= 0:
        return float(resets)
    found = _AGAIN.search(text)
    spans = _SPAN.findall(found[1]) if found else []
    return sum(float(number) * _seconds(unit.lower()) for number, unit in spans) if spans else None


def _seconds(unit: str) -> float:
    if unit.startswith(("ms", "mil")):
        return 0.001
    return {"h": 3600.0, "m": 60.0, "s": 1.0}[unit[0]]
