"""What a look at the installation found, and what that makes of it."""

from collections.abc import Iterable
from enum import StrEnum

from skillopt_sleep.errors import Exit, SleepError
from skillopt_sleep.kit.disk import worded
from skillopt_sleep.records.record import Record


class Topic(StrEnum):
    """What a finding is about, in the order in which it is told."""

    SETTINGS = "settings"
    MODELS = "models"
    LOGINS = "logins"
    PROGRAMS = "programs"
    CONSENT = "consent"
    SIGHT = "seen"
    LIMITS = "limits"
    PATHS = "paths"
    STORE = "store"
    DAEMON = "daemon"
    INSTALLS = "installs"


class State(StrEnum):
    """What is so: wrong, right, or not to be told from here."""

    PROBLEM = "problem"
    FINE = "fine"
    UNKNOWN = "unknown"


class Finding(Record, frozen=True, kw_only=True):
    """One line of what is so; every problem has a remedy, what is fine may have a hint there."""

    topic: Topic
    state: State
    says: str
    remedy: str = ""


def problem(topic: Topic, says: str, remedy: str) -> Finding:
    """Something to mend."""
    return Finding(topic=topic, state=State.PROBLEM, says=says, remedy=remedy)


def fine(topic: Topic, says: str, remedy: str = "") -> Finding:
    """Something that is as it should be."""
    return Finding(topic=topic, state=State.FINE, says=says, remedy=remedy)


def unknown(topic: Topic, says: str, remedy: str = "") -> Finding:
    """Something that can't be told from here."""
    return Finding(topic=topic, state=State.UNKNOWN, says=says, remedy=remedy)


def of_error(topic: Topic, error: SleepError | OSError) -> Finding:
    """The error as a problem; a missing login is one of the logins whatever was looked at."""
    if isinstance(error, OSError):
        return problem(topic, *worded(error, remedy="check who may read it"))
    topic = Topic.LOGINS if error.exit_code is Exit.LOGIN else topic
    return problem(topic, error.message, error.remedy or "see: skillopt-sleep --help")


def problems(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What is to be mended, in the order of the topics."""
    order = list(Topic)
    wrong = [finding for finding in findings if finding.state is State.PROBLEM]
    return tuple(sorted(wrong, key=lambda finding: order.index(finding.topic)))


def exit_code(findings: Iterable[Finding]) -> Exit:
    """How the command ends: well, failed, or login needed where nothing else is wrong."""
    wrong = problems(findings)
    if not wrong:
        return Exit.DONE
    return Exit.LOGIN if all(finding.topic is Topic.LOGINS for finding in wrong) else Exit.FAILED
