"""The commands `train` and `eval`: train a skill on a dataset, and score it."""

import shlex
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.continued import command
from skillopt_sleep.cli.progress import stages
from skillopt_sleep.cli.stopping import stop_softly
from skillopt_sleep.cli.train_plan import limit_lines, paid_lines, plan_lines
from skillopt_sleep.cli.train_shown import best_line, partial, scored, summary_lines
from skillopt_sleep.errors import ConfigError, Exit, NightInterrupted
from skillopt_sleep.settings import find_paths, load

if TYPE_CHECKING:
    from skillopt_sleep.records import Split
    from skillopt_sleep.trainer.given import Progress
    from skillopt_sleep.trainer.plan import TrainingPlan
    from skillopt_sleep.wiring.training import Training

_CONFIG = typer.Argument(
    help="The training's configuration, a TOML file. train --init NEW writes one with every key."
)
Config = Annotated[Path, _CONFIG]
MaybeConfig = Annotated[Path | None, _CONFIG]
BackendName = Annotated[
    str,
    typer.Option(
        "--backend",
        help="The backend to use, and your consent to send to it. The configured backend keeps its other keys and "
        "its target; any other one is used for both roles, as set up here or in config.toml, else with its defaults.",
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        help="The model to use instead of the backend's. While training, a target with its own model keeps it.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def train(
    config: MaybeConfig = None,
    *,
    init: Annotated[
        Path | None,
        typer.Option("--init", help="Write an environment to start from to this file, and its TOML beside it."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the training in the folder.")] = False,
    only_plan: Annotated[
        bool,
        typer.Option(
            "--plan", help="Only say what it costs at most and what its val set can prove; nothing is sent."
        ),
    ] = False,
    backend: BackendName = "",
    model: ModelName = "",
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Train a skill on a dataset with SkillOpt's training loop."""
    if init is not None:
        if config or resume or only_plan or backend or model:
            raise ConfigError(
                "--init only writes an environment and its TOML", remedy="train afterwards, in a command of its own"
            )
        _write_skeleton(init)
        return
    if config is None:
        raise ConfigError("no configuration is named", remedy="name its file, or write one: train --init my_env.py")
    if only_plan:
        _show_plan(config, backend, model, resume=resume, as_json=as_json)
        return
    from msgspec import to_builtins

    from skillopt_sleep.trainer.run import read_spending

    with (
        stages(silent=quiet or as_json) as shown,
        _wired(config, backend, model, shown.advance, more=["--resume", *["--json"] * as_json]) as training,
    ):
        for line in _notices(training, resume=resume):
            warn(line)
        trainer = training.trainer()
        shown.underway = trainer.underway
        summary = trainer.train(resume=resume)
    spending = read_spending(training.folder)
    paid = spending.paid if spending else None
    if as_json:
        say_json(to_builtins(summary) | {"paid": to_builtins(paid)})
    else:
        for line in summary_lines(summary, paid):
            say(line)
        say(best_line(summary, training.folder))
    problems = partial(summary)
    if problems:
        again = shlex.join(["skillopt-sleep", "runs", "fork", str(training.folder), "NEW"])
        warn(f"Incomplete: {'; '.join(problems)}. What failed stays so in this run; a fork asks it again: {again}")
        raise typer.Exit(Exit.PARTIAL)


def _write_skeleton(path: Path) -> None:
    from skillopt_sleep.trainer.skeleton import write_skeleton

    written = write_skeleton(path)
    say(f"{written.with_suffix('.py')} holds an environment: put your own data and scoring in their place.")
    say(f"Try it without a model: skillopt-sleep train {written} --backend simulated")


def _show_plan(config: Path, backend: str, model: str, *, resume: bool, as_json: bool) -> None:
    from msgspec import to_builtins

    from skillopt_sleep.trainer.data import read_items
    from skillopt_sleep.trainer.given import untold
    from skillopt_sleep.trainer.notices import data_lines

    with _wired(config, backend, model, untold, planning=True) as training:
        if resume:
            training.trainer().check_resumable()
        made = _planned(training)
        items = read_items(training.env, training.config)
        for line in (*data_lines(training.config, training.env, items), *limit_lines(training, made)):
            warn(line)
        paid = list(paid_lines(training, made))
    if as_json:
        say_json(to_builtins(made) | {"calls": made.calls, "tokens": made.tokens, "usd": made.usd})
        return
    for line in (*plan_lines(made), *paid):
        say(line)


def _planned(training: "Training") -> "TrainingPlan":
    from skillopt_sleep.trainer.plan import plan

    return plan(
        training.config,
        training.env,
        optimizer=training.optimizer,
        target=training.target,
        initial_skill=training.skill,
        folder=training.folder,
    )


def evaluate(
    config: Config,
    *,
    skill: Annotated[
        Path | None,
        typer.Option(help="The skill's file; by default the training's best skill, or no skill if there is none."),
    ] = None,
    split: Annotated[str, typer.Option(help="train, val or test.")] = "test",
    backend: BackendName = "",
    model: ModelName = "",
    as_json: AsJson = False,
) -> None:
    """Score a skill on one split of a training's dataset."""
    from msgspec import to_builtins

    from skillopt_sleep.records import Split
    from skillopt_sleep.trainer.evaluate import evaluated
    from skillopt_sleep.trainer.given import read_skill
    from skillopt_sleep.trainer.spent import price

    if split not in set(Split):
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test")
    more = ["--split", split, *["--json"] * as_json]
    if skill:
        more += ["--skill", str(skill.absolute())]
    with (
        stages(silent=as_json) as shown,
        _wired(config, backend, model, shown.advance, scoring=True, more=more) as training,
    ):
        _warn_of_data(training, Split(split))
        file = skill or _best(training.folder)
        if file is None:
            warn(f"{training.folder} holds no training, so no skill is scored. Name one with --skill.")
        scores, paid = evaluated(
            training.config,
            training.env,
            read_skill(file) if file else "",
            Split(split),
            target=training.target,
            pool=training.pool,
            folder=training.folder,
        )
    if as_json:
        header: dict[str, Any] = {"schema_version": 1, "split": split, "skill": str(file) if file else None}
        say_json(header | to_builtins(scores) | {"paid": to_builtins(paid)})
    else:
        say(f"{split} with {file or 'no skill'}: {scored(scores)}")
        for kind, (n, hard, soft) in scores.kinds.items():
            say(f"  {kind or '(no kind)'}: hard {hard:.3f}, soft {soft:.3f} (n={n})")
        say(f"paid: {price(paid)}")
    if scores.unscored:
        raise typer.Exit(Exit.PARTIAL)


def _warn_of_data(training: "Training", split: "Split") -> None:
    """Say what is left out of the data, and why scores can't be compared to the training's, before any is made."""
    from skillopt_sleep.trainer.data import remarks
    from skillopt_sleep.trainer.evaluate import unlike_run

    for text in remarks(training.env, (split,)):
        warn(f"Data: {text}.")
    for why in unlike_run(training.config, training.env, split, training.folder):
        warn(f"Data: {why}.")


def _notices(training: "Training", *, resume: bool) -> Iterator[str]:
    """Return what should be known of the training before anything is spent on it."""
    from skillopt_sleep.trainer.notices import notices

    return notices(
        training.config,
        training.env,
        optimizer=training.optimizer,
        target=training.target,
        initial_skill=training.skill,
        folder=training.folder,
        resume=resume,
    )


def _best(folder: Path) -> Path | None:
    """Return the best skill of the training in a folder, None if there is none; ConfigError if it isn't finished."""
    from skillopt_sleep.trainer.run import BEST, CONFIG, refuse_outdated

    if (folder / BEST).exists():
        return folder / BEST
    if (folder / CONFIG).exists():
        refuse_outdated(folder)
        raise ConfigError(
            f"the training in {folder} is not finished, so it has no best skill yet",
            remedy="finish it (train --resume), or name a file with --skill",
        )
    return None


@contextmanager
def _wired(
    config: Path,
    backend: str,
    model: str,
    progress: "Progress",
    *,
    scoring: bool = False,
    planning: bool = False,
    more: Sequence[str] = (),
) -> Generator["Training"]:
    """Yield a training and close it at the end; NightInterrupted if it is stopped, with how to continue.

    `more` are the words of the command that goes on, besides the file and the model.
    """
    from skillopt_sleep.trainer.run import CONFIG
    from skillopt_sleep.wiring.training import Flags, wire_training

    paths, flags = find_paths(), Flags(backend, model)
    words = ["eval" if scoring else "train", str(config.absolute()), *more]
    for option, value in (("--backend", backend), ("--model", model)):
        if value:
            words += [option, value]
    go_on = command(words)
    training = None
    stop_softly()
    try:
        training = wire_training(
            config,
            load(paths),
            paths,
            progress=progress,
            flags=flags,
            scoring=scoring,
            planning=planning,
            go_on=go_on,
        )
        yield training
    except (KeyboardInterrupt, SystemExit):  # Ray handles SIGTERM itself, and exits
        remedy = "run it again"
        if training is not None and not scoring and (training.folder / CONFIG).exists():
            remedy = f"continue: {go_on}"
        raise NightInterrupted("the training was stopped; paid results are kept", remedy=remedy) from None
    finally:
        if training is not None:
            training.close()
