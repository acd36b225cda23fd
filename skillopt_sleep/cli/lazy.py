"""Import commands only when they are called, so that the others start fast, and complete their words in the shell.

The shell asks after every key, so completing reads the store without opening it for writing, and never fails.
"""

import importlib
from collections.abc import Iterator, Mapping
from copy import copy
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

# The exception for a wrong command line; typer exports only its subclass for a bad value.
UsageError: Any = typer.BadParameter.__base__


class Later(NamedTuple):
    """A command that isn't imported yet: `place` is `module:name` in this package, a function or a Typer app.

    `panel` is the group it is listed in, and `example` a command line without our name. A hidden one is for programs.
    """

    place: str
    panel: str
    help: str
    example: str
    is_hidden: bool = False


class PlainGroup(TyperGroup):
    """A command group that prints its help if it is called without a command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, no word at all as `--help`."""
        return super().parse_args(ctx, args or ["--help"])


class DefaultGroup(PlainGroup):
    """A command group whose first word is a command, or else belongs to the command `start`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, with `start` before what names no command."""
        if args and args[0] not in {*self.commands, "-h", "--help"}:
            args = ["start", *args]
        return super().parse_args(ctx, args)


class LazyGroup(TyperGroup):
    """A command group that adds the commands of the table `later`, which a subclass fills.

    `help COMMAND` is the same as `COMMAND --help`. `renamed` has what to write for names that people try.
    """

    later: Mapping[str, Later] = {}
    renamed: Mapping[str, str] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, command in self.later.items():
            self.commands[name] = TyperCommand(
                name, help=command.help, rich_help_panel=command.panel, hidden=command.is_hidden
            )

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, with `help` as a word instead of an option."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        _name_values(self, ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the called command; help and suggestions only need the table."""
        if args and args[0] in self.renamed:
            raise UsageError(
                f"No such command '{args[0]}'. Did you mean: skillopt-sleep {self.renamed[args[0]]}", ctx
            )
        if args and args[0] in self.later:
            command = loaded(args[0], self.later[args[0]])
            _name_all_values(command, ctx)
            self.commands[args[0]] = command
        return super().resolve_command(ctx, args)


def loaded(name: str, command: Later) -> Any:
    """Import a command and return it under its name, with its example below its help."""
    module_name, _, attribute = command.place.partition(":")
    target: Any = getattr(importlib.import_module(f"{__package__}.{module_name}"), attribute)
    if isinstance(target, typer.Typer):
        app = target
    else:
        app = typer.Typer(add_completion=False)
        app.command(name)(target)
    loaded_command: Any = typer.main.get_command(app)
    loaded_command.name = name
    for one in (loaded_command, *getattr(loaded_command, "commands", {}).values()):
        one.help = _unwrapped(one.help or "")
    loaded_command.epilog = f"Example: skillopt-sleep {command.example}"
    return loaded_command


def _unwrapped(text: str) -> str:
    """Return a help text with each paragraph on one line, so that it is wrapped at the terminal's width."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _name_all_values(command: Any, parent: Any) -> None:
    """Name the values of a command's options, and of its subcommands' options."""
    ctx = typer.Context(command, parent=parent)
    _name_values(command, ctx)
    for subcommand in getattr(command, "commands", {}).values():
        _name_values(subcommand, typer.Context(subcommand, parent=ctx))


def _name_values(command: Any, ctx: Any) -> None:
    """Let help show `--project PROJECT` and `--json`, where typer would show types such as <str> and <bool>."""
    for param in command.get_params(ctx):
        if param.name == "help":
            param.help = "Show this help."
        if param.param_type_name == "argument":
            param.type = copy(param.type)
            param.type.get_metavar = _nothing  # typer has no option for this
        elif param.is_flag:
            param.metavar = ""
        elif param.metavar is None and not hasattr(param.type, "choices"):
            param.metavar = param.name.upper()


def _nothing(*_: Any, **__: Any) -> str:
    return ""


def proposal_ids(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the proposals whose ids begin so, each with its summary; waiting ones come first."""
    from skillopt_sleep.settings import find_paths
    from skillopt_sleep.stores.summary import proposals

    for name, summary in proposals(find_paths().database):
        if name.startswith(incomplete.upper()):
            yield name, summary


def night_ids(incomplete: str) -> Iterator[str]:
    """Yield the nights whose ids begin so, newest first."""
    from skillopt_sleep.settings import find_paths
    from skillopt_sleep.stores.summary import nights

    for name in nights(find_paths().database):
        if name.startswith(incomplete):
            yield name


def setting_keys(incomplete: str) -> Iterator[str]:
    """Yield the settings that begin so, as `section.key`."""
    from skillopt_sleep.settings import known_keys

    for key in known_keys():
        if key.startswith(incomplete):
            yield key
