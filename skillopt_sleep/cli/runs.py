"""skillopt-sleep runs: trainings, what they were started with and how they ended."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.train import cost, scored, told
from skillopt_sleep.errors import ConfigError

if TYPE_CHECKING:
    from skillopt_sleep.trainer import Summary
    from skillopt_sleep.trainer.attempts import Cost
    from skillopt_sleep.trainer.manifest import Manifest
    from skillopt_sleep.trainer.summary import History

    Read = tuple[Manifest, Summary | None, History | None]

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Trainings: list, show, compare.")

Run = Annotated[Path, typer.Argument(help="The folder of a run.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
_DEEP = 3
_SHORTEST = 0.05  # seconds that are shown


@app.command("list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, three folders deep.")] = Path(),
    *,
    as_json: AsJson = False,
) -> None:
    """List the runs below a folder: environment, best scores, or that a run isn't finished."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder", remedy="name a folder that runs are in")
    rows = [(path, *_tried(path)) for path in _found(folder, _DEEP)]
    if as_json:
        runs = [_row(path, *run) if run else {"folder": str(path), "unreadable": why} for path, run, why in rows]
        say_json({"schema_version": 1, "runs": runs})
        return
    if not rows:
        say(f"no run below {folder}")
    for path, run, why in rows:
        if run is None:
            say(f"{path}  unreadable: {why}")
            continue
        manifest, summary, history = run
        ended = f"best val {scored(summary.best.val)}" if summary else f"not finished: {_steps(history)}"
        say(f"{path}  {manifest.env}, {manifest.models.get('target', 'unknown model')}: {ended}")


@app.command("show")
def show(run: Run, *, as_json: AsJson = False) -> None:
    """Show a run step by step."""
    manifest, summary, history = _read(run)
    if as_json:
        seconds = _seconds(run)
        say_json(
            {"schema_version": 1, **_row(run, manifest, summary, history), "history": history, "seconds": seconds}
        )
        return
    for line in told(summary) if summary else [f"{manifest.env}: not finished"]:
        say(line)
    for step in history.steps if history else ():
        gated = step.gated
        numbers = "" if gated.after is None else f" {gated.before:.3f} → {gated.after:.3f} (n={gated.n})"
        say(f"  step {step.step:4} (epoch {step.epoch}): train {scored(step.train)}; {gated.action}{numbers}")
    for epoch in history.epochs if history else ():
        what = f"guidance {epoch.gated.action}: {epoch.gated.reason}" if epoch.gated else "no guidance"
        say(f"  end of epoch {epoch.epoch}: {what}")
    for line in _stages(summary.costs if summary else {}, _seconds(run)):
        say(line)


@app.command("compare")
def compare(one: Run, other: Run, *, as_json: AsJson = False) -> None:
    """Compare two runs: what they were started with, and how their best skills score."""
    from skillopt_sleep.trainer.manifest import differences

    (first, ended, _), (second, ended_too, _) = _read(one), _read(other)
    changed = differences(first, second)
    if as_json:
        runs = [_row(one, first, ended, None), _row(other, second, ended_too, None)]
        say_json({"schema_version": 1, "differences": changed, "runs": runs})
        return
    for line in changed or ("started with the same",):
        say(line)
    for path, summary in ((one, ended), (other, ended_too)):
        if summary is None:
            say(f"{path}: not finished")
            continue
        best, initial = summary.best, summary.initial
        say(f"{path}: initial val {scored(initial.val)}, best val {scored(best.val)}, best test {scored(best.test)}")


def _found(folder: Path, deep: int) -> Iterator[Path]:
    from skillopt_sleep.trainer.run import CONFIG

    if (folder / CONFIG).is_file() and (folder / "calls.db").is_file():
        yield folder
    elif deep and folder.is_dir():
        for inner in sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()):
            yield from _found(inner, deep - 1)


def _tried(path: Path) -> "tuple[Read | None, str]":
    """What a run wrote down, or why it can't be read."""
    try:
        return _read(path), ""
    except ConfigError as error:
        return None, error.message
    except OSError as error:
        return None, f"{error.filename or path}: {error.strerror or error}"


def _read(path: Path) -> "Read":
    from skillopt_sleep.trainer.run import HISTORY, SUMMARY, read_kept, read_manifest
    from skillopt_sleep.trainer.summary import History, Summary

    return read_manifest(path), read_kept(path / SUMMARY, Summary), read_kept(path / HISTORY, History)


def _row(path: Path, manifest: "Manifest", summary: "Summary | None", history: "History | None") -> dict[str, Any]:
    return {
        "folder": str(path),
        "started_with": manifest,
        "steps": len(history.steps) if history else None,
        "summary": summary,
    }


def _seconds(run: Path) -> dict[str, float]:
    """The seconds of each stage in the last life of a run; nothing where none ended yet."""
    from skillopt_sleep.trainer.run import SPEND, read_kept

    spend = read_kept(run / SPEND, dict[str, Any]) or {}
    return spend.get("seconds", {})


def _stages(costs: "Mapping[str, Cost]", seconds: "Mapping[str, float]") -> list[str]:
    """What the calls were for and took, and how long each stage took."""
    calls = [f"  {stage}: {cost(taken)}" for stage, taken in costs.items()]
    times = [f"  {stage}: {taken:.1f} s" for stage, taken in seconds.items() if taken >= _SHORTEST]
    return [
        *(["what the calls were for:", *calls] if calls else []),
        *(["how long it took, all its lives together:", *times] if times else []),
    ]


def _steps(history: "History | None") -> str:
    return f"{len(history.steps)} steps so far" if history else "no step yet"
