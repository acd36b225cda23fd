"""Read what a server means by a refusal: the kind of failure, and when to ask again."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, cast

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.clock import utc_now

# A limit that lasts longer counts as a quota that is used up: a night doesn't wait for it.
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
_DURATION = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)(?![a-z])", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_BAD_REQUESTS = frozenset({400, 422})


class Refusal(NamedTuple):
    """A server's refusal: its status, its names and words for the error, and the seconds it asks to wait."""

    status: int
    names: frozenset[str] = frozenset()
    text: str = ""
    wait: float | None = None

    @property
    def kind(self) -> FailureKind:
        """The kind of failure: by the error's names, else by its words, else by the status."""
        for kind, names in _NAMES.items():
            if self.names & names:
                return kind
        return self._kind_by_words() or self._kind_by_status()

    def _kind_by_words(self) -> FailureKind | None:
        is_soon = self.wait is not None and self.wait <= LONGEST_WAIT
        if _QUOTA.search(self.text) and not is_soon:
            return FailureKind.QUOTA
        if _TOO_LONG.search(self.text):
            return FailureKind.TOO_LONG
        if self.of_model:
            return FailureKind.MODEL
        if self.status in _BAD_REQUESTS and _REFUSED.search(self.text):
            return FailureKind.REFUSED
        return None

    def _kind_by_status(self) -> FailureKind:
        if self.status >= _SERVER_ERROR:
            return FailureKind.OVERLOADED
        kind = _BY_STATUS.get(self.status, FailureKind.BAD_REQUEST)
        if kind is FailureKind.RATE_LIMITED and self.wait is not None and not self.wait <= LONGEST_WAIT:
            return FailureKind.QUOTA
        return kind

    @property
    def again(self) -> datetime | None:
        """When to ask again, if the server says so."""
        return None if self.wait is None else utc_now() + timedelta(seconds=self.wait)

    @property
    def of_model(self) -> bool:
        """Return whether its words say that there is no such model; a 404 alone may be a wrong address."""
        if self.names & _NAMES[FailureKind.MODEL]:
            return True
        may_pass = self.status >= _SERVER_ERROR or _BY_STATUS.get(self.status) is FailureKind.RATE_LIMITED
        return not may_pass and bool(_MODEL.search(self.text))

    @property
    def of_schema(self) -> bool:
        """Return whether the server refuses because a structured reply was asked for."""
        return self.status in _BAD_REQUESTS and bool(_SCHEMA.search(self.text))

    @property
    def of_scope(self) -> bool:
        """Return whether the key is good, but not for this kind of request."""
        return bool(_SCOPE.search(self.text))


def read_refusal(status: int, body: object, headers: Mapping[str, str]) -> Refusal:
    """Read an answer with an error status, in any of the shapes that servers give an error."""
    error = _error_in(body)
    names = [error.get(key) for key in ("code", "type", "status")]
    names.append(_fields(error.get("innererror")).get("code"))
    names.append(_fields(error.get("details")).get("error_code"))
    text = (_words_in(error, body) or f"status {status}")[:MOST_TEXT]
    return Refusal(
        status=status,
        names=frozenset(name.lower() for name in names if isinstance(name, str)),
        text=text,
        wait=_wait(headers, error, text),
    )


def _error_in(body: object) -> dict[str, Any]:
    """Return the error in a body: the body itself, or what is under `error`, or in a list of one."""
    if isinstance(body, list):
        items = cast("list[object]", body)
        return _error_in(items[0]) if items else {}
    fields = _fields(body)
    return _fields(fields.get("error")) or fields


def _words_in(error: Mapping[str, Any], body: object) -> str:
    for key in ("message", "detail", "error"):
        words = error.get(key)
        if isinstance(words, str):
            return words or _text(body)
    return _text(body)


def _text(body: object) -> str:
    return body if isinstance(body, str) else ""


def _fields(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _wait(headers: Mapping[str, str], error: Mapping[str, Any], text: str) -> float | None:
    """Return how many seconds the server asks to wait, by its headers or else by its error or words."""
    milliseconds = headers.get("retry-after-ms", "")
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    seconds_or_date = headers.get("retry-after", "").strip()
    if _NUMBER.fullmatch(seconds_or_date):
        return float(seconds_or_date)
    if seconds_or_date:
        return _seconds_until(seconds_or_date)
    resets = error.get("resets_in_seconds")
    if isinstance(resets, int | float) and resets >= 0:
        return float(resets)
    match = _AGAIN.search(text)
    if not match:
        return None
    durations = _DURATION.findall(match[1])
    if not durations:
        return None
    return sum(float(number) * _seconds_in(unit.lower()) for number, unit in durations)


def _seconds_until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - utc_now()).total_seconds())


def _seconds_in(unit: str) -> float:
    if unit.startswith(("ms", "mil")):
        return 0.001
    return {"h": 3600.0, "m": 60.0, "s": 1.0}[unit[0]]
