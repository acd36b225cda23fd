"""The bank remembers every task with its side, and what a person decided on proposals."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.records import Proposal, Split, Task
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, WAITING
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_proposal, a_task, an_edit
from tests.fakes import NOON
from tests.stores.opening import open_at, seal


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path)
    yield opened
    opened.close()


def bank(store: SqliteStore, *tasks: Task, proposals: Sequence[Proposal] = ()) -> None:
    with store.open_night() as page:
        seal(page, tasks=tasks, proposals=tuple(proposals))


def numbered(number: int, **fields: object) -> Task:
    return a_task(
        **{
            "id": f"t{number}",
            "session": f"s{number}",
            "cluster": "c",
            "split": Split.TRAIN,
            "at": NOON + timedelta(hours=number),
        }
        | fields
    )


def test_tasks_of_these_projects_come_back_as_they_were_oldest_first(store: SqliteStore) -> None:
    tasks = [
        numbered(3),
        numbered(1, split=Split.VAL),
        numbered(2, project="/p/other"),
        numbered(4, project="/p/third"),
    ]
    bank(store, *tasks)

    assert store.bank.tasks({"/home/ada/shop", "/p/third"}) == (tasks[1], tasks[0], tasks[3])
    assert store.bank.tasks({"/p/none"}) == ()
    assert store.bank.tasks(set()) == ()
    assert [task.id for task in store.bank.all_tasks()] == ["t1", "t2", "t3", "t4"]


def test_a_task_that_is_banked_already_stays_as_it_was(store: SqliteStore) -> None:
    bank(store, numbered(1, split=Split.TRAIN))
    bank(store, numbered(1, split=Split.VAL))

    assert store.bank.all_tasks() == (numbered(1),)


def test_unknown_tasks_are_those_no_night_has_banked(store: SqliteStore) -> None:
    bank(store, numbered(1))

    assert store.bank.unknown([numbered(1), numbered(2)]) == (numbered(2),)
    assert store.bank.unknown([]) == ()


def test_sides_are_those_of_sessions_that_have_one(store: SqliteStore) -> None:
    bank(store, numbered(1), numbered(2, split=Split.VAL), numbered(3, split=Split.TEST))

    assert store.bank.sides({"s1", "s2", "s3", "s9"}) == {"s1": "train", "s2": "val", "s3": "test"}
    assert store.bank.sides(set()) == {}


def test_a_new_proposal_waits(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal()])

    assert [(decided.proposal, decided.state, decided.reason) for decided in store.bank.proposals()] == [
        (a_proposal(), WAITING, "")
    ]


def test_proposals_are_found_by_their_state_oldest_first(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal(id=f"P-000{i}") for i in (3, 1, 2)])
    store.bank.decide("P-0002", ADOPTED, at=NOON)
    store.bank.decide("P-0003", REJECTED, at=NOON, reason="too vague")

    assert [decided.proposal.id for decided in store.bank.proposals(WAITING)] == ["P-0001"]
    assert [decided.proposal.id for decided in store.bank.proposals(WAITING, REJECTED)] == ["P-0001", "P-0003"]
    assert [decided.state for decided in store.bank.proposals()] == [WAITING, ADOPTED, REJECTED]
    assert store.bank.proposals(REJECTED)[0].reason == "too vague"


def test_the_edits_of_rejected_proposals_are_remembered_by_path(store: SqliteStore) -> None:
    edits = tuple(an_edit(f"- Rule {i}.") for i in range(2))
    bank(
        store,
        proposals=[
            a_proposal(id="P-0001", path="/a", edits=edits),
            a_proposal(id="P-0002", path="/a", edits=(an_edit("- Waits."),)),
            a_proposal(id="P-0003", path="/b", edits=(an_edit("- Elsewhere."),)),
        ],
    )
    store.bank.decide("P-0001", REJECTED, at=NOON)
    store.bank.decide("P-0003", REJECTED, at=NOON)

    assert store.bank.rejected("/a") == edits
    assert store.bank.rejected("/none") == ()


def test_a_proposal_that_comes_again_keeps_what_was_decided(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal()])
    store.bank.decide("P-0001", REJECTED, at=NOON)
    bank(store, proposals=[a_proposal()])

    assert [decided.state for decided in store.bank.proposals()] == [REJECTED]
