"""The commands `train` and `eval`: train a skill on a dataset, and score it."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skillopt_sleep.cli.console import say, say_json, warn
from skillopt_sleep.cli.progress import stages
from skillopt_sleep.cli.stopping import stop_softly
from skillopt_sleep.cli.train_plan import limit_lines, paid_lines, plan_lines
from skillopt_sleep.cli.train_rules import rule_lines
from skillopt_sleep.errors import ConfigError, Exit, NightInterrupted
from skillopt_sleep.kit.words import counted
from skillopt_sleep.settings import find_paths, load

if TYPE_CHECKING:
    from skillopt_sleep.records import Split
    from skillopt_sleep.trainer import Summary
    from skillopt_sleep.trainer.given import Progress
    from skillopt_sleep.trainer.plan import TrainingPlan
    from skillopt_sleep.trainer.run import Paid
    from skillopt_sleep.trainer.summary import Reported, Scores, Tested
    from skillopt_sleep.wiring.training import Training

Config = Annotated[
    Path,
    typer.Argument(
        help="The training's configuration, a TOML file. .skillopt-sleep.example/training.toml has every key with "
        "its default."
    ),
]
MaybeConfig = Annotated[
    Path | None,
    typer.Argument(
        help="The training's configuration, a TOML file. .skillopt-sleep.example/training.toml has every key with "
        "its default."
    ),
]
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

    with stages(silent=quiet or as_json) as shown, _wired(config, backend, model, shown.advance) as training:
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
        warn(f"Incomplete: {'; '.join(problems)}")
        raise typer.Exit(Exit.PARTIAL)


def _write_skeleton(path: Path) -> None:
    from skillopt_sleep.trainer.skeleton import write_skeleton

    written = write_skeleton(path)
    say(f"{written.env} holds an environment: put your own data and scoring in their place.")
    say(f"Try it without a model: skillopt-sleep train {written.config} --backend simulated")


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
    from skillopt_sleep.trainer.evaluate import evaluate as score
    from skillopt_sleep.trainer.given import read_skill

    if split not in set(Split):
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test")
    with (
        stages(silent=as_json) as shown,
        _wired(config, backend, model, shown.advance, scoring=True) as training,
    ):
        _warn_of_data(training, (Split(split),))
        file = skill or _best(training.folder)
        scores = score(
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
        say_json(header | to_builtins(scores))
    else:
        say(f"{split} with {file or 'no skill'}: {scored(scores)}")
        for kind, (n, hard, soft) in scores.kinds.items():
            say(f"  {kind or '(no kind)'}: hard {hard:.3f}, soft {soft:.3f} (n={n})")
    if scores.unscored:
        raise typer.Exit(Exit.PARTIAL)


def summary_lines(summary: "Summary", paid: "Paid | None") -> list[str]:
    """Return a training in a few lines, each score with its n; `paid` is what it paid for itself, if known."""
    from skillopt_sleep.trainer.spent import spent_line
    from skillopt_sleep.trainer.summary import ACTIONS

    actions = ", ".join(f"{count} {ACTIONS.get(action, action)}" for action, count in sorted(summary.actions.items()))
    epochs, steps = counted(summary.epochs, "epoch"), counted(summary.steps, "step")
    lines = [f"{summary.env}: {epochs}, {steps}: {actions}", f"gate {summary.gate}: {summary.error_rate}"]
    for role, tested in _roles(summary):
        lines.append(_skill(role, tested))
    if summary.promoted:
        lines.append("at the end val found the final skill better than the best so far, so it is the best")
    if summary.stopped:
        lines.append(f"ended early: {summary.stopped}")
    if summary.reported:
        lines.append(_reported(summary.reported))
    lines += rule_lines(summary.learned)
    lines.append(spent_line(summary.total, paid))
    lines += [f"note: {note.stage}: {note.summary}" for note in summary.notes]
    return lines


def _reported(found: "Reported") -> str:
    """Say what the best skill's quality is, with the interval that holds for all skills that were tried."""
    low, high = found.interval
    mean = f"best on items like val: {found.mean:.3f}"
    if _is_lucky(found):
        mean += f" ({found.mean + found.luck:.3f} less {found.luck:.3f} for the luck of being chosen)"
    interval = f"{100 * found.level:.0f} % interval {low:.3f} to {high:.3f}"
    return f"{mean}, {interval} (n={found.n}, {counted(found.tried, 'skill')} tried)"


def _is_lucky(found: "Reported") -> bool:
    """Return whether what was taken off for luck can be seen in three decimals."""
    return f"{found.luck:.3f}" != "0.000"


def best_val(summary: "Summary") -> str:
    """Return the best skill's scores on val, and what may be reported of it if luck was taken off."""
    found = summary.reported
    said = f"best val {scored(summary.best.val)}"
    if found is not None and _is_lucky(found):
        said += f", {found.mean:.3f} without the luck of being chosen"
    return said


def best_line(summary: "Summary", folder: Path) -> str:
    """Say where the best skill is, and whether the training found it."""
    file = folder / "best_skill.md"
    if summary.best.standing.step:
        return f"The best skill is in {file}"
    start = "your initial skill" if summary.best.chars else "as empty as the initial skill"
    return f"No step scored better on val than the initial skill, so {file} is {start}."


def partial(summary: "Summary") -> list[str]:
    """Return what failed or has no score, in words; nothing if all went well."""
    problems: list[str] = []
    for role, tested in _roles(summary):
        for split, scores in (("val", tested.val), ("test", tested.test)):
            if scores is not None and scores.unscored:
                total = scores.n + scores.unscored
                which = f"{scores.unscored} of {total} {split} items of the {role} skill"
                why = f" ({scores.because})" if scores.because else ""
                problems.append(f"{which} have no score{why}")
    failures = [note for note in summary.notes if not note.expected]
    if failures:
        first = failures[0]
        more = f", and {len(failures) - 1} more" if len(failures) > 1 else ""
        problems.append(f"failed on the way: {first.stage}: {first.summary}{more}")
    return problems


def scored(scores: "Scores | None") -> str:
    """Return scores with their n, and how many items have none."""
    if scores is None or scores.hard is None:
        return "not measured"
    words = [f"n={scores.size}"]
    if scores.n > scores.size:
        words.append(f"{scores.n} answers")
    if scores.unscored:
        words.append(f"{scores.unscored} not scored")
    return f"hard {scores.hard:.3f}, soft {scores.soft:.3f} ({', '.join(words)})"


def _roles(summary: "Summary") -> list[tuple[str, "Tested"]]:
    return [("initial", summary.initial), ("best", summary.best), ("final", summary.final)]


def _skill(role: str, tested: "Tested") -> str:
    test = f"; test {scored(tested.test)}" if tested.test is not None else ""
    return f"{role:8} step {tested.standing.step}, {tested.chars:,} characters: val {scored(tested.val)}{test}"


def _warn_of_data(training: "Training", splits: "Sequence[Split]") -> None:
    """Say what the environment leaves out of the data, before anything is spent on it."""
    from skillopt_sleep.trainer.data import remarks

    for text in remarks(training.env, splits):
        warn(f"Data: {text}.")


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
    from skillopt_sleep.trainer.run import BEST, CONFIG

    if (folder / BEST).exists():
        return folder / BEST
    if (folder / CONFIG).exists():
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
) -> Generator["Training"]:
    """Yield a training and close it at the end; NightInterrupted if it is stopped, with how to continue."""
    from skillopt_sleep.trainer.run import CONFIG
    from skillopt_sleep.wiring.training import Flags, go_on, wire_training

    paths, flags = find_paths(), Flags(backend, model)
    training = None
    stop_softly()
    try:
        training = wire_training(
            config, load(paths), paths, progress=progress, flags=flags, scoring=scoring, planning=planning
        )
        yield training
    except (KeyboardInterrupt, SystemExit):  # Ray handles SIGTERM itself, and exits
        remedy = "run it again"
        if training is not None and not scoring and (training.folder / CONFIG).exists():
            remedy = f"continue: {go_on(config, flags)}"
        raise NightInterrupted("the training was stopped; paid results are kept", remedy=remedy) from None
    finally:
        if training is not None:
            training.close()
