"""Commands that are imported only when they are called, so that every other command starts fast."""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

# The exception for a wrong command line; typer exports only its subclass for a bad value.
UsageError: Any = typer.BadParameter.__base__


class Later(NamedTuple):
    """A command that isn't imported yet: `place` is `module:name` in this package, a function or a Typer app."""

    place: str
    help: str


class LazyGroup(TyperGroup):
    """A command group that adds the commands of the table `later`, which a subclass fills."""

    later: Mapping[str, Later] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for name, command in self.later.items():
            self.commands[name] = TyperCommand(name, help=command.help)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the called command; help and suggestions only need the table."""
        if args and args[0] in self.later:
            self.commands[args[0]] = loaded(args[0], self.later[args[0]])
        return super().resolve_command(ctx, args)


def loaded(name: str, command: Later) -> Any:
    """Import a command and return it under its name."""
    module_name, _, attribute = command.place.partition(":")
    target: Any = getattr(importlib.import_module(f"{__package__}.{module_name}"), attribute)
    if isinstance(target, typer.Typer):
        app = target
    else:
        app = typer.Typer(add_completion=False)
        app.command(name)(target)
    loaded_command: Any = typer.main.get_command(app)
    loaded_command.name = name
    return loaded_command
