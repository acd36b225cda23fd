"""Parse, call, print: one file per command group, and the one error boundary."""

import os
import sys
from typing import Annotated, Any

import typer

from skillopt_sleep import __version__
from skillopt_sleep.cli.console import warn
from skillopt_sleep.cli.lazy import Later, LazyGroup, UsageError
from skillopt_sleep.errors import Exit, SleepError, blamed


class Commands(LazyGroup):
    """All commands, in the order of the help; each sentence is the first of its function's docstring."""

    later = {  # noqa: RUF012 - a table, never written to
        "init": Later(
            "init:init", "Look at what is here, ask what you want, and write config.toml; no session is sent."
        ),
        "run": Later(
            "run:run", "Learn from the sessions no night has read, and lay what proved itself beside your files."
        ),
        "daemon": Later("daemon:daemon", "Wait in the foreground and run every night; the service calls this."),
        "install": Later(
            "install:install",
            "Have nights run by themselves: the daemon as a service, the hooks in the agents' settings.",
        ),
        "uninstall": Later(
            "install:uninstall", "Take back everything `install` did; nights, proposals and what was adopted stay."
        ),
        "pause": Later("daemon:pause", "Let no night begin by itself until you resume, or for so long."),
        "resume": Later("daemon:resume", "Let nights begin by themselves again."),
        "cancel": Later(
            "daemon:cancel", "Stop the night that runs; what was paid for is kept, and the next one goes on with it."
        ),
        "status": Later("status:status", "Show the last night and the proposals that wait for you."),
        "history": Later("history:history", "List the nights: outcome, documents, gains, and what they spent."),
        "logs": Later("logs:logs", "Print what the nights and the daemon wrote down, and go on as they write."),
        "report": Later("status:report", "Print a night's report."),
        "show": Later("proposals:show", "Show the exact change a proposal would make, and its proof."),
        "adopt": Later("proposals:adopt", "Put proposals live, if the files are still the ones they were made for."),
        "reject": Later("proposals:reject", "Drop proposals; the same edit is not tried again."),
        "undo": Later("proposals:undo", "Take adopted proposals back: the exact bytes of before."),
        "harvest": Later(
            "harvest:harvest",
            "Read the agents' sessions, redacted, and say what became of every file and why; nothing is sent.",
        ),
        "cost": Later("cost:cost", "Show what was spent: calls, tokens and dollars, an unknown price as unknown."),
        "doctor": Later(
            "doctor:doctor",
            "Look at programs, logins, limits and folders, and say what to mend; "
            "nothing is changed, no model is asked.",
        ),
        "tasks": Later("tasks:app", "The requests that nights learn from and test with."),
        "train": Later("train:train", "Train a skill on a dataset: SkillOpt's loop, as a configuration file says."),
        "eval": Later("train:evaluate", "Score a skill on a split of a training's dataset."),
        "runs": Later("runs:app", "Trainings: list, show, compare."),
        "config": Later("config:app", "The settings."),
    }


app = typer.Typer(
    name="skillopt-sleep",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Your coding agents learn from yesterday's corrections, overnight. Nothing is changed without your yes.",
    epilog="Exit codes: 0 done or nothing to do, 1 failed, 2 usage or configuration, 3 in part or prompts wait, "
    "4 login needed, 5 budget reached, 6 refused for safety, 10 proposals wait (--exit-code), 11 another night runs.",
)


def _version(asked: bool) -> None:  # noqa: FBT001 - typer calls it so
    if asked:
        typer.echo(f"skillopt-sleep {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False,
) -> None:
    """Hold the options of the program itself, and before any command clear away what a killed one left."""
    if version:
        return
    from skillopt_sleep.backends.leftovers import clear
    from skillopt_sleep.settings import find_paths

    cleared = clear(find_paths().replays)
    if count := len(cleared.gone):
        folders = "a folder" if count == 1 else f"{count} folders"
        warn(
            f"removed {folders} that a killed night left, with a copy of the agent's login: {cleared.gone[0].parent}"
        )
    for path in cleared.stuck:
        warn(f"{path} can't be removed, and there may be a copy of the agent's login in it: remove it by hand")


def main() -> None:
    """Run the command line; every error becomes one clear line and an exit code."""
    try:
        # Not alone: what typer says of a wrong command line quotes it as it is.
        code = app(standalone_mode=False)
    except SleepError as error:
        _complain(error.message, error.remedy)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.FAILED)
    except typer.Abort:
        warn("Aborted.")
        sys.exit(Exit.FAILED)
    except UsageError as error:
        _explain(error)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - the one boundary: a bug is one line here and a traceback in the log
        _complain(*_worded(error))
        sys.exit(Exit.FAILED)
    sys.exit(code if isinstance(code, int) else Exit.DONE)


def _explain(error: Any) -> None:
    """What is wrong with the command line, as typer says it."""
    from typer.rich_utils import rich_format_error

    from skillopt_sleep.kit.markdown import visible

    error.message = visible(error.message)
    rich_format_error(error)


def _worded(error: Exception) -> tuple[str, str]:
    """What is said of an error that isn't one of ours, and what to do."""
    import sqlite3

    from skillopt_sleep.kit.disk import worded
    from skillopt_sleep.settings import find_paths

    if whose := blamed(error):
        return f"{whose}: {type(error).__name__}: {error}", f"mend it there; the traceback is in {_log(error)}"
    if isinstance(error, OSError):
        return worded(error, remedy="check that it is there and can be written")
    if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
    }:
        again = "make room on the disk, or see who keeps it from being written; then do the same again"
        message, remedy = worded(error, remedy=again, place=find_paths().database)
        return f"the store can't be written: {message}", remedy
    return f"a bug: {type(error).__name__}: {error}", f"please report it with {_log(error)}"


def _complain(message: str, remedy: str) -> None:
    warn(f"skillopt-sleep: {message}")
    if remedy:
        warn(f"  → {remedy}")


def _log(error: Exception) -> str:
    """Write the traceback down and say where."""
    import traceback

    from skillopt_sleep.kit.files import private_dir
    from skillopt_sleep.settings import find_paths

    path = find_paths().logs / "crash.log"
    try:
        private_dir(path.parent)
        with path.open("a", encoding="utf-8") as file:
            traceback.print_exception(error, file=file)
    except OSError:
        warn("".join(traceback.format_exception(error)))
        return "the lines above"
    return str(path)
