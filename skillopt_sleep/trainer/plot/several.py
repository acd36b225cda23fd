"""Draw several trainings over one another as one HTML page: their best on val by calls, and how they differ."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pages.axis import Scale, Tick, ticks
from skillopt_sleep.pages.render import self_contained
from skillopt_sleep.records import Record
from skillopt_sleep.trainer.apart import settings_apart, unlike
from skillopt_sleep.trainer.config import EvaluationSection
from skillopt_sleep.trainer.manifest import Manifest
from skillopt_sleep.trainer.plot.chart import X_TICKS, Y_TICKS, Points, range_of, stairs
from skillopt_sleep.trainer.plot.curves import LEVEL, Curves, curves, interval_of
from skillopt_sleep.trainer.plot.page import history_of
from skillopt_sleep.trainer.run import SUMMARY, read_kept, read_manifest, read_spending
from skillopt_sleep.trainer.summary import History, Summary

NAME_OF_SEVERAL = "runs-plot.html"
KINDS = 6  # colours and dashes; beyond that, numbers alone tell runs apart
_NEAR = 6.0  # in percent of the chart: two numbers that are no farther apart would hide one another


class Range(Record, frozen=True, kw_only=True):
    """The reported best of a run with its interval, in percent of the line that it is drawn on."""

    at: float
    low: float
    high: float


class Line(Record, frozen=True, kw_only=True):
    """The best on val of one run by calls: its number stands where the line ends, beside others if need be."""

    number: int
    kind: int
    points: Points
    x: float
    y: float


class _Run(NamedTuple):
    """A training as it is drawn."""

    folder: Path
    name: str
    manifest: Manifest
    history: History
    summary: Summary | None
    curves: Curves

    def bests(self) -> list[tuple[int, float]]:
        """Return the best on val after so many calls, up to the last call."""
        found = list(self.curves.best)
        return [*found, (self.curves.calls, found[-1][1])] if found else []


def page_of_several(folders: Sequence[Path]) -> str:
    """Return the page of the trainings in these folders.

    Raises ConfigError if one is named twice, can't be read, has no step yet, or was written by an older version.
    """
    names = _names(folders)
    runs: list[_Run] = []
    for folder, name in zip(folders, names, strict=True):
        manifest, history = read_manifest(folder), history_of(folder)
        summary = read_kept(folder / SUMMARY, Summary)
        runs.append(_Run(folder, name, manifest, history, summary, curves(history, summary)))
    return self_contained(__package__ or "", "several.html.j2", _values(runs), style="several.css")


def place_of_several(folders: Sequence[Path]) -> Path:
    """Return where the page of several trainings is written: the folder that holds them all."""
    return Path(os.path.commonpath([folder.absolute().parent for folder in folders])) / NAME_OF_SEVERAL


def _values(runs: Sequence[_Run]) -> dict[str, Any]:
    """Return what the page shows."""
    apart = settings_apart([run.manifest for run in runs])
    reported = [run.summary.reported for run in runs if run.summary and run.summary.reported]
    means = [(mean, mean) for run in runs for _, mean in run.bests()]
    across = Scale(low=0, high=max(1, *(run.curves.calls for run in runs)))
    up = range_of(means)
    shares = range_of([(one.mean, one.mean) for one in reported] + [one.interval for one in reported])
    return {
        "across": tuple(Tick(at=across.share(at), label=f"{at:,.0f}") for at in ticks(0, across.high, X_TICKS)),
        "up": tuple(Tick(at=100 - up.share(at), label=f"{at:.1f}") for at in ticks(up.low, up.high, Y_TICKS)),
        "lines": _lines(runs, across, up),
        "rows": [_row(number, run, shares) for number, run in enumerate(runs, start=1)],
        "shares": shares,
        "settings": tuple((key, tuple(one[key] for one in apart)) for key in apart[0]),
        "unlike": unlike(apart[0]),
        "level": f"{100 * LEVEL:.0f} %",
        "interval_of": interval_of,
    }


def _row(number: int, run: _Run, shares: Scale) -> dict[str, Any]:
    """Return what the table says of a run."""
    spending = read_spending(run.folder)
    reported = run.summary.reported if run.summary else None
    drawn = None
    if reported:
        low, high = reported.interval
        drawn = Range(at=shares.share(reported.mean), low=shares.share(low), high=shares.share(high))
    return {
        "number": number,
        "kind": kind_of(number),
        "name": run.name,
        "what": f"{run.manifest.env}, {run.manifest.models.get('target', 'unknown model')}",
        "gate": run.manifest.config["evaluation"]["gate"],
        "steps": len(run.history.steps),
        "val": run.history.baseline.size,
        "is_finished": run.summary is not None,
        "reported": reported,
        "drawn": drawn,
        "chosen_by": not _evaluation(run.manifest).confirms,
        "test": run.summary.best.test if run.summary else None,
        "answers": run.curves.calls,
        "paid": spending.paid if spending else None,
    }


def _evaluation(manifest: Manifest) -> EvaluationSection:
    """Return how a run was judged, also one that another version of this program began."""
    kept = manifest.config["evaluation"]
    known = {key: value for key, value in kept.items() if key in EvaluationSection.__struct_fields__}
    return msgspec.convert(known, EvaluationSection)


def kind_of(number: int) -> int:
    """Return which colour and dash a run has."""
    return (number - 1) % KINDS + 1


def _lines(runs: Sequence[_Run], across: Scale, up: Scale) -> tuple[Line, ...]:
    lines: list[Line] = []
    for number, run in enumerate(runs, start=1):
        points = stairs(run.bests(), across, up)
        if points:
            x, y = points[-1]
            lines.append(Line(number=number, kind=kind_of(number), points=points, x=x, y=y))
    return _legible(lines)


def _legible(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines with their numbers moved down where they would hide one another."""
    placed: list[Line] = []
    for line in sorted(lines, key=lambda line: (line.y, line.number)):
        y = line.y
        for other in placed:
            if abs(other.x - line.x) < _NEAR and abs(other.y - y) < _NEAR:
                y = other.y + _NEAR
        placed.append(replace(line, y=round(y, 2)))
    return tuple(sorted(placed, key=lambda line: line.number))


def _names(folders: Sequence[Path]) -> list[str]:
    """Return what the runs are called: their folders, with as much of the way as tells them apart."""
    absolute = [folder.resolve() for folder in folders]
    for folder in absolute:
        if absolute.count(folder) > 1:
            raise ConfigError(f"{folder} is named twice", remedy="name each training once")
    shortest = [folder.name for folder in absolute]
    if len(set(shortest)) == len(shortest):
        return shortest
    common = os.path.commonpath([folder.parent for folder in absolute])
    return [folder.relative_to(common).as_posix() for folder in absolute]
