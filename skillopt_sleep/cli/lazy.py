"""Commands by name and sentence: what one imports is imported when it is called, so that the others start fast."""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

# A wrong command line; typer exports only the kind of it that is about one value.
UsageError: Any = typer.BadParameter.__base__


class Later(NamedTuple):
    """A command that isn't imported yet: `place` is `module:name` here, of a function or a Typer app."""

    place: str
    help: str


class LazyGroup(TyperGroup):
    """A group with a table of commands beside those it was given; a subclass fills `later`."""

    later: Mapping[str, Later] = {}

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        for name, command in self.later.items():
            self.commands[name] = TyperCommand(name, help=command.help)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the one command that is called; help and suggestions need no more than the table."""
        if args and args[0] in self.later:
            self.commands[args[0]] = loaded(args[0], self.later[args[0]])
        return super().resolve_command(ctx, args)


def loaded(name: str, command: Later) -> Any:
    """The command itself, under this name."""
    module, _, attribute = command.place.partition(":")
    found: Any = getattr(importlib.import_module(f"{__package__}.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command(name)(found)
        found = app
    made: Any = typer.main.get_command(found)
    made.name = name
    return made
