"""skillopt-sleep config: what is in force, where it is, whether it is right."""

import sys
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import Settings, find_paths, load
from skillopt_sleep.settings.load import SETTINGS

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The settings.")


@app.command("show")
def show(*, as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """Print the settings in force as config.toml would say them; where they can't be used, every key's default."""
    from skillopt_sleep.kit.toml import to_toml

    try:
        settings = load(find_paths())
    except ConfigError as error:
        if as_json:
            raise
        sys.stdout.write(f"# Every key at its default; none of it is in force.\n{to_toml(Settings())}")
        sys.stdout.flush()
        hint = "every key is shown above" if SETTINGS in error.remedy else error.remedy
        raise ConfigError(error.message, remedy=hint) from error
    if as_json:
        say_json(settings)
    else:
        sys.stdout.write(to_toml(settings))


@app.command("path")
def path() -> None:
    """Print where everything is."""
    paths = find_paths()
    for name, where in (
        ("config", paths.config_file),
        ("preferences", paths.preferences),
        ("store", paths.database),
        ("nights", paths.nights),
        ("adoptions", paths.adoptions),
    ):
        say(f"{name:12} {where}{'' if where.exists() else '  (not there yet)'}")


@app.command("validate")
def validate() -> None:
    """Check config.toml and say what is wrong with it."""
    paths = find_paths()
    load(paths)
    say(f"{paths.config_file}: {'right' if paths.config_file.exists() else 'not there, the defaults are in force'}")
