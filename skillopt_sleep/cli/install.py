"""The commands `install` and `uninstall`: the background service and the agents' hooks."""

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import say
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.markdown import visible
from skillopt_sleep.settings import Paths, Settings, load

if TYPE_CHECKING:
    from skillopt_sleep.daemon.service.changes import Change

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and do nothing.")]
Print = Annotated[bool, typer.Option("--print", help="Print what would be written, and write nothing.")]

OnlySay = Annotated[bool, typer.Option("--dry-run", "--print", help="Show what would be removed, and do nothing.")]


def install(*, yes: Yes = False, dry_run: DryRun = False, print_only: Print = False) -> None:
    """Run nights automatically: install the background service and the agents' hooks."""
    from skillopt_sleep.daemon.service.install import install as put, plan
    from skillopt_sleep.daemon.service.machine import this_machine

    machine = this_machine()
    settings = load(machine.paths)  # with invalid settings the service would only fail at night
    planned = plan(machine)
    if print_only:
        for change in planned.changes:
            _print(change)
        return
    for change in planned.changes:
        say(f"  {_action(change):8} {change.item.path}{_old_owner(change)}")
    if dry_run:
        _notes((*planned.notes, *_unready(settings)))
        say("Nothing was written.")
        return
    _ask("Install?", yes=yes)
    done = put(machine)
    say("Installed.")
    _notes((*done.notes, *_unready(settings)))
    _say_keys(machine.paths)
    if any(Path(change.item.path).name in {"hooks.json", "config.toml"} for change in done.changes):
        say("  Codex runs the hooks only once you trust them: open codex and type /hooks")
    say("To undo: skillopt-sleep uninstall")


def _say_keys(paths: Paths) -> None:
    """Say where the service finds API keys, and warn if others can read them."""
    from skillopt_sleep.daemon.service.launch import keys_file

    keys = keys_file(paths)
    if not keys.exists():
        say(f"  The service doesn't see the API keys of your shell: write NAME=value lines into {keys}, mode 0600")
        return
    others = 0o077
    too_open = f", which others can read: chmod 600 {keys}" if keys.stat().st_mode & others else ""
    say(f"  API keys are read from {keys}{too_open}")


def uninstall(*, yes: Yes = False, dry_run: OnlySay = False) -> None:
    """Remove everything `install` added. Nights, proposals and adopted changes stay."""
    from skillopt_sleep.daemon.service.changes import other_owner
    from skillopt_sleep.daemon.service.install import to_reverse, uninstall as take_back
    from skillopt_sleep.daemon.service.machine import this_machine

    machine = this_machine()
    items = to_reverse(machine)
    if not items:
        say("Nothing is installed.")
        return
    for item in items:
        action = "remove" if other_owner(item, machine) is None else "leave"
        say(f"  {action:8} {item.path}")
    if dry_run:
        say("Nothing was written.")
        return
    _ask("Uninstall?", yes=yes)
    for line in take_back(machine):
        say(f"  {line}")
    say("Uninstalled. To install again: skillopt-sleep install")


def _ask(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise ConfigError(
            "can't ask for confirmation without a terminal",
            remedy="add --yes, or --dry-run to see what would be done",
        )
    typer.confirm(visible(question), abort=True)


def _action(change: "Change") -> str:
    if change.is_done:
        return "same"
    if change.now is None:
        return "create"
    if change.previous_owner is not None:
        return "replace"
    if change.before is not None:
        return "merge"
    return "write"


def _old_owner(change: "Change") -> str:
    from skillopt_sleep.daemon.service.owner import home_name

    return "" if change.previous_owner is None else f" (belonged to {home_name(change.previous_owner)})"


def _print(change: "Change") -> None:
    """Print a file of ours in full; of others' files only the added lines, as the rest may be secret."""
    from skillopt_sleep.daemon.service.manifest import Kind

    say(f"# {change.item.path}")
    encoding = "utf-16" if change.after.startswith(b"\xff\xfe") else "utf-8"
    text = change.after.decode(encoding, errors="replace")
    if change.item.kind is not Kind.OWN:
        before = (change.before or b"").decode(errors="replace").splitlines()
        lines = difflib.ndiff(before, text.splitlines())
        text = "\n".join(line[2:] for line in lines if line.startswith("+ ")) + "\n"
    say(text.replace("\r\n", "\n"))


def _notes(notes: tuple[str, ...]) -> None:
    for note in notes:
        say(f"  {note}")


def _unready(settings: Settings) -> tuple[str, ...]:
    """Return why the daemon can't run a night with these settings, if it can't."""
    from skillopt_sleep.daemon.conditions import lacking

    reason = lacking(settings)
    return (reason,) if reason else ()
