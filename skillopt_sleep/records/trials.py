"""Trial, gate: a candidate against its baseline, and what the gate says of it."""

from enum import StrEnum

from skillopt_sleep.records.record import Record


class Metric(StrEnum):
    """Which score the gate compares."""

    HARD = "hard"
    SOFT = "soft"
    MIXED = "mixed"


class GateRule(Record, frozen=True, kw_only=True):
    """How the gate decides: mixed is (1 - w) hard + w soft; `rounds` is how often each task is asked at most."""

    name: str = "strict"
    metric: Metric = Metric.MIXED
    mixed_weight: float = 0.5
    rounds: int = 1


class Pair(Record, frozen=True, kw_only=True):
    """The metric of one val task and sample under the baseline and the candidate."""

    task: str
    sample: int
    before: float
    after: float


class Trial(Record, frozen=True, kw_only=True):
    """A candidate's paired comparison on val: `interval` is for the mean gain, at 95 %."""

    pairs: tuple[Pair, ...] = ()
    rounds: int = 0
    unpaired: int = 0
    before: float | None = None
    after: float | None = None
    interval: tuple[float, float] | None = None
    statistic: float | None = None
    calls: int = 0

    @property
    def n(self) -> int:
        """How many pairs were scored."""
        return len(self.pairs)


class Decision(StrEnum):
    """What the gate says of one trial."""

    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    ABSTAIN = "abstain"


class Verdict(Record, frozen=True, kw_only=True):
    """The gate's decision, the reason in one sentence, and the rule's known error rate or its absence."""

    decision: Decision
    reason: str
    rule: str = ""
    error_rate: str = ""
