"""A night's page: stages are kept before they are used, and closing decides what was read."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.records import CUT_SHORT, Outcome, Split, Task
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_proposal, a_session, a_task, an_outcome
from tests.stores.opening import open_at, put, seal, unread

WHOLE = [outcome for outcome in Outcome if outcome not in CUT_SHORT]
ONE, TWO = a_session(id="codex:s1"), a_session(id="codex:s2")


def banked(session: str, **fields: object) -> Task:
    return a_task(id=f"t-{session}", session=session, lesson="c", split=Split.TRAIN, **fields)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path)
    yield opened
    opened.close()


# keep ---------------------------------------------------------------------------------------------------


def test_a_stage_is_computed_once(store: SqliteStore) -> None:
    computed: list[int] = []

    def compute() -> tuple[Task, ...]:
        computed.append(1)
        return (banked("s1"),)

    with store.open_night() as page:
        assert page.keep("tasks", tuple[Task, ...], compute) == (banked("s1"),)
        assert page.keep("tasks", tuple[Task, ...], compute) == (banked("s1"),)
    assert computed == [1]


def test_a_stage_that_failed_is_not_kept(store: SqliteStore) -> None:
    with store.open_night() as page:
        with pytest.raises(ZeroDivisionError):
            page.keep("mined", int, lambda: 1 // 0)
        assert page.keep("mined", int, lambda: 7) == 7


def test_stages_are_saved_separately(store: SqliteStore) -> None:
    with store.open_night() as page:
        assert page.keep("one", int, lambda: 1) == 1
        assert page.keep("two", int, lambda: 2) == 2


# write --------------------------------------------------------------------------------------------------


def test_rows_are_written_one_a_line_into_a_private_file(store: SqliteStore) -> None:
    with store.open_night() as page:
        page.write("tasks", [banked("s1")])
        page.write("tasks", [banked("s2")])
        path = page.folder / "tasks.jsonl"

    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["session"] for row in rows] == ["s1", "s2"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_stage_without_rows_leaves_an_empty_file(store: SqliteStore) -> None:
    with store.open_night() as page:
        page.write("edits", [])

        assert (page.folder / "edits.jsonl").read_bytes() == b""


# proposals ----------------------------------------------------------------------------------------------


def test_proposal_ids_are_never_given_twice(store: SqliteStore) -> None:
    given: list[str] = []
    for _ in range(2):
        with store.open_night() as page:
            given += [page.next_proposal(), page.next_proposal()]
            seal(page)

    assert given == ["P-0001", "P-0002", "P-0003", "P-0004"]


def test_a_recreated_store_gives_no_proposal_id_that_a_folder_has(store: SqliteStore, tmp_path: Path) -> None:
    (tmp_path / "nights" / "2026-01-01" / "proposals" / "P-0007").mkdir(parents=True)
    (tmp_path / "nights" / "2026-01-02" / "proposals" / "P-none").mkdir(parents=True)
    with store.open_night() as page:
        given = [page.next_proposal(), page.next_proposal()]
        (tmp_path / "adoptions" / "P-0012").mkdir(parents=True)
        given += [page.next_proposal(), page.next_proposal()]

    assert given == ["P-0008", "P-0009", "P-0013", "P-0014"]


# close --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", WHOLE)
def test_a_whole_night_banks_its_tasks_and_marks_its_sessions_read(store: SqliteStore, outcome: Outcome) -> None:
    put(store, ONE, TWO)
    with store.open_night() as page:
        seal(page, found=[ONE], tasks=[banked("codex:s1")], verdict=outcome)

    assert unread(store) == ["codex:s2"]
    assert store.bank.all_tasks() == (banked("codex:s1"),)


@pytest.mark.parametrize("outcome", sorted(CUT_SHORT))
def test_a_night_that_was_cut_short_leaves_all_unread_and_banks_nothing(store: SqliteStore, outcome: Outcome) -> None:
    put(store, ONE, TWO)
    with store.open_night() as page:
        seal(page, found=[ONE], tasks=[banked("codex:s1")], copies=["codex:s2"], verdict=outcome)

    assert sorted(unread(store)) == ["codex:s1", "codex:s2"]
    assert store.bank.all_tasks() == ()


def test_a_night_that_was_cut_short_keeps_what_it_staged(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, verdict=Outcome.OVER_BUDGET, proposals=(a_proposal(),))

    assert [decided.proposal.id for decided in store.bank.proposals()] == ["P-0001"]


UNFINISHED = {
    "mining": {"lost": ["codex:s2"]},
    "reflection": {
        "documents": (an_outcome(unfinished=True, sessions=("codex:s2",)), an_outcome(sessions=("codex:s1",)))
    },
}


@pytest.mark.parametrize("lost", UNFINISHED.values(), ids=UNFINISHED)
def test_sessions_that_were_lost_on_the_way_stay_unread_and_their_tasks_unbanked(
    store: SqliteStore, lost: dict[str, Any]
) -> None:
    put(store, ONE, TWO)
    with store.open_night() as page:
        seal(page, found=[ONE, TWO], tasks=[banked("codex:s1"), banked("codex:s2")], **lost)

    assert unread(store) == ["codex:s2"]
    assert [task.session for task in store.bank.all_tasks()] == ["codex:s1"]


def test_sessions_that_are_mere_copies_are_marked_read(store: SqliteStore) -> None:
    put(store, ONE, TWO)
    with store.open_night() as page:
        seal(page, found=[ONE], copies=["codex:s2"])

    assert unread(store) == []


def test_a_session_nobody_used_stays_unread(store: SqliteStore) -> None:
    put(store, ONE)
    with store.open_night() as page:
        seal(page)

    assert unread(store) == ["codex:s1"]


def test_a_closing_that_fails_changes_nothing(store: SqliteStore) -> None:
    put(store, ONE)
    with store.open_night() as page:
        page.keep("mined", int, lambda: 1)
        broken = a_task(session="codex:s1", split=Split.TRAIN, prompt="\ud800")

        with pytest.raises(UnicodeEncodeError):
            seal(page, found=[ONE], tasks=[banked("codex:s1"), broken])

        assert unread(store) == ["codex:s1"]
        assert store.bank.all_tasks() == ()
        assert page.keep("mined", int, lambda: 2) == 1
    assert store.nights()[0].closed is None


def test_rows_are_redacted_before_they_are_written(store: SqliteStore) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9" * 2
    with store.open_night() as page:
        page.write("tasks", [banked("s1", prompt=f"use the token {secret}")])

        assert secret not in (page.folder / "tasks.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("outcome", Outcome)
def test_a_session_that_stays_unread_keeps_its_side(store: SqliteStore, outcome: Outcome) -> None:
    put(store, ONE, TWO)
    with store.open_night() as page:
        tasks = [banked(ONE.id), banked(TWO.id)]
        seal(page, verdict=outcome, found=[ONE, TWO], tasks=tasks, lost=[ONE.id])
    with store.open_night() as page:
        assert page.bank.sides({ONE.id, TWO.id, "codex:s3"}) == {ONE.id: "train", TWO.id: "train"}
