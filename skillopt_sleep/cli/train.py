"""skillopt-sleep train and eval: a skill on a dataset, as a configuration file says."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from skillopt_sleep.cli.console import progress, say, say_json, warn
from skillopt_sleep.cli.stopping import stop_softly
from skillopt_sleep.errors import ConfigError, Exit, NightInterrupted
from skillopt_sleep.settings import find_paths, load

if TYPE_CHECKING:
    from skillopt_sleep.trainer import Summary
    from skillopt_sleep.trainer.attempts import Cost
    from skillopt_sleep.trainer.summary import Scores, Tested
    from skillopt_sleep.wiring.training import Training

Config = Annotated[
    Path,
    typer.Argument(
        help="The training's configuration, a TOML file; .skillopt-sleep.example/training.toml has every key at its "
        "default."
    ),
]
BackendName = Annotated[
    str,
    typer.Option(
        "--backend",
        help="The backend to ask, which is consent to send. The one in force keeps its other keys and its target; "
        "another is asked in both roles, as it is set up here or in config.toml, else with its defaults.",
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        "--model",
        help="The model to ask instead of the backend's; while training, a target with a model of its own keeps it.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def train(
    config: Config,
    *,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    backend: BackendName = "",
    model: ModelName = "",
    as_json: AsJson = False,
) -> None:
    """Train a skill on a dataset: SkillOpt's loop, as a configuration file says."""
    with _wired(config, backend, model) as training:
        summary = training.trainer().train(resume=resume)
    if as_json:
        say_json(summary)
    else:
        for line in (*told(summary), f"the best skill is in {training.folder / 'best_skill.md'}"):
            say(line)
    if why := partial(summary):
        warn(f"in part: {'; '.join(why)}")
        raise typer.Exit(Exit.PARTIAL)


def evaluate(
    config: Config,
    *,
    skill: Annotated[
        Path | None, typer.Option(help="The skill's file; without it the run's best, or none where there is no run.")
    ] = None,
    split: Annotated[str, typer.Option(help="train, val or test.")] = "test",
    backend: BackendName = "",
    model: ModelName = "",
    as_json: AsJson = False,
) -> None:
    """Score a skill on a split of a training's dataset."""
    from msgspec import to_builtins

    from skillopt_sleep.records import Split
    from skillopt_sleep.trainer.evaluate import evaluate as score
    from skillopt_sleep.trainer.given import read_skill

    if split not in set(Split):
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test")
    with _wired(config, backend, model, scoring=True) as training:
        file = skill or _best(training.folder)
        found = score(
            training.config,
            training.env,
            read_skill(file) if file else "",
            Split(split),
            target=training.target,
            pool=training.pool,
            folder=training.folder,
        )
    if as_json:
        own: dict[str, Any] = {"schema_version": 1, "split": split, "skill": str(file) if file else None}
        say_json(own | to_builtins(found))
    else:
        say(f"{split} with {file or 'no skill'}: {scored(found)}")
        for kind, (n, hard, soft) in found.kinds.items():
            say(f"  {kind or '(no kind)'}: hard {hard:.3f}, soft {soft:.3f} (n={n})")
    if found.unscored:
        raise typer.Exit(Exit.PARTIAL)


def told(summary: "Summary") -> list[str]:
    """A training in a few lines, each number with its n."""
    actions = ", ".join(f"{count} {action}" for action, count in sorted(summary.actions.items()))
    return [
        f"{summary.env}: {_count(summary.epochs, 'epoch')}, {_count(summary.steps, 'step')}: {actions}",
        f"gate {summary.gate}: {summary.error_rate}",
        *(_skill(role, tested) for role, tested in _roles(summary)),
        *(["nothing was better on val than what it began with"] if summary.best.standing.step == 0 else []),
        f"in all {cost(summary.total)}",
        *(f"note: {note.stage}: {note.summary}" for note in summary.notes),
    ]


def partial(summary: "Summary") -> list[str]:
    """What of a training has no score or failed, in words; nothing where all went well."""
    found = [
        f"{one.unscored} of {one.n + one.unscored} {split} items of the {role} skill have no score"
        for role, tested in _roles(summary)
        for split, one in (("val", tested.val), ("test", tested.test))
        if one is not None and one.unscored
    ]
    return [*found, f"{_count(len(summary.notes), 'thing')} failed on the way"] if summary.notes else found


def scored(found: "Scores | None") -> str:
    """Scores with their n, and how many items have none."""
    if found is None or found.hard is None:
        return "not measured"
    unscored = f", {found.unscored} not scored" if found.unscored else ""
    return f"hard {found.hard:.3f}, soft {found.soft:.3f} (n={found.n}{unscored})"


def cost(taken: "Cost") -> str:
    """Calls, tokens and dollars, with what isn't known of them."""
    dollars = "dollars unknown" if taken.usd is None else f"${taken.usd:.4f}"
    tokens = f"{taken.input_tokens + taken.output_tokens:,} tokens"
    return f"{_count(taken.calls, 'call')}, {'at least ' if taken.unnamed else ''}{tokens}, {dollars}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _roles(summary: "Summary") -> list[tuple[str, "Tested"]]:
    return [("initial", summary.initial), ("best", summary.best), ("final", summary.final)]


def _skill(role: str, tested: "Tested") -> str:
    test = f"; test {scored(tested.test)}" if tested.test is not None else ""
    return f"{role:8} step {tested.standing.step}, {tested.chars:,} characters: val {scored(tested.val)}{test}"


def _best(folder: Path) -> Path | None:
    """The best skill of the run in a folder, None where no run is there; ConfigError where it didn't end yet."""
    from skillopt_sleep.trainer.run import BEST, CONFIG

    if (folder / BEST).exists():
        return folder / BEST
    if (folder / CONFIG).exists():
        raise ConfigError(
            f"the run in {folder} has not ended, so it has no best skill",
            remedy="go on with it (train --resume), or name a file with --skill",
        )
    return None


@contextmanager
def _wired(config: Path, backend: str, model: str, *, scoring: bool = False) -> Generator["Training"]:
    """A training, closed at the end; where it is stopped, NightInterrupted says how to go on."""
    from skillopt_sleep.trainer.run import CONFIG
    from skillopt_sleep.wiring.training import Flags, go_on, wire_training

    paths, flags = find_paths(), Flags(backend, model)
    training = None
    stop_softly()
    try:
        with progress() as advance:
            training = wire_training(config, load(paths), paths, progress=advance, flags=flags, scoring=scoring)
            yield training
    except (KeyboardInterrupt, SystemExit):  # Ray hears SIGTERM in our place, and exits
        begun = not scoring and training is not None and (training.folder / CONFIG).exists()
        raise NightInterrupted(
            "it was stopped; what was paid for is kept",
            remedy=f"go on: {go_on(config, flags)}" if begun else "run it again",
        ) from None
    finally:
        if training is not None:
            training.close()
