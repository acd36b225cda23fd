"""Tell why `claude` ended without an answer, by its result, its status and its words."""

import re

from skillopt_sleep.agents.claude_code.output import ClaudeOutput, FinalResult
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.failure_words import kind_of
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import MOST_READ

UPGRADE = "run: claude update"

_STATUS = re.compile(r"\bAPI Error: (\d{3})\b")
# Newer versions also say in a field what failed.
_API_ERRORS = {"connection_failed": FailureKind.UNREACHABLE, "usage_limit_reached": FailureKind.QUOTA}
_SUBTYPES = {"error_max_turns": FailureKind.OUT_OF_TURNS}
_REMEDIES = {FailureKind.LOGIN: "check the key, or run: claude, then /login"}
# The statuses after SIGINT, SIGKILL and SIGTERM; after SIGINT most versions end with 0 and say nothing.
_SIGNALLED = frozenset({130, 137, 143})


def problem(output: ClaudeOutput, ran: ProcessResult) -> CallFailed | None:
    """Return why the last run didn't come to its own end, or None if it did."""
    if ran.stopped:
        return _stopped(ran)
    result = output.result
    if result is None:
        return _no_result(ran, events=output.known)
    if output.limit is not None and output.limit.reached:
        return failed(result, FailureKind.QUOTA, f"claude: {output.limit}")
    if result.stop_reason == "refusal":
        return failed(result, FailureKind.REFUSED, f"claude: the model refused: {result.words}")
    if result.is_error or result.subtype != "success":
        return _error(result)
    if ran.status:
        kind = FailureKind.KILLED if _is_signalled(ran) else FailureKind.MALFORMED
        return failed(result, kind, f"claude ended with status {ran.status} after its answer")
    return None


def failed(result: FinalResult, kind: FailureKind, message: str) -> CallFailed:
    """Return a failure with what the call took all the same."""
    usage = result.usage
    tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens) if usage else None
    return CallFailed(kind, message, remedy=_REMEDIES.get(kind, ""), tokens=tokens, usd=result.usd)


def output_excerpt(ran: ProcessResult) -> str:
    """Return what the program printed in words, shortened; stderr comes first."""
    printed = ran.stderr.strip() or ran.stdout.strip()
    return one_line(printed[:MOST_READ].decode(errors="replace"), limit=200)


def _stopped(ran: ProcessResult) -> CallFailed:
    """Return why we had to end the program."""
    kind = FailureKind.TIMED_OUT
    did = "did not answer"
    if ran.stopped == "flooded":
        kind = FailureKind.FLOODED
        did = "wrote more than is read"
    return CallFailed(kind, f"claude {did} and was ended after {ran.seconds:.0f} s")


def _no_result(ran: ProcessResult, *, events: int) -> CallFailed:
    """Return why there is no result event; `events` is the number of other events."""
    printed = output_excerpt(ran)
    fell_silent = ran.status == 0 and (events or not ran.stdout.strip())
    if _is_signalled(ran) or fell_silent:
        how = f"by signal {-ran.status}" if ran.status < 0 else f"with status {ran.status}"
        return CallFailed(FailureKind.KILLED, f"claude was ended {how} before it answered")
    if "unknown option" in printed:
        return CallFailed(FailureKind.NOT_INSTALLED, f"claude is another version: {printed}", remedy=UPGRADE)
    kind = _kind(None, printed)
    message = f"claude ended with status {ran.status} and without a result: {printed or 'it printed nothing'}"
    return CallFailed(kind, message, remedy=_REMEDIES.get(kind, ""))


def _error(result: FinalResult) -> CallFailed:
    """Return the failure that a result tells of."""
    if result.is_error and (result.terminal_reason or "").startswith("aborted"):
        return failed(result, FailureKind.KILLED, "claude was interrupted before it answered")
    kind = _SUBTYPES.get(result.subtype) or _API_ERRORS.get(result.api_error or "")
    kind = kind or _kind(result.api_error_status, result.words)
    return failed(result, kind, f"claude: {result.words or result.subtype}")


def _kind(status: int | None, words: str) -> FailureKind:
    """Return the kind of an error, by the server's status (given or in the message) and by the message itself."""
    if status is None and (named := _STATUS.search(words)):
        status = int(named[1])
    return kind_of(words, status) or FailureKind.MALFORMED


def _is_signalled(ran: ProcessResult) -> bool:
    """Return whether a signal ended the program."""
    return ran.status < 0 or ran.status in _SIGNALLED
