"""Parse, call, print: one file per command group, and the one error boundary."""

import os
import sys
import traceback
from typing import Annotated

import typer

from skillopt_sleep import __version__
from skillopt_sleep.cli import config, cost, doctor, harvest, proposals, run, status, tasks, tasks_edit, tasks_files
from skillopt_sleep.errors import Exit, SleepError

app = typer.Typer(
    name="skillopt-sleep",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Your coding agents learn from yesterday's corrections, overnight. Nothing is changed without your yes.",
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
    """Hold the options of the program itself."""


app.command("run")(run.run)
app.command("status")(status.status)
app.command("report")(status.report)
app.command("show")(proposals.show)
app.command("adopt")(proposals.adopt)
app.command("reject")(proposals.reject)
app.command("undo")(proposals.undo)
app.command("harvest")(harvest.harvest)
app.command("cost")(cost.cost)
app.command("doctor")(doctor.doctor)
tasks.app.command("edit")(tasks_edit.edit)
tasks.app.command("drop")(tasks_edit.drop)
tasks.app.command("pin")(tasks_edit.pin)
tasks.app.command("add")(tasks_edit.add)
tasks.app.command("export")(tasks_files.export)
tasks.app.command("import")(tasks_files.import_tasks)
app.add_typer(tasks.app, name="tasks")
app.add_typer(config.app, name="config")


def main() -> None:
    """Run the command line; every error becomes one clear line and an exit code."""
    try:
        app()
    except SleepError as error:
        _complain(error.message, error.remedy)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(Exit.FAILED)
    except OSError as error:
        _complain(
            f"{error.filename or 'the disk'}: {error.strerror or error}", "check that it is there and can be written"
        )
        sys.exit(Exit.FAILED)
    except Exception as error:  # noqa: BLE001 - the one boundary: a bug is one line here and a traceback in the log
        _complain(f"a bug: {type(error).__name__}: {error}", f"please report it with {_log(error)}")
        sys.exit(Exit.FAILED)


def _complain(message: str, remedy: str) -> None:
    from skillopt_sleep.kit.markdown import visible

    print(f"skillopt-sleep: {visible(message)}", file=sys.stderr)  # noqa: T201 - the CLI prints
    if remedy:
        print(f"  → {visible(remedy)}", file=sys.stderr)  # noqa: T201 - the CLI prints


def _log(error: Exception) -> str:
    """Write the traceback down and say where."""
    from skillopt_sleep.kit.files import private_dir
    from skillopt_sleep.settings import find_paths

    path = find_paths().data / "logs" / "crash.log"
    try:
        private_dir(path.parent)
        with path.open("a", encoding="utf-8") as file:
            traceback.print_exception(error, file=file)
    except OSError:
        traceback.print_exception(error)
        return "the lines above"
    return str(path)
