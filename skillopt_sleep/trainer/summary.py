"""The records a training writes: every step, every epoch's comparison, and the final summary."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum

from skillopt_sleep.records import AppliedEdit, Note, Record, Spend
from skillopt_sleep.trainer.costs import Cost, sum_of


class Action(StrEnum):
    """The outcome of a step; a skipped step had no candidate (no_answer: every reflection failed).

    no_gain: no edit gained on the train items it was learned from. unjudged: the candidate did and was taken, and val
    is asked at the end.
    """

    ACCEPT_NEW_BEST = "accept_new_best"
    ACCEPT = "accept"
    REJECT = "reject"
    UNDECIDED = "undecided"
    UNJUDGED = "unjudged"
    ABSTAIN = "abstain"
    FORCE_ACCEPT = "force_accept"
    SKIP_NO_PATCHES = "skip_no_patches"
    SKIP_NO_REWRITE = "skip_no_rewrite"
    SKIP_NO_CHANGE = "skip_no_change"
    SKIP_NO_BUDGET = "skip_no_budget"
    SKIP_UNSCORED = "skip_unscored"
    SKIP_NO_ANSWER = "skip_no_answer"
    SKIP_NO_GAIN = "skip_no_gain"


SKIPPED = frozenset(action for action in Action if action.startswith("skip_"))
ACTIONS: Mapping[str, str] = {
    "accept": "accepted",
    "accept_new_best": "accepted as the best",
    "reject": "rejected",
    "force_accept": "accepted whatever val says",
    "skip_no_patches": "without an edit, as reflection and merge left none",
    "skip_no_rewrite": "without a rewrite, as the optimizer gave none",
    "skip_no_change": "whose edits change nothing or were refused",
    "skip_no_budget": "for which the budget was used up",
    "skip_unscored": "without a score",
    "skip_no_answer": "in which every reflection failed",
    "skip_no_gain": "whose edits gained nothing on train",
    "unjudged": "kept as they gained on train",
    "undecided": "not decided",
    "abstain": "that could not be compared",
}
TAKEN = frozenset({Action.ACCEPT_NEW_BEST, Action.ACCEPT, Action.FORCE_ACCEPT, Action.UNJUDGED})


class Scores(Record, frozen=True, kw_only=True):
    """A skill's mean scores over `n` scored attempts at so many `items` of a split, None if n is 0.

    `kinds` has them by task type, and `because` says why most of those `unscored` have no score.
    """

    hard: float | None = None
    soft: float | None = None
    metric: float | None = None
    n: int = 0
    items: int = 0
    unscored: int = 0
    because: str = ""
    kinds: dict[str, tuple[int, float, float]] = {}  # noqa: RUF012 - msgspec copies it


class Gated(Record, frozen=True, kw_only=True):
    """The gate's decision and reason; `before` and `after` are the metric of current and candidate over `n` pairs.

    The pairs are attempts at so many `items`.
    """

    action: Action
    reason: str = ""
    error_rate: str = ""
    before: float | None = None
    after: float | None = None
    interval: tuple[float, float] | None = None
    n: int = 0
    items: int = 0
    unscored: int = 0


class SkillVersion(Record, frozen=True, kw_only=True):
    """The current or best skill: its text's SHA-256, the step it came from (0: the initial one), its metric on val.

    `val` is None if it wasn't measured, as after a slow update.
    """

    sha: str
    step: int = 0
    number: int = 0
    origin: str = "initial"
    val: float | None = None


class StepRecord(Record, frozen=True, kw_only=True):
    """One optimization step, with everything that decided it; so many `calls` were answered when it ended.

    `merged` edits were proposed; the optimizer chose the `edit_budget`, if it did, for the reason `because`.
    """

    step: int
    epoch: int
    calls: int
    train: Scores
    merged: int = 0
    edit_budget: int | None = None
    because: str = ""
    edits: tuple[AppliedEdit, ...] = ()
    chars: int = 0
    gated: Gated
    current: SkillVersion
    best: SkillVersion
    notes: tuple[Note, ...] = ()


class EpochRecord(Record, frozen=True, kw_only=True):
    """The end of an epoch: how train items changed since the last one, guidance and notes; `calls` as in a step."""

    epoch: int
    calls: int
    compared: dict[str, int] = {}  # noqa: RUF012 - msgspec copies it
    edits: tuple[AppliedEdit, ...] = ()
    gated: Gated | None = None
    notebook: str = ""
    current: SkillVersion
    best: SkillVersion
    notes: tuple[Note, ...] = ()


class EndRecord(Record, frozen=True, kw_only=True):
    """A trial of a whole skill against the best one at the end of a training; `calls` as in a step."""

    calls: int
    gated: Gated


class History(Record, frozen=True, kw_only=True):
    """All steps and epochs so far, and the scores of the initial skill, known after so many `calls`.

    `end` has the trials at the end, none if the final skill is the best one.
    """

    baseline: Scores
    calls: int
    steps: tuple[StepRecord, ...] = ()
    epochs: tuple[EpochRecord, ...] = ()
    end: tuple[EndRecord, ...] = ()


class TestedSkill(Record, frozen=True, kw_only=True):
    """A skill with its file in the run's folder and its scores; `test` is None if nothing was tested."""

    version: SkillVersion
    file: str
    chars: int
    val: Scores
    test: Scores | None = None


class LiveProgress(Record, frozen=True, kw_only=True):
    """A running training at one moment: `step` of at most `steps` steps have ended, the last one at `since`.

    `spend` is that of all its runs. The last step that paid for calls took `each`, None while there is none. Its
    limit of minutes `ends` it, None if it has none.
    """

    folder: str
    started: datetime
    since: datetime
    steps: int
    spend: Spend
    most_calls: int = 0
    step: int = 0
    each: timedelta | None = None
    ends: datetime | None = None

    def left(self, now: datetime) -> timedelta | None:
        """Return about how long it takes yet: steps like the last one, within its limit; None if that isn't known."""
        known: list[timedelta] = []
        if self.each is not None:
            known.append(self.each * (self.steps - self.step) - (now - self.since))
        if self.ends is not None:
            known.append(self.ends - now)
        return max(min(known), timedelta()) if known else None


class Reported(Record, frozen=True, kw_only=True):
    """What may be said of the best skill's quality: an estimate of its mean, and the interval that it lies in.

    `selection_bias` was taken off the mean of its last passes over val, as val chose it as the best of `tried` texts.
    The interval holds for requests like those of val, at a level of `level`, for all of these texts at once.
    """

    mean: float
    interval: tuple[float, float]
    n: int
    tried: int
    level: float
    selection_bias: float = 0.0


class RuleWorth(Record, frozen=True, kw_only=True):
    """What a rule that was learned in this step is worth to the skill, as the training found it.

    The train `items` that it was learned from were attempted again without it and with it, the other rules in place:
    `n` pairs, their means, and the `interval` of the mean gain, each end of which is wrong with a probability of at
    most 5 %. If n is 0, nothing is known of it.
    """

    rule: str
    step: int
    items: tuple[str, ...]
    n: int = 0
    without: float | None = None
    with_it: float | None = None
    interval: tuple[float, float] | None = None
    removed: bool = False


class Rules(Record, frozen=True, kw_only=True):
    """The learned rules of the skill with this SHA-256, of which those that show nothing were taken out."""

    skill: str = ""
    rules: tuple[RuleWorth, ...] = ()


class Summary(Record, frozen=True, kw_only=True):
    """The result of a training: the same for the same seed, data and answers, however often it was interrupted.

    It made so many `steps` of those that were `planned`; `stopped` says what ended it before that, "" if nothing did.
    `notes` are what failed on the way, or is to be known of the data (`expected`).
    """

    schema_version: int = 2
    env: str
    models: dict[str, str]
    steps: int
    planned: int
    initial: TestedSkill
    best: TestedSkill
    final: TestedSkill
    actions: dict[str, int]
    error_rate: str
    stopped: str = ""
    reported: Reported | None = None
    learned: Rules = Rules()
    costs: dict[str, Cost]
    notes: tuple[Note, ...] = ()
    best_skill: str

    @property
    def total(self) -> Cost:
        """Return the cost of all stages; the dollars are None if those of any stage are."""
        return sum_of(self.costs.values())
