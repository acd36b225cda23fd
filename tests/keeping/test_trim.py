"""What doesn't hold purged words itself can still be adopted and undone, though its files held them beside it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillopt_sleep.keeping.choose import of_words
from skillopt_sleep.keeping.purge import plan
from skillopt_sleep.proposals.adopt import adopt
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.plan import MergeNeeded, Plan
from skillopt_sleep.proposals.stage import read_proposal
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.stores.bank import ADOPTED, UNDONE
from tests.keeping.machine import a_machine, holding, paths_of, purge_words
from tests.nights import RULE, Machine

OTHER = "no - always name the ticket in the commit, never only the file"
PURGED = "use pnpm, never npm"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with an adopted rule, and one that waits for the same file."""
    found = a_machine(tmp_path)
    found.clock.pass_by(days=1)
    found.had(7, 8, 9, 10, 11, said=OTHER, ask="commit it")
    found.night()
    return found


def decide(machine: Machine, state: str) -> Path:
    """Adopt what waits, or adopt it and take it back; the folder of its texts."""
    store = machine.store()
    journal = Journal(paths_of(machine).adoptions)
    (entry,) = store.bank.proposals("waiting")
    folder = store.folder(entry.proposal.night) / "proposals" / entry.proposal.id
    if state in {ADOPTED, UNDONE}:
        adopt(folder, journal=journal, at=machine.clock())
        store.bank.decide(entry.proposal.id, ADOPTED, at=machine.clock())
    if state == UNDONE:
        undo(entry.proposal.id, journal=journal, at=machine.clock())
        store.bank.decide(entry.proposal.id, UNDONE, at=machine.clock(), leaving=(ADOPTED,))
    store.close()
    return folder


def agreeing(act: Callable[[Plan | None], object]) -> None:
    """Act, and agree to the merge: the purged rule in the file is the person's now."""
    try:
        act(None)
    except MergeNeeded as asked:
        act(asked.plan)


@pytest.mark.parametrize("state", ["waiting", ADOPTED, UNDONE])
def test_a_rule_beside_the_purged_one_stays_what_it_was(machine: Machine, state: str) -> None:
    file = machine.project() / "CLAUDE.md"
    folder = decide(machine, state)
    after = file.read_bytes()

    purge = purge_words(machine, PURGED)

    assert (purge.copied, purge.undoless) == ((), ())
    assert holding(machine, PURGED) == []
    assert file.read_bytes() == after
    store = machine.store()
    assert {entry.proposal.id: entry.state for entry in store.bank.proposals()} == {folder.name: state}
    (entry,) = store.bank.proposals()
    store.close()
    journal = Journal(paths_of(machine).adoptions)
    known = journal.get(folder.name)
    assert known is None or known.is_for(folder.name, entry.proposal.path, entry.proposal.result)
    if state != ADOPTED:
        agreeing(lambda agreed: adopt(folder, journal=journal, at=machine.clock(), agreed=agreed))
        assert file.read_bytes().count(b"ticket") == 1
    agreeing(lambda agreed: undo(folder.name, journal=journal, at=machine.clock(), agreed=agreed))
    left = file.read_text(encoding="utf-8")
    assert "ticket" not in left
    assert RULE in left


@pytest.mark.parametrize(
    ("state", "lost", "undoless"), [("waiting", False, False), (ADOPTED, False, True), (UNDONE, True, False)]
)
def test_only_what_can_be_undone_now_loses_its_undo(
    machine: Machine, state: str, *, lost: bool, undoless: bool
) -> None:
    folder = decide(machine, state)
    for file in (*folder.glob("base*"), *(paths_of(machine).adoptions / folder.name).glob("before*")):
        file.write_text(PURGED, encoding="utf-8")

    purge = purge_words(machine, PURGED)

    assert [one.id for one in purge.copied] == [folder.name]
    assert (purge.lost, purge.undoless) == ((folder.name,) * lost, (folder.name,) * undoless)
    assert holding(machine, PURGED) == []


def test_a_purge_that_stopped_before_the_store_was_written_is_completed(machine: Machine) -> None:
    folder = decide(machine, UNDONE)
    store = machine.store()
    purge = plan(store, paths_of(machine), lambda rows: of_words(rows, PURGED))
    (trimmed,) = purge.trimmed
    trimmed.write()
    store.close()

    purge_words(machine, PURGED)

    store = machine.store()
    (entry,) = store.bank.proposals()
    store.close()
    assert entry.proposal.result == trimmed.proposal.result == read_proposal(folder).result
    known = Journal(paths_of(machine).adoptions).get(folder.name)
    assert known is not None
    assert known.is_for(folder.name, entry.proposal.path, entry.proposal.result)
