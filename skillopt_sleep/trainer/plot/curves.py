"""Turn the history of a training into curves by calls, each mean with its interval, and lay them out as a chart."""

from collections.abc import Iterable, Iterator, Sequence

from skillopt_sleep.learning.statistics import wilson
from skillopt_sleep.pages.chart import Chart, Curve, Point, chart
from skillopt_sleep.records import Record
from skillopt_sleep.trainer.summary import TAKEN, EpochRecord, Gated, History, StepRecord, Summary, TestedSkill

LEVEL = 0.9
END_OF = "final skill"


class Mark(Record, frozen=True, kw_only=True):
    """A mean that was known after so many calls; `kept` says whether its skill became the current one."""

    what: str
    calls: int
    mean: float
    n: int
    interval: tuple[float, float]
    kept: bool = True


class Curves(Record, frozen=True, kw_only=True):
    """The means of a training on train, val and test, its `best` on val so far, and what it `reported` at the end.

    `calls` is how many were answered in all so far.
    """

    calls: int
    train: tuple[Mark, ...]
    val: tuple[Mark, ...]
    best: tuple[tuple[int, float], ...]
    test: tuple[Mark, ...] = ()
    reported: Mark | None = None


def curves(history: History, summary: Summary | None) -> Curves:
    """Return the curves of a training; one that isn't finished has no test scores yet."""
    told = in_order(history)
    baseline = history.baseline
    val = [*_mark("initial skill", history.calls, baseline.metric, baseline.size)]
    best: list[tuple[int, float]] = []
    if baseline.metric is not None:
        best.append((history.calls, baseline.metric))
    train: list[Mark] = []
    for record in told:
        calls = record.calls
        if isinstance(record, StepRecord):
            train += _mark(name_of(record), calls, record.train.metric, record.train.size)
        for gated in verdicts(record):
            val += _mark(name_of(record), calls, gated.after, gated.size, kept=gated.action in TAKEN)
        if record.best.val is not None:
            best.append((calls, record.best.val))
    for ended in history.end:
        gated = ended.gated
        val += _mark(END_OF, ended.calls, gated.after, gated.size, kept=gated.action in TAKEN)
        if gated.action in TAKEN and gated.after is not None:
            best.append((ended.calls, gated.after))
    reached = max((record.calls for record in told), default=history.calls)
    found = Curves(calls=reached, train=tuple(train), val=tuple(val), best=tuple(best))
    if summary is None:
        return found
    return _finished(found, history, summary)


def chart_of(found: Curves) -> Chart:
    """Lay out the curves of a training."""
    best = tuple(Point(calls, mean, (mean, mean), "") for calls, mean in found.best)
    curves = (
        Curve("train", "train", _points(found.train), band=True),
        Curve("val", "tried on val (filled: taken)", _points(found.val)),
        Curve("best", "best on val so far", best, stairs=True),
        Curve("test", "test", _points(found.test), shape="square"),
        Curve(
            "end", "reported best, corrected", _points(filter(None, [found.reported])), shape="diamond", line=False
        ),
    )
    told = "Scores on train, val and test by the number of calls. The table below has every number."
    return chart(curves, end=found.calls, told=told)


def _points(marks: Iterable[Mark]) -> tuple[Point, ...]:
    return tuple(Point(mark.calls, mark.mean, mark.interval, _title(mark), filled=mark.kept) for mark in marks)


def _title(mark: Mark) -> str:
    low, high = mark.interval
    return f"{mark.what}, after {mark.calls:,} calls: {mark.mean:.3f}, {low:.3f} to {high:.3f} (n={mark.n})"


def in_order(history: History) -> tuple[StepRecord | EpochRecord, ...]:
    """Return the records of steps and epochs in the order in which they ended."""
    told: list[StepRecord | EpochRecord] = []
    ends = {epoch.epoch: epoch for epoch in history.epochs}
    for step in history.steps:
        if told and told[-1].epoch != step.epoch:
            told += [ends[epoch] for epoch in (told[-1].epoch,) if epoch in ends]
        told.append(step)
    if told and told[-1].epoch in ends:
        told.append(ends[told[-1].epoch])
    return tuple(told)


def name_of(record: StepRecord | EpochRecord) -> str:
    """Return what a record is called, as in "step 3"."""
    if isinstance(record, StepRecord):
        return f"step {record.step}"
    return f"end of epoch {record.epoch}"


def verdicts(record: StepRecord | EpochRecord) -> Sequence[Gated]:
    """Return the gate's verdicts in a record: that of a step's candidate, or those at the end of an epoch."""
    if isinstance(record, StepRecord):
        return (record.gated,)
    return (record.gated,) if record.gated else ()


def interval_of(mean: float | None, n: int) -> tuple[float, float] | None:
    """Return the interval of a mean over `n` grades, None if there are none."""
    if mean is None or not n:
        return None
    return wilson(mean, n, level=LEVEL)


def _mark(what: str, calls: int, mean: float | None, n: int, *, kept: bool = True) -> Iterator[Mark]:
    """Yield a mean with its interval; nothing if it isn't known."""
    interval = interval_of(mean, n)
    if mean is not None and interval is not None:
        yield Mark(what=what, calls=calls, mean=mean, n=n, interval=interval, kept=kept)


def _finished(found: Curves, history: History, summary: Summary) -> Curves:
    """Add what only a finished training has: test scores where their skills arose, and the reported mean."""
    reported = None
    if summary.reported:
        end = summary.reported
        what = "reported best"
        reported = Mark(what=what, calls=summary.total.calls, mean=end.mean, n=end.n, interval=end.interval)
    return Curves(
        calls=max(found.calls, summary.total.calls),
        train=found.train,
        val=found.val,
        best=found.best,
        test=_test(history, summary),
        reported=reported,
    )


def _test(history: History, summary: Summary) -> tuple[Mark, ...]:
    """Return the test scores of the first, the best and the final skill, each where its skill arose."""
    marks: dict[int, Mark] = {}
    for role, tested in (("initial skill", summary.initial), ("final skill", summary.final), ("best", summary.best)):
        if tested.test is not None:
            for mark in _mark(role, _arose(history, tested), tested.test.metric, tested.test.size):
                marks[mark.calls] = mark
    return tuple(marks[calls] for calls in sorted(marks))


def _arose(history: History, tested: TestedSkill) -> int:
    """Return after how many calls a skill was there: guidance comes after its epoch, removal at the end."""
    standing = tested.standing
    if standing.origin == "removal":
        return max((record.calls for record in (*history.steps, *history.epochs)), default=history.calls)
    if not standing.step:
        return history.calls
    step = history.steps[standing.step - 1]
    if standing.origin != "slow_update":
        return step.calls
    return next((epoch.calls for epoch in history.epochs if epoch.epoch == step.epoch), step.calls)
