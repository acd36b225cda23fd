"""Trial and verdict: a candidate compared with its baseline, and what the gate decides."""

import math
from collections.abc import Collection
from enum import StrEnum
from typing import Literal

from skillopt_sleep.records.deciders import Decider
from skillopt_sleep.records.pairs import Pair, bets_of, mean_of, tries
from skillopt_sleep.records.record import Record, counted

RuleName = Literal["sequential", "strict", "greedy"]


class Metric(StrEnum):
    """The score that the gate compares."""

    HARD = "hard"
    SOFT = "soft"
    MIXED = "mixed"


class GateRule(Record, frozen=True, kw_only=True):
    """The gate's rule: mixed is (1 - w) hard + w soft; `rounds` is how often each task is asked at most.

    `alpha` is the trial's share of the night's error rate, `min_effect` the smallest gain that is worth an edit;
    `non_regression` refuses a candidate that made a single task or another lesson worse beyond noise. With a `margin`
    a candidate need not be better: it must be proven that it doesn't lose as much as the margin on the mean.
    """

    name: RuleName = "sequential"
    metric: Metric = Metric.MIXED
    mixed_weight: float = 0.5
    rounds: int = 8
    alpha: float = 0.05
    min_effect: float = 0.05
    non_regression: bool = True
    margin: float = 0.0


class Harm(Record, frozen=True, kw_only=True):
    """Another lesson that a change made worse, in words for the report; the means are those of its `n` pairs.

    If `together`, it got worse within noise, but all the others with it did beyond noise.
    """

    lesson: str
    wording: str = ""
    before: float
    after: float
    n: int
    together: bool = False


class GuardResult(Record, frozen=True, kw_only=True):
    """The attempts at tasks of other lessons under all changes that won, and which lessons got worse.

    Of the `unhurt` lessons so many answers were right that there was nothing to compare. In its pairs an attempt that
    the new version lost by itself is its worst case. If it was `cut_short`, the budget ended meanwhile, and another
    night has to ask.
    """

    pairs: tuple[Pair, ...] = ()
    unhurt: tuple[str, ...] = ()
    harmed: tuple[Harm, ...] = ()
    cut_short: bool = False

    def of(self, lesson: str) -> tuple[Pair, ...]:
        """Return the pairs of this lesson."""
        return tuple(pair for pair in self.pairs if pair.lesson == lesson)

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons that were asked."""
        return tuple(dict.fromkeys((*self.unhurt, *[pair.lesson for pair in self.pairs])))

    @property
    def could_get_worse(self) -> tuple[str, ...]:
        """The lessons whose requests were answered well, most times with the change or at least once without it."""
        return tuple(dict.fromkeys((*self.unhurt, *[pair.lesson for pair in self.pairs if pair.before > 0])))


class Lost(Record, frozen=True, kw_only=True):
    """The numbers of pairs of which the old version's attempt, the new one's, or both had no score.

    One that has a score only because the attempt was made once more counts too.
    """

    before: int = 0
    after: int = 0
    both: int = 0

    @property
    def pairs(self) -> int:
        """Count the pairs that were lost."""
        return self.before + self.after + self.both


class Trial(Record, frozen=True, kw_only=True):
    """A candidate's paired comparison on val, with all that a later night needs to resume it.

    `lessons` are those that its edits were learned from, () for a candidate that is about all. Pairs of
    `lost_attempts` count in the bet only: the candidate's attempt failed by itself, which is its worst case. In
    `repeated` pairs both arms answered what they had answered before, so they count nowhere. `wealth` is the
    logarithm of what each stake has become, `alpha` the share of the error rate that it was first tried with. Its
    rounds draw samples from `first` on; `margin` is what it may lose on the mean. `gain` is shrunk; `interval` is for
    the mean gain, each end is wrong with a probability of at most 5 %, whenever the trial stops. Of the last night
    that went on with it, `models` are those that answered, and `judges` what judged its pairs.
    """

    lessons: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    lost_attempts: tuple[Pair, ...] = ()
    lost: Lost = Lost()
    repeated: int = 0
    rounds: int = 0
    first: int = 0
    wealth: tuple[float, ...] = ()
    alpha: float | None = None
    margin: float = 0.0
    gain: float | None = None
    interval: tuple[float, float] | None = None
    calls: int = 0
    models: tuple[str, ...] = ()
    judges: tuple[Decider, ...] = ()

    def of(self, lessons: Collection[str]) -> tuple[Pair, ...]:
        """Return the pairs of these lessons; all pairs if none is named."""
        return _of(self.pairs, lessons)

    @property
    def own(self) -> tuple[Pair, ...]:
        """The pairs of its own lessons."""
        return self.of(self.lessons)

    @property
    def bets(self) -> tuple[float, ...]:
        """The gains to bet on, one a session and round: those on its own lessons, with the lost attempts."""
        return bets_of((*self.own, *_of(self.lost_attempts, self.lessons)))

    @property
    def before(self) -> float | None:
        """The mean of the old version in its own pairs; None without any."""
        return mean_of([pair.before for pair in self.own])

    @property
    def after(self) -> float | None:
        """The mean of the new version in its own pairs; None without any."""
        return mean_of([pair.after for pair in self.own])

    @property
    def evidence(self) -> float | None:
        """The e-value: what a start of 1 has become, as the mean over the stakes; None if nothing was bet on."""
        if not self.rounds or not self.wealth:
            return None
        return math.fsum(math.exp(min(log_wealth, 700.0)) for log_wealth in self.wealth) / len(self.wealth)

    @property
    def n(self) -> int:
        """Count its own pairs that were scored."""
        return len(self.own)

    @property
    def counted(self) -> str:
        """Say how many of its own pairs were scored, and at how many requests if one was asked several times."""
        own = self.own
        requests = len({pair.task for pair in own})
        if requests == len(own):
            return tries(len(own))
        return f"{tries(len(own))} at {counted(requests, 'request')}"

    @property
    def gains(self) -> tuple[float, ...]:
        """The paired differences."""
        return tuple(pair.gain for pair in self.pairs)


class FreshRound(Record, frozen=True, kw_only=True):
    """One more attempt at each of an accepted change's own tasks under both versions, which decided nothing.

    The trial that a change won flatters it; the means and the interval of these `n` pairs don't.
    """

    pairs: tuple[Pair, ...] = ()
    interval: tuple[float, float] | None = None

    @property
    def before(self) -> float | None:
        """The mean of the old version; None without any pair."""
        return mean_of([pair.before for pair in self.pairs])

    @property
    def after(self) -> float | None:
        """The mean of the new version; None without any pair."""
        return mean_of([pair.after for pair in self.pairs])

    @property
    def n(self) -> int:
        """Count the pairs."""
        return len(self.pairs)

    def of(self, lessons: Collection[str]) -> tuple[Pair, ...]:
        """Return the pairs of these lessons."""
        return tuple(pair for pair in self.pairs if pair.lesson in lessons)


def _of(pairs: tuple[Pair, ...], lessons: Collection[str]) -> tuple[Pair, ...]:
    """Return the pairs of these lessons; all pairs if none is named."""
    if not lessons:
        return pairs
    return tuple(pair for pair in pairs if pair.lesson in lessons)


class Decision(StrEnum):
    """The gate's decision on one trial."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    ABSTAIN = "abstain"


class Verdict(Record, frozen=True, kw_only=True):
    """The gate's decision, its reason in one sentence, and the error rate of the rule, if known.

    An undecided candidate is `early` if it is proven on the one session that tests its lesson. One that won is
    rejected all the same if other lessons were `harmed`.
    """

    decision: Decision
    reason: str
    early: bool = False
    harmed: tuple[Harm, ...] = ()
    rule: str = ""
    error_rate: str = ""


def others_in_words(guarded: int) -> str:
    """Say that the other lessons that could get worse, being answered well, didn't; "" if there was none."""
    if not guarded:
        return ""
    if guarded == 1:
        return "1 other lesson that is answered well was asked and got no worse"
    return f"none of {guarded} other lessons that are answered well got worse"


UNKNOWN = "error rate unknown"
UNVERIFIED = "unverified"


def unknown_rate(claim: str) -> str:
    """Return what must be said beside a result, by what its verdict claims of its error rate; "" if that is known."""
    if claim == UNKNOWN:
        return "error rate unknown: gate.rule is strict, which takes what has the higher mean"
    if claim == UNVERIFIED:
        return "taken untested, error rate unknown: gate.rule is greedy, which takes every rule"
    return ""
