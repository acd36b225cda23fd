"""The command `config`: show the settings, where they are, and whether they are valid."""

import sys
from typing import Annotated

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.cli.lazy import PlainGroup
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.settings import Settings, find_paths, load
from skillopt_sleep.settings.load import SETTINGS

app = typer.Typer(cls=PlainGroup, add_completion=False, help="Show, change and check the settings.")


@app.command("show")
def show(*, as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False) -> None:
    """Print the current settings in the form of config.toml, or every key's default if they are invalid."""
    from skillopt_sleep.kit.toml import to_toml

    try:
        settings = load(find_paths())
    except ConfigError as error:
        if as_json:
            raise
        sys.stdout.write("# Your settings are invalid. Below is the default of every key.\n")
        sys.stdout.write(to_toml(Settings()))
        sys.stdout.flush()
        hint = "every key is shown above" if SETTINGS in error.remedy else error.remedy
        raise ConfigError(error.message, remedy=hint) from error
    if as_json:
        say_json(settings)
    else:
        sys.stdout.write(to_toml(settings))


@app.command("path")
def path() -> None:
    """Print where the settings and the data are."""
    paths = find_paths()
    places = {
        "config": paths.config_file,
        "preferences": paths.preferences,
        "store": paths.database,
        "nights": paths.nights,
        "adoptions": paths.adoptions,
    }
    for name, place in places.items():
        if place.exists():
            say(f"{name:12} {place}")
        else:
            say(f"{name:12} {place}  (doesn't exist yet)")


@app.command("validate")
def validate() -> None:
    """Check config.toml and say what is wrong with it."""
    paths = find_paths()
    load(paths)
    if paths.config_file.exists():
        say(f"{paths.config_file} is valid")
    else:
        say(f"{paths.config_file} doesn't exist; the defaults are in use")
