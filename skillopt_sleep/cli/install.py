"""skillopt-sleep install and uninstall: the service of the system and the agents' hooks, and back."""

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.settings import Settings, load

if TYPE_CHECKING:
    from skillopt_sleep.daemon.service.changes import Change

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]
Print = Annotated[bool, typer.Option("--print", help="Print what would be written, and write nothing.")]

OnlySay = Annotated[bool, typer.Option("--dry-run", "--print", help="Say what would be taken back, and do nothing.")]


def install(*, yes: Yes = False, dry_run: DryRun = False, print_only: Print = False) -> None:
    """Have nights run by themselves: the daemon as a service, the hooks in the agents' settings."""
    from skillopt_sleep.daemon.service.install import install as put, plan
    from skillopt_sleep.daemon.service.launch import keys_file
    from skillopt_sleep.daemon.service.machine import this_machine

    machine = this_machine()
    settings = load(machine.paths)  # a service with settings that can't be read would only fail at night
    planned = plan(machine)
    if print_only:
        for change in planned.changes:
            _print(change)
        return
    for change in planned.changes:
        say(f"  {_what(change):8} {change.item.path}{_whose(change)}")
    if dry_run:
        _notes((*planned.notes, *_unready(settings)))
        say("nothing was written")
        return
    _ask("Install?", yes=yes)
    done = put(machine)
    say("installed")
    _notes((*done.notes, *_unready(settings)))
    keys = keys_file(machine.paths)
    if keys.exists():
        say(f"  API keys are read from {keys}{_too_open(keys)}")
    else:
        say(f"  a service sees no API keys of your shell: write NAME=value into {keys}, mode 0600")
    if any(Path(change.item.path).name in {"hooks.json", "config.toml"} for change in done.changes):
        say("  Codex runs the hooks once you trust them: open codex, type /hooks")
    say("undo: skillopt-sleep uninstall")


def uninstall(*, yes: Yes = False, dry_run: OnlySay = False) -> None:
    """Take back everything `install` did; nights, proposals and what was adopted stay."""
    from skillopt_sleep.daemon.service.changes import other_owner
    from skillopt_sleep.daemon.service.install import to_reverse, uninstall as take_back
    from skillopt_sleep.daemon.service.machine import this_machine

    machine = this_machine()
    items = to_reverse(machine)
    if not items:
        say("nothing is installed")
        return
    for item in items:
        say(f"  {'take back' if other_owner(item, machine) is None else 'leave':9} {item.path}")
    if dry_run:
        say("nothing was written")
        return
    _ask("Uninstall?", yes=yes)
    for line in take_back(machine):
        say(f"  {line}")
    say("uninstalled; again: skillopt-sleep install")


def _ask(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise ConfigError("there is nobody to ask", remedy="add --yes, or --dry-run to see what would be done")
    typer.confirm(visible(question), abort=True)


def _what(change: "Change") -> str:
    if change.is_done:
        return "same"
    if change.now is None:
        return "create"
    return "replace" if change.previous_owner is not None else "merge" if change.before is not None else "write"


def _whose(change: "Change") -> str:
    from skillopt_sleep.daemon.service.owner import home_name

    return "" if change.previous_owner is None else f" (belonged to {home_name(change.previous_owner)})"


def _print(change: "Change") -> None:
    """A file of ours whole, of others' only the lines that come: what is around them may be secret."""
    from skillopt_sleep.daemon.service.manifest import Kind

    say(f"# {change.item.path}")
    text = change.after.decode("utf-16" if change.after.startswith(b"\xff\xfe") else "utf-8", errors="replace")
    if change.item.kind is not Kind.OWN:
        before = (change.before or b"").decode(errors="replace").splitlines()
        lines = difflib.ndiff(before, text.splitlines())
        text = "\n".join(line[2:] for line in lines if line.startswith("+ ")) + "\n"
    say(text.replace("\r\n", "\n"))


def _notes(notes: tuple[str, ...]) -> None:
    for note in notes:
        say(f"  {note}")


def _unready(settings: Settings) -> tuple[str, ...]:
    """Why the daemon would wait for nothing."""
    from skillopt_sleep.daemon.conditions import lacking

    return (lacking(settings),) if lacking(settings) else ()


def _too_open(keys: Path) -> str:
    others = 0o077
    return f", which others can read: chmod 600 {keys}" if keys.stat().st_mode & others else ""
