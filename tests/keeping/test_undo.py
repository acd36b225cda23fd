"""After a purge, whatever it took, every adopted rule can be taken back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from skillopt_sleep.proposals import live
from skillopt_sleep.proposals.entry import AdoptionState, Entry, Written
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.proposals.paths import digest
from skillopt_sleep.proposals.plan import MergeNeeded, Plan, plan_rest
from skillopt_sleep.proposals.undo import undo
from skillopt_sleep.proposals.written import put
from skillopt_sleep.stores.bank import UNDONE
from tests.fakes import NOON
from tests.keeping.machine import (
    RULE_WORDS,
    a_machine,
    adopt_all,
    holding,
    paths_of,
    purge_words,
    with_another_rule,
)
from tests.nights import RULE, Machine


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with an adopted rule, and one that waits for the same file."""
    found = a_machine(tmp_path_factory.mktemp("machine"))
    with_another_rule(found)
    return found


def agreeing(act: Callable[[Plan | None], object]) -> None:
    """Act, and agree to the merge: the purged rule in the file is nobody's edit."""
    try:
        act(None)
    except MergeNeeded as asked:
        act(asked.plan)


def test_a_rule_beside_the_purged_one_keeps_its_own_undo(machine: Machine) -> None:
    adopt_all(machine)
    file = machine.project() / "CLAUDE.md"
    after = file.read_bytes()
    journal = Journal(paths_of(machine).adoptions)

    purge = purge_words(machine, RULE_WORDS)

    assert [one.id for one in purge.unrecorded] == ["P-0001"]
    assert holding(machine, RULE_WORDS) == []
    assert file.read_bytes() == after
    (entry,) = journal.entries()
    agreeing(lambda agreed: undo(entry.proposal, journal=journal, at=machine.clock(), agreed=agreed))
    left = file.read_text(encoding="utf-8")
    assert ("ticket" in left, RULE in left) == (False, True)
    assert put(plan_rest(file, journal=journal).moves) == ""
    assert RULE not in file.read_text(encoding="utf-8")


def test_a_file_of_our_own_is_taken_back_whole_only_if_a_record_is_gone(tmp_path: Path) -> None:
    own = tmp_path / ".claude" / "rules" / "skillopt-sleep.md"
    own.parent.mkdir(parents=True)
    own.write_text(f"{live.RULES_HEAD}{RULE}\n", encoding="utf-8")
    journal = Journal(tmp_path / "adoptions")
    entry = Entry(
        proposal="P-0002",
        root=str(tmp_path),
        files=(Written(path=str(own), target=str(own), before="", after=digest(b"another rule")),),
        made=digest(b"another rule"),
        folders=(),
        state=AdoptionState.UNDONE,
        adopted=NOON,
        undone=NOON,
    )
    journal.prepare(entry, (None, b"another rule"))
    assert plan_rest(own, journal=journal).moves == ()
    journal.lose_record()
    (move,) = plan_rest(own, journal=journal).moves
    assert move.new is None


def test_a_rule_that_was_taken_back_is_withdrawn_and_its_copies_go(machine: Machine) -> None:
    adopt_all(machine)
    store = machine.store()
    journal = Journal(paths_of(machine).adoptions)
    (name,) = (one.proposal for one in journal.entries() if one.proposal != "P-0001")
    undo(name, journal=journal, at=machine.clock())
    store.bank.decide(name, UNDONE, at=machine.clock(), leaving=("adopted",))
    store.close()

    purge = purge_words(machine, RULE_WORDS)

    assert [one.id for one in purge.withdrawn] == [name]
    assert journal.entries() == ()
    assert holding(machine, RULE_WORDS) == []
