"""One place's way there and back: what an install would write to it, and how an uninstall takes that out again."""

import os
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service import agent_hooks, cron, table
from skillopt_sleep.daemon.service.agent_hooks import Edited, HookFile
from skillopt_sleep.daemon.service.launch import OWN_HOME, captured
from skillopt_sleep.daemon.service.machine import Machine
from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger
from skillopt_sleep.daemon.service.owner import named, owner
from skillopt_sleep.daemon.service.places import CRONTAB, Crontab, File, Place, read_crontab
from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals.paths import digest, missing_folders


class Change(NamedTuple):
    """What is to be written: `now` is there, `after` will be; `item` is how to take it back."""

    item: Item
    place: Place
    now: bytes | None
    before: bytes | None
    after: bytes

    @property
    def is_done(self) -> bool:
        """Whether the place is as it should be."""
        return self.now == self.after

    @property
    def was_of(self) -> str | None:
        """The other home of ours that loses the place by it, "" for the platform's own; None where none does."""
        was = owner(self.item.kind, self.now)
        return None if was == owner(self.item.kind, self.after) else was


def own_file(path: Path, after: bytes, *, old: Item | None, ledger: Ledger, folders: tuple[Path, ...] = ()) -> Change:
    """A file that is ours as a whole; `folders` are more of those that it brings with it."""
    place = File(Path(os.path.realpath(path)))
    now = place.read()
    # A file as we would write it is from an install that isn't remembered any more.
    before = ledger.kept(old.before) if old else None if now == after else now
    return _change(
        Kind.OWN, path, place=place, now=now, edited=Edited(after), before=before, old=old, folders=folders
    )


def hook_file(file: HookFile, *, old: Item | None, ledger: Ledger) -> Change | None:
    """An agent's settings; None where our hooks were there before we wrote any; ValueError where they can't be."""
    place = File(Path(os.path.realpath(file.path)))
    now = place.read()
    if agent_hooks.has(file, now) and (old is None or digest(now) not in old.ours):
        # The user has edited around them: they stay where they are.
        return old and Change(old, place, now, now, now or b"")
    place.refuse_odd()
    before = now
    if old:
        before = _taken_out(old, now, ledger)
    base = before
    if base is not None and agent_hooks.has_any(file.kind, base):
        base = agent_hooks.take_out(file.kind, base, made=(), created=False)
    edited = agent_hooks.put_in(file, base)
    return _change(file.kind, file.path, place=place, now=now, edited=edited, before=before, old=old)


def crontab(machine: Machine, script: Path, *, old: Item | None, ledger: Ledger) -> Change:
    """The user's crontab with our line."""
    place = Crontab(machine, ledger)
    now = place.read()
    before = _taken_out(old, now, ledger) if old else now
    after = os.fsencode(cron.added(os.fsdecode(before or b""), script))
    return _change(Kind.CRON, Path(CRONTAB), place=place, now=now, edited=Edited(after), before=before, old=old)


def lost_lines(old: Item | None, change: Change, ledger: Ledger) -> str:
    """What to tell of lines that the crontab lost since an earlier install; "" where it lost none."""
    return table.losses(old, change.now, then=change.before, ledger=ledger) if old and old.kind is Kind.CRON else ""


def apply(change: Change) -> None:
    """Write it; SleepError, and nothing written, where somebody wrote there since it was looked at."""
    if change.is_done:
        return
    if change.place.read() != change.now:
        raise SleepError(f"{change.item.path} was changed meanwhile", remedy="run the command again")
    change.place.write(change.after)


def reverse(item: Item, machine: Machine, ledger: Ledger) -> str:
    """Take it back, and say what was done; what the user changed since stays."""
    place = _place(item, machine, ledger)
    now = place.read()
    if (other := anothers(item, machine)) is not None:
        return f"left     {item.path}: it belongs to {named(other)} now"
    try:
        then = _taken_out(item, now, ledger)
    except ValueError as error:
        return f"left     {item.path}: {error}; take out what ends with `# skillopt-sleep` yourself"
    kept = _kept_beside(item, now, then, ledger)
    if then == now:
        return kept
    said = f"  ({kept})" if kept else ""
    if then is None:
        place.remove()
        return f"removed  {item.path}{said}"
    place.write(then)
    done = f"{'restored' if digest(then) == item.before else 'cleaned '} {item.path}{said}"
    if (back := owner(item.kind, then)) is not None:
        done += f" (that of {named(back)}, which can take it out: skillopt-sleep uninstall)"
    return done


def anothers(item: Item, machine: Machine) -> str | None:
    """The other home of ours that has installed there since, "" for the platform's own; None where none has."""
    there = read_crontab(machine) if item.kind is Kind.CRON else File(Path(item.target)).read()
    now = owner(item.kind, there)
    return None if now == captured(machine.environ)[0].get(OWN_HOME, "") else now


def sweep(item: Item, ledger: Ledger) -> None:
    """Remove what a kill has left beside the file."""
    if item.kind is not Kind.CRON:
        names = [name for name in (item.before, *item.ours) if name and ledger.copy(name).exists()]
        File(Path(item.target)).sweep(tuple(ledger.copy(name).read_bytes() for name in names))


def _place(item: Item, machine: Machine, ledger: Ledger) -> Place:
    return Crontab(machine, ledger) if item.kind is Kind.CRON else File(Path(item.target))


def _kept_beside(item: Item, now: bytes | None, then: bytes | None, ledger: Ledger) -> str:
    """Keep what is the user's and stays in no place of theirs, and say where."""
    if item.kind is Kind.CRON:
        return table.losses(item, now, then=then, ledger=ledger)
    if item.kind is Kind.OWN and now is not None and digest(now) not in {*item.ours, item.before}:
        return f"your own changes of it are in {ledger.set_aside('edited-' + Path(item.path).name, now)}"
    return ""


def _taken_out(item: Item, now: bytes | None, ledger: Ledger) -> bytes | None:
    """What is there without what is ours: the bytes of before where nobody has touched it since."""
    if item.kind is Kind.CRON:
        return table.users(item, now, ledger)
    if now is None or digest(now) == item.before:
        return now
    if item.kind is Kind.OWN or digest(now) in item.ours:
        return ledger.kept(item.before)
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
    target = Path(CRONTAB) if kind is Kind.CRON else Path(os.path.realpath(path))
    missing = () if kind is Kind.CRON else missing_folders(target)
    known = old.folders if old else ()
    mine = (*missing, *(folder for folder in folders if not folder.exists()))
    item = Item(
        kind=kind,
        path=str(path),
        target=str(target),
        before=digest(before),
        # Until it is written, what an earlier install wrote is ours as well.
        ours=tuple(dict.fromkeys((*(one for one in (old.ours if old else ()) if one == digest(now)), digest(after)))),
        made=edited.made,
        folders=tuple(dict.fromkeys((*known, *map(str, mine)))),
    )
    return Change(item, place, now, before, after)
