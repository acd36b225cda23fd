"""The command `train`: train a skill on a dataset, score it, and look at trainings."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from msgspec import to_builtins

from skillopt_sleep.cli import runs
from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.continued import command, stop_softly
from skillopt_sleep.cli.lazy import DefaultGroup
from skillopt_sleep.cli.progress import stages
from skillopt_sleep.cli.train_shown import (
    best_line,
    partial,
    plan_lines,
    plan_notices,
    scored,
    summary_lines,
)
from skillopt_sleep.errors import ConfigError, Exit, NightInterrupted, SleepError
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.records import Split
from skillopt_sleep.settings import find_paths, load, read_toml
from skillopt_sleep.trainer import Summary, TrainerConfig
from skillopt_sleep.trainer.config import config_of
from skillopt_sleep.trainer.costs import paid_words
from skillopt_sleep.trainer.data import remarks
from skillopt_sleep.trainer.evaluate import evaluate, unlike_run
from skillopt_sleep.trainer.loading import Progress, no_progress, read_skill
from skillopt_sleep.trainer.plan import TrainingPlan, notices, plan
from skillopt_sleep.trainer.run import BEST, read_paid
from skillopt_sleep.trainer.runs import paid_row, read, variants
from skillopt_sleep.trainer.skeleton import write_skeleton
from skillopt_sleep.wiring.training import Flags, WiredTraining, wire_training

_CONFIG = typer.Argument(help="Its TOML file; `train --init NEW` writes one.")
Config = Annotated[Path, _CONFIG]
MaybeConfig = Annotated[Path | None, _CONFIG]
BackendName = Annotated[
    str,
    typer.Option(
        "--backend",
        help="The backend, and your consent to send to it; unless it is the configured one, it has both roles.",
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        help="The model, unless the target has one of its own.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="As JSON.")]


app = typer.Typer(
    cls=DefaultGroup,
    add_completion=False,
    help="Train a skill on a dataset, and score, list or plot trainings.",
)


@app.command("start", epilog="Example: skillopt-sleep train training.toml")
def train(
    config: MaybeConfig = None,
    *,
    init: Annotated[
        Path | None,
        typer.Option("--init", help="Write an environment to start from, and its TOML."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="A key to change, as in optimizer.edit_budget=4,8: each value makes a training; repeatable.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Train with so many seeds.")] = 1,
    only_plan: Annotated[
        bool,
        typer.Option("--plan", help="Only say what it costs and what val can prove."),
    ] = False,
    backend: BackendName = "",
    model: ModelName = "",
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Train a skill, or go on with the training in its folder; `train FILE` is the same."""
    if init is not None:
        if config or only_plan or backend or model or changes:
            raise ConfigError(
                "--init only writes an environment and its TOML", remedy="train afterwards, in a command of its own"
            )
        written = write_skeleton(init)
        say(f"{written.with_suffix('.py')} holds an environment: put your own data and scoring in their place.")
        say(f"Try it without a model: skillopt-sleep train {written} --backend simulated")
        return
    if config is None:
        raise ConfigError("no configuration is named", remedy="name its file, or write one: train --init my_env.py")
    more = [word for change in changes or [] for word in ("--set", change)]
    more += ["--seeds", str(seeds)] if seeds > 1 else []
    asked = _Asked(config, backend, model, more=tuple(more), as_json=as_json, quiet=quiet)
    several = _variants(config, changes or [], seeds)
    if only_plan:
        _show_plan(asked, several)
        return
    if len(several) == 1:
        trained = _trained(asked, several[0], set())
        _say_trained(asked, trained)
        raise typer.Exit(trained.code)
    _sweep(asked, several)


class _Asked(NamedTuple):
    """The options of the command line; `more` are the words of those that ask for several trainings."""

    config: Path
    backend: str
    model: str
    more: tuple[str, ...] = ()
    as_json: bool = False
    quiet: bool = False


class _Trained(NamedTuple):
    """A training that has ended: its summary, what its folder paid, its folder, and the exit code."""

    summary: Summary
    paid: SpendTally | None
    folder: Path
    code: int
    remedy: str


def _variants(path: Path, changes: Sequence[str], seeds: int) -> list[TrainerConfig | None]:
    """Return the configuration of each training that was asked for, None for the file's own."""
    if not changes and seeds == 1:
        return [None]
    return [config_of(raw, where=f"{path} with --set") for raw in variants(read_toml(path), changes, seeds)]


def _trained(asked: _Asked, config: TrainerConfig | None, told: set[str]) -> _Trained:
    """Train once; what ends it early is told in its summary and its exit code, and no notice is `told` twice."""
    with (
        stages(silent=asked.quiet or asked.as_json) as shown,
        _wired(asked, shown.advance, config=config, more=[*asked.more, *["--json"] * asked.as_json]) as training,
    ):
        before = read_paid(training.folder)
        for line in _notices(training):
            if line not in told:
                warn(line)
            told.add(line)
        trainer = training.trainer()
        shown.training = trainer.progress
        summary = trainer.train()
    code, remedy = _ending(trainer.ended_by)
    paid = read_paid(training.folder)
    if paid == before:
        warn("No call was made: all answers were there already.")
    return _Trained(summary, paid, training.folder, code, remedy)


def _ending(error: BaseException | None) -> tuple[int, str]:
    """Return the exit code of what ended a training early, and how to go on."""
    if error is None:
        return Exit.DONE, ""
    if isinstance(error, SleepError):
        return error.exit_code, error.remedy
    return Exit.STOPPED, "go on: the same command again"


def _say_trained(asked: _Asked, trained: _Trained) -> None:
    """Print a training's result; raise Exit if something in it failed."""
    summary = trained.summary
    if asked.as_json:
        total = to_builtins(summary.total)
        say_json(to_builtins(summary) | {"total": total, "paid": paid_row(trained.paid)})
    else:
        for line in summary_lines(summary, trained.paid):
            say(line)
        say(best_line(summary, trained.folder))
    if trained.remedy:
        warn(f"Ended early: {summary.stopped}; {trained.remedy}.")
    problems = partial(summary)
    if problems:
        warn(f"Incomplete: {'; '.join(problems)}. Another train.folder asks again what failed.")
        raise typer.Exit(trained.code or Exit.PARTIAL)


def _sweep(asked: _Asked, several: Sequence[TrainerConfig | None]) -> None:
    """Make these trainings one after the other, and print them as a table; what stops one stops none of the rest."""
    codes: list[int] = []
    folders: list[Path] = []
    told: set[str] = set()
    for number, config in enumerate(several, start=1):
        if config and not (asked.quiet or asked.as_json):
            warn(f"Training {number} of {len(several)}: {config.train.folder}")
        trained = _trained(asked, config, told)
        if trained.remedy:
            warn(f"Ended early: {trained.summary.stopped}; {trained.remedy}.")
        folders.append(trained.folder)
        codes.append(trained.code)
        if trained.code == Exit.STOPPED:
            break
    found = [read(folder) for folder in folders]
    if asked.as_json:
        say_json({"schema_version": 2, "runs": [run.row() for run in found]})
    else:
        runs.say_runs(found)
    raise typer.Exit(max(codes))


def _show_plan(asked: _Asked, several: Sequence[TrainerConfig | None]) -> None:
    """Print the plan of a training; of several, what they cost together and the plan of the first."""
    plans: list[TrainingPlan] = []
    told: dict[str, None] = {}
    for config in several:
        with _wired(asked, no_progress, config=config, planning=True) as training:
            is_named = bool(asked.backend or training.config.backend.name or load(find_paths()).backend.name)
            told |= dict.fromkeys((*_notices(training), *plan_notices(training, is_named=is_named)))
            models = {"optimizer": training.optimizer, "target": training.target}
            plans.append(plan(training.config, training.env, **models, initial_skill=training.skill))
    for line in told:
        warn(line)
    usual, most = sum(made.usual for made in plans), sum(made.calls for made in plans)
    if asked.as_json:
        rows: list[dict[str, Any]] = []
        for made in plans:
            sums = {"usual": made.usual, "calls": made.calls, "tokens": made.tokens, "usd": made.usd}
            rows.append(to_builtins(made) | sums)
        say_json(
            rows[0] if len(rows) == 1 else {"schema_version": 2, "usual": usual, "calls": most, "trainings": rows}
        )
        return
    if len(plans) > 1:
        say(f"{len(plans)} trainings, about {usual:,} calls together, at most {most:,}. The first of them:")
    for line in plan_lines(plans[0]):
        say(line)


@app.command("eval", epilog="Example: skillopt-sleep train eval training.toml --skill run/best_skill.md")
def score(
    config: Config,
    *,
    skill: Annotated[
        Path | None,
        typer.Option(help="The skill's file; by default the best one."),
    ] = None,
    split: Annotated[str, typer.Option(help="train, val or test.")] = "test",
    backend: BackendName = "",
    model: ModelName = "",
    as_json: AsJson = False,
) -> None:
    """Score a skill on one split."""
    if split not in set(Split):
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test")
    more = ["--split", split, *["--json"] * as_json]
    if skill:
        more += ["--skill", str(skill.absolute())]
    with (
        stages(silent=as_json) as shown,
        _wired(_Asked(config, backend, model), shown.advance, scoring=True, more=more) as training,
    ):
        unlike = unlike_run(training.config, training.env, Split(split), training.folder)
        for text in (*remarks(training.env, (Split(split),)), *unlike):
            warn(f"Data: {text}.")
        best = training.folder / BEST
        file = skill or (best if best.exists() else None)
        if file is None:
            warn(f"{training.folder} holds no training, so no skill is scored. Name one with --skill.")
        scores = evaluate(
            training.config,
            training.env,
            read_skill(file) if file else "",
            Split(split),
            target=training.target,
            pool=training.pool,
            folder=training.folder,
            wired=True,
        )
    if as_json:
        header: dict[str, Any] = {"schema_version": 1, "split": split, "skill": str(file) if file else None}
        say_json(header | to_builtins(scores) | {"paid": paid_row(scores.paid)})
    else:
        say(f"{split} with {file or 'no skill'}: {scored(scores)}")
        for kind, (n, hard, soft) in scores.kinds.items():
            say(f"  {kind or '(no kind)'}: hard {hard:.3f}, soft {soft:.3f} (n={n})")
        say(f"paid: {paid_words(scores.paid)}")
    if scores.unscored:
        raise typer.Exit(Exit.PARTIAL)


def _notices(training: WiredTraining) -> Iterator[str]:
    """Return what should be known of the training before anything is spent on it."""
    return notices(
        training.config,
        training.env,
        optimizer=training.optimizer,
        target=training.target,
        initial_skill=training.skill,
        folder=training.folder,
    )


@contextmanager
def _wired(
    asked: _Asked,
    progress: Progress,
    *,
    config: TrainerConfig | None = None,
    scoring: bool = False,
    planning: bool = False,
    more: Sequence[str] = (),
) -> Generator[WiredTraining]:
    """Yield a training and close it at the end; NightInterrupted if it is stopped before it has a result.

    `more` are the words of the command that goes on, besides the file and the model.
    """
    paths = find_paths()
    words = ["train", *["eval"] * scoring, str(asked.config.absolute()), *more]
    for option, value in (("--backend", asked.backend), ("--model", asked.model)):
        if value:
            words += [option, value]
    go_on = command(words)
    training = None
    stop_softly()
    try:
        training = wire_training(
            asked.config,
            load(paths),
            paths,
            progress=progress,
            flags=Flags(asked.backend, asked.model),
            scoring=scoring,
            planning=planning,
            go_on=go_on,
            config=config,
        )
        yield training
    except (KeyboardInterrupt, SystemExit):  # Ray handles SIGTERM itself, and exits
        raise NightInterrupted(
            "the training was stopped; paid results are kept", remedy=f"continue: {go_on}"
        ) from None
    finally:
        if training is not None:
            training.close()


app.command("list", epilog="Example: skillopt-sleep train list")(runs.list_runs)
app.command("show", epilog="Example: skillopt-sleep train show run")(runs.show)
app.command("plot", epilog="Example: skillopt-sleep train plot run --open")(runs.plot)
