"""Installing and uninstalling: what is planned is written down, then done, and taken back by what is written down.

A kill at any moment is mended by running either again: the manifest names each place before it is touched, with the
bytes of before, and every step looks at what is there.
"""

from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service import services
from skillopt_sleep.daemon.service.agent_hooks import has_any, homes, hook_files, kind_of, obstacles
from skillopt_sleep.daemon.service.changes import (
    Change,
    anothers,
    apply,
    crontab,
    hook_file,
    lost_lines,
    own_file,
    reverse,
    sweep,
)
from skillopt_sleep.daemon.service.launch import Launch, captured, keys_file
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger, Manifest
from skillopt_sleep.errors import SleepError, UnsafePath
from skillopt_sleep.kit.files import read_plain, remove_empty
from skillopt_sleep.proposals.paths import LIVE_BYTES, digest

_TEMPORARY = ("archive-v0", "builds-v0", "environments-v2")  # where uvx makes what it throws away

_EVENTS = ("SessionStart", "SessionEnd", "")


class Plan(NamedTuple):
    """What an install would write, and what the user should know; nothing is written yet."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def ledger_of(machine: Machine) -> Ledger:
    """Where an install on this machine is written down."""
    return Ledger(machine.paths.state / "install")


def plan(machine: Machine) -> Plan:
    """Look at everything and decide; SleepError or UnsafePath where the service itself can't be installed."""
    ledger = ledger_of(machine)
    known = {item.path: item for item in _items(ledger.read())}
    environment, left_out = captured(machine.environ)
    launch = Launch(machine.python, environment, keys_file(machine.paths))
    notes = [f"{name} has a secret in it and is left out: write it into {launch.keys}" for name in left_out]
    if set(Path(machine.python).parts) & set(_TEMPORARY):
        notes.append(f"{machine.python} is in a cache that is thrown away; better: uv tool install skillopt-sleep")
    changes = [
        own_file(own.path, own.data, old=known.get(str(own.path)), ledger=ledger, folders=own.folders)
        for own in services.own_files(machine, launch, ledger.folder)
    ]
    if services.CRON in services.services(machine):
        script = services.cron_script(ledger.folder)
        changes.append(crontab(machine, script, old=known.get("crontab"), ledger=ledger))
    for file in hook_files(machine, tuple(known.values())):
        try:
            change = hook_file(file, old=known.get(str(file.path)), ledger=ledger)
        except (ValueError, UnsafePath) as error:
            notes.append(f"{file.path} is left as it is, without our hooks: {error}")
            continue
        if change:
            changes.append(change)
        else:
            notes.append(f"{file.path} had our hooks before: an uninstall leaves them there")
    notes += [
        f"{home} isn't there: no hooks for {agent}" for agent, home in homes(machine).items() if not home.is_dir()
    ]
    return Plan(tuple(changes), (*notes, *obstacles(machine)))


def install(machine: Machine) -> Plan:
    """Write down what is about to change, change it, start the service; returns what was done and is left to do."""
    ledger = ledger_of(machine)
    with ledger.held():
        old = ledger.read()
        for item in _items(old):
            sweep(item, ledger)
        planned = plan(machine)
        new = {change.item.path: change.item for change in planned.changes}
        for change in planned.changes:
            # Also of what is as it should be: the user may have changed what is around ours.
            for data in (change.before, change.after):
                if digest(data) in {change.item.before, *change.item.ours}:
                    ledger.keep(data)
        known = {item.path: item for item in _items(old)}
        lost = [lost_lines(known.get(change.item.path), change, ledger) for change in planned.changes]
        items = known | new
        manifest = Manifest(items=tuple(items.values()))
        if manifest != old:
            ledger.write(manifest)
        for change in planned.changes:
            apply(change)
        changed = any(not change.is_done for change in planned.changes if change.item.kind is Kind.OWN)
        notes = services.start(machine, folder=ledger.folder, changed=changed)
    return Plan(planned.changes, (*planned.notes, *filter(None, lost), *notes))


def uninstall(machine: Machine) -> tuple[str, ...]:
    """Take back everything that was written down, or what is found where nothing is; returns what was done."""
    ledger = ledger_of(machine)
    if ledger.read() is None and not strays(machine):
        return ()
    with ledger.held():
        items = to_reverse(machine)
        if not any(item.kind is Kind.OWN and anothers(item, machine) is not None for item in items):
            services.stop(machine)
        for item in items:
            sweep(item, ledger)
        done = [reverse(item, machine, ledger) for item in reversed(items)]
        services.forgotten(machine)
        left = [folder for item in reversed(items) for folder in remove_empty(item.folders)]
        if left:
            raise SleepError(
                f"the disk keeps an empty folder of ours: {left[-1]}", remedy="run the command again when it is well"
            )
        ledger.forget()
    return tuple(one for one in done if one)


def to_reverse(machine: Machine) -> tuple[Item, ...]:
    """What an uninstall would take back."""
    manifest = ledger_of(machine).read()
    return strays(machine) if manifest is None else manifest.items


def strays(machine: Machine) -> tuple[Item, ...]:
    """What carries our name where no install is written down, as after our own folder was deleted."""
    found: list[Item] = []
    ledger = ledger_of(machine)
    launch = Launch(machine.python, captured(machine.environ)[0], keys_file(machine.paths))
    for own in services.own_files(machine, launch, ledger.folder):
        if own.path.is_file():
            mine = (digest(own.path.read_bytes()),)
            found.append(Item(kind=Kind.OWN, path=str(own.path), target=str(own.path), before="", ours=mine))
    for agent, home in homes(machine).items():
        for file in AGENTS[agent].hooks.files:
            item = _stray_hooks(home / file.name, kind_of(file))
            if item is not None:
                found.append(item)
    return tuple(item for item in found if anothers(item, machine) is None)


def _stray_hooks(path: Path, kind: Kind) -> Item | None:
    """Return how to take our hooks out of this file, or None if it has none or isn't one we could have written to."""
    try:
        if not path.is_file() or not has_any(kind, read_plain(path, most=LIVE_BYTES)):
            return None
        target = str(path.resolve())
    except (ValueError, OSError):
        return None
    return Item(kind=kind, path=str(path), target=target, before="unknown", ours=(), made=_EVENTS)


def _items(manifest: Manifest | None) -> tuple[Item, ...]:
    return manifest.items if manifest else ()
