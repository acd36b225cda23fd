"""Trial and verdict: a candidate compared with its baseline, and what the gate decides."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Literal

from skillopt_sleep.records.deciders import Decider
from skillopt_sleep.records.effects import tries
from skillopt_sleep.records.pairs import Pair, bets_of
from skillopt_sleep.records.record import Record

RuleName = Literal["sequential", "strict", "greedy"]


class Metric(StrEnum):
    """The score that the gate compares."""

    HARD = "hard"
    SOFT = "soft"
    MIXED = "mixed"


class GateRule(Record, frozen=True, kw_only=True):
    """The gate's rule: mixed is (1 - w) hard + w soft; `rounds` is how often a night asks each task at most.

    `alpha` is the trial's share of the night's error rate, `min_effect` the smallest gain that is worth an edit;
    `non_regression` refuses a candidate that made a single task or another lesson worse beyond noise. With a `margin`
    a candidate need not be better: it must be proven that it doesn't lose as much as the margin on the mean. All that
    shares an error rate in one night may spend `together`, of which `alpha` is a part.
    """

    name: RuleName = "sequential"
    metric: Metric = Metric.MIXED
    mixed_weight: float = 0.5
    rounds: int = 8
    alpha: float = 0.05
    min_effect: float = 0.05
    non_regression: bool = True
    margin: float = 0.0
    together: float | None = None


class Harm(Record, frozen=True, kw_only=True):
    """Another lesson that the candidate made worse, in words for the report; the means are those of its `n` pairs.

    If `together`, it got worse within noise, but all the others with it did beyond noise.
    """

    lesson: str
    wording: str = ""
    before: float
    after: float
    n: int
    together: bool = False


class Guard(Record, frozen=True, kw_only=True):
    """The attempts at tasks of other lessons under a candidate that won its bet, and which lessons got worse.

    In its pairs an attempt that the candidate lost by itself is its worst case. `drawn` samples were used for it. If
    it was `cut_short`, the budget ended meanwhile, and another night has to go on with it.
    """

    pairs: tuple[Pair, ...] = ()
    drawn: int = 0
    harmed: tuple[Harm, ...] = ()
    cut_short: bool = False

    def of(self, lesson: str) -> tuple[Pair, ...]:
        """Return the pairs of this lesson."""
        return tuple(pair for pair in self.pairs if pair.lesson == lesson)

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons that could be compared."""
        return tuple(dict.fromkeys(pair.lesson for pair in self.pairs))


class Trial(Record, frozen=True, kw_only=True):
    """A candidate's paired comparison on val, with all that a later night needs to resume it.

    `lessons` are those that each of the candidate's edits was learned from. The means, `gain` and `interval` are
    those of its own pairs, which are of these lessons. The `guard` asked so many other lessons, the `bystanders`, of
    which so many are `unharmed`; it asks if the bet is won only. Pairs of `lost_attempts` count in the bet only: the
    candidate's attempt failed by itself, which is its worst case. In `repeated` pairs both arms answered what they
    had answered before, so they count nowhere. `wealth` is the logarithm of what each stake has become, `statistic`
    their mean as a multiple of the start, `stakes` what these are (none if an older version began it), `alpha` its
    share of the error rate (of `together`) of the night it was first tried in. `gain` is shrunk; `interval` is for
    the mean gain, each end is wrong with a probability of at most 5 %, whenever the trial stops. `unpaired` pairs
    were lost, of them `lost_before` and `lost_after` by one arm only. About `more` pairs like these would decide it.
    Its rounds draw samples from `first` on; `margin` is what it may lose on the mean, `min_effect` the smallest gain
    that is worth an edit. After each of the rounds `text_changed` the text around ours had changed: both arms have
    had the new text since. Of the last night that went on with it, `models` are those that
    answered. Its own pairs were judged by the `judges`.
    """

    lessons: tuple[tuple[str, ...], ...] = ()
    pairs: tuple[Pair, ...] = ()
    rounds: int = 0
    first: int = 0
    unpaired: int = 0
    lost_before: int = 0
    lost_after: int = 0
    lost_attempts: tuple[Pair, ...] = ()
    repeated: int = 0
    before: float | None = None
    after: float | None = None
    gain: float | None = None
    interval: tuple[float, float] | None = None
    bystanders: int = 0
    unharmed: int = 0
    guard: Guard = Guard()
    statistic: float | None = None
    stakes: tuple[float, ...] = ()
    wealth: tuple[float, ...] = ()
    alpha: float | None = None
    together: float | None = None
    margin: float = 0.0
    min_effect: float = 0.05
    more: int | None = None
    calls: int = 0
    text_changed: tuple[int, ...] = ()
    models: tuple[str, ...] = ()
    judges: tuple[Decider, ...] = ()

    def of(self, lessons: Collection[str]) -> tuple[Pair, ...]:
        """Return the pairs of these lessons; all pairs if none is named."""
        return _of(self.pairs, lessons)

    def lost_of(self, lessons: Collection[str]) -> tuple[Pair, ...]:
        """Return the lost attempts of these lessons; all of them if none is named."""
        return _of(self.lost_attempts, lessons)

    @property
    def own(self) -> tuple[Pair, ...]:
        """The pairs of its edits' lessons; all pairs if those of one edit aren't known."""
        return _of(self.pairs, self._own_lessons)

    @property
    def bets(self) -> tuple[float, ...]:
        """Return the gains to bet on: those on its own lessons, one a session and round, lost attempts included."""
        return bets_of((*self.own, *self.lost_of(self._own_lessons)))

    @property
    def _own_lessons(self) -> set[str]:
        """The lessons of its edits; none if those of one edit aren't known."""
        named: set[str] = set()
        for lessons in self.lessons:
            if not lessons:
                return set()
            named.update(lessons)
        return named

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
        return f"{tries(len(own))} at {requests} {'request' if requests == 1 else 'requests'}"

    @property
    def gains(self) -> tuple[float, ...]:
        """The paired differences, of its own pairs and of the bystanders'."""
        return tuple(pair.gain for pair in self.pairs)


class FreshRound(Record, frozen=True, kw_only=True):
    """One more attempt at each of an accepted candidate's own tasks under both versions, which decided nothing.

    The trial that a candidate won flatters it; the means and the interval of these `n` pairs don't.
    """

    pairs: tuple[Pair, ...] = ()
    before: float | None = None
    after: float | None = None
    n: int = 0
    interval: tuple[float, float] | None = None

    def of(self, lessons: Collection[str]) -> tuple[Pair, ...]:
        """Return the pairs of these lessons."""
        return tuple(pair for pair in self.pairs if pair.lesson in lessons)


def _of(pairs: tuple[Pair, ...], lessons: Collection[str]) -> tuple[Pair, ...]:
    """Return the pairs of these lessons; all pairs if none is named."""
    if not lessons:
        return pairs
    return tuple(pair for pair in pairs if pair.lesson in lessons)


def said_of_changes(rounds: Sequence[int]) -> str:
    """Say after which rounds of a trial the text around ours changed; "" if it never did."""
    if not rounds:
        return ""
    numbers = " and ".join(str(number) for number in rounds)
    which = f"round {numbers}" if len(rounds) == 1 else f"rounds {numbers}"
    return f"the rest of the file changed after {which} of the trial; both versions have had the new text since"


class Decision(StrEnum):
    """The gate's decision on one trial."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    ABSTAIN = "abstain"


class Verdict(Record, frozen=True, kw_only=True):
    """The gate's decision, its reason in one sentence, and the error rate of the rule, if known.

    An undecided candidate is `early` if it is proven on one session of its lessons and only lacks another one. A
    trial has `drifted` if the model changed while it ran.
    """

    decision: Decision
    reason: str
    early: bool = False
    drifted: bool = False
    rule: str = ""
    error_rate: str = ""


def others_in_words(bystanders: int, unharmed: int) -> str:
    """Say what became of the other lessons that were asked; "" if none was."""
    if not bystanders:
        return ""
    asked = "1 other lesson" if bystanders == 1 else f"{bystanders} other lessons"
    if unharmed == bystanders:
        return f"none of {asked} got worse" if bystanders > 1 else f"{asked} was asked and got no worse"
    return f"{bystanders - unharmed} of {asked} got worse"
