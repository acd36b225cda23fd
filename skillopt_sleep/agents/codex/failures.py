"""Tell why `codex` ended without an answer, by its events, its status and the sentence that it fails with."""

import re

from skillopt_sleep.agents.codex.output import CodexOutput
from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.kit.failure_words import kind_of, wait_in
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.process import ProcessResult
from skillopt_sleep.protocols.program import MOST_READ

LONGEST_WAIT = 60.0
# Nobody listens there: a replay can't renew the user's login, and if it has to, the login counts as refused.
NO_RENEWAL = "http://127.0.0.1:9/no-renewal"
INSTALL = "run: npm install -g @openai/codex@latest, or name its path in backend.program"
_UPDATE = f"read what it says; if it isn't the newest version: {INSTALL}"
# The statuses of a program that can't be run, and after SIGKILL and SIGTERM.
_NOT_FOUND = frozenset({126, 127})
_SIGNALLED = frozenset({128 + 9, 128 + 15})
_RENEW = "run codex once, which renews it, or: codex login"
_STATUS = re.compile(r"(?:unexpected status|last status:?) (\d{3})\b")
_UNTIL = re.compile(r"try (again (?:in|at) [^.()\n]{1,60})", re.IGNORECASE)


def problem(output: CodexOutput, ran: ProcessResult) -> CallFailed | None:
    """Return why this isn't a completed turn, or None if it is one."""
    tokens = output.tokens
    if ran.stopped:
        return _stopped(output, ran)
    if output.failure is not None:
        return failed(output.failure or output.complaint, tokens)
    if ran.status < 0 or ran.status in _SIGNALLED:
        return CallFailed(FailureKind.KILLED, f"codex was killed (status {ran.status})", tokens=tokens)
    if ran.status:
        return _refusal(output, ran)
    if output.is_completed:
        return None
    # If stopped in the middle of a turn, some versions exit with status 0.
    if output.is_begun:
        return CallFailed(FailureKind.KILLED, "codex ended in the middle of its turn")
    shown = one_line(ran.stdout[:MOST_READ].decode(errors="replace"), limit=80)
    kind = FailureKind.MALFORMED if shown else FailureKind.EMPTY
    return CallFailed(kind, f"codex ended without an answer; it printed: {shown!r}")


def _stopped(output: CodexOutput, ran: ProcessResult) -> CallFailed:
    """Return why we had to end the program."""
    if ran.stopped == "flooded":
        return CallFailed(FailureKind.FLOODED, "codex printed far more than an answer", tokens=output.tokens)
    # Without a network it waits forever, and says so meanwhile.
    if _kind(output.complaint) is FailureKind.UNREACHABLE:
        return failed(output.complaint, output.tokens)
    message = f"codex had not ended after {ran.seconds:.0f} s"
    return CallFailed(FailureKind.TIMED_OUT, message, tokens=output.tokens)


def _refusal(output: CodexOutput, ran: ProcessResult) -> CallFailed:
    """Return why it ended with a failing status, by an error event or by a sentence on stderr before any event."""
    if output.complaint:
        return failed(output.complaint, output.tokens)
    lines = ran.stderr[:MOST_READ].decode(errors="replace").splitlines()
    shown = one_line(" ".join(line for line in lines if not line.startswith("WARNING")), limit=300) or "nothing"
    kind = FailureKind.NOT_INSTALLED if ran.status in _NOT_FOUND else FailureKind.BAD_REQUEST
    message = f"codex ended with status {ran.status} and printed: {shown}"
    return CallFailed(kind, message, remedy=_UPDATE, tokens=output.tokens)


def failed(sentence: str, tokens: tuple[int, int, int] | None = None) -> CallFailed:
    """Return the failure that a sentence describes, with the time or the wait it names."""
    if NO_RENEWAL in sentence:
        refused = "codex's login was refused, and a replay doesn't renew it"
        return CallFailed(FailureKind.LOGIN, refused, remedy=_RENEW, tokens=tokens)
    kind = _kind(sentence)
    remedy = ""
    wait: float | None = None
    if kind is FailureKind.LOGIN:
        remedy = "run: codex login, or check the key"
    if kind is FailureKind.QUOTA and (until := _UNTIL.search(sentence)):
        remedy = f"try {one_line(until[1])}, as it says, or use another model"
    if kind in (FailureKind.RATE_LIMITED, FailureKind.OVERLOADED):
        named = wait_in(sentence)
        wait = None if named is None else min(named, LONGEST_WAIT)
    shown = one_line(sentence, limit=300) or "it gave no reason"
    return CallFailed(kind, f"codex failed: {shown}", remedy=remedy, retry_after=wait, tokens=tokens)


def _kind(sentence: str) -> FailureKind:
    """Return the kind of failure, or `bad_request` if the sentence says nothing that we know."""
    named = _STATUS.search(sentence)
    return kind_of(sentence, int(named[1]) if named else None) or FailureKind.BAD_REQUEST
