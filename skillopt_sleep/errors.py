"""The errors a user can act on, by who handles them.

An ItemError is about one item: the stage that catches it records it and continues. A NightError ends the night. A
CallPending pauses the night without a report until it is run again. A ProposalError refuses a change to the user's
files. Any other exception is a bug and ends at the boundary in cli.
"""

from enum import IntEnum, StrEnum
from typing import Any

_RAISED_BY = "raised by "


class Exit(IntEnum):
    """The exit codes of the command line."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    LOGIN = 4
    BUDGET = 5
    REFUSED = 6
    PENDING = 7
    WAITING = 10
    LOCKED = 11
    STOPPED = 130


class SleepError(Exception):
    """Something a user can act on: what happened, and the remedy."""

    exit_code: Exit = Exit.FAILED

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        if remedy:
            self.add_note(f"→ {remedy}")  # shown in tracebacks, which is what users of the library see

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the error whatever its constructor takes: errors come back from other processes."""
        return _rebuilt, (type(self), self.args), self.__dict__


def blame(error: BaseException, whose: str) -> None:
    """Note on an error who raised it, if that isn't our own code."""
    error.add_note(f"{_RAISED_BY}{whose}")


def blamed(error: BaseException) -> str:
    """Return who raised the error, as `blame` noted, or "" if nobody did and it is a bug of ours."""
    notes: list[str] = getattr(error, "__notes__", [])
    for note in notes:
        if note.startswith(_RAISED_BY):
            return note.removeprefix(_RAISED_BY)
    return ""


def _rebuilt(kind: type[SleepError], args: tuple[Any, ...]) -> SleepError:
    return kind.__new__(kind, *args)


class ItemError(SleepError):
    """One item failed: the stage records it as unscored, or as a note, and continues."""


class FailureKind(StrEnum):
    """Why a model call failed; a failure is never a score."""

    NOT_INSTALLED = "not_installed"
    LOGIN = "login"
    MODEL = "model"
    QUOTA = "quota"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    UNREACHABLE = "unreachable"
    TOO_LONG = "too_long"
    BAD_REQUEST = "bad_request"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    KILLED = "killed"
    EMPTY = "empty"
    MALFORMED = "malformed"
    FLOODED = "flooded"
    OUT_OF_TURNS = "out_of_turns"
    OVER_BUDGET = "over_budget"


REMEDIES = {
    FailureKind.NOT_INSTALLED: "install it, or name its path in backend.program",
    FailureKind.LOGIN: "check the key",
    FailureKind.MODEL: "check the model's name",
    FailureKind.QUOTA: "wait until it is refilled, or use another model",
    FailureKind.RATE_LIMITED: "wait, or raise the quota",
    FailureKind.OVERLOADED: "try again later",
    FailureKind.UNREACHABLE: "check the address and that the server runs",
    FailureKind.TOO_LONG: "use a model that takes longer prompts",
    FailureKind.BAD_REQUEST: "check the model's name and the address",
    FailureKind.REFUSED: "use another model",
    FailureKind.TIMED_OUT: "try again later, or raise backend.timeout",
    FailureKind.KILLED: "find out what killed it (usually out of memory)",
    FailureKind.EMPTY: "check the address and the model: it must answer in text",
    FailureKind.MALFORMED: "check the address, and use a model that can answer in JSON",
    FailureKind.FLOODED: "use another model",
    FailureKind.OUT_OF_TURNS: "raise the program's limit of turns, or use another model",
    FailureKind.OVER_BUDGET: "raise the project's limit, or let the next night go on: paid answers are kept",
}
# Failures of one prompt, which say nothing about the next; any other may mean that the model is gone.
OF_THE_PROMPT = frozenset(
    {FailureKind.REFUSED, FailureKind.TOO_LONG, FailureKind.OUT_OF_TURNS, FailureKind.OVER_BUDGET}
)
# Failures of one attempt by itself: it took too long, or ended without an answer. Any other is an outage.
OF_THE_ATTEMPT = frozenset(
    {
        FailureKind.TIMED_OUT,
        FailureKind.FLOODED,
        FailureKind.OUT_OF_TURNS,
        FailureKind.EMPTY,
        FailureKind.TOO_LONG,
        FailureKind.REFUSED,
    }
)
# Failures after which no call can succeed tonight.
FOR_GOOD = frozenset({FailureKind.NOT_INSTALLED, FailureKind.LOGIN, FailureKind.QUOTA})


class CallFailed(ItemError):
    """One model call ended without a usable answer.

    `retry_after` is the number of seconds to wait before asking again, if a retry may help. `paid` says that an
    answer of no use was paid for; `tokens` (input, output, cached) and `usd` are what it cost, `reply` is its text.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        remedy: str = "",
        retry_after: float | None = None,
        tokens: tuple[int, int, int] | None = None,
        usd: float | None = None,
        paid: bool = False,
        reply: str = "",
    ) -> None:
        super().__init__(message, remedy=remedy or REMEDIES[kind])
        self.kind = kind
        self.retry_after = retry_after
        self.tokens = tokens
        self.usd = usd
        self.paid = paid
        self.reply = reply


class SealBroken(ItemError):
    """A seal could not be put up, so nothing was run in it."""


class NightError(SleepError):
    """Ends the whole night."""


class ConfigError(NightError):
    """A setting, a flag or a file the user wrote can't be used."""

    exit_code = Exit.USAGE


class BackendUnavailable(NightError):
    """The model can't be used tonight, so no more calls are made."""

    def __init__(self, message: str, *, remedy: str = "", login: bool = False) -> None:
        super().__init__(message, remedy=remedy)
        self.exit_code = Exit.LOGIN if login else Exit.FAILED


class BudgetExhausted(NightError):
    """The night has reached one of its spending limits."""

    exit_code = Exit.BUDGET


class NightInterrupted(NightError):
    """Someone stopped the night."""


class NightLocked(NightError):
    """Another night holds the lock."""

    exit_code = Exit.LOCKED


class StoreError(NightError):
    """The store on disk can't be used by this version."""


class CallPending(SleepError):
    """A call waits for an answer from outside; other calls continue, and so does the night when it is run again.

    `waiting` is how many calls are waiting now.
    """

    exit_code = Exit.PENDING

    def __init__(self, message: str, *, remedy: str = "", waiting: int = 1) -> None:
        super().__init__(message, remedy=remedy)
        self.waiting = waiting


class ProposalError(SleepError):
    """A change to the user's files was refused; nothing was written."""

    exit_code = Exit.REFUSED


class StaleProposal(ProposalError):
    """The live file has changed since the proposal was made."""


class UnsafePath(ProposalError):
    """A path leads outside the folders we may write to, or isn't a plain file."""


class UnsafeEdit(ProposalError):
    """The text holds something that the static guard refuses."""


class AdoptInterrupted(ProposalError):
    """An earlier adoption or undo stopped half-way and can't be finished automatically."""
