"""The command `runs`: list, show, plot, compare and fork trainings."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.lazy import PlainGroup
from skillopt_sleep.cli.runs_shown import seconds_of, training_lines
from skillopt_sleep.cli.train_shown import best_val, scored
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.trainer.found import Run, find, read, reason_of

app = typer.Typer(cls=PlainGroup, add_completion=False, help="List, show, plot, compare and fork trainings.")

RunFolder = Annotated[Path, typer.Argument(help="The folder of a training.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
_MOST_NAMED = 3
_VALUE_CHARS = 30
_IN_EVERY_LINE = frozenset({"env", "models.target", "evaluation.gate", "train.seed"})


@app.command("list", epilog="Example: skillopt-sleep runs list")
def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, up to three folders deep.")] = Path(),
    *,
    as_json: AsJson = False,
) -> None:
    """List the trainings below a folder: model, gate, seed, best score, and how those side by side differ."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder", remedy="name a folder that contains trainings")
    listed: dict[Path, Run | str] = {}
    for path in find(folder):
        try:
            listed[path] = read(path)
        except (ConfigError, OSError) as error:
            listed[path] = reason_of(error, path)
    apart = settings_by_run([run for run in listed.values() if isinstance(run, Run)])
    rows: list[dict[str, Any]] = []
    lines: list[str] = []
    for path, run in listed.items():
        if isinstance(run, Run):
            rows.append(run.row() | {"apart": apart[path].settings})
            lines.append(run_line(run, apart[path].uncommon))
        else:
            rows.append({"folder": str(path), "unreadable": run})
            lines.append(f"{path}  unreadable: {run}")
    if as_json:
        say_json({"schema_version": 1, "runs": rows})
        return
    for line in lines or [f"No trainings in {folder.absolute()}"]:
        say(line)


@app.command("show", epilog="Example: skillopt-sleep runs show run")
def show(run: RunFolder, *, as_json: AsJson = False) -> None:
    """Show a training step by step."""
    training = read(run)
    if as_json:
        details = {"history": training.history, "seconds": seconds_of(training)}
        say_json({"schema_version": 1, **training.row(), **details})
        return
    for line in training_lines(training):
        say(line)


@app.command("plot", epilog="Example: skillopt-sleep runs plot run --open")
def plot(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="The folders of one or more trainings.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            help="The file to write; by default plot.html in the run's folder, or runs-plot.html in the folder that "
            "holds several of them.",
        ),
    ] = None,
    show_it: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Draw a training as one HTML page: its curves, edits, skills and cost; several of them over one another."""
    from skillopt_sleep.kit.files import write_atomic
    from skillopt_sleep.trainer.plot import NAME, page, page_of_several, place_of_several

    if len(runs) == 1:
        path, drawn = output or runs[0] / NAME, page(runs[0])
    else:
        drawn = page_of_several(runs)
        path = output or place_of_several(runs)
    try:
        write_atomic(path, drawn.encode())
    except OSError as error:
        raise ConfigError(
            f"can't write {path}: {error.strerror or error}", remedy="name another file with --output"
        ) from error
    say(str(path))
    if show_it and not _opened(path):
        warn(f"No browser could be opened: open {path.absolute()} yourself.")


@app.command("compare", epilog="Example: skillopt-sleep runs compare run run-2")
def compare(one: RunFolder, other: RunFolder, *, as_json: AsJson = False) -> None:
    """Compare two trainings: what they were started with, and how their best skills score."""
    from skillopt_sleep.trainer.apart import settings_apart, unlike
    from skillopt_sleep.trainer.manifest import differences

    first, second = read(one), read(other)
    every = differences(first.manifest, second.manifest)
    changed = tuple(line for line in every if not line.startswith("config.train.folder:"))
    if as_json:
        rows = [first.row(with_steps=False), second.row(with_steps=False)]
        say_json({"schema_version": 1, "differences": changed, "runs": rows})
        return
    apart, _ = settings_apart([first.manifest, second.manifest])
    for line in changed or ("Both were started with the same configuration.",):
        say(line)
    if unlike(apart):
        say(f"They differ in {' and '.join(unlike(apart))}, so their scores can't be compared.")
    for run in (first, second):
        if run.summary is None:
            say(f"{run.folder}: not finished")
            continue
        initial, best = run.summary.initial, run.summary.best
        scores = f"initial val {scored(initial.val)}, {best_val(run.summary)}, best test {scored(best.test)}"
        say(f"{run.folder}: {scores}")


@app.command("fork", epilog="Example: skillopt-sleep runs fork run run-2 --set evaluation.gate=greedy")
def fork_run(
    run: RunFolder,
    new: Annotated[str, typer.Argument(help="The folder of the new training, beside the old one.")],
    *,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="A key to change, as in evaluation.gate=greedy; repeatable.")
    ] = None,
) -> None:
    """Start from a training with some keys changed: only what differs is paid for."""
    from skillopt_sleep.kit.clock import utc_now
    from skillopt_sleep.trainer.fork import fork

    made = fork(run, new, changes or [], clock=utc_now)
    where = "the shared file" if made.shares else str(made.folder)
    say(f"{made.config} is the new configuration, and {where} has the {counted(made.answers, 'answer')} so far.")
    if made.changed:
        warn(f"Changed since {run} began: {', '.join(made.changed)}. The new training begins with what is there now.")
    elif not changes and not made.shares:
        say("Nothing is changed, so it gives the same result again.")
    command = f"skillopt-sleep train {shlex.quote(str(made.config))}"
    if made.is_confirmed:
        say(f"Run it: {command}")
    elif made.backend:
        say(f"Run it: {command} --backend {made.backend}")
    else:
        say(f"Run it, with the --backend of the first one if it had one: {command}")
    if made.shares:
        say("Val answers that can have chosen a skill aren't shared: they are asked for anew.")
    else:
        reused = "the answers that chose skills there choose here too"
        say(f"Where val is asked the same, {reused}: compare the two by their test scores.")


def _opened(path: Path) -> bool:
    """Open a page in the user's browser; return whether there is one."""
    import webbrowser

    return webbrowser.open(path.absolute().as_uri())


class Apart(NamedTuple):
    """The settings in which a training differs from others in the same folder, and those of them that few have."""

    settings: Mapping[str, str]
    uncommon: Mapping[str, str]


def settings_by_run(runs: Sequence[Run]) -> dict[Path, Apart]:
    """Return, for each training, in which settings it differs from others in the same folder."""
    from skillopt_sleep.trainer.apart import settings_apart, uncommon

    beside: dict[Path, list[Run]] = {}
    for run in runs:
        beside.setdefault(run.folder.parent, []).append(run)
    found: dict[Path, Apart] = {}
    for some in beside.values():
        apart = settings_apart([run.manifest for run in some])
        for run, settings, own in zip(some, apart, uncommon(apart), strict=True):
            found[run.folder] = Apart(settings, own)
    return found


def run_line(run: Run, apart: Mapping[str, str]) -> str:
    """Return a training in one line, with these settings, in which it differs from those beside it."""
    state = best_val(run.summary) if run.summary else run.so_far()
    model = run.manifest.models.get("target", "unknown model")
    named = [f"{key} {_short(value)}" for key, value in apart.items() if key not in _IN_EVERY_LINE]
    words = [run.manifest.env, model, f"gate {run.gate}", f"seed {run.seed}", *named[:_MOST_NAMED]]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return f"{run.folder}  {', '.join(words)}{more}: {state}"


def _short(value: str) -> str:
    """Return a setting's value, of a long one its end, by which paths differ."""
    if len(value) > _VALUE_CHARS:
        return f"…{value[1 - _VALUE_CHARS :]}"
    return value or '""'
