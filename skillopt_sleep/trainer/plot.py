"""Write a training as one HTML page without scripts, in which nothing is loaded from elsewhere."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.learning.statistics import wilson
from skillopt_sleep.pages.chart import Chart, Curve, Point, chart
from skillopt_sleep.pages.render import self_contained
from skillopt_sleep.records import AppliedEdit, EditFate, Record
from skillopt_sleep.trainer.costs import Cost, spent_line, token_words
from skillopt_sleep.trainer.manifest import Manifest
from skillopt_sleep.trainer.run import HISTORY, SUMMARY, read_kept, read_manifest, read_paid
from skillopt_sleep.trainer.summary import (
    ACTIONS,
    SKIPPED,
    TAKEN,
    Action,
    EpochRecord,
    Gated,
    History,
    Scores,
    StepRecord,
    Summary,
)

NAME = "plot.html"
LEVEL = 0.9


class Moment(Record, frozen=True, kw_only=True):
    """The initial skill, a step, the end of an epoch or a trial at the end: its scores and the gate's decision.

    `val` is the mean of what was tried, over `n` pairs; `before` that of the skill it was tried `against` in the same
    trial, and `gain` the interval of the difference. `best` is the best score on val so far.
    """

    what: str
    calls: int
    train: Scores | None = None
    val: float | None = None
    n: int = 0
    before: float | None = None
    against: str = "current"
    gain: tuple[float, float] | None = None
    decision: str = "no trial"
    reason: str = ""
    taken: bool = True
    best: float | None = None


class EditRow(NamedTuple):
    """An edit with what became of it, when it was proposed, and whether a skill that was taken has it."""

    what: str
    applied: AppliedEdit
    kept: bool


def page(folder: Path) -> str:
    """Return the page of the training in this folder; raise ConfigError if there is none, or it has no step yet."""
    manifest = read_manifest(folder)
    history = read_kept(folder / HISTORY, History)
    if history is None or not history.steps:
        raise ConfigError(f"the training in {folder} has no step yet", remedy="plot it after its first step")
    values = _values(folder, manifest, history)
    filters = {"tokens": _tokens}
    return self_contained(__package__ or "", "plot.html.j2", values, style="plot.css", filters=filters)


def _values(folder: Path, manifest: Manifest, history: History) -> dict[str, Any]:
    """Return what the page shows."""
    summary = read_kept(folder / SUMMARY, Summary)
    shown = moments(history)
    calls = max(moment.calls for moment in shown)
    if summary is not None:
        calls = max(calls, summary.total.calls)
    return {
        "name": folder.absolute().name,
        "manifest": manifest,
        "preset": manifest.config.get("preset", "default"),
        "history": history,
        "summary": summary,
        "calls": calls,
        "chart": chart_of(shown, history, summary, end=calls),
        "moments": shown,
        "edits": [row for record in in_order(history) for row in _edits(record)],
        "stages": sorted(summary.costs.items(), key=lambda stage: -stage[1].calls) if summary else (),
        "paid": spent_line(summary.total, read_paid(folder)) if summary else "",
        "metric": manifest.config["evaluation"]["metric"],
        "level": f"{100 * LEVEL:.0f} %",
        "interval_of": interval_of,
    }


def _tokens(cost: Cost) -> str:
    known = token_words(cost.input_tokens + cost.output_tokens, unnamed=cost.unnamed)
    return known.removeprefix("tokens ").removesuffix(" tokens")


def in_order(history: History) -> tuple[StepRecord | EpochRecord, ...]:
    """Return the records of steps and epochs in the order in which they ended."""
    records = [*history.steps, *history.epochs]
    return tuple(sorted(records, key=lambda record: (record.epoch, isinstance(record, EpochRecord))))


def moments(history: History) -> tuple[Moment, ...]:
    """Return what happened, in order, the initial skill first."""
    start = history.baseline.metric
    first = Moment(
        what="initial skill",
        calls=history.calls,
        val=start,
        n=history.baseline.items,
        decision="where it began",
        best=start,
    )
    found = [first]
    for record in in_order(history):
        found.append(_moment(record))
    for ended in history.end:
        best = ended.gated.after if ended.gated.action in TAKEN else None
        judged = _judged(ended.gated)
        found.append(Moment(what="final skill", calls=ended.calls, against="best", best=best, **judged))
    return tuple(found)


def _moment(record: StepRecord | EpochRecord) -> Moment:
    judged = _judged(record.gated) if record.gated else {}
    best = record.best.val
    if isinstance(record, StepRecord):
        what = f"step {record.step}"
        return Moment(what=what, calls=record.calls, train=record.train, best=best, **judged)
    return Moment(what=f"end of epoch {record.epoch}", calls=record.calls, best=best, **judged)


def _judged(gated: Gated) -> dict[str, Any]:
    """Return what the gate's verdict says."""
    return {
        "val": gated.after,
        "n": gated.items,
        "before": gated.before,
        "gain": gated.interval,
        "decision": decision(gated.action),
        "reason": "" if gated.action in SKIPPED else gated.reason,
        "taken": gated.action in TAKEN,
    }


def decision(action: Action) -> str:
    """Return an action in words, as said of one step or candidate."""
    words = ACTIONS[action]
    if action in SKIPPED:
        return f"a step {words}"
    if action is Action.ABSTAIN:
        return f"a candidate {words}"
    return words


def _edits(record: StepRecord | EpochRecord) -> Iterator[EditRow]:
    """Yield the edits of a step, or the guidance at the end of an epoch."""
    is_taken = record.gated is not None and record.gated.action in TAKEN
    for applied in record.edits:
        yield EditRow(_moment(record).what, applied, is_taken and applied.fate is EditFate.APPLIED)


def chart_of(shown: Sequence[Moment], history: History, summary: Summary | None, *, end: int) -> Chart:
    """Lay out the curves of a training by calls; one that isn't finished has no test scores yet."""
    train: list[Point] = []
    val: list[Point] = []
    best: list[Point] = []
    for moment in shown:
        if moment.train is not None:
            train += _points(moment.what, moment.calls, moment.train.metric, moment.train.items)
        val += _points(moment.what, moment.calls, moment.val, moment.n, filled=moment.taken)
        if moment.best is not None:
            best.append(Point(moment.calls, moment.best, (moment.best, moment.best), ""))
    reported: list[Point] = []
    if summary is not None and summary.reported is not None:
        final = summary.reported
        title = _title("reported best", summary.total.calls, final.mean, final.interval, final.n)
        reported.append(Point(summary.total.calls, final.mean, final.interval, title))
    curves = (
        Curve("train", "train", train, band=True),
        Curve("val", "tried on val (filled: taken)", val),
        Curve("best", "best on val so far", best, stairs=True),
        Curve("test", "test", _test(history, summary), shape="square"),
        Curve("end", "reported best, corrected", reported, shape="diamond", line=False),
    )
    told = "Scores on train, val and test by the number of calls. The table below has every number."
    return chart(curves, end=end, told=told)


def interval_of(mean: float | None, n: int) -> tuple[float, float] | None:
    """Return the interval of a mean over `n` grades, None if there are none."""
    if mean is None or not n:
        return None
    return wilson(mean, n, level=LEVEL)


def _points(what: str, calls: int, mean: float | None, n: int, *, filled: bool = True) -> Iterator[Point]:
    """Yield the mean with its interval; nothing if it isn't known."""
    interval = interval_of(mean, n)
    if mean is not None and interval is not None:
        yield Point(calls, mean, interval, _title(what, calls, mean, interval, n), filled=filled)


def _title(what: str, calls: int, mean: float, interval: tuple[float, float], n: int) -> str:
    low, high = interval
    return f"{what}, after {calls:,} calls: {mean:.3f}, {low:.3f} to {high:.3f} (n={n})"


def _test(history: History, summary: Summary | None) -> list[Point]:
    """Return the test scores of the initial skill, where it began, and of the best one, at the end."""
    if summary is None:
        return []
    points: list[Point] = []
    for role, tested, calls in (
        ("initial skill", summary.initial, history.calls),
        ("best", summary.best, summary.total.calls),
    ):
        if tested.test is not None:
            points += _points(role, calls, tested.test.metric, tested.test.items)
    return points
