"""Read the kind of a failure from the sentence that `codex` fails with: it prints words, not codes."""

import re

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.markdown import one_line

LONGEST_WAIT = 60.0
# Nobody listens there: a replay can't renew the user's login, and if it has to, the login counts as refused.
NO_RENEWAL = "http://127.0.0.1:9/no-renewal"

_RENEW = "run codex once, which renews it, or: codex login"
_STATUS = re.compile(r"(?:unexpected status|last status:?) (\d{3})\b")
_FOR_CERTAIN = {
    401: FailureKind.LOGIN,
    403: FailureKind.LOGIN,
    404: FailureKind.MODEL,
    408: FailureKind.TIMED_OUT,
    413: FailureKind.TOO_LONG,
}
# The first one that fits counts.
_WORDS = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        (FailureKind.LOGIN, re.escape(NO_RENEWAL)),
        (FailureKind.LOGIN, r"missing environment variable|sign in again|not logged in|could not be refreshed"),
        (FailureKind.LOGIN, r"token_expired|token_invalidated|refresh_token|invalid_api_key|to use codex with your"),
        (
            FailureKind.QUOTA,
            r"usage.limit|insufficient_quota|quota exceeded|out of credits|spend(?:ing)?.(?:cap|limit)",
        ),
        (FailureKind.TOO_LONG, r"context.window|context_length|maximum context length|exceeds the context"),
        (FailureKind.REFUSED, r"content.filter|content.policy|(?:cyber|bio|usage).policy|invalid_prompt|was flagged"),
        (FailureKind.MODEL, r"model_not_found|\bmodel .{0,120}(?:not supported|does not exist|not found)"),
        (FailureKind.RATE_LIMITED, r"rate.limit|too many requests"),
        (FailureKind.OVERLOADED, r"at capacity|overloaded|high demand|server.error|error occurred while processing"),
        (
            FailureKind.UNREACHABLE,
            r"waiting for network|routing discovery|connection (?:failed|refused)|error sending request",
        ),
        (FailureKind.MALFORMED, r"stream (?:closed|disconnected)|<html|<!doctype|incomplete response"),
        (FailureKind.TIMED_OUT, r"timeout|timed out"),
    )
)
_UNTIL = re.compile(r"try (again (?:in|at) [^.()\n]{1,60})", re.IGNORECASE)
_PART = r"(\d{1,6}(?:\.\d{1,6})?) ?(ms|[hms])[a-z]*"
_WAIT = re.compile(rf"try again in (?:{_PART}[ ,]*){{1,4}}", re.IGNORECASE)
_SERVER_ERROR = 500
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def kind_of(sentence: str) -> FailureKind:
    """Return the kind of failure, or `bad_request` if none of the known words are in the sentence."""
    status = 0
    if named := _STATUS.search(sentence):
        status = int(named[1])
    if status in _FOR_CERTAIN:
        return _FOR_CERTAIN[status]
    for kind, words in _WORDS:
        if words.search(sentence):
            return kind
    return FailureKind.OVERLOADED if status >= _SERVER_ERROR else FailureKind.BAD_REQUEST


def failure(sentence: str, tokens: tuple[int, int, int] | None = None) -> CallFailed:
    """Return the failure that a sentence describes, with the time or the wait it names."""
    if NO_RENEWAL in sentence:
        refused = "codex's login was refused, and a replay doesn't renew it"
        return CallFailed(FailureKind.LOGIN, refused, remedy=_RENEW, tokens=tokens)
    kind = kind_of(sentence)
    remedy = ""
    wait: float | None = None
    if kind is FailureKind.LOGIN:
        remedy = "run: codex login, or check the key"
    if kind is FailureKind.QUOTA and (until := _UNTIL.search(sentence)):
        remedy = f"try {one_line(until[1])}, as it says, or use another model"
    if kind in (FailureKind.RATE_LIMITED, FailureKind.OVERLOADED):
        wait = _wait(sentence)
    shown = one_line(sentence, limit=300) or "it gave no reason"
    return CallFailed(kind, f"codex failed: {shown}", remedy=remedy, retry_after=wait, tokens=tokens)


def _wait(sentence: str) -> float | None:
    """Return the seconds to wait if the sentence says how long, at most as long as is worth waiting."""
    wait = _WAIT.search(sentence)
    if wait is None:
        return None
    seconds = 0.0
    for number, unit in re.findall(_PART, wait[0].lower()):
        seconds += float(number) * _SECONDS[unit]
    return min(seconds, LONGEST_WAIT)
