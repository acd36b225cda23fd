"""Every command of the program with its help, its example and its parameters, as `--help` shows them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import typer

from skillopt_sleep.cli import app
from skillopt_sleep.cli.lazy import loaded
from skillopt_sleep.cli.table import COMMANDS


class Parameter(NamedTuple):
    """An option or an argument: the ways to write it, the name of its value ("" for a switch), and its help."""

    names: tuple[str, ...]
    value: str
    help: str
    is_option: bool
    is_required: bool


class Told(NamedTuple):
    """A command: the words it is called by after the program's name; a group has commands below it."""

    words: tuple[str, ...]
    panel: str
    help: str
    example: str
    parameters: tuple[Parameter, ...]
    is_group: bool


def commands() -> Iterator[Told]:
    """Every command and subcommand, in the order of `--help`."""
    for name, later in COMMANDS.items():
        yield from _told(loaded(name, later), (name,), later.panel)


def own_parameters() -> tuple[Parameter, ...]:
    """The options of the program itself."""
    return _parameters(typer.main.get_command(app))


def _told(command: Any, words: Sequence[str], panel: str) -> Iterator[Told]:
    below: dict[str, Any] = getattr(command, "commands", {})
    example = (command.epilog or "").removeprefix("Example: ")
    yield Told(tuple(words), panel, command.help or "", example, _parameters(command), bool(below))
    for name, subcommand in below.items():
        yield from _told(subcommand, (*words, name), panel)


def _parameters(command: Any) -> tuple[Parameter, ...]:
    found: list[Parameter] = []
    for parameter in command.params:
        is_option = parameter.param_type_name == "option"
        takes = not (is_option and parameter.is_flag)
        found.append(
            Parameter(
                names=(*parameter.opts, *parameter.secondary_opts),
                value=(parameter.metavar or parameter.name.upper()) if takes else "",
                help=parameter.help or "",
                is_option=is_option,
                is_required=parameter.required,
            )
        )
    return tuple(found)
