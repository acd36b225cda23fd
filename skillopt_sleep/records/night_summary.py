"""Summarize a night in sentences: how it ended, what of it waits for a decision, why, and what to do.

Whatever shows a night takes its sentences from here: the report, `run`, `status`, `report --list` and notifications.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from skillopt_sleep.records.corrections import NOTHING
from skillopt_sleep.records.outcomes import CUT_SHORT, Outcome
from skillopt_sleep.records.record import counted
from skillopt_sleep.records.reports import NightReport, Proof, Proposal
from skillopt_sleep.records.sessions import LEFT_OUT_WORDS, LeftOut

OUTCOMES = {
    Outcome.IMPROVED: "found something to propose",
    Outcome.UNDECIDED: "nothing proven yet, later nights go on",
    Outcome.UNVERIFIED: "nothing could be proven",
    Outcome.NO_CHANGE: "nothing new to propose",
    Outcome.NO_HEADROOM: "the agent already does what you asked",
    Outcome.NOTHING_NEW: "nothing new learned",
    Outcome.BACKEND_FAILED: "cut short, the model failed",
    Outcome.OVER_BUDGET: "cut short, its limit was reached",
    Outcome.INTERRUPTED: "cut short, it was stopped",
}
"""How a night ended, in words."""

REVIEW = "decide on what waits: skillopt-sleep review"
ERRORS = "look at the errors below"


class NightSummary(NamedTuple):
    """A night in sentences; `waits` are the ids of all that waits for a decision now, this night's first."""

    ended: str
    decide: str
    because: str
    to_do: str
    waits: tuple[str, ...] = ()


def summarize_night(report: NightReport, waiting: Collection[str] | None = None) -> NightSummary:
    """Summarize a night, given the ids of the proposals that wait now, of whatever night.

    Without them it is summarized as when it ended: its own proposals wait, and the others that waited then.
    """
    if waiting is None and report.others is not None:
        waiting = (*(proposal.id for proposal in report.proposals), *report.others)
    own = [proposal.id for proposal in report.proposals]
    here = own if waiting is None else [name for name in waiting if name in own or _whole(name) in own]
    others = [name for name in waiting or () if name not in own and _whole(name) not in own]
    waits = (*here, *others)
    return NightSummary(
        ended=ended(report),
        decide=_decide(report.proposals, here, others, is_known=waiting is not None),
        because=_because(report),
        to_do=_to_do(report, waits),
        waits=waits,
    )


def ended(report: NightReport) -> str:
    """Return in words how a night ended."""
    words = OUTCOMES[report.verdict]
    if report.verdict in CUT_SHORT and not report.began:
        words = words.replace("cut short", "did not start")
        if report.run.login_needed:
            words = "did not start, the login or key was refused"
    return words


def left_out(skipped: Mapping[str, int]) -> str:
    """Count the sessions that were left out, with the reasons in words."""
    parts: list[str] = []
    for reason, count in skipped.items():
        words = LEFT_OUT_WORDS[LeftOut(reason)] if reason in set(LeftOut) else reason
        parts.append(f"{count} {words}")
    return ", ".join(parts)


def is_of(proposal: Proposal, names: Collection[str]) -> bool:
    """Return whether a proposal, or one rule of it, is among these names."""
    return any(proposal.id in {name, _whole(name)} for name in names)


def _whole(name: str) -> str:
    """Return the proposal that a rule of it, as in P-0001.2, belongs to."""
    return name.partition(".")[0]


def _decide(own: Collection[Proposal], here: Collection[str], others: Collection[str], *, is_known: bool) -> str:
    """Say what waits for a decision: of this night, and of others."""
    names = f": {', '.join(others)}" if len(others) <= 3 else ""  # noqa: PLR2004 - more are a list, not a sentence
    if here:
        early = sum(1 for proposal in own if proposal.proof is Proof.EARLY and is_of(proposal, here))
        said = ""
        if early:
            said = "early: not proven yet" if early == len(here) else f"{early} of them early: not proven yet"
        every = f"To decide: {counted(len(here) + len(others), 'proposal')}"
        if others:
            own_ones = f"{len(here)} of this night{f' ({said})' if said else ''}"
            return f"{every}: {own_ones} and {len(others)} of other nights{names and f' ({names[2:]})'}"
        return f"{every}, {said}" if said else every
    nothing = "Nothing to decide"
    if own:
        nothing = f"None of its {len(own)} proposals waits now" if len(own) > 1 else "Its proposal doesn't wait now"
    elif others or not is_known:
        nothing = "Nothing new to decide"
    if others:
        waiting = counted(len(others), "proposal of other nights waits", "proposals of other nights wait")
        return f"{nothing}; {waiting}{names}"
    return nothing


def _because(report: NightReport) -> str:
    """Return why the night ended so, as a sentence without its full stop."""
    if report.verdict is Outcome.INTERRUPTED:
        return "The night was stopped; sessions that were unread stay unread, and completed calls are kept"
    if report.verdict in CUT_SHORT:
        cause = report.because.rstrip(".")
        if not report.began:
            return f"The night did not start: {cause}; its sessions stay unread"
        kept = "sessions that were unread stay unread, and completed calls are kept"
        return f"The night was cut short: {cause}; {kept}"
    because = report.because.rstrip(".")
    for outcome in report.documents:
        if because.startswith(f"{outcome.document.id}: "):
            return because  # a path keeps its lower case
    return f"{because[:1].upper()}{because[1:]}"


def _to_do(report: NightReport, waits: Collection[str]) -> str:
    """Say what the person can do now: nothing only if nothing waits and nothing went wrong."""
    remedy = report.remedy.replace(REVIEW, "").strip("; ")
    nothing = remedy if remedy.startswith(NOTHING) else NOTHING
    if report.verdict is Outcome.IMPROVED or remedy.startswith(NOTHING):
        remedy = ""  # what was proposed is said by what waits now
    steps = [remedy] if remedy else []
    if waits:
        steps.insert(len(steps) if report.verdict in CUT_SHORT else 0, REVIEW)
    elif not steps and any(note.remedy for note in report.trouble):
        steps.append(ERRORS)
    return "; ".join(steps) or nothing
