from datetime import timedelta
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import fields

from skillopt_sleep.keeping.retention import Forgotten, forget_old, numbers
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import CUT_SHORT, NightReport, Note, Outcome
from skillopt_sleep.stores.quotes import PurgeSearch
from tests.builders import a_proposal, a_report, an_outcome
from tests.keeping.machine import MARKER, a_machine, calibrated, holding, paths_of
from tests.nights import Machine

KEEP = timedelta(days=180)


def _forget(machine: Machine, *, days: float, keep: timedelta = KEEP) -> Forgotten:
    machine.clock.pass_by(days=days)
    store = machine.store()
    try:
        return forget_old(store, paths_of(machine), keep=keep, now=machine.clock())
    finally:
        store.close()


def _undone(machine: Machine) -> None:
    store = machine.store()
    store.bank.decide("P-0001", "rejected", at=machine.clock(), leaving=("adopted",))
    store.close()


def test_nothing_is_forgotten_before_its_time_or_if_it_is_kept_for_ever(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    before = holding(machine)
    assert _forget(machine, days=179) == Forgotten()
    assert _forget(machine, days=1000, keep=timedelta()) == Forgotten()
    assert holding(machine) == before


def test_an_old_night_keeps_its_numbers_and_what_is_live(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    assert _forget(machine, days=181) == Forgotten(nights=1)  # each turn of its sessions taught the live lesson
    folder = paths_of(machine).nights / "2026-03-02"
    assert sorted(path.name for path in folder.iterdir()) == [
        "diagnostics.json",
        "proposals",
        "report.html",
        "report.json",
        "report.md",
    ]
    store = machine.store()
    report = store.report("2026-03-02")
    assert report is not None
    assert (report.verdict, report.spend.calls > 0, report.documents[0].trial.n > 0) == (Outcome.IMPROVED, True, True)
    assert len(store.bank.live()) == 1
    assert len(store.bank.all_tasks()) == 5
    store.close()
    assert _forget(machine, days=0) == Forgotten()


def test_what_was_turned_down_is_forgotten_but_for_the_decision(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    _undone(machine)
    assert _forget(machine, days=181) == Forgotten(nights=1, sessions=5, tasks=5, lessons=1)
    assert list(paths_of(machine).nights.glob("*/proposals/*")) == []
    store = machine.store()
    assert [edit.content for edit in store.bank.rejected(str(machine.project() / "CLAUDE.md"))]
    store.close()
    assert [name for name in holding(machine, f"script for {MARKER}") if name != "sleep.db"] == []


def test_what_commands_did_in_copies_is_forgotten_too(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    old = calibrated(machine, days_ago=2)
    _forget(machine, days=177)
    assert old.exists()
    _forget(machine, days=2)
    assert not old.exists()


def test_the_next_night_works_and_reads_nothing_twice(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    _forget(machine, days=181)
    assert machine.unread() == []
    machine.had(5, 6)
    report = machine.night()
    assert report.found.sessions.used == 2
    assert report.verdict not in CUT_SHORT


WORDS = "pnpm"


def test_numbers_stay_and_words_go() -> None:
    report = a_report(
        documents=(an_outcome(because=WORDS),),
        proposals=(a_proposal(),),
        because=WORDS,
        errors=(Note(stage="mine", summary=WORDS),),
    )
    search = PurgeSearch(phrases=(WORDS,))
    assert search.is_in(to_builtins(report))
    for documents in (True, False):
        left = numbers(report, because="purged", documents=documents)
        assert not search.is_in(to_builtins(left)), to_json(left)
        assert (left.verdict, left.spend, left.found.sessions) == (
            report.verdict,
            report.spend,
            report.found.sessions,
        )
        assert len(left.documents) == documents


def test_what_goes_of_a_report_is_decided_for_every_part_of_it() -> None:
    goes = {"remedy", "proposals", "errors", "others", "schema_version"}
    stays = {"night", "started", "ended", "verdict", "because", "run", "found", "judging", "documents"}
    stays |= {"spend", "error_rate"}
    assert {field.name for field in fields(NightReport)} == goes | stays
