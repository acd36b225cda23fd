"""Tell the kind of a model's failure by the status and the words of a program or a server: one table for all."""

import re

from skillopt_sleep.errors import FailureKind

SERVER_ERROR = 500
RATE_LIMITED = 429
BAD_REQUESTS = frozenset({400, 422})
_STATUSES = {
    401: FailureKind.LOGIN,
    402: FailureKind.QUOTA,
    403: FailureKind.LOGIN,
    404: FailureKind.MODEL,
    408: FailureKind.TIMED_OUT,
    413: FailureKind.TOO_LONG,
    RATE_LIMITED: FailureKind.RATE_LIMITED,
}
# The first one that fits counts.
_WORDS = {
    kind: re.compile(words, re.IGNORECASE)
    for kind, words in {
        FailureKind.QUOTA: (
            r"credit balance|insufficient[ _](?:quota|credits?|funds|balance)|requires (?:more|usage) credits"
            r"|out of (?:extra )?usage|out of credits?|exceeded your current quota|quota exceeded"
            r"|you've (?:hit|reached) your"
            r"|(?<!not your )\b(?:usage|spend|spending|billing)[ _](?:hard[ _])?(?:limit|cap)"
        ),
        FailureKind.TOO_LONG: (
            r"(?:prompt|input|request) (?:is )?too (?:long|large)|context[ _](?:window|limit|length)"
            r"|context size (?:is )?exceeded|exceeds?\b.{0,60}\bcontext"
        ),
        FailureKind.MODEL: (
            r"\bmodels?\b.{0,120}?\b(?:(?:does not|doesn't) exist|not (?:found|available)|is not a valid)"
            r"|\bmodels?\b.{0,120}?\bno longer available"
            r"|\b(?:unknown|invalid|no such) model\b|^model: |\bdeployment\b.{0,60}\bdoes not exist|model_not_found"
            r"|issue with the selected model|\bmodel .{0,120}not supported when using"
        ),
        FailureKind.REFUSED: (
            r"content (?:management )?polic|content[ ._](?:filter|policy)|(?:cyber|bio|usage)[ _]polic|safety system"
            r"|invalid_prompt|was flagged"
        ),
        FailureKind.LOGIN: (
            r"not logged in|run /login|sign in again|could not be refreshed|missing environment variable|authenticat"
            r"|credential|invalid[ _](?:api[ _]key|auth token)|token_expired|token_invalidated|refresh_token"
            r"|to use codex with your"
        ),
        FailureKind.RATE_LIMITED: r"rate.limit|too many requests",
        FailureKind.OVERLOADED: (
            r"overloaded|internal server error|server.error|at capacity|high demand|error occurred while processing"
        ),
        FailureKind.UNREACHABLE: (
            r"\bconnect|can't reach|no internet|socket|network|routing discovery|error sending request"
        ),
        FailureKind.MALFORMED: r"stream (?:closed|disconnected)|<html|<!doctype|incomplete response",
        FailureKind.TIMED_OUT: r"timeout|timed out",
    }.items()
}
_AGAIN = re.compile(r"(?:try again|retry|wait) (?:in|after|for) ((?:\s*\d+(?:\.\d+)?\s*[a-z]+)+)", re.IGNORECASE)
_DURATION = re.compile(
    r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|h|hours?|m|min|minutes?|s|sec|seconds?)(?![a-z])", re.IGNORECASE
)


def says(kind: FailureKind, words: str) -> bool:
    """Return whether the words tell of a failure of this kind."""
    return _WORDS[kind].search(words) is not None


def kind_of(words: str, status: int | None = None) -> FailureKind | None:
    """Return the kind of a failure, or None if neither the status nor the words tell it.

    With a status, words only tell what it leaves open: a used-up quota, a prompt that is too long, a model that isn't
    there, or a refusal.
    """
    for kind, pattern in _WORDS.items():
        if (status is None or may_be(kind, status)) and pattern.search(words):
            return kind
    return None if status is None else kind_of_status(status)


def kind_of_status(status: int) -> FailureKind:
    """Return the kind of a failure by its HTTP status alone."""
    if status >= SERVER_ERROR:
        return FailureKind.OVERLOADED
    return _STATUSES.get(status, FailureKind.BAD_REQUEST)


def wait_in(words: str) -> float | None:
    """Return the seconds after which the words say to try again, or None if they don't say so."""
    named = _AGAIN.search(words)
    durations = _DURATION.findall(named[1]) if named else []
    if not durations:
        return None
    return sum(float(number) * _seconds_in(unit.lower()) for number, unit in durations)


def may_be(kind: FailureKind, status: int) -> bool:
    """Return whether the words of an answer with this status may say that it is a failure of this kind."""
    match kind:
        case FailureKind.TOO_LONG:
            return True
        case FailureKind.QUOTA:
            return status < SERVER_ERROR
        case FailureKind.MODEL:
            return status < SERVER_ERROR and status != RATE_LIMITED
        case FailureKind.REFUSED:
            return status in BAD_REQUESTS
        case _:
            return False


def _seconds_in(unit: str) -> float:
    if unit.startswith(("ms", "mil")):
        return 0.001
    return {"h": 3600.0, "m": 60.0, "s": 1.0}[unit[0]]
