"""Correction: something a person said or did that a night found, and what became of it."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.record import Record


class Became(StrEnum):
    """What became of a correction, from the earliest stage that dropped it to a proposal."""

    UNREAD = "unread"
    UNUSED = "unused"
    UNPROVEN = "unproven"
    FOR_ONCE = "for_once"
    CROWDED_OUT = "crowded_out"
    LATER = "later"
    TAKEN_BACK = "taken_back"
    NO_REQUEST = "no_request"
    NO_TEST = "no_test"
    UNGRADED = "ungraded"
    DROPPED = "dropped"
    NOTICED = "noticed"
    NOT_REACHED = "not_reached"
    NO_DOCUMENT = "no_document"
    NEEDS_REPOSITORY = "needs_repository"
    SEEN_ONCE = "seen_once"
    KEPT = "kept"
    ATTEMPTED = "attempted"
    TESTED = "tested"
    EDITED = "edited"
    PROPOSED = "proposed"


BECAME = {
    Became.UNREAD: "a call failed, so its session stays unread",
    Became.UNUSED: "no lesson was found in it",
    Became.UNPROVEN: "what the model made of it doesn't stand in the person's own words",
    Became.FOR_ONCE: "by its own words it holds for one time only",
    Became.CROWDED_OUT: "its session had founded as many tasks as a session may",
    Became.LATER: "left for another night (mine.max_tasks)",
    Became.TAKEN_BACK: "it was taken back later",
    Became.NO_REQUEST: "said without a request that could test it; it is remembered until there is one",
    Became.NO_TEST: "dropped: no test tells the answer that was rejected from a good one",
    Became.UNGRADED: "dropped: the judge's model could not tell answers of known worth apart",
    Became.DROPPED: "its task was dropped by hand, or its project is excluded",
    Became.NOTICED: "noticed only: its session can't tell whether it is wanted from now on; another one could",
    Became.NOT_REACHED: "the night ended before its turn",
    Became.NO_DOCUMENT: "no document was found for it",
    Became.NEEDS_REPOSITORY: "no answer in words can show it, so it waits for a replay that has the repository",
    Became.SEEN_ONCE: "seen in one session only, so there is no unseen request to test a rule with",
    Became.KEPT: "kept to test with; nothing was tried on it",
    Became.ATTEMPTED: "asked again, and no edit came of it",
    Became.TESTED: "a change was tried on it",
    Became.EDITED: "an edit was written for it, and not proposed",
    Became.PROPOSED: "a rule was proposed for it",
}
"""What each of them means, in words."""


class Correction(Record, frozen=True, kw_only=True):
    """The head of the person's words (or of what they did) in this turn, and what became of them.

    `because` adds what happened in this case. `task`, `lesson` and `document` are "" as long as there is none.
    """

    session: str
    turn: int
    quote: str
    became: Became
    because: str = ""
    task: str = ""
    lesson: str = ""
    document: str = ""


class Corrections(Record, frozen=True, kw_only=True):
    """What became of a night's corrections: how many for each end, and as many of them as there is room for."""

    counts: dict[str, int] = msgspec.field(default_factory=dict)
    listed: tuple[Correction, ...] = ()
    left_out: int = 0
