"""skillopt-sleep train and eval: a skill on a dataset, as a configuration file says."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import Progress, progress, say
from skillopt_sleep.settings import find_paths, load

if TYPE_CHECKING:
    from skillopt_sleep.trainer import Summary
    from skillopt_sleep.trainer.summary import Scores, Tested
    from skillopt_sleep.wiring.training import Training

Config = Annotated[Path, typer.Argument(help="The training's configuration, a TOML file.")]
BackendName = Annotated[
    str | None, typer.Option("--backend", help="Another backend than the file names; naming one is consent to send.")
]
ModelName = Annotated[str | None, typer.Option("--model", help="The model's name, with --backend.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]


def train(
    config: Config,
    *,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    backend: BackendName = None,
    model: ModelName = None,
    as_json: AsJson = False,
) -> None:
    """Train a skill on a dataset: SkillOpt's loop, as a configuration file says."""
    from skillopt_sleep.kit.codec import to_json

    with progress() as advance:
        training = _wired(config, backend, model, advance)
        summary = training.trainer().train(resume=resume)
    if as_json:
        sys.stdout.write(to_json(summary, pretty=True).decode())
        return
    for line in told(summary):
        say(line)
    say(f"{training.folder / 'best_skill.md'}")


def evaluate(
    config: Config,
    *,
    skill: Annotated[
        Path | None, typer.Option(help="The skill's file; without it the run's best, or none where there is no run.")
    ] = None,
    split: Annotated[str, typer.Option(help="train, val or test.")] = "test",
    backend: BackendName = None,
    model: ModelName = None,
    as_json: AsJson = False,
) -> None:
    """Score a skill on a split of a training's dataset."""
    from skillopt_sleep.errors import ConfigError
    from skillopt_sleep.kit.codec import to_json
    from skillopt_sleep.records import Split
    from skillopt_sleep.trainer.evaluate import evaluate as score
    from skillopt_sleep.trainer.given import read_skill
    from skillopt_sleep.trainer.run import BEST

    if split not in set(Split):
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test")
    with progress() as advance:
        training = _wired(config, backend, model, advance)
        text = read_skill(skill or training.folder / BEST)
        found = score(
            training.config,
            training.env,
            text,
            Split(split),
            target=training.target,
            pool=training.pool,
            folder=training.folder,
        )
    if as_json:
        sys.stdout.write(to_json(found, pretty=True).decode())
        return
    say(f"{split}: {scored(found)}")
    for kind, (n, hard, soft) in found.kinds.items():
        say(f"  {kind or '(no kind)'}: hard {hard:.3f}, soft {soft:.3f} (n={n})")


def told(summary: "Summary") -> list[str]:
    """A training in a few lines, each number with its n."""
    actions = ", ".join(f"{count} {action}" for action, count in sorted(summary.actions.items()))
    lines = [
        f"{summary.env}: {summary.epochs} epochs, {summary.steps} steps: {actions}",
        f"gate {summary.gate}: {summary.error_rate}",
        *(_skill(role, tested) for role, tested in _roles(summary)),
    ]
    total = summary.total
    dollars = "dollars unknown" if total.usd is None else f"${total.usd:.4f}"
    tokens = f"{total.input_tokens + total.output_tokens:,} tokens"
    lines.append(f"{total.calls:,} calls, {'at least ' if total.unnamed else ''}{tokens}, {dollars}")
    return [*lines, *(f"note: {note.stage}: {note.summary}" for note in summary.notes)]


def scored(found: "Scores | None") -> str:
    """Scores with their n, and how many items have none."""
    if found is None or found.hard is None:
        return "not measured"
    unscored = f", {found.unscored} not scored" if found.unscored else ""
    return f"hard {found.hard:.3f}, soft {found.soft:.3f} (n={found.n}{unscored})"


def _roles(summary: "Summary") -> list[tuple[str, "Tested"]]:
    return [("initial", summary.initial), ("best", summary.best), ("final", summary.final)]


def _skill(role: str, tested: "Tested") -> str:
    test = f"; test {scored(tested.test)}" if tested.test is not None else ""
    return f"{role:8} step {tested.standing.step}, {tested.chars:,} characters: val {scored(tested.val)}{test}"


def _wired(config: Path, backend: str | None, model: str | None, advance: Progress) -> "Training":
    from skillopt_sleep.wiring.training import wire_training

    paths = find_paths()
    settings = load(paths, flags={"backend.name": backend, "backend.model": model})
    return wire_training(config, settings, paths, progress=advance, consented=backend or "")
