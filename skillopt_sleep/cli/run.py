"""skillopt-sleep run: one night, now."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import progress, say, say_json, say_markdown, warn
from skillopt_sleep.cli.continued import Asked, command_of
from skillopt_sleep.cli.stopping import stop_softly
from skillopt_sleep.errors import CallPending, ConfigError, Exit
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols import Source
from skillopt_sleep.records import NightReport, Outcome
from skillopt_sleep.settings import Paths, Settings, find_paths, load


def run(
    *,
    now: Annotated[bool, typer.Option("--now", help="Run a night this minute, in the foreground.")] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Use the bundled example day and the simulated model.")
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what a night would read, send and at most spend; no call.")
    ] = False,
    project: Annotated[str, typer.Option(help="Only this project: its folder.")] = "",
    backend: Annotated[
        str | None,
        typer.Option(
            help="auto, claude, codex, openai, azure, anthropic, handoff, simulated; naming one is consent to send."
        ),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Another address than the provider's own.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask again what was answered and kept before.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the short answer as JSON.")] = False,
) -> None:
    """Learn from the sessions no night has read, and lay what proved itself beside your files."""
    if not (now or plan):
        raise ConfigError("a night runs when you say so", remedy="skillopt-sleep run --now (or --plan)")
    paths = find_paths()
    flags = {"backend.name": backend, "backend.model": model, "backend.base_url": base_url}
    settings = load(paths, flags=flags)
    if example and (project or backend or model or base_url):
        raise ConfigError("the example has its own projects and model", remedy="leave out --example, or the others")
    if example and plan:
        raise ConfigError("--plan is about your own sessions", remedy="run --now --example: it sends nothing")
    only = os.path.abspath(Path(project).expanduser()) if project else ""  # noqa: PTH100 - links are kept, `..` isn't
    if only and not Path(only).is_dir():
        raise ConfigError(f"--project {project}: no such folder", remedy="name a project's folder")
    if plan:
        from skillopt_sleep.cli.plan import show_plan

        show_plan(settings, paths, only=only, as_json=as_json)
        return
    try:
        report = (
            _example_night(settings, paths)
            if example
            else _night(settings, paths, Asked(only, backend, model, base_url, fresh, as_json))
        )
    except CallPending as error:
        if as_json:
            from skillopt_sleep.reporters.data import paused

            say_json(paused(error))
        raise
    _show(report, paths, example=example, as_json=as_json)
    if not (example or sys.stdout.isatty()):
        from skillopt_sleep.notify import notify

        notify(report, settings.notify)
    if code := _exit_code(report):
        raise typer.Exit(code)


def _night(settings: Settings, paths: Paths, asked: Asked) -> NightReport:
    from skillopt_sleep.wiring import agent_sources
    from skillopt_sleep.wiring.models import unconfirmed

    if names := unconfirmed(settings, consented=asked.backend or ""):
        # --backend chooses the optimizer's; it can't speak for what other roles name.
        own = f"add --backend {names[0]} to this command, or " if names == (settings.backend.name,) else ""
        raise ConfigError(
            f"nothing is sent to what was not confirmed: {', '.join(names)}",
            remedy=f"{own}set backend.confirmed = true in config.toml: it holds for the models of all roles",
        )
    return _run(settings, paths, sources=agent_sources(settings), asked=asked)


def _example_night(settings: Settings, paths: Paths) -> NightReport:
    """The bundled day in a fresh folder of its own, with a store of its own."""
    from skillopt_sleep.example import unfold
    from skillopt_sleep.wiring import example_settings, example_sources

    folder = unfold(example_folder(paths), now=utc_now())
    return _run(
        example_settings(settings),
        find_paths({"SKILLOPT_SLEEP_HOME": str(folder)}),
        sources=example_sources(folder),
        asked=Asked(),
    )


def example_folder(paths: Paths) -> Path:
    """Where the example day is laid out."""
    return paths.data / "example"


def _run(settings: Settings, paths: Paths, *, sources: tuple[Source, ...], asked: Asked) -> NightReport:
    from skillopt_sleep.kit.log import log_to
    from skillopt_sleep.night.night import run_night
    from skillopt_sleep.stores.waiting import keep_waiting
    from skillopt_sleep.wiring import wire

    log_to(paths.log)
    stop_softly()
    with progress() as advance:
        night = wire(
            settings,
            paths,
            sources=sources,
            progress=advance,
            only=asked.project,
            fresh=asked.fresh,
            go_on=command_of(asked),
        )
        try:
            if night.store.notice:
                warn(night.store.notice)
            report = run_night(night.crew, night.plan)
            keep_waiting(paths, night.store)
            return report
        finally:
            night.store.close()


def _show(report: NightReport, paths: Paths, *, example: bool, as_json: bool) -> None:
    if as_json:
        from skillopt_sleep.reporters.data import answer

        say_json(answer(report))
        return
    from skillopt_sleep.reporters.morning import render

    say_markdown(render(report))
    for name in ("report.md", "report.json", "diagnostics.json"):
        say(f"{Path(report.folder) / name}")
    if example:
        say(f"\nTo look around in the example: export SKILLOPT_SLEEP_HOME={example_folder(paths)}")


def _exit_code(report: NightReport) -> int:
    stopped = {Outcome.OVER_BUDGET: Exit.BUDGET, Outcome.INTERRUPTED: Exit.FAILED}
    if report.verdict is Outcome.BACKEND_FAILED:
        return Exit.LOGIN if report.login_needed else Exit.FAILED
    return stopped.get(report.verdict, Exit.PARTIAL if report.trouble else Exit.DONE)
