"""The command `run`: run one night now, or show its plan."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from skillopt_sleep.cli.again import AskedAgain, chosen
from skillopt_sleep.cli.blocks import say_blocks
from skillopt_sleep.cli.console import BOLD, say, say_json, stdout
from skillopt_sleep.cli.continued import NightOptions, command_of, read_again, stop_softly
from skillopt_sleep.cli.plan import show_plan
from skillopt_sleep.cli.progress import following
from skillopt_sleep.errors import CallPending, ConfigError, Exit, StoreError
from skillopt_sleep.example import unfold
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.log import log_to
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.kit.projects import named_project
from skillopt_sleep.night.night import run_night
from skillopt_sleep.notify import notify
from skillopt_sleep.protocols.work import SessionSource
from skillopt_sleep.records import PAGE, NightReport, Outcome
from skillopt_sleep.reporters.data import answer, paused
from skillopt_sleep.reporters.morning import shown
from skillopt_sleep.reporters.night import Night
from skillopt_sleep.settings import Paths, Settings, find_paths, load
from skillopt_sleep.stores.hooks import keep_waiting
from skillopt_sleep.stores.running import read_progress
from skillopt_sleep.wiring import agent_sources, example_sources
from skillopt_sleep.wiring.models import destination, unconfirmed
from skillopt_sleep.wiring.night import example_settings, wire

Ended = tuple[NightReport, Sequence[str]]  # a night, and the ids of all proposals that wait after it


def run(
    *,
    example: Annotated[
        bool, typer.Option("--example", help="Use the bundled example day and the simulated model.")
    ] = False,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Show what a night would read, send and cost at most. Makes no call; keeps an index of sessions.",
        ),
    ] = False,
    project: Annotated[str, typer.Option(help="Only the project in this folder.")] = "",
    backend: Annotated[
        str | None,
        typer.Option(
            help="auto, claude, codex, openai, azure, anthropic, handoff or simulated. "
            "Naming one is your consent to send to it."
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="The API's address, if not the provider's own.")] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Read the sessions of the last harvest.lookback again."),
    ] = False,
    session: Annotated[
        list[str] | None,
        typer.Option("--session", metavar="ID", help="Read only this session again, by the start of its id."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything again: use no cached answer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A short answer as JSON.")] = False,
    _now: Annotated[bool, typer.Option("--now", hidden=True, help="What `run` does in any case.")] = False,
) -> None:
    """Run a night now: learn from new sessions and stage the changes that prove themselves."""
    asked_again = AskedAgain(again, tuple(session or ()))
    own = bool(project or backend or model or base_url or asked_again.words())
    _check(example=example, plan=plan, own=own)
    paths = find_paths()
    flags = {"backend.name": backend, "backend.model": model, "backend.base_url": base_url}
    settings = load(paths, flags=flags)
    only = named_project(project) if project else ""
    asked = NightOptions(only, backend, model, base_url, asked_again, fresh, as_json)
    if plan:
        show_plan(settings, paths, only=only, again=chosen(asked_again, settings, paths), asked=asked)
        return
    if example:
        report, waiting = _example_night(settings, paths)
    else:
        report, waiting = _night(settings, paths, asked)
    _show(report, waiting, paths, example=example, as_json=as_json)
    if not example and not sys.stdout.isatty():
        notify(report, settings.notify, waiting=len(waiting))
    code = _exit_code(report)
    if code:
        raise typer.Exit(code)


def _check(*, example: bool, plan: bool, own: bool) -> None:
    """Raise ConfigError if the options don't fit together; `own` is whether one names what is read or asked."""
    if example and own:
        raise ConfigError(
            "--example brings its own projects, sessions and model",
            remedy="drop --example, or the options for project, sessions and model",
        )
    if example and plan:
        raise ConfigError(
            "--plan is about your own sessions, not the example",
            remedy="skillopt-sleep run --example (it sends nothing)",
        )


def _night(settings: Settings, paths: Paths, asked: NightOptions) -> Ended:
    names = unconfirmed(settings, consented=asked.backend or "")
    if names:
        remedy = "set backend.confirmed = true in config.toml, which allows sending to the models of all roles"
        # --backend only names the optimizer's backend, so it can't consent for the other roles.
        if names == (settings.backend.name,):
            remedy = f"add --backend {names[0]} to this command, or {remedy}"
        raise ConfigError(f"you have not allowed sending to {destination(settings, names)}", remedy=remedy)
    try:
        return _run(settings, paths, sources=agent_sources(settings), asked=asked)
    except CallPending as error:
        if asked.as_json:
            say_json(paused(error))
        raise


def _example_night(settings: Settings, paths: Paths) -> Ended:
    """Run a night over the bundled day, in a new folder with its own store."""
    folder = unfold(example_folder(paths), now=utc_now())
    return _run(
        example_settings(settings),
        find_paths({"SKILLOPT_SLEEP_HOME": str(folder)}),
        sources=example_sources(folder),
        asked=NightOptions(),
        environ={},  # what the user's own agents load would change it
    )


def example_folder(paths: Paths) -> Path:
    """Return the folder that the example day is unpacked into."""
    return paths.data / "example"


def _run(
    settings: Settings,
    paths: Paths,
    *,
    sources: tuple[SessionSource, ...],
    asked: NightOptions,
    environ: Mapping[str, str] = os.environ,
) -> Ended:
    log_to(paths.log)
    again = chosen(asked.again, settings, paths)
    stop_softly()
    night = wire(
        settings,
        paths,
        sources=sources,
        only=asked.project,
        again=again,
        fresh=asked.fresh,
        go_on=command_of(asked),
        read_again=read_again(asked),
        environ=environ,
    )
    try:
        if night.store.notice:
            raise StoreError(
                f"{night.store.notice}. Nothing was sent",
                remedy="restore it from a backup, or run again: that night reads and pays for everything anew",
            )
        with following(lambda: read_progress(paths.data)):
            report = run_night(night.crew, night.plan)
        keep_waiting(paths, night.store, at=utc_now())
        return report, [banked.proposal.id for banked in night.store.bank.to_decide(utc_now())]
    finally:
        night.store.close()


def _show(report: NightReport, waiting: Sequence[str], paths: Paths, *, example: bool, as_json: bool) -> None:
    if as_json:
        say_json(answer(report))
        return
    folder = Path(report.run.folder)
    say_blocks(shown(Night(report, waiting, folder)))
    if report.began:
        for name in (PAGE, "report.md", "report.json", "diagnostics.json"):
            say(f"{folder / name}")
    if example:
        _say_how_to_look_around(example_folder(paths))


def _say_how_to_look_around(folder: Path) -> None:
    """Print the line after which the report's commands work in this shell, on the example's files."""
    line = shlex.join(["export", f"SKILLOPT_SLEEP_HOME={folder}"])
    program = Path(sys.argv[0]).absolute()
    found = shutil.which(program.name)
    if not found or not program.exists() or not Path(found).samefile(program):
        line += f" PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"
    say("\nThis was the example. To try the commands above on it, in this shell:")
    stdout().print(Text(visible(f"  {line}"), BOLD), soft_wrap=True)
    say("Then, in your browser: skillopt-sleep report --open, and skillopt-sleep web for all of it.")
    say("Back to your own sessions: unset SKILLOPT_SLEEP_HOME")


def _exit_code(report: NightReport) -> int:
    match report.verdict:
        case Outcome.BACKEND_FAILED:
            return Exit.LOGIN if report.run.login_needed else Exit.FAILED
        case Outcome.OVER_BUDGET:
            return Exit.BUDGET
        case Outcome.INTERRUPTED:
            return Exit.FAILED
        case _:
            return Exit.PARTIAL if report.trouble else Exit.DONE
