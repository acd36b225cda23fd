import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from skillopt_sleep.keeping.choose import of_project, of_session
from skillopt_sleep.keeping.purge import carry_out, plan
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.records import Outcome
from tests.keeping.machine import a_machine, adopt_all, copied, holding, paths_of, purge_words
from tests.nights import Machine

CHANGES = {"os.rename", "os.remove", "os.rmdir", "shutil.rmtree"}


def test_no_byte_of_a_purged_text_is_left_and_the_next_night_works(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    before = holding(machine)
    assert {"sleep.db", "nights/2026-03-02/calls.jsonl", "nights/2026-03-02/tasks.jsonl"} <= set(before)

    purge = purge_words(machine)

    assert len(purge.found.sessions) == 1
    assert [proposal.id for proposal in purge.live] == ["P-0001"]
    assert holding(machine) == []
    assert "pnpm" in (machine.project() / "CLAUDE.md").read_text(encoding="utf-8")
    machine.had(5, 6)
    assert machine.night().verdict is Outcome.NO_HEADROOM
    assert holding(machine) == []


def test_a_purged_session_is_not_read_again_and_its_companions_of_the_lesson_are(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)

    purge = purge_words(machine)

    assert purge.found.sessions == {"claude_code:shop-0"}
    assert machine.unread() == [f"claude_code:shop-{number}" for number in (1, 2, 3, 4)]
    assert machine.night().sessions.seen == 4


def test_the_report_of_a_purged_night_keeps_its_numbers_only(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    purge_words(machine)

    store = machine.store()
    report = store.report("2026-03-02")
    store.close()

    assert report is not None
    assert (report.verdict, report.sessions.used, report.documents, report.proposals) == (Outcome.IMPROVED, 5, (), ())
    assert report.spend.calls > 0
    assert "purged" in (paths_of(machine).nights / "2026-03-02" / "report.md").read_text(encoding="utf-8")


def test_the_undo_of_a_purged_rule_is_gone_with_its_backup(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    purge_words(machine)

    assert Journal(paths_of(machine).adoptions).entries() == ()


def test_what_another_session_taught_stays_without_copies_of_the_purged_rule(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    machine.clock.pass_by(days=1)
    machine.had(
        7, 8, 9, 10, 11, said="no - always name the ticket in the commit, never only the file", ask="commit it"
    )
    machine.night()
    store = machine.store()
    mine = {entry.proposal.id for entry in store.bank.proposals()} - {"P-0001"}
    assert mine
    store.close()

    purge = purge_words(machine)

    assert {entry.proposal.id for entry in purge.found.proposals} == {"P-0001"}
    assert {one.proposal.id for one in purge.trimmed} == mine
    assert set(purge.nights) == {"2026-03-02", "2026-03-03"}
    assert holding(machine, "use pnpm, never npm") == []
    store = machine.store()
    assert {entry.proposal.id: entry.state for entry in store.bank.proposals()} == dict.fromkeys(mine, "waiting")
    store.close()


def test_a_session_is_purged_with_a_waiting_proposal_that_it_taught(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.had(0, 1, 2, 3, 4)
    machine.night()
    store = machine.store()
    purge = plan(store, paths_of(machine), lambda rows: of_session(rows, "claude_code:shop-2"))
    assert [entry.state for entry in purge.found.proposals] == ["waiting"]
    carry_out(purge, store, now=machine.clock())
    assert store.bank.proposals() == ()
    store.close()
    assert holding(machine, "shop-2") == []

    machine.clock.pass_by(days=1)
    machine.night()
    adopt_all(machine)
    assert "pnpm" in (machine.project() / "CLAUDE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("known", [True, False])
def test_a_purged_project_takes_the_copies_of_its_repository_along(tmp_path: Path, known: bool) -> None:
    machine = a_machine(tmp_path) if known else Machine(tmp_path)
    places = copied(machine)
    store = machine.store()
    other = plan(store, paths_of(machine), lambda rows: of_project(rows, str(tmp_path / "other")))
    purge = plan(store, paths_of(machine), lambda rows: of_project(rows, str(machine.project())))
    carry_out(purge, store, now=machine.clock())
    store.close()
    assert (other.is_empty, purge.is_empty) == (True, False)
    assert [path for path in places if path.exists()] == []


def test_words_are_purged_with_every_copy(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    copied(machine)
    purge_words(machine)
    assert holding(machine) == []


def test_nothing_to_purge_changes_nothing(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    before = holding(machine)
    assert purge_words(machine, "never said by anyone").is_empty
    assert holding(machine) == before


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked process")
def test_a_purge_that_is_killed_before_any_change_of_the_disk_can_be_run_again(tmp_path: Path) -> None:
    changes = _killed(a_machine(tmp_path / "whole"), at=sys.maxsize)
    assert changes > 10
    for at in range(1, changes + 2, 3):
        machine = a_machine(tmp_path / str(at))
        _killed(machine, at=at)

        purge_words(machine)

        assert holding(machine) == [], at
        machine.had(5, 6)
        assert machine.night().verdict is Outcome.NO_HEADROOM


def _killed(machine: Machine, *, at: int) -> int:
    """Purge in a child that is killed before its change number `at`; return how many changes it made."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        sys.addaudithook(_killer(at, writing))
        purge_words(machine)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        count = len(pipe.read())
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in {0, -signal.SIGKILL}
    return count


def _killer(at: int, writing: int) -> Callable[[str, tuple[object, ...]], None]:
    left = [at]

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        del arguments
        if event in CHANGES:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            os.write(writing, b".")

    return hook
