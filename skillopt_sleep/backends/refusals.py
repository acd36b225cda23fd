"""Read what a server means by a refusal: the kind of failure, and when to ask again."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, cast

from skillopt_sleep.errors import FailureKind
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.failure_words import BAD_REQUESTS, kind_of, kind_of_status, may_be, says, wait_in

# A limit that lasts longer counts as a quota that is used up: a night doesn't wait for it.
LONGEST_WAIT = 300.0
MOST_TEXT = 2_000

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
_SCHEMA = re.compile(
    r"response_format|json_schema|text\.format|output_config|output_format|structured output", re.IGNORECASE
)
_SCOPE = re.compile(r"\bscopes?\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,9})?")


class ServerRefusal(NamedTuple):
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
        kind = kind_of(self.text, self.status) or FailureKind.BAD_REQUEST
        if kind is FailureKind.QUOTA and self.wait is not None and self.wait <= LONGEST_WAIT:
            return kind_of_status(self.status)
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
        return may_be(FailureKind.MODEL, self.status) and says(FailureKind.MODEL, self.text)

    @property
    def of_schema(self) -> bool:
        """Return whether the server refuses because a structured reply was asked for."""
        return self.status in BAD_REQUESTS and bool(_SCHEMA.search(self.text))

    @property
    def of_scope(self) -> bool:
        """Return whether the key is good, but not for this kind of request."""
        return bool(_SCOPE.search(self.text))


def read_refusal(status: int, body: object, headers: Mapping[str, str]) -> ServerRefusal:
    """Read an answer with an error status, in any of the shapes that servers give an error."""
    error = _error_in(body)
    names = [error.get(key) for key in ("code", "type", "status")]
    names.append(_fields(error.get("innererror")).get("code"))
    names.append(_fields(error.get("details")).get("error_code"))
    text = (_words_in(error, body) or f"status {status}")[:MOST_TEXT]
    return ServerRefusal(
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
    return wait_in(text)


def _seconds_until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - utc_now()).total_seconds())
