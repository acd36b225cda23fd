"""Parse, call, print: one file per command group, and the one error boundary."""

import os
import sys
from typing import Annotated, Any

import typer

from skillopt_sleep import __version__
from skillopt_sleep.cli.console import never_crash, say, warn
from skillopt_sleep.cli.lazy import LazyGroup, UsageError
from skillopt_sleep.cli.table import COMMANDS, RENAMED
from skillopt_sleep.errors import ConfigError, Exit, SleepError, blamed

# By these, agents mark what runs within one of their sessions. An agent that inherits them takes itself for a part of
# it, and Claude Code then saves no transcript.
_OF_A_SESSION = (
    *("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"),
    *("CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS", "CLAUDE_CODE_SESSION_ATTENDED", "CLAUDE_PID", "AI_AGENT"),
    *("CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID"),
)


class Commands(LazyGroup):
    """The program's commands, in the order of `--help`."""

    later = COMMANDS
    renamed = RENAMED


app = typer.Typer(
    name="skillopt-sleep",
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Your coding agents learn from yesterday's corrections, overnight. Nothing changes without your approval.",
    epilog="Begin with: skillopt-sleep init   (an example night: skillopt-sleep run --example)",
)


def _version(show: bool) -> None:  # noqa: FBT001 - the signature typer calls
    if show:
        typer.echo(f"skillopt-sleep {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Take the program's own options, and before any command delete what a killed night left behind."""
    if version:
        return
    _clear_leftovers()
    if context.invoked_subcommand is None:
        from skillopt_sleep.cli.status import status

        status()
        say("All commands: skillopt-sleep --help")


def _clear_leftovers() -> None:
    """Delete what killed nights left behind, and say so."""
    import tempfile
    from pathlib import Path

    from skillopt_sleep.kit.scratch import CALL, sweep
    from skillopt_sleep.settings import find_paths

    cleared = sweep(find_paths().replays, Path(tempfile.gettempdir()))
    if cleared.gone:
        count = len(cleared.gone)
        folders = str(cleared.gone[0]) if count == 1 else f"{count} folders in {cleared.gone[0].parent}"
        held_login = any(path.name.startswith(CALL) for path in cleared.gone)
        login = ", with a copy of your agent's login" if held_login else ""
        warn(f"removed what a killed night or training left{login}: {folders}")
    for path in cleared.stuck:
        if path.name.startswith(CALL):
            warn(f"could not remove {path}: it may hold a copy of your agent's login, so delete it by hand")
        else:
            warn(f"could not remove {path}, which a killed night or training left: delete it by hand")


def main() -> None:
    """Run the command line, turning every error into one clear line and an exit code."""
    never_crash()
    for name in _OF_A_SESSION:
        os.environ.pop(name, None)
    try:
        code = _run()
        # What is left to print is printed here, where a reader that has gone is expected.
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.FAILED)
    sys.exit(code)


def _run() -> int:
    """Run the command and return its exit code; raises BrokenPipeError if nobody reads what it prints."""
    try:
        refuse_windows(sys.platform)
        # Not standalone, because typer would quote a wrong command line without escaping it.
        code = app(standalone_mode=False)
    except SleepError as error:
        _complain(error.message, error.remedy)
        return error.exit_code
    except BrokenPipeError:
        raise
    except typer.Abort:
        warn("Aborted.")
        return Exit.FAILED
    except UsageError as error:
        _print_usage_error(error)
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the one boundary: a bug is one line here and a traceback in the log
        _complain(*_describe(error))
        return Exit.USAGE if blamed(error) else Exit.FAILED
    if code == Exit.STOPPED:
        # Typer turns a KeyboardInterrupt that no command expects into this code, without a word.
        _complain("stopped by Ctrl-C", "")
    return code if isinstance(code, int) else Exit.DONE


def refuse_windows(platform: str) -> None:
    """Raise ConfigError on Windows."""
    if platform == "win32":
        raise ConfigError("Windows isn't supported", remedy="install skillopt-sleep inside WSL, and run it there")


def _print_usage_error(error: Any) -> None:
    """Print typer's explanation of a wrong command line, with control characters escaped."""
    from typer.rich_utils import rich_format_error

    from skillopt_sleep.kit.markdown import visible

    error.message = visible(error.message)
    rich_format_error(error)


def _describe(error: Exception) -> tuple[str, str]:
    """Return the message and the remedy for an error that isn't a SleepError."""
    import sqlite3

    import msgspec

    from skillopt_sleep.kit.codec import another_format
    from skillopt_sleep.kit.files import worded
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
    if isinstance(error, msgspec.ValidationError):
        return another_format(error, find_paths().database, _log(error))
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
