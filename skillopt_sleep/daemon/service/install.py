"""Install and uninstall: write down what will change, change it, and undo it by what was written down.

If either is killed, running it again repairs everything: the manifest names each place before it is touched, with the
bytes from before, and every step checks what is there.
"""

from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.daemon.service import services
from skillopt_sleep.daemon.service.agent_hooks import has_any, homes, hook_files, kind_of, obstacles
from skillopt_sleep.daemon.service.changes import (
    Change,
    apply,
    lost_lines,
    other_owner,
    plan_crontab,
    plan_hook_file,
    plan_own_file,
    reverse,
    sweep,
)
from skillopt_sleep.daemon.service.launch import Launch, keys_file, service_environment
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger, Manifest
from skillopt_sleep.errors import SleepError, UnsafePath
from skillopt_sleep.kit.files import read_plain, remove_empty
from skillopt_sleep.proposals.paths import LIVE_BYTES, digest

_TEMPORARY = ("archive-v0", "builds-v0", "environments-v2")  # where uvx keeps what it throws away

_EVENTS = ("SessionStart", "SessionEnd", "")


class Plan(NamedTuple):
    """The planned changes of an install, and notes for the user; nothing is written yet."""

    changes: tuple[Change, ...]
    notes: tuple[str, ...]


def ledger_of(machine: Machine) -> Ledger:
    """Return where installs on this machine are written down."""
    return Ledger(machine.paths.state / "install")


def plan(machine: Machine) -> Plan:
    """Plan an install; raises SleepError or UnsafePath if the service itself can't be installed."""
    ledger = ledger_of(machine)
    known = _items_by_path(ledger.read())
    environment, left_out = service_environment(machine.environ)
    launch = Launch(machine.python, environment, keys_file(machine.paths))
    notes = [f"{name} may hold a secret and is left out: write it into {launch.keys}" for name in left_out]
    if set(Path(machine.python).parts) & set(_TEMPORARY):
        notes.append(
            f"{machine.python} is in a temporary cache and may vanish; better, from the checkout: uv tool install ."
        )
    changes: list[Change] = []
    for own in services.own_files(machine, launch, ledger.folder):
        old = known.get(str(own.path))
        changes.append(plan_own_file(own.path, own.data, old=old, ledger=ledger, folders=own.folders))
    if services.CRON in services.services(machine):
        script = services.cron_script(ledger.folder)
        changes.append(plan_crontab(machine, script, old=known.get("crontab"), ledger=ledger))
    for file in hook_files(machine, tuple(known.values())):
        try:
            change = plan_hook_file(file, old=known.get(str(file.path)), ledger=ledger)
        except (ValueError, UnsafePath) as error:
            notes.append(f"{file.path} is left as it is, without our hooks: {error}")
            continue
        if change:
            changes.append(change)
        else:
            notes.append(f"{file.path} already had our hooks: an uninstall leaves them there")
    for agent, home in homes(machine).items():
        if not home.is_dir():
            notes.append(f"{home} isn't there: no hooks for {agent}")
    return Plan(tuple(changes), (*notes, *obstacles(machine)))


def install(machine: Machine) -> Plan:
    """Write down what will change, change it, and start the service; return what was done, with notes."""
    ledger = ledger_of(machine)
    with ledger.held():
        old = ledger.read()
        known = _items_by_path(old)
        for item in known.values():
            sweep(item, ledger)
        planned = plan(machine)
        for change in planned.changes:
            _keep_bytes(change, ledger)
        lost: list[str] = []
        for change in planned.changes:
            message = lost_lines(known.get(change.item.path), change, ledger)
            if message:
                lost.append(message)
        items = known | {change.item.path: change.item for change in planned.changes}
        manifest = Manifest(items=tuple(items.values()))
        if manifest != old:
            ledger.write(manifest)
        for change in planned.changes:
            apply(change)
        changed = any(not change.is_done for change in planned.changes if change.item.kind is Kind.OWN)
        notes = services.start(machine, changed=changed)
    return Plan(planned.changes, (*planned.notes, *lost, *notes))


def uninstall(machine: Machine) -> tuple[str, ...]:
    """Undo everything that was written down, or what is found if nothing is; return a message for each place."""
    ledger = ledger_of(machine)
    if ledger.read() is None and not strays(machine):
        return ()
    with ledger.held():
        items = to_reverse(machine)
        if not any(item.kind is Kind.OWN and other_owner(item, machine) is not None for item in items):
            services.stop(machine)
        for item in items:
            sweep(item, ledger)
        messages = [reverse(item, machine, ledger) for item in reversed(items)]
        services.reload(machine)
        left: list[str] = []
        for item in reversed(items):
            left += remove_empty(item.folders)
        if left:
            raise SleepError(
                f"an empty folder of ours can't be removed: {left[-1]}",
                remedy="run the command again when the disk works",
            )
        ledger.forget()
    ledger.clear()
    return tuple(message for message in messages if message)


def to_reverse(machine: Machine) -> tuple[Item, ...]:
    """Return the places that an uninstall would restore."""
    manifest = ledger_of(machine).read()
    if manifest is None:
        return strays(machine)
    return manifest.items


def strays(machine: Machine) -> tuple[Item, ...]:
    """Find what we installed when the manifest is gone, as after our own folder was deleted."""
    items: list[Item] = []
    ledger = ledger_of(machine)
    launch = Launch(machine.python, service_environment(machine.environ)[0], keys_file(machine.paths))
    for own in services.own_files(machine, launch, ledger.folder):
        if own.path.is_file():
            ours = (digest(own.path.read_bytes()),)
            items.append(Item(kind=Kind.OWN, path=str(own.path), target=str(own.path), before="", ours=ours))
    for agent, home in homes(machine).items():
        for file in AGENTS[agent].hooks.files:
            item = _stray_hooks(home / file.name, kind_of(file))
            if item is not None:
                items.append(item)
    return tuple(item for item in items if other_owner(item, machine) is None)


def _stray_hooks(path: Path, kind: Kind) -> Item | None:
    """Return how to take our hooks out of this file, or None if it has none or isn't one we could have written to."""
    try:
        if not path.is_file() or not has_any(kind, read_plain(path, most=LIVE_BYTES)):
            return None
        target = str(path.resolve())
    except (ValueError, OSError):
        return None
    return Item(kind=kind, path=str(path), target=target, before="unknown", ours=(), made=_EVENTS)


def _items_by_path(manifest: Manifest | None) -> dict[str, Item]:
    if manifest is None:
        return {}
    return {item.path: item for item in manifest.items}


def _keep_bytes(change: Change, ledger: Ledger) -> None:
    """Save the bytes the manifest refers to, also for a place that needs no change: the user may have edited it."""
    for data in (change.before, change.after):
        if digest(data) in {change.item.before, *change.item.ours}:
            ledger.save(data)
