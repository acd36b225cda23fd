"""Trial and verdict: a candidate compared with its baseline, and what the gate decides."""

from enum import StrEnum
from typing import Literal

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
    `non_regression` refuses a candidate that made a single task worse beyond noise. With a `margin` a candidate need
    not be better: it must be proven that it doesn't lose as much as the margin on the mean.
    """

    name: RuleName = "sequential"
    metric: Metric = Metric.MIXED
    mixed_weight: float = 0.5
    rounds: int = 5
    alpha: float = 0.05
    min_effect: float = 0.05
    non_regression: bool = True
    margin: float = 0.0


class Pair(Record, frozen=True, kw_only=True):
    """The metric of one validation task and sample under the baseline and under the candidate."""

    task: str
    session: str = ""
    sample: int
    before: float
    after: float

    @property
    def gain(self) -> float:
        """How much better the candidate did."""
        return self.after - self.before


class Trial(Record, frozen=True, kw_only=True):
    """A candidate's paired comparison on val, with all that a later night needs to resume it.

    `wealth` is the logarithm of what each stake has become, `statistic` their mean as a multiple of the start,
    `alpha` its share of the error rate of the night it was first tried in. `gain` is shrunk; `interval` is for the
    mean gain, each end is wrong with a probability of at most 5 %, whenever the trial stops. `unpaired` pairs were
    lost, of them `lost_before` and `lost_after` by one arm only. About `more` pairs like these would decide it. Its
    rounds draw samples from `first` on; `margin` is what it may lose on the mean.
    """

    pairs: tuple[Pair, ...] = ()
    rounds: int = 0
    first: int = 0
    unpaired: int = 0
    lost_before: int = 0
    lost_after: int = 0
    before: float | None = None
    after: float | None = None
    gain: float | None = None
    interval: tuple[float, float] | None = None
    statistic: float | None = None
    wealth: tuple[float, ...] = ()
    alpha: float | None = None
    margin: float = 0.0
    more: int | None = None
    calls: int = 0

    @property
    def n(self) -> int:
        """How many pairs were scored."""
        return len(self.pairs)

    @property
    def sessions(self) -> frozenset[str]:
        """The sessions that the tasks of its pairs come from."""
        return frozenset(pair.session for pair in self.pairs)

    @property
    def counted(self) -> str:
        """How many pairs were scored, and of how many tasks if one was asked several times."""
        tasks = len({pair.task for pair in self.pairs})
        if tasks == self.n:
            return f"n={self.n}"
        return f"n={self.n}, 1 task" if tasks == 1 else f"n={self.n}, {tasks} tasks"

    @property
    def gains(self) -> tuple[float, ...]:
        """The paired differences."""
        return tuple(pair.gain for pair in self.pairs)


class Decision(StrEnum):
    """The gate's decision on one trial."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    ABSTAIN = "abstain"


class Verdict(Record, frozen=True, kw_only=True):
    """The gate's decision, its reason in one sentence, and the error rate of the rule, if known."""

    decision: Decision
    reason: str
    rule: str = ""
    error_rate: str = ""
