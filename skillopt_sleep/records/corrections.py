"""Correction: something a person said or did that a night found, and what became of it."""

from enum import StrEnum

import msgspec

from skillopt_sleep.records.lessons import DeedKind, Evidence
from skillopt_sleep.records.record import Record


class Became(StrEnum):
    """The fate of a correction, from the earliest stage that dropped it to a proposal."""

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
    UNJUDGED = "unjudged"
    NEEDS_REPOSITORY = "needs_repository"
    SEEN_ONCE = "seen_once"
    KEPT = "kept"
    ATTEMPTED = "attempted"
    STANDS = "stands"
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
    Became.NO_TEST: "dropped, as no test tells the answer that was rejected from a good one",
    Became.UNGRADED: "dropped, as the judge graded the answers of its session otherwise than you did",
    Became.DROPPED: "its task was dropped by hand, or its project is excluded",
    Became.NOTICED: "noticed only, as its session can't tell whether it is wanted from now on; another one could",
    Became.NOT_REACHED: "the night ended before it was decided",
    Became.NO_DOCUMENT: "no document was found for it",
    Became.UNJUDGED: "only the judge could grade it, and its grades couldn't be trusted",
    Became.NEEDS_REPOSITORY: "no answer in words can show it: it waits for a sealed copy of the repository",
    Became.SEEN_ONCE: "it has requests of one session only, so there is no unseen one to test a rule with",
    Became.KEPT: "kept to test with; nothing was tried on it",
    Became.ATTEMPTED: "asked again, and no edit came of it",
    Became.STANDS: "the agent is told so already",
    Became.TESTED: "a change was tried on it, or on another request of its lesson",
    Became.EDITED: "an edit was written for it, and not proposed",
    Became.PROPOSED: "a rule was proposed for it",
}
"""What each of them means, in words."""

NOTHING = "nothing"
SEAL_IT = "let it be tried in a sealed copy of the repository: skillopt-sleep config set replay.sealed true"
READ_AGAIN = "skillopt-sleep run --again"
ANOTHER_MODEL = "let another model read these sessions again: skillopt-sleep run --backend NAME --model NAME --again"
OTHER_JUDGE = "name another model for the judge (judge.model)"
NEXT_STEPS = {
    Became.UNREAD: "run again (skillopt-sleep run), its session is still unread; if it fails again, do what it says",
    Became.NOT_REACHED: "run again (skillopt-sleep run), with more calls if they ran out (budget.calls)",
    Became.FOR_ONCE: "nothing; if you want it from now on, say so without the words that it holds for once",
    Became.LATER: "nothing; the next night takes what was left",
    Became.TAKEN_BACK: "nothing; what you said later holds",
    Became.UNUSED: ANOTHER_MODEL,
    Became.UNPROVEN: ANOTHER_MODEL,
    Became.NO_TEST: ANOTHER_MODEL,
    Became.UNGRADED: "nothing, if the answer you accepted shows no work; else name another judge (judge.model)",
    Became.UNJUDGED: OTHER_JUDGE,
    Became.NEEDS_REPOSITORY: SEAL_IT,
    Became.NO_DOCUMENT: "see the errors below",
    Became.STANDS: "nothing if you wrote it there since; else make it clearer in that file: it was not followed",
    Became.DROPPED: "undo the drop (skillopt-sleep tasks) or allow the project, then run again, with --again",
}
"""What a person can do about it; for the others, nothing but to ask for the same again."""


BEFORE_A_TEST = frozenset(
    {
        Became.UNREAD,
        Became.UNPROVEN,
        Became.CROWDED_OUT,
        Became.LATER,
        Became.NO_TEST,
        Became.UNGRADED,
    }
)
"""Those that were no matter of how often it was said: with them, there might have been a request to test with."""


class Correction(Record, frozen=True, kw_only=True):
    """The head of the person's words (or of what they did) in this turn, and what became of them.

    `because` adds what happened in this case. `task`, `lesson` and `document` are "" as long as there is
    none. `deed` says what they did, if they said nothing.
    """

    session: str
    turn: int
    quote: str
    became: Became
    because: str = ""
    task: str = ""
    lesson: str = ""
    document: str = ""
    deed: DeedKind | None = None

    @property
    def sign(self) -> Evidence:
        """The same as a piece of evidence."""
        return Evidence(session=self.session, turn=self.turn, quote=self.quote, deed=self.deed)


class Corrections(Record, frozen=True, kw_only=True):
    """The fates of a night's corrections: a count for each, and as many corrections as there is room for."""

    counts: dict[str, int] = msgspec.field(default_factory=dict)
    listed: tuple[Correction, ...] = ()
    left_out: int = 0

    @property
    def found(self) -> int:
        """Return how many were found."""
        return sum(self.counts.values())

    @property
    def in_words(self) -> str:
        """Say how many were found and how they ended, the most frequent first; "" if none was found."""
        if not self.found:
            return ""
        were = "1 correction was found" if self.found == 1 else f"{self.found} corrections were found"
        return f"{were}, and no rule was tried for {'it' if self.found == 1 else 'them'}: {self.ends}"

    @property
    def ends(self) -> str:
        """Count them by how they ended, the most frequent first."""
        ends = sorted(self.counts.items(), key=lambda end: -end[1])
        return "; ".join(f"{count} × {BECAME[Became(name)]}" for name, count in ends)

    @property
    def before_a_test(self) -> "Corrections":
        """Return the counts of those that were lost before anybody knew whether they recur."""
        return Corrections(
            counts={name: count for name, count in self.counts.items() if Became(name) in BEFORE_A_TEST}
        )

    @property
    def next_step(self) -> str:
        """Say what the person can do so that more of them teach something."""
        steps: dict[str, None] = {}
        for name, _ in sorted(self.counts.items(), key=lambda end: -end[1]):
            if Became(name) in NEXT_STEPS:
                steps[NEXT_STEPS[Became(name)]] = None
        active = [step for step in steps if not step.startswith(NOTHING)]
        return "; ".join(active or steps) or "nothing; the next session with a request for it is tried anew"
