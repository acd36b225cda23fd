from pathlib import Path

import pytest

from skillopt_sleep.keeping.purge import carry_out, of_project, of_session, plan
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.protocols.models import Reservation
from skillopt_sleep.records import Outcome, Purpose
from skillopt_sleep.stores.purge import PurgedData
from tests.keeping.machine import (
    RULE_WORDS,
    a_machine,
    adopt_all,
    calibrated,
    holding,
    paths_of,
    purge_words,
    with_another_rule,
)
from tests.nights import Machine


def test_no_byte_of_a_purged_text_is_left_and_the_next_night_works(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    before = holding(machine)
    assert {"sleep.db", "nights/2026-03-02/calls.jsonl", "nights/2026-03-02/tasks.jsonl"} <= set(before)

    purge = purge_words(machine)

    assert len(purge.found.sessions) == 1
    assert [proposal.id for proposal in purge.unrecorded] == ["P-0001"]
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
    assert machine.night().found.sessions.seen == 4


def test_the_report_of_a_purged_night_keeps_its_numbers_only(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    purge_words(machine)

    store = machine.store()
    report = store.report("2026-03-02")
    store.close()

    assert report is not None
    assert (report.verdict, report.found.sessions.used, report.documents, report.proposals) == (
        Outcome.IMPROVED,
        5,
        (),
        (),
    )
    assert report.spend.calls > 0
    assert "purged" in (paths_of(machine).nights / "2026-03-02" / "report.md").read_text(encoding="utf-8")


def test_the_undo_of_a_purged_rule_is_gone_with_its_backup(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    purge_words(machine)

    assert Journal(paths_of(machine).adoptions).entries() == ()


def test_what_another_session_taught_is_withdrawn_with_its_copies_of_the_purged_rule_and_learned_again(
    tmp_path: Path,
) -> None:
    machine = a_machine(tmp_path)
    mine = with_another_rule(machine)

    purge = purge_words(machine, RULE_WORDS)

    assert {entry.proposal.id for entry in purge.found.proposals} == {"P-0001"}
    assert [one.id for one in purge.withdrawn] == [mine]
    assert set(purge.nights) == {"2026-03-02", "2026-03-03"}
    assert holding(machine, RULE_WORDS) == []
    store = machine.store()
    assert {entry.proposal.id: entry.state for entry in store.bank.proposals()} == {mine: "withdrawn"}
    store.close()
    machine.clock.pass_by(days=1)
    machine.night()
    store = machine.store()
    assert any("ticket" in entry.proposal.summary for entry in store.bank.proposals("waiting"))
    store.close()


def test_a_session_is_purged_with_a_waiting_proposal_that_it_taught(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.had(0, 1, 2, 3, 4)
    machine.night()
    store = machine.store()
    purge = plan(store, paths_of(machine), lambda rows: of_session(rows, "claude_code:shop-2"))
    assert [entry.state for entry in purge.found.proposals] == ["waiting"]
    carry_out(purge, store, paths_of(machine), now=machine.clock())
    assert store.bank.proposals() == ()
    store.close()
    assert holding(machine, "shop-2") == []

    machine.clock.pass_by(days=1)
    machine.night()
    adopt_all(machine)
    assert "pnpm" in (machine.project() / "CLAUDE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("known", [True, False])
def test_a_purged_project_takes_what_its_commands_did_along(tmp_path: Path, known: bool) -> None:
    machine = a_machine(tmp_path) if known else Machine(tmp_path)
    result = calibrated(machine)
    store = machine.store()
    other = plan(store, paths_of(machine), lambda rows: of_project(rows, str(tmp_path / "other")))
    purge = plan(store, paths_of(machine), lambda rows: of_project(rows, str(machine.project())))
    carry_out(purge, store, paths_of(machine), now=machine.clock())
    store.close()
    assert (other.is_empty, purge.is_empty) == (True, False)
    assert not result.exists()


def test_words_are_purged_with_every_copy(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    calibrated(machine)
    purge_words(machine)
    assert holding(machine) == []


def test_nothing_to_purge_changes_nothing(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    before = holding(machine)
    assert purge_words(machine, "never said by anyone").is_empty
    assert holding(machine) == before


def test_words_that_only_a_log_holds_take_the_logs_along(tmp_path: Path) -> None:
    machine = a_machine(tmp_path)
    log = paths_of(machine).log
    log.parent.mkdir(parents=True)
    log.write_text('{"event": "trouble", "because": "a blue whale"}\n', encoding="utf-8")
    purge_words(machine, "blue whale")
    assert holding(machine, "blue whale") == []


@pytest.mark.parametrize(
    "row",
    [
        "INSERT INTO notebooks VALUES ('/w/CLAUDE.md', 'they like the blue whale')",
        "INSERT INTO snapshots VALUES ('/w/CLAUDE.md', '2026-03-02', 'Feed the blue whale.')",
        """INSERT INTO tried VALUES (9, '/w/a', CAST('{"edit": {"content": "Feed the blue whale."}}' AS BLOB))""",
        """INSERT INTO waiting VALUES (9, '/w/a', CAST('{"tested": {"edits": [{"content": "blue whale"}]}}' AS BLOB))""",
        """INSERT INTO reviewed VALUES ('/w/tasks.jsonl', 'blue whale', x'80')""",
    ],
)
def test_words_that_only_one_table_holds_are_purged_from_it(tmp_path: Path, row: str) -> None:
    machine = a_machine(tmp_path)
    store = machine.store()
    store._connection.execute(row)  # pyright: ignore[reportPrivateUsage]
    store.close()
    assert holding(machine, "blue whale") != []

    assert not purge_words(machine, "blue whale").is_empty

    assert holding(machine, "blue whale") == []


def test_a_project_whose_name_only_looks_alike_keeps_its_spending(tmp_path: Path) -> None:
    store = a_machine(tmp_path).store()
    with store.open_night():
        for project in ("/w/my-app/api", "/w/my_app/api", "/w/my_app"):
            store.ledger.reserve(Reservation(Purpose.ROLLOUT, "m", project))
        store.purge.delete(PurgedData(), {}, folders=("/w/my_app",))
        counts = {
            project: store.ledger.spent(project=project).calls for project in ("/w/my-app/api", "/w/my_app/api")
        }
    store.close()
    assert counts == {"/w/my-app/api": 1, "/w/my_app/api": 0}
