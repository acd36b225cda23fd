"""The findings of a check-up, and the exit code they add up to."""

from collections.abc import Iterable
from enum import StrEnum

from skillopt_sleep.errors import Exit, SleepError
from skillopt_sleep.kit.files import worded
from skillopt_sleep.records import Record


class Topic(StrEnum):
    """The topics of findings, in the order of the report."""

    SETTINGS = "settings"
    MODELS = "models"
    LOGINS = "logins"
    PROGRAMS = "programs"
    SEALS = "seals"
    CONSENT = "consent"
    SIGHT = "seen"
    LIMITS = "limits"
    PATHS = "paths"
    STORE = "store"
    KEPT = "kept"
    DAEMON = "daemon"
    INSTALLS = "installs"


class FindingState(StrEnum):
    """The result of a check: a problem, fine, or not possible to check from here."""

    PROBLEM = "problem"
    FINE = "fine"
    UNKNOWN = "unknown"


class Finding(Record, frozen=True, kw_only=True):
    """One line of the report; a problem always has a remedy, other findings may have a hint in its place."""

    topic: Topic
    state: FindingState
    says: str
    remedy: str = ""


def problem(topic: Topic, says: str, remedy: str) -> Finding:
    """Return a problem: something to fix."""
    return Finding(topic=topic, state=FindingState.PROBLEM, says=says, remedy=remedy)


def fine(topic: Topic, says: str, remedy: str = "") -> Finding:
    """Return a finding about something that is as it should be."""
    return Finding(topic=topic, state=FindingState.FINE, says=says, remedy=remedy)


def unknown(topic: Topic, says: str, remedy: str = "") -> Finding:
    """Return a finding about something that can't be checked from here."""
    return Finding(topic=topic, state=FindingState.UNKNOWN, says=says, remedy=remedy)


def of_error(topic: Topic, error: SleepError | OSError) -> Finding:
    """Return the error as a problem; a missing login is filed under logins, whichever check found it."""
    if isinstance(error, OSError):
        return problem(topic, *worded(error, remedy="check who may read it"))
    if error.exit_code is Exit.LOGIN:
        topic = Topic.LOGINS
    return problem(topic, error.message, error.remedy or "see: skillopt-sleep --help")


def problems(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the problems, in the order of their topics."""
    order = list(Topic)
    wrong = [finding for finding in findings if finding.state is FindingState.PROBLEM]
    return tuple(sorted(wrong, key=lambda finding: order.index(finding.topic)))


def exit_code(findings: Iterable[Finding]) -> Exit:
    """Return the exit code: done, failed, or login needed if logins are the only problem."""
    wrong = problems(findings)
    if not wrong:
        return Exit.DONE
    if all(finding.topic is Topic.LOGINS for finding in wrong):
        return Exit.LOGIN
    return Exit.FAILED
