"""Tell why `claude` ended without an answer, by its result, its status and its words."""

import re

from skillopt_sleep.agents.claude_code.events import Result
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import Ran
from skillopt_sleep.protocols.program import MOST_READ

_STATUS = re.compile(r"\bAPI Error: (\d{3})\b")
_SPENT = re.compile(
    r"credit balance is too low|you've (?:hit|reached) your|out of (?:extra )?usage|requires usage credits",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"prompt is too long|input is too long|request too large|context (?:window|limit)", re.IGNORECASE
)
# For a 4xx, the words of the program or the server tell more than the status.
_BEFORE_STATUS = (
    (_SPENT, FailureKind.QUOTA),
    (_TOO_LONG, FailureKind.TOO_LONG),
    (re.compile(r"issue with the selected model|invalid model name", re.IGNORECASE), FailureKind.MODEL),
)
_WITHOUT_STATUS = (
    (
        re.compile(
            r"not logged in|run /login|invalid api key|invalid auth token|authenticat|credential", re.IGNORECASE
        ),
        FailureKind.LOGIN,
    ),
    (re.compile(r"overloaded|internal server error", re.IGNORECASE), FailureKind.OVERLOADED),
    (re.compile(r"connect|can't reach|no internet|socket|network", re.IGNORECASE), FailureKind.UNREACHABLE),
)
_STATUSES = {
    401: FailureKind.LOGIN,
    402: FailureKind.QUOTA,
    403: FailureKind.LOGIN,
    404: FailureKind.MODEL,
    413: FailureKind.TOO_LONG,
    429: FailureKind.RATE_LIMITED,
}
# Newer versions also say it in a field.
_API_ERRORS = {"connection_failed": FailureKind.UNREACHABLE, "usage_limit_reached": FailureKind.QUOTA}
_SUBTYPES = {"error_max_turns": FailureKind.OUT_OF_TURNS, "error_max_budget_usd": FailureKind.OVER_BUDGET}
REMEDIES = {FailureKind.LOGIN: "check the key, or run: claude, then /login"}
SERVER_ERROR = 500
UPGRADE = "run: claude update"
# The statuses after SIGINT, SIGKILL and SIGTERM; after SIGINT most versions end with 0 and say nothing.
_SIGNALLED = frozenset({130, 137, 143})


def shown(ran: Ran) -> str:
    """Return what the program printed in words, shortened; stderr comes first."""
    printed = ran.stderr.strip() or ran.stdout.strip()
    return one_line(printed[:MOST_READ].decode(errors="replace"), limit=200)


def stopped(ran: Ran) -> CallFailed:
    """Return why we had to end the program."""
    kind = FailureKind.TIMED_OUT
    problem = "did not answer"
    if ran.stopped == "flooded":
        kind = FailureKind.FLOODED
        problem = "wrote more than is read"
    return CallFailed(kind, f"claude {problem} and was ended after {ran.seconds:.0f} s")


def no_result(ran: Ran, *, events: int) -> CallFailed:
    """Return why there is no result event; `events` is the number of other events."""
    printed = shown(ran)
    fell_silent = ran.status == 0 and (events or not ran.stdout.strip())
    if is_signalled(ran) or fell_silent:
        how = f"by signal {-ran.status}" if ran.status < 0 else f"with status {ran.status}"
        return CallFailed(FailureKind.KILLED, f"claude was ended {how} before it answered")
    if "unknown option" in printed:
        return CallFailed(FailureKind.NOT_INSTALLED, f"claude is another version: {printed}", remedy=UPGRADE)
    kind = _kind(None, printed)
    message = f"claude ended with status {ran.status} and without a result: {printed or 'it printed nothing'}"
    return CallFailed(kind, message, remedy=REMEDIES.get(kind, ""))


def error(result: Result, words: str) -> tuple[FailureKind, str]:
    """Return the kind of an error in the result, and its message."""
    if result.is_error and (result.terminal_reason or "").startswith("aborted"):
        return FailureKind.KILLED, "claude was interrupted before it answered"
    kind = _SUBTYPES.get(result.subtype) or _API_ERRORS.get(result.api_error or "")
    kind = kind or _kind(result.api_error_status, words)
    return kind, f"claude: {words or result.subtype}"


def is_signalled(ran: Ran) -> bool:
    """Return whether a signal ended the program."""
    return ran.status < 0 or ran.status in _SIGNALLED


def _kind(status: int | None, words: str) -> FailureKind:
    """Return the kind of an error, by the server's status (given or in the message) and by the message itself."""
    if status is None and (named := _STATUS.search(words)):
        status = int(named[1])
    if status is not None and status >= SERVER_ERROR:
        return FailureKind.OVERLOADED
    for pattern, kind in _BEFORE_STATUS:
        if pattern.search(words):
            return kind
    if status is not None:
        return _STATUSES.get(status, FailureKind.BAD_REQUEST)
    for pattern, kind in _WITHOUT_STATUS:
        if pattern.search(words):
            return kind
    return FailureKind.MALFORMED
