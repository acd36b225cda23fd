"""Correction: something a person said or did that a night found, what became of it, and how often it was needed."""

from datetime import date, datetime
from enum import StrEnum

import msgspec

from skillopt_sleep.records.lessons import DeedKind, Evidence
from skillopt_sleep.records.record import Record, counted


class Became(StrEnum):
    """The fate of a correction, from the earliest stage that could end it to a proposal."""

    UNUSED = "unused"
    FOR_ONCE = "for_once"
    TAKEN_BACK = "taken_back"
    UNGRADED = "ungraded"
    NOT_REACHED = "not_reached"
    NEEDS_SESSION = "needs_session"
    NEEDS_REPOSITORY = "needs_repository"
    STANDS = "stands"
    TRIED = "tried"
    PROPOSED = "proposed"


BECAME = {
    Became.UNUSED: "no lesson that can be tested was found in it",
    Became.FOR_ONCE: "by its own words it holds for one time only",
    Became.TAKEN_BACK: "you took it back, dropped its task, or excluded its project",
    Became.UNGRADED: "only the judge could grade it, and it graded answers whose grade we know otherwise",
    Became.NOT_REACHED: "not decided yet; another night goes on with it",
    Became.NEEDS_SESSION: "it waits for one more session with a request that can test it",
    Became.NEEDS_REPOSITORY: "no answer in words can show it: it waits for a sealed copy of the repository",
    Became.STANDS: "the agent is told so already",
    Became.TRIED: "its lesson was tried, and no rule for it is proven so far",
    Became.PROPOSED: "a rule was proposed for it",
}
"""What each of them means, in words."""

NOTHING = "nothing"
SEAL_IT = "let it be tried in a sealed copy of the repository: skillopt-sleep config set replay.sealed true"
READ_AGAIN = "skillopt-sleep run --again"
OTHER_JUDGE = "name another model for the judge (judge.model)"
NEXT_STEPS = {
    Became.UNUSED: "let another model read these sessions again: "
    "skillopt-sleep run --backend NAME --model NAME --again",
    Became.FOR_ONCE: "nothing; if you want it from now on, say so without the words that it holds for once",
    Became.TAKEN_BACK: "nothing, unless you changed your mind: say it again, undo the drop (skillopt-sleep tasks), "
    "or allow the project",
    Became.UNGRADED: f"{OTHER_JUDGE}, unless the answer you accepted shows no work",
    Became.NOT_REACHED: "run again (skillopt-sleep run): after a failed call do first what its error says, "
    "and raise budget.calls if the calls ran out",
    Became.NEEDS_SESSION: "nothing, or say it in one more session: that session becomes the test",
    Became.NEEDS_REPOSITORY: SEAL_IT,
    Became.STANDS: "nothing if you wrote it there since; else make it clearer in that file: it was not followed",
    Became.TRIED: "nothing; it is tried again as soon as another session has a request to test it with",
    Became.PROPOSED: "see what became of it: skillopt-sleep why, with your words",
}
"""What a person can do about each."""

LOST = frozenset({Became.UNUSED, Became.UNGRADED, Became.NOT_REACHED})
"""Those that ended before a request could test them, however often it was said."""


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
        were = counted(self.found, "correction was found", "corrections were found")
        return f"{were}, and no rule was tried for {'it' if self.found == 1 else 'them'}: {self.ends}"

    @property
    def ends(self) -> str:
        """Count them by how they ended, the most frequent first."""
        ends = sorted(self.counts.items(), key=lambda end: -end[1])
        return "; ".join(f"{count} × {BECAME[Became(name)]}" for name, count in ends)

    @property
    def lost(self) -> "Corrections":
        """Return the counts of those that were lost before anybody knew whether they recur."""
        return Corrections(counts={name: count for name, count in self.counts.items() if Became(name) in LOST})

    @property
    def next_step(self) -> str:
        """Say what the person can do so that more of them teach something."""
        ends = sorted(self.counts.items(), key=lambda end: -end[1])
        steps = [NEXT_STEPS[Became(name)] for name, _ in ends]
        active = [step for step in steps if not step.startswith(NOTHING)]
        return "; ".join(active or steps)


class LessonTrend(Record, frozen=True, kw_only=True):
    """How often a person asked for one lesson in each week of a trend, by words or by deeds.

    A rule about it was adopted in each of the weeks `adopted`, counted from 0.
    """

    lesson: str
    wording: str
    project: str
    corrections: tuple[int, ...]
    adopted: tuple[int, ...] = ()


class ModelChange(Record, frozen=True, kw_only=True):
    """From this week on, counted from 0, nights ran with other models: in the words of a report."""

    week: int
    models: str


class Trend(Record, frozen=True, kw_only=True):
    """The last weeks, from Monday to Sunday; the first begins on `first`, and in each so many `sessions` ended.

    Lessons with the most corrections come first; so many more that came up are `left_out`.
    """

    first: date | None = None
    sessions: tuple[int, ...] = ()
    lessons: tuple[LessonTrend, ...] = ()
    left_out: int = 0
    models: tuple[ModelChange, ...] = ()


class Corrected(Record, frozen=True, kw_only=True):
    """In how many of these sessions a lesson was corrected; it could come up in all of them."""

    times: int = 0
    sessions: int = 0


class Recurrence(Record, frozen=True, kw_only=True):
    """How often a lesson was corrected `before` its rule was adopted and `since`, by sessions that a night has read.

    `change` is the 90 % interval of the change in the share of sessions, None without sessions on both sides.
    `fewer` says that the corrections have become fewer: of twenty rules that change nothing it is claimed of one at
    most, however often one looks. `again` are the person's latest words and deeds since. `weeks` has (corrected,
    could come up) of each week from `first` on. `news` says that this night's sessions changed what is said of it.
    """

    lesson: str
    wording: str
    proposal: str
    adopted: datetime
    before: Corrected = Corrected()
    since: Corrected = Corrected()
    change: tuple[float, float] | None = None
    fewer: bool = False
    again: tuple[Evidence, ...] = ()
    first: date | None = None
    weeks: tuple[tuple[int, int], ...] = ()
    news: bool = False
