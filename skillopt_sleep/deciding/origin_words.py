"""Say how often a rule was asked for, what is known of its trial, and what the person decided on it."""

from datetime import datetime

from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.words import ago, span
from skillopt_sleep.proposals.origins import Origin
from skillopt_sleep.records import Proof
from skillopt_sleep.reporters.decided import STATES
from skillopt_sleep.reporters.gains import in_numbers


def often(origin: Origin, *, now: datetime) -> str:
    """Return in how many sessions a rule came up and when, "" if in one."""
    if origin.sessions <= 1:
        return ""
    days = f", {span(origin.first, origin.last, now)}" if origin.first and origin.last else ""
    of = f" of {', '.join(origin.projects)}" if origin.projects else ""
    return f"in {origin.sessions} sessions{of}{days}"


def tried(origin: Origin) -> str:
    """Say in one sentence what is known of a rule's trial."""
    if origin.proof is Proof.WORDS:
        return "your own words are its proof, no trial was run"
    what = "it was tried" if origin.alone else f"all rules of {origin.proposal} were tried together"
    if origin.solved is not None:
        return f"{what}: {in_numbers(origin.solved, rules=1 if origin.alone else 2)}"
    if origin.before is not None and origin.after is not None:
        return f"{what}: graded {origin.before:.2f} before, {origin.after:.2f} with it, n={origin.n}"
    return "no trial was run"


def decision(origin: Origin, *, now: datetime) -> str:
    """Say what the person decided on a rule's proposal, and when."""
    words = STATES[origin.state].removesuffix(".")
    words = words[:1].lower() + words[1:]
    if origin.decided:
        at = datetime.fromisoformat(origin.decided)
        words = f"{words} on {at.astimezone():%Y-%m-%d} ({ago(at, now)})"
    if origin.reason:
        words = f"{words}: {visible(origin.reason)}"
    return words
