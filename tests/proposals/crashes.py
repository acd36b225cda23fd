"""A program that kills adoptions, undos and recoveries of them at every step, and checks what is left each time.

Run as `python tests/proposals/crashes.py FOLDER SCENARIO EVERY`. A child process is killed before its k-th change of
the disk, for each EVERY-th k from the first; an audit hook of the interpreter counts the changes. In the scenarios
named after an error the disk refuses that change instead, once or from then on. Between an adoption and its undo the
person writes in the file.
"""

import errno
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.attributes import attributes_of
from skillopt_sleep.proposals.entry import AdoptionState
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.undo import undo
from tests.attributes import STRANGER, decorate
from tests.proposals.staging import NOW, propose

CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.chown", "os.setxattr", "os.removexattr"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
ERRORS = {"nospace": errno.ENOSPC, "broken": errno.EIO, "denied": errno.EACCES}
Tree = dict[str, tuple[bytes | None, object]]


@dataclass(frozen=True)
class World:
    """A project, a proposal for some of its files, and a journal."""

    home: Path
    files: tuple[str, ...]

    @property
    def root(self) -> Path:
        return self.home / "project"

    @property
    def proposal(self) -> Path:
        return self.home / "night" / "p1" / "proposals" / "p1"

    @property
    def journal(self) -> Journal:
        return Journal(self.home / "adoptions")

    def build(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.root.mkdir(parents=True)
        (self.root / "CLAUDE.md").write_bytes(b"# Rules\r\nmine" * 1000)
        if hasattr(os, "setxattr"):
            decorate(self.root / "CLAUDE.md")
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            os.chown(self.root / "CLAUDE.md", STRANGER, STRANGER)
        (self.root / ".CLAUDE.md.abcdefgh").write_bytes(b"a file of the user that looks like a leftover")
        (self.root / "AGENTS.md").write_bytes(b"for another agent\n")
        first, *others = [self.root / name for name in self.files]
        propose(self.home / "night", first, self.root, more=others)

    def adopt(self) -> None:
        adopt(self.proposal, journal=self.journal, at=NOW)

    def undo(self) -> None:
        undo("p1", journal=self.journal, at=NOW)

    def write(self) -> None:
        """The person writes around our part."""
        path = self.root / "CLAUDE.md"
        path.write_bytes(b"written later\r\n" + path.read_bytes())

    def recover(self) -> None:
        self.journal.recover()

    def tree(self) -> Tree:
        return {
            str(path.relative_to(self.root)): (path.read_bytes(), attributes_of(path))
            if path.is_file()
            else (None, 0)
            for path in self.root.rglob("*")
        }


def at_step(step: int, strike: Callable[[], None], *, again: bool = False) -> None:
    """Do this before the step-th change of the disk by this process, or before each `again` from then on."""
    seen = 0

    def count(event: str, args: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in CHANGES or (event == "open" and (args[2] or 0) & WRITES):
            seen += 1
            if seen == step or (again and seen > step):
                strike()

    sys.addaudithook(count)


def killed_before(step: int, action: Callable[[], None]) -> bool:
    """Run the action in a child that dies before its step-th change of the disk; whether it came to that."""
    child = os.fork()
    if child == 0:
        at_step(step, lambda: os.kill(os.getpid(), signal.SIGKILL))
        action()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0, "the child failed before it could be killed"
    return False


def refused_at(step: int, action: Callable[[], None], number: int, *, again: bool) -> bool:
    """Run the action in a child whose step-th change of the disk fails; whether it came to that."""
    child = os.fork()
    if child == 0:
        struck = False

        def strike() -> None:
            nonlocal struck
            struck = True
            raise OSError(number, os.strerror(number))

        at_step(step, strike, again=again)
        with suppress(SleepError, OSError):
            action()
        os._exit(1 if struck else 0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


def check_settled(world: World, old: Tree, new: Tree) -> None:
    """After one recovery the project is exactly old or new, the journal agrees, and everything works again."""
    world.recover()
    now = world.tree()
    assert now in (old, new), f"neither old nor new: {sorted(now)}"
    entry = world.journal.get("p1")
    state = entry.state if entry else None
    assert state in ({AdoptionState.DONE} if now == new else {None, AdoptionState.UNDONE}), state
    files = {path.name for path in (world.home / "adoptions").rglob("*") if path.is_file()}
    named = [*entry.files, *entry.taken_back] if entry else []
    texts = {digest for file in named for digest in (file.before, file.after)}
    assert files <= {".lock", "journal.json"} | texts, files
    world.adopt()
    assert world.tree() == new
    world.undo()
    assert world.tree() == old


def begun(world: World, *, undoing: bool) -> tuple[Tree, Tree]:
    """Build the world up to the action; return the trees without the proposal and with it."""
    world.build()
    if undoing:
        world.write()
    old = world.tree()
    world.build()
    world.adopt()
    if undoing:
        world.write()
        return old, world.tree()
    new = world.tree()
    world.build()
    return old, new


def at_steps(world: World, *, undoing: bool, every: int) -> int:
    """Kill one action at its steps, and then its recovery at its own; how many kills."""
    kills, step, dies = 0, 1, True
    while dies:
        again, dies_again = 1, True
        while dies_again:
            old, new = begun(world, undoing=undoing)
            dies = killed_before(step, world.undo if undoing else world.adopt)
            if not dies:
                break
            raw = world.tree()
            for name in world.files:
                assert raw.get(name) in (old.get(name), new.get(name)), "torn"
            dies_again = killed_before(again, world.recover)
            check_settled(world, old, new)
            kills += 1 + dies_again
            again += every * len(world.files)
        step += every
    return kills


def with_errors(world: World, number: int, *, every: int) -> int:
    """Let the disk refuse each change of an adoption and of an undo, once or from then on; how many refusals."""
    refusals = 0
    for undoing in (False, True):
        for again in (False, True):
            step, struck = 1, True
            while struck:
                old, new = begun(world, undoing=undoing)
                action = world.undo if undoing else world.adopt
                struck = refused_at(step, action, number, again=again)
                check_settled(world, old, new)
                refusals += struck
                step += every
    return refusals


def any_moment(world: World, *, rounds: int) -> int:
    """Kill a child that adopts and undoes without end, at random moments; how many kills."""
    world.build()
    old = world.tree()
    world.adopt()
    new = world.tree()
    world.undo()
    moments = random.Random(4)
    for _ in range(rounds):
        child = os.fork()
        if child == 0:
            while True:
                world.adopt()
                world.undo()
        time.sleep(moments.uniform(0.0, 0.03))
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        check_settled(world, old, new)
    return rounds


def main() -> None:
    folder, scenario, every = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    total = 0
    skill = live.SKILL.as_posix()
    for files in (("CLAUDE.md",), (skill,), ("CLAUDE.md", skill), (skill, "CLAUDE.md", "AGENTS.md")):
        world = World(folder / "world", files)
        if scenario == "random":
            total += any_moment(world, rounds=60)
        elif scenario in ERRORS:
            total += with_errors(world, ERRORS[scenario], every=every)
        else:
            total += at_steps(world, undoing=scenario == "undo", every=every)
    print(total)


if __name__ == "__main__":
    main()
