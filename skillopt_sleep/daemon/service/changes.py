"""Plan what an install writes to one place, apply it, and undo it again."""

import os
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service import agent_hooks, cron, table
from skillopt_sleep.daemon.service.agent_hooks import Edited, HookFile
from skillopt_sleep.daemon.service.launch import OWN_HOME, service_environment
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger
from skillopt_sleep.daemon.service.owner import home_name, owner
from skillopt_sleep.daemon.service.places import CRONTAB, Crontab, File, Place, read_crontab
from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals.paths import digest, missing_folders


class Change(NamedTuple):
    """A planned change: `now` is there, `after` will be; `before` is what an uninstall puts back.

    `item` is what the manifest says about the place.
    """

    item: Item
    place: Place
    now: bytes | None
    before: bytes | None
    after: bytes

    @property
    def is_done(self) -> bool:
        """Return whether the place is already as it should be."""
        return self.now == self.after

    @property
    def previous_owner(self) -> str | None:
        """Return the other home of ours that loses this place, "" for the default home; None if none does."""
        previous = owner(self.item.kind, self.now)
        if previous == owner(self.item.kind, self.after):
            return None
        return previous


def plan_own_file(
    path: Path, after: bytes, *, old: Item | None, ledger: Ledger, folders: tuple[Path, ...] = ()
) -> Change:
    """Plan to write a file that is entirely ours; `folders` are further folders that the service will create."""
    place = File(Path(os.path.realpath(path)))
    now = place.read()
    if old:
        before = ledger.saved(old.before)
    elif now == after:
        before = None  # left by an earlier install whose manifest is gone
    else:
        before = now
    return _change(
        Kind.OWN, path, place=place, now=now, edited=Edited(after), before=before, old=old, folders=folders
    )


def plan_hook_file(file: HookFile, *, old: Item | None, ledger: Ledger) -> Change | None:
    """Plan to put our hooks into an agent's settings; return None if they were there before we wrote any.

    Raises ValueError, with the reason, if they can't be added.
    """
    place = File(Path(os.path.realpath(file.path)))
    now = place.read()
    if agent_hooks.has(file, now) and (old is None or digest(now) not in old.ours):
        # The user has edited around our hooks: they stay where they are.
        if old is None:
            return None
        return Change(old, place, now, now, now or b"")
    place.refuse_odd()
    before = now
    if old:
        before = _without_ours(old, now, ledger)
    base = before
    if base is not None and agent_hooks.has_any(file.kind, base):
        base = agent_hooks.take_out(file.kind, base, made=(), created=False)
    edited = agent_hooks.put_in(file, base)
    return _change(file.kind, file.path, place=place, now=now, edited=edited, before=before, old=old)


def plan_crontab(machine: Machine, script: Path, *, old: Item | None, ledger: Ledger) -> Change:
    """Plan to add our line to the user's crontab."""
    place = Crontab(machine, ledger)
    now = place.read()
    before = now
    if old:
        before = _without_ours(old, now, ledger)
    after = os.fsencode(cron.add_line(os.fsdecode(before or b""), script))
    return _change(Kind.CRON, Path(CRONTAB), place=place, now=now, edited=Edited(after), before=before, old=old)


def lost_lines(old: Item | None, change: Change, ledger: Ledger) -> str:
    """Return a message about lines that the crontab lost since an earlier install; "" if it lost none."""
    if old is None or old.kind is not Kind.CRON:
        return ""
    return table.losses(old, change.now, then=change.before, ledger=ledger)


def apply(change: Change) -> None:
    """Write the change; raises SleepError, and writes nothing, if the place was changed since it was planned."""
    if change.is_done:
        return
    if change.place.read() != change.now:
        raise SleepError(f"{change.item.path} was changed meanwhile", remedy="run the command again")
    change.place.write(change.after)


def reverse(item: Item, machine: Machine, ledger: Ledger) -> str:
    """Undo what was written to one place and return a message; later changes by the user stay."""
    place = _place(item, machine, ledger)
    now = place.read()
    other = other_owner(item, machine)
    if other is not None:
        return f"left     {item.path}: it belongs to {home_name(other)} now"
    try:
        then = _without_ours(item, now, ledger)
    except ValueError as error:
        return f"left     {item.path}: {error}; delete the entries that end with `# skillopt-sleep` yourself"
    saved = _save_users_part(item, now, then, ledger)
    if then == now:
        return saved
    aside = f"  ({saved})" if saved else ""
    if then is None:
        place.remove()
        return f"removed  {item.path}{aside}"
    place.write(then)
    verb = "restored" if digest(then) == item.before else "cleaned "
    message = f"{verb} {item.path}{aside}"
    restored_owner = owner(item.kind, then)
    if restored_owner is not None:
        message += f" (it belongs to {home_name(restored_owner)}, which can remove it: skillopt-sleep uninstall)"
    return message


def other_owner(item: Item, machine: Machine) -> str | None:
    """Return the other home of ours that has installed there since, "" for the default home; None if none has."""
    data = read_crontab(machine) if item.kind is Kind.CRON else File(Path(item.target)).read()
    current = owner(item.kind, data)
    if current == service_environment(machine.environ)[0].get(OWN_HOME, ""):
        return None
    return current


def sweep(item: Item, ledger: Ledger) -> None:
    """Remove the temporary files that a killed install left beside the file."""
    if item.kind is Kind.CRON:
        return
    copies = [ledger.copy(name) for name in (item.before, *item.ours) if name]
    known = tuple(copy.read_bytes() for copy in copies if copy.exists())
    File(Path(item.target)).sweep(known)


def _place(item: Item, machine: Machine, ledger: Ledger) -> Place:
    if item.kind is Kind.CRON:
        return Crontab(machine, ledger)
    return File(Path(item.target))


def _save_users_part(item: Item, now: bytes | None, then: bytes | None, ledger: Ledger) -> str:
    """Save the user's part, which would otherwise be lost, and return a message that says where."""
    if item.kind is Kind.CRON:
        return table.losses(item, now, then=then, ledger=ledger)
    if item.kind is Kind.OWN and now is not None and digest(now) not in {*item.ours, item.before}:
        copy = ledger.set_aside("edited-" + Path(item.path).name, now)
        return f"your own changes to it are saved in {copy}"
    return ""


def _without_ours(item: Item, now: bytes | None, ledger: Ledger) -> bytes | None:
    """Return what is there without our part: the bytes from before the install if nobody has changed it since."""
    if item.kind is Kind.CRON:
        return table.users(item, now, ledger)
    if now is None or digest(now) == item.before:
        return now
    if item.kind is Kind.OWN or digest(now) in item.ours:
        return ledger.saved(item.before)
    return agent_hooks.take_out(item.kind, now, made=item.made, created=not item.before)


def _change(
    kind: Kind,
    path: Path,
    *,
    place: Place,
    now: bytes | None,
    edited: Edited,
    before: bytes | None,
    old: Item | None,
    folders: tuple[Path, ...] = (),
) -> Change:
    after = edited.data or b""
    if kind is Kind.CRON:
        target = Path(CRONTAB)
        missing: tuple[Path, ...] = ()
    else:
        target = Path(os.path.realpath(path))
        missing = missing_folders(target)
    ours: list[str] = []
    created: list[str] = []
    if old:
        # Until the new bytes are written, what an earlier install wrote is ours too.
        ours += [name for name in old.ours if name == digest(now)]
        created += old.folders
    ours.append(digest(after))
    created += [str(folder) for folder in missing]
    created += [str(folder) for folder in folders if not folder.exists()]
    item = Item(
        kind=kind,
        path=str(path),
        target=str(target),
        before=digest(before),
        ours=tuple(dict.fromkeys(ours)),
        made=edited.made,
        folders=tuple(dict.fromkeys(created)),
    )
    return Change(item, place, now, before, after)
