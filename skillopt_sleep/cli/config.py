"""The command `config`: show and change the settings."""

import sys
from typing import Annotated, Any

import typer

from skillopt_sleep.cli.console import GOOD, say, say_json, warn
from skillopt_sleep.cli.editor import in_editor
from skillopt_sleep.cli.lazy import PlainGroup, setting_keys
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.toml import to_toml, written
from skillopt_sleep.settings import SETTINGS, Settings, find_paths, load
from skillopt_sleep.settings.written import changed, remaining, replace_file, split_key

app = typer.Typer(cls=PlainGroup, add_completion=False, help="Show and change the settings.")

Key = Annotated[
    str, typer.Argument(help="A setting, as in budget.calls.", autocompletion=setting_keys, show_default=False)
]


@app.command("show", epilog="Example: skillopt-sleep config show")
def show(*, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """Print the settings as config.toml."""
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


@app.command("get", epilog="Example: skillopt-sleep config get budget.calls")
def get(key: Key) -> None:
    """Print one setting."""
    section, name = split_key(key)
    settings = load(find_paths())
    value: Any = settings.prices.get(name, "")
    if section != "prices":
        value = getattr(getattr(settings, section), name)
    say(value if isinstance(value, str) else written(value))


@app.command("set", epilog="Example: skillopt-sleep config set prices.qwen3-coder [0.2,0.6]")
def set_value(key: Key, value: Annotated[str, typer.Argument(help="The new value, as in 300, true or 30d.")]) -> None:
    """Change one setting in config.toml. A wrong value is refused."""
    path = find_paths().config_file
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    text = changed(before, key, value, path=path)
    if text == before:
        say(f"{key} already is {value}; {path} was not changed.")
        return
    replace_file(path, text, check=False)
    say(("✓ ", GOOD), f"{key} is {value} now, in {path}")
    left = remaining(text, path)
    if left:
        warn(f"But the file can't be used yet. {left.message}\n  → {left.remedy}")


@app.command("edit", epilog="Example: EDITOR=nano skillopt-sleep config edit")
def edit() -> None:
    """Edit config.toml. A wrong file is refused."""
    path = find_paths().config_file
    text = path.read_text(encoding="utf-8") if path.exists() else to_toml(Settings())
    with in_editor("config.toml", text) as written:
        if written is None:
            say("Nothing was changed.")
            return
        replace_file(path, written.read_text(encoding="utf-8"), check=True)
    say(("✓ ", GOOD), f"Wrote {path}")


@app.command("path", epilog="Example: skillopt-sleep config path")
def path() -> None:
    """Print where the settings and the data are."""
    paths = find_paths()
    places = {
        "config": paths.config_file,
        "preferences": paths.preferences,
        "data": paths.data,
    }
    for name, place in places.items():
        if place.exists():
            say(f"{name:12} {place}")
        else:
            say(f"{name:12} {place}  (doesn't exist yet)")
