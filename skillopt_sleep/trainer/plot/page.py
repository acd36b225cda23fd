"""Write a training as one HTML page without scripts, in which nothing is loaded from elsewhere."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pages.render import self_contained
from skillopt_sleep.records import EditFate, Record
from skillopt_sleep.trainer.attempts import Cost
from skillopt_sleep.trainer.manifest import Manifest
from skillopt_sleep.trainer.plot.curves import (
    END_OF,
    LEVEL,
    chart_of,
    curves,
    in_order,
    interval_of,
    name_of,
    verdicts,
)
from skillopt_sleep.trainer.run import HISTORY, SUMMARY, read_kept, read_manifest, read_spending
from skillopt_sleep.trainer.spending import spent_line
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


class StageRow(Record, frozen=True, kw_only=True):
    """What the calls of one purpose cost; `share` is their part of all calls in percent."""

    name: str
    cost: Cost
    share: float


class StepRow(Record, frozen=True, kw_only=True):
    """A row of the table behind the chart: a step or the end of an epoch, its scores and the gate's decision.

    `val` is the mean of what was tried, over `n` pairs; `before` that of the skill it was tried `against` in the same
    trial, and `gain` the interval of the difference.
    """

    what: str
    calls: int
    train: Scores | None = None
    val: float | None = None
    n: int = 0
    interval: tuple[float, float] | None = None
    before: float | None = None
    against: str = "current"
    gain: tuple[float, float] | None = None
    decision: str
    reason: str = ""


class EditRow(Record, frozen=True, kw_only=True):
    """An edit: when it was proposed, what it changes, what became of it and why, and whether a taken skill has it."""

    what: str
    op: str
    content: str
    target: str
    fate: str
    why: str
    kept: bool


def page(folder: Path) -> str:
    """Return the page of the training in this folder; raise ConfigError if there is none, or it has no step yet."""
    manifest, history = read_manifest(folder), history_of(folder)
    values = _values(folder, manifest, history)
    filters = {"tokens": _tokens}
    return self_contained(__package__ or "", "page.html.j2", values, style="page.css", filters=filters)


def history_of(folder: Path) -> History:
    """Return the history of the training in this folder; raise ConfigError if it can't be drawn."""
    history = read_kept(folder / HISTORY, History)
    if history is None or not history.steps:
        raise ConfigError(f"the training in {folder} has no step yet", remedy="plot it after its first step")
    return history


def _values(folder: Path, manifest: Manifest, history: History) -> dict[str, Any]:
    """Return what the page shows."""
    summary = read_kept(folder / SUMMARY, Summary)
    found = curves(history, summary)
    spending = read_spending(folder)
    return {
        "name": folder.absolute().name,
        "manifest": manifest,
        "preset": manifest.config.get("preset", "default"),
        "history": history,
        "summary": summary,
        "calls": found.calls,
        "chart": chart_of(found),
        "moments": _moments(history),
        "edits": [row for record in in_order(history) for row in _edits(record)],
        "stages": _stages(summary),
        "paid": spent_line(summary.total, spending.paid) if summary and spending else "",
        "metric": manifest.config["evaluation"]["metric"],
        "level": f"{100 * LEVEL:.0f} %",
        "interval_of": interval_of,
    }


def _tokens(cost: Cost) -> str:
    known = cost.input_tokens + cost.output_tokens
    if not cost.unnamed:
        return f"{known:,}"
    return f"at least {known:,}" if known else "unknown"


def _edits(record: StepRecord | EpochRecord) -> Iterator[EditRow]:
    """Yield the edits of a step, or the guidance at the end of an epoch."""
    is_taken = record.gated is not None and record.gated.action in TAKEN
    for one in record.edits:
        yield EditRow(
            what=name_of(record),
            op=one.edit.op.value.replace("_", " "),
            content=one.edit.content,
            target=one.edit.target,
            fate=one.fate.value.replace("_", " "),
            why=one.because,
            kept=is_taken and one.fate is EditFate.APPLIED,
        )


def decision(action: Action) -> str:
    """Return an action in words, as said of one step or candidate."""
    words = ACTIONS[action]
    if action in SKIPPED:
        return f"a step {words}"
    if action is Action.ABSTAIN:
        return f"a candidate {words}"
    return words


def _moments(history: History) -> tuple[StepRow, ...]:
    """Return the rows behind the chart, the initial skill first."""
    baseline = history.baseline
    first = StepRow(
        what="initial skill",
        calls=history.calls,
        val=baseline.metric,
        n=baseline.size,
        interval=interval_of(baseline.metric, baseline.size),
        decision="where it began",
    )
    rows = [first]
    for record in in_order(history):
        rows += _rows(record)
    for ended in history.end:
        end = StepRow(what=END_OF, calls=ended.calls, against="best", decision="no trial")
        rows.append(_judged(end, ended.gated))
    return tuple(rows)


def _rows(record: StepRecord | EpochRecord) -> Iterator[StepRow]:
    """Yield a row for each verdict in a record, one without a verdict if there is none."""
    train = record.train if isinstance(record, StepRecord) else None
    bare = StepRow(what=name_of(record), calls=record.calls, train=train, decision="no trial")
    found = verdicts(record)
    if not found:
        yield bare
    for gated in found:
        yield _judged(bare, gated)


def _judged(row: StepRow, gated: Gated) -> StepRow:
    """Return the row with the gate's verdict."""
    return replace(
        row,
        val=gated.after,
        n=gated.size,
        interval=interval_of(gated.after, gated.size),
        before=gated.before,
        gain=gated.interval,
        decision=decision(gated.action),
        reason="" if gated.action in SKIPPED else gated.reason,
    )


def _stages(summary: Summary | None) -> tuple[StageRow, ...]:
    if summary is None:
        return ()
    calls = max(1, summary.total.calls)
    rows: list[StageRow] = []
    for name, cost in summary.costs.items():
        rows.append(StageRow(name=name, cost=cost, share=round(100 * cost.calls / calls, 2)))
    return tuple(sorted(rows, key=lambda row: -row.cost.calls))
