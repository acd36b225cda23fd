"""The commands `train list`, `show` and `plot`: what trainings gave."""

import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.train_shown import scored, summary_lines
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.pages.blocks import Table
from skillopt_sleep.trainer.costs import Cost, paid_words, used_words
from skillopt_sleep.trainer.plot import NAME, page
from skillopt_sleep.trainer.runs import Run, by_score, differing, find, read
from skillopt_sleep.trainer.summary import ACTIONS, Gated, History

RunFolder = Annotated[Path, typer.Argument(help="The folder of a training.")]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]
_VALUE_CHARS = 30
_DIGESTS = {"dataset", "initial_skill", "prompts", "code"}


def list_runs(
    folder: Annotated[Path, typer.Argument(help="Where to look, up to three folders deep.")] = Path(),
    *,
    as_json: AsJson = False,
) -> None:
    """List the trainings below a folder, the best first, and how they differ."""
    if not folder.is_dir():
        raise ConfigError(f"{folder}: no such folder", remedy="name a folder that contains trainings")
    found: list[Run] = []
    unreadable: dict[str, str] = {}
    for path in find(folder):
        try:
            found.append(read(path))
        except ConfigError as error:
            unreadable[str(path)] = error.message
    if as_json:
        own = differing(found)
        rows: list[dict[str, Any]] = [run.row() | {"differs": own[run.folder]} for run in by_score(found)]
        rows += [{"folder": path, "unreadable": why} for path, why in unreadable.items()]
        say_json({"schema_version": 2, "runs": rows})
        return
    if found:
        say_runs(found)
    elif not unreadable:
        say(f"No trainings in {folder.absolute()}")
    for path, why in unreadable.items():
        warn(f"{path}: {why}")


def say_runs(runs: Sequence[Run]) -> None:
    """Print trainings as a table, the best first, and in what the settings of each differ from others'."""
    own = differing(runs)
    ordered = by_score(runs)
    rows: list[tuple[str, ...]] = []
    for run in ordered:
        calls = f"{run.paid.calls:,}" if run.paid else ""
        differs = ", ".join(dict.fromkeys(filter(None, _differs(own[run.folder], best=own[ordered[0].folder]))))
        rows.append((str(run.folder), *_score(run), calls, differs, run.state()))
    columns = ("run", "best", "90 % interval", "test", "calls", "differs in", "state")
    say_blocks([Table(columns, tuple(rows), right=(1, 3, 4))])


def _differs(own: Mapping[str, str], *, best: Mapping[str, str]) -> Iterator[str]:
    """Yield a training's own settings, each model once; of its data, whether they are others than the best one's."""
    is_one = own.get("models.optimizer") == own.get("models.target")
    for key, value in own.items():
        section, name = key.partition(".")[0], key.rpartition(".")[2]
        if section in _DIGESTS:
            yield "" if value == best[key] else f"other {section.replace('_', ' ')}"
        elif section == "models":
            if name == "optimizer" or not is_one:
                yield f"{'model' if is_one else name} {value}"
        elif name not in {"base_url", "model"} and key not in {"backend.name", "target.name"}:
            yield f"{section if name == 'name' else name} {_short(value)}"


def _score(run: Run) -> tuple[str, str, str]:
    """Return the best skill's score on items like val, its interval, and its score on test, "" if not known."""
    if run.summary is None or run.reported is None:
        return "", "", ""
    low, high = run.reported.interval
    test = run.summary.best.test
    tested = f"{test.metric:.3f}" if test and test.metric is not None else ""
    return f"{run.reported.mean:.3f}", f"{low:.3f} to {high:.3f} (n={run.reported.n})", tested


def _short(value: str) -> str:
    """Return a setting's value, of a long one its end, by which paths differ."""
    return f"…{value[1 - _VALUE_CHARS :]}" if len(value) > _VALUE_CHARS else value


def show(run: RunFolder, *, as_json: AsJson = False) -> None:
    """Show a training step by step."""
    training = read(run)
    if as_json:
        say_json({"schema_version": 3, **training.row(), "history": training.history})
        return
    for line in training_lines(training):
        say(line)


def plot(
    run: RunFolder,
    *,
    show_it: Annotated[bool, typer.Option("--open", help="Open it in your browser.")] = False,
) -> None:
    """Draw a training as an HTML page in its folder."""
    path = run / NAME
    write_atomic(path, page(run).encode())
    say(str(path))
    if show_it and not webbrowser.open(path.absolute().as_uri()):
        warn(f"No browser could be opened: open {path.absolute()} yourself.")


def training_lines(training: Run) -> Iterator[str]:
    """Yield a training: its result or why it has none, its steps in order, and what its answers cost."""
    costs: Mapping[str, Cost] = {}
    if training.summary:
        costs = training.summary.costs
        yield from summary_lines(training.summary, training.paid)
    else:
        yield from _unfinished(training)
    if training.history:
        yield from _history_lines(training.history)
    yield from _stage_lines(costs)


def _unfinished(training: Run) -> Iterator[str]:
    """Yield why a training has no result, as far as that is known, and what it has paid."""
    yield f"{training.manifest.env}: {training.state()}. To go on: train with its configuration again"
    if training.paid:
        yield f"paid so far: {paid_words(training.paid)}"


def _history_lines(history: History) -> Iterator[str]:
    """Yield the steps, and the trials at the end; the page of `plot` and JSON have their edits."""
    for step in history.steps:
        came = f"train {scored(step.train)}{_change(step.gated)}"
        yield f"  step {step.step:4} (epoch {step.epoch}), {ACTIONS[step.gated.action]}: {came}"
    for ended in history.end:
        gated = ended.gated
        yield f"  at the end, {ACTIONS[gated.action]}{_change(gated)}: {gated.reason}"


def _change(gated: Gated) -> str:
    """Return the scores on val that were compared, if any were."""
    if gated.after is None:
        return ""
    answers = f", {gated.n} answers" if gated.n > gated.items else ""
    return f"; val {gated.before:.3f} → {gated.after:.3f} (n={gated.items}{answers})"


def _stage_lines(costs: Mapping[str, Cost]) -> Iterator[str]:
    """Yield what the answers were for and cost."""
    if costs:
        yield "answers used, by purpose:"
    for stage, spent in costs.items():
        yield f"  {stage}: {used_words(spent)}"
