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
    """Every command with its one-line help, in the order of `--help`.

    Each line repeats the first sentence of the command's docstring, so that help needs no import of the command.
    """

    later = {  # noqa: RUF012 - a table, never written to
        "init": Later(
            "init:init", "Find your agents and sessions, ask what you want, and write config.toml. Sends no session."
        ),
        "run": Later("run:run", "Run a night: learn from new sessions and stage the changes that prove themselves."),
        "daemon": Later(
            "daemon:daemon",
            "Stay in the foreground and start each night at its time. The installed service runs this.",
        ),
        "install": Later(
            "install:install", "Run nights automatically: install the background service and the agents' hooks."
        ),
        "uninstall": Later(
            "install:uninstall", "Remove everything `install` added. Nights, proposals and adopted changes stay."
        ),
        "pause": Later("daemon:pause", "Stop starting nights automatically, for a given time or until you resume."),
        "resume": Later("daemon:resume", "Start nights automatically again."),
        "cancel": Later(
            "daemon:cancel", "Stop the running night. Paid results are kept, and the next night continues from them."
        ),
        "status": Later("status:status", "Show the last night, the next one, and the proposals waiting for you."),
        "history": Later("history:history", "List past nights: outcome, documents, gains and cost."),
        "logs": Later("logs:logs", "Print the log of the nights and the daemon."),
        "report": Later("status:report", "Print a night's report."),
        "show": Later("proposals:show", "Show the exact change a proposal makes, and the evidence for it."),
        "adopt": Later("proposals:adopt", "Put proposals live, unless their file has changed since the night."),
        "reject": Later("proposals:reject", "Turn proposals down. The same edit is not tried again."),
        "undo": Later("proposals:undo", "Undo adopted proposals, restoring the exact bytes from before."),
        "harvest": Later(
            "harvest:harvest", "Show which sessions were found, which are used or left out, and why. Sends nothing."
        ),
        "cost": Later("cost:cost", "Show what the nights cost, in calls, tokens and dollars."),
        "purge": Later(
            "purge:purge",
            "Delete a project, a session or some words from everything that is kept. It can't be undone.",
        ),
        "doctor": Later(
            "doctor:doctor",
            "Check programs, logins, limits and folders, and say what to fix. Changes nothing, calls no model.",
        ),
        "tasks": Later("tasks:app", "List and edit the tasks: the requests that nights learn from and test with."),
        "train": Later("train:train", "Train a skill on a dataset with SkillOpt's training loop."),
        "eval": Later("train:evaluate", "Score a skill on one split of a training's dataset."),
        "runs": Later("runs:app", "List, show and compare trainings."),
        "config": Later("config:app", "Show and check the settings."),
    }


app = typer.Typer(
    name="skillopt-sleep",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Your coding agents learn from yesterday's corrections, overnight. Nothing changes without your approval.",
    epilog="Exit codes: 0 done or nothing to do, 1 failed, 2 usage or configuration, 3 partly done or prompts "
    "waiting, 4 login needed, 5 budget reached, 6 refused for safety, 10 proposals waiting (--exit-code), "
    "11 another night is running.",
)


def _version(show: bool) -> None:  # noqa: FBT001 - the signature typer calls
    if show:
        typer.echo(f"skillopt-sleep {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the program's own options, and before any command delete what a killed night left behind."""
    if version:
        return
    from skillopt_sleep.backends.leftovers import clear
    from skillopt_sleep.settings import find_paths

    cleared = clear(find_paths().replays)
    if cleared.gone:
        count = len(cleared.gone)
        folders = "a folder" if count == 1 else f"{count} folders"
        warn(f"removed {folders} left by a killed night, with a copy of your agent's login: {cleared.gone[0].parent}")
    for path in cleared.stuck:
        warn(f"could not remove {path}: it may hold a copy of your agent's login, so delete it by hand")


def main() -> None:
    """Run the command line, turning every error into one clear line and an exit code."""
    try:
        # Not standalone, because typer would quote a wrong command line without escaping it.
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
        _print_usage_error(error)
        sys.exit(error.exit_code)
    except Exception as error:  # noqa: BLE001 - the one boundary: a bug is one line here and a traceback in the log
        _complain(*_describe(error))
        sys.exit(Exit.FAILED)
    sys.exit(code if isinstance(code, int) else Exit.DONE)


def _print_usage_error(error: Any) -> None:
    """Print typer's explanation of a wrong command line, with control characters escaped."""
    from typer.rich_utils import rich_format_error

    from skillopt_sleep.kit.markdown import visible

    error.message = visible(error.message)
    rich_format_error(error)


def _describe(error: Exception) -> tuple[str, str]:
    """Return the message and the remedy for an error that isn't a SleepError."""
    import sqlite3

    from skillopt_sleep.kit.disk import worded
    from skillopt_sleep.settings import find_paths

    culprit = blamed(error)
    if culprit:
        return f"{culprit}: {type(error).__name__}: {error}", f"fix it there; the traceback is in {_log(error)}"
    if isinstance(error, OSError):
        return worded(error, remedy="check that it exists and is writable")
    if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
    }:
        retry = "free disk space, or find out why it is read-only, then run the command again"
        message, remedy = worded(error, remedy=retry, place=find_paths().database)
        return f"can't write to the store: {message}", remedy
    return f"a bug: {type(error).__name__}: {error}", f"please report it with {_log(error)}"


def _complain(message: str, remedy: str) -> None:
    warn(f"skillopt-sleep: {message}")
    if remedy:
        warn(f"  → {remedy}")


def _log(error: Exception) -> str:
    """Append the traceback to crash.log and return its path; print it instead if that fails."""
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
