"""A purge that is killed, or meets a full disk, at any operation: nothing is torn, lost or stuck."""

import errno
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from skillopt_sleep.errors import SleepError
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded, plan_rest
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.proposals.written import put
from skillopt_sleep.stores.bank import ADOPTED
from tests.disks import fill, small_disk
from tests.keeping.machine import RULE_WORDS, a_machine, calibrated, holding, paths_of, purge_words, with_another_rule
from tests.nights import RULE
from tests.proposals.crashes import killed_before, refused_at
from tests.sweeps import WHOLE

EVERY = 1 if WHOLE else 5
Fault = Callable[[int, Callable[[], None]], bool]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process"),
]


class World:
    """A machine whose first rule is purged, with a second one adopted and a third that waits, built anew each time."""

    def __init__(self, folder: Path) -> None:
        self.machine = a_machine(folder / "machine")
        self.file = self.machine.project() / "CLAUDE.md"
        self.second = with_another_rule(self.machine)
        store = self.machine.store()
        (entry,) = store.bank.proposals("waiting")
        adopt(
            store.folder(entry.proposal.night) / "proposals" / self.second,
            journal=self.journal,
            at=self.machine.clock(),
        )
        store.bank.decide(self.second, ADOPTED, at=self.machine.clock())
        store.close()
        self.machine.clock.pass_by(days=1)
        self.machine.had(12, 13, 14, 15, 16, said="no - always run the linter before you commit", ask="commit it all")
        self.machine.night()
        calibrated(self.machine)
        self._backup = folder / "backup"
        shutil.copytree(self.machine.folder, self._backup, symlinks=True)

    @property
    def journal(self) -> Journal:
        return Journal(paths_of(self.machine).adoptions)

    def rebuild(self) -> None:
        shutil.rmtree(self.machine.folder)
        shutil.copytree(self._backup, self.machine.folder, symlinks=True)

    def purge(self) -> None:
        purge_words(self.machine, RULE_WORDS)

    def check(self) -> None:
        """After a fault no undo is torn; purged again, no word is left, and all can be taken back."""
        assert self.journal.damaged() == ()
        for entry in self.journal.entries():
            for index in range(len(entry.files)):
                self.journal.texts(entry, index)
        assert self.second in {entry.proposal for entry in self.journal.entries()}

        self.purge()

        assert holding(self.machine, RULE_WORDS) == []
        store = self.machine.store()
        for entry in store.bank.proposals("waiting"):
            read_proposal(store.folder(entry.proposal.night) / "proposals" / entry.proposal.id)
        assert "P-0001" not in {entry.proposal.id for entry in store.bank.proposals()}
        store.close()
        try:
            undo(self.second, journal=self.journal, at=self.machine.clock())
        except MergeNeeded as asked:
            undo(self.second, journal=self.journal, at=self.machine.clock(), agreed=asked.plan)
        assert "ticket" not in self.file.read_text(encoding="utf-8")
        assert put(plan_rest(self.file, journal=self.journal).moves) == ""
        assert RULE not in self.file.read_text(encoding="utf-8")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def killed(step: int, action: Callable[[], None]) -> bool:
    return killed_before(step, action)


def full(step: int, action: Callable[[], None]) -> bool:
    return refused_at(step, action, errno.ENOSPC, again=True)


def broken(step: int, action: Callable[[], None]) -> bool:
    return refused_at(step, action, errno.EIO, again=False)


def steps(fault: Fault, world: World) -> Iterator[int]:
    """Yield each step at which the fault struck, after it did."""
    step = 1
    while fault(step, world.purge):
        yield step
        step += EVERY
        world.rebuild()


@pytest.mark.parametrize("fault", [killed, full, broken])
def test_a_fault_at_any_change_of_the_disk_leaves_what_a_second_purge_completes(world: World, fault: Fault) -> None:
    struck = 0
    for _ in steps(fault, world):
        world.check()
        struck += 1
    assert struck > 40 / EVERY


def test_a_kill_before_any_statement_of_the_store_leaves_what_a_second_purge_completes(world: World) -> None:
    def die_at(step: int) -> bool:
        child = os.fork()
        if child == 0:
            count = 0

            def traced(statement: str) -> None:
                nonlocal count
                if not statement.startswith("SELECT"):
                    count += 1
                    if count == step:
                        os.kill(os.getpid(), signal.SIGKILL)

            purge_words(world.machine, RULE_WORDS, traced=traced)
            os._exit(0)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    step = 1
    while die_at(step):
        world.check()
        world.rebuild()
        step += EVERY
    assert step > 20


@pytest.mark.parametrize("kib", [0, 16, 64, 256, 1024])
def test_a_purge_on_a_full_disk_says_so_or_succeeds_and_can_be_run_again(tmp_path: Path, kib: int) -> None:
    with small_disk(tmp_path / "disk", kib=16_384) as disk:
        world = World(disk)
        room = disk / "room"
        room.write_bytes(bytes(kib * 1024))
        fill(disk)
        room.unlink()
        with suppress(SleepError, OSError):
            world.purge()
        (disk / "filler").unlink()
        world.check()
