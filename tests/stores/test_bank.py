"""The bank remembers every task with its side, and what a person decided on proposals."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import StoreError
from skillopt_sleep.records import (
    Command,
    Evidence,
    Exact,
    Lesson,
    LessonState,
    Proof,
    Proposal,
    Split,
    Task,
    Workspace,
)
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, WAITING, WITHDRAWN, SqliteBank, TaskMark
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_proposal, a_task, an_edit, changed
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
            "lesson": "c",
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


def test_a_proposal_is_found_with_what_it_was_divided_into_and_no_other(store: SqliteStore) -> None:
    names = ("P-0001", "P-0001.1", "P-0001.1.1", "P-00010", "P-0002", "P-10001")
    bank(store, proposals=[a_proposal(id=name, path=f"/{name}") for name in names])
    assert [one.proposal.id for one in store.bank.family("P-0001")] == ["P-0001", "P-0001.1", "P-0001.1.1"]
    assert [one.proposal.id for one in store.bank.family("P-0001.1")] == ["P-0001.1", "P-0001.1.1"]
    assert store.bank.family("P-0003") == ()


def test_the_tasks_of_one_lesson_are_those_and_no_others(store: SqliteStore) -> None:
    bank(store, numbered(1, lesson="a"), numbered(2, lesson="b"), numbered(3, lesson="a"))
    first, *_, last = store.bank.entries()
    assert [entry.task.id for entry in store.bank.entries(lesson="a")] == [first.task.id, last.task.id]
    assert store.bank.entries(lesson="c") == ()


def test_sides_are_those_of_sessions_that_have_one(store: SqliteStore) -> None:
    bank(store, numbered(1), numbered(2, split=Split.VAL), numbered(3, split=Split.TEST))

    assert store.bank.sides({"s1", "s2", "s3", "s9"}) == {"s1": "train", "s2": "val", "s3": "test"}
    assert store.bank.sides(set()) == {}


def test_own_words_are_wanted_tested_until_they_were_or_are_decided_on(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal(id=f"P-000{n}.1", proof=Proof.EDITED) for n in (1, 2, 3)])
    store.bank.test_again(["P-0001.1", "P-0002.1"], wanted=True)
    assert [proposal.id for proposal in store.bank.again()] == ["P-0001.1", "P-0002.1"]

    store.bank.decide("P-0001.1", ADOPTED, at=NOON)
    store.bank.test_again(["P-0002.1"], wanted=False)
    assert store.bank.again() == ()


def test_tasks_of_lessons_come_from_every_project_without_dropped_ones(store: SqliteStore) -> None:
    bank(store, numbered(1), numbered(2, project="/p/other"), numbered(3, lesson="d"), numbered(4))
    store.bank.mark(["t4"], TaskMark.DROPPED, at=NOON)

    assert [task.id for task in store.bank.tasks_of({"c"})] == ["t1", "t2"]
    assert store.bank.tasks_of(()) == ()


@pytest.mark.parametrize(
    ("later", "state"),
    [
        (a_proposal(id="P-0002", edits=(an_edit("- Mine."), an_edit("- Other."))), WITHDRAWN),
        (a_proposal(id="P-0002", proof=Proof.EARLY, edits=(an_edit("- Mine."),)), WITHDRAWN),
        (a_proposal(id="P-0002", edits=(an_edit("- Theirs."),)), WAITING),
    ],
)
def test_own_words_give_way_to_a_proposal_of_the_same_words_only(
    store: SqliteStore, later: Proposal, state: str
) -> None:
    bank(store, proposals=[a_proposal(id="P-0001.1", proof=Proof.EDITED, edits=(an_edit("- Mine."),))])
    bank(store, proposals=[later])

    assert {entry.proposal.id: entry.state for entry in store.bank.proposals()} == {
        "P-0001.1": state,
        "P-0002": WAITING,
    }


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


def test_proposals_are_in_the_order_of_their_numbers(store: SqliteStore) -> None:
    ids = ("P-10000", "P-0999", "P-9999", "P-1000")
    bank(store, proposals=[a_proposal(id=name, path="/a", edits=(an_edit(f"- {name}."),)) for name in ids])

    numbers = ["P-0999", "P-1000", "P-9999", "P-10000"]
    assert [decided.proposal.id for decided in store.bank.proposals()] == numbers
    assert [waiting.id for waiting in store.bank.waiting("/a")] == numbers


def test_a_decision_leaves_only_the_states_it_was_made_in(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal()])

    assert store.bank.decide("P-0001", REJECTED, at=NOON)
    assert not store.bank.decide("P-0001", ADOPTED, at=NOON)
    assert not store.bank.decide("P-0099", ADOPTED, at=NOON)
    assert [decided.state for decided in store.bank.proposals()] == [REJECTED]


def test_a_disk_that_is_full_refuses_a_decision_in_one_line(store: SqliteStore, tmp_path: Path) -> None:
    bank(store, proposals=[a_proposal()])
    with closing(sqlite3.connect(tmp_path / "sleep.db", isolation_level=None)) as full:
        full.execute(f"PRAGMA max_page_count = {full.execute('PRAGMA page_count').fetchone()[0]}")
        with pytest.raises(StoreError, match=r"P-0001 is rejected: .* full"):
            SqliteBank(full, threading.RLock()).decide("P-0001", REJECTED, at=NOON, reason="no" * 100_000)

    assert [decided.state for decided in store.bank.proposals()] == [WAITING]


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


# What a person makes of tasks ---------------------------------------------------------------------------

BEFORE = NOON - timedelta(hours=1)
LATER = NOON + timedelta(days=30)


def by_hand(name: str = "mine", **fields: object) -> Task:
    return a_task(
        **{"id": name, "session": f"tasks_file:#{name}", "source": "tasks_file", "evidence": (), "split": None}
        | fields
    )


def known(store: SqliteStore) -> dict[str, Task]:
    return {task.id: task for task in store.bank.tasks({"/home/ada/shop"})}


def test_a_dropped_task_is_left_out_of_every_night_and_comes_back_when_that_is_taken_back(store: SqliteStore) -> None:
    bank(store, numbered(1), numbered(2))
    store.bank.mark(["t1"], TaskMark.DROPPED, at=NOON)

    assert set(known(store)) == {"t2"}
    assert store.bank.kept([numbered(1), numbered(2)]) == (numbered(2),)
    assert store.bank.unknown([numbered(1, prompt="other words")]) == ()
    assert [task.id for task in store.bank.all_tasks()] == ["t2"]
    assert [entry.dropped for entry in store.bank.entries()] == [NOON, None]

    store.bank.mark(["t1"], TaskMark.DROPPED, at=None)
    assert set(known(store)) == {"t1", "t2"}


def test_the_session_of_a_dropped_task_keeps_its_side(store: SqliteStore) -> None:
    bank(store, numbered(1))
    store.bank.mark(["t1"], TaskMark.DROPPED, at=NOON)

    assert store.bank.sides({"s1"}) == {"s1": "train"}


def test_a_dropped_task_that_is_found_again_in_other_words_stays_away(store: SqliteStore) -> None:
    bank(store, numbered(1))
    store.bank.mark(["t1"], TaskMark.DROPPED, at=NOON)
    again = numbered(1, id="other", prompt="the same, said otherwise", split=None, lesson="")

    assert store.bank.kept([again]) == ()
    elsewhere = (Evidence(session="s1", turn=7, quote="no"),)
    assert store.bank.kept([changed(again, evidence=elsewhere)]) == (changed(again, evidence=elsewhere),)


def test_a_dropped_task_does_not_take_another_one_of_the_same_correction_along(store: SqliteStore) -> None:
    both = (numbered(1), numbered(2, session="s1", prompt="other", evidence=numbered(1).feedback.evidence))
    bank(store, *both)
    store.bank.mark(["t1"], TaskMark.DROPPED, at=NOON)

    assert store.bank.kept(both) == (both[1],)


def test_an_edited_task_keeps_where_it_comes_from_and_replaces_what_is_found_again(store: SqliteStore) -> None:
    bank(store, numbered(1))
    written = numbered(1, prompt="mine", session="elsewhere", lesson="", split=None, reference=Exact(answer="pnpm"))
    store.bank.write([written], at=LATER)
    mine = numbered(1, prompt="mine", reference=Exact(answer="pnpm"))

    assert known(store) == {"t1": mine}
    assert store.bank.kept([numbered(1, split=None, lesson="")]) == (mine,)
    assert store.bank.kept([numbered(1, id="other", prompt="reworded", split=None)]) == (mine,)
    (entry,) = store.bank.entries()
    assert (entry.edited, entry.earlier) == (LATER, (numbered(1),))


def test_the_name_of_a_lesson_goes_with_the_reference_it_was_mined_with(store: SqliteStore) -> None:
    bank(store, numbered(1, wording="Use pnpm", needs_repository=True))

    store.bank.write([numbered(1, prompt="mine")], at=BEFORE)
    assert known(store)["t1"].wanted.wording == "Use pnpm"
    assert known(store)["t1"].setting.needs_repository
    store.bank.write([numbered(1, prompt="mine", reference=Exact(answer="yarn"))], at=LATER)
    assert known(store)["t1"].wanted.wording == ""
    assert not known(store)["t1"].setting.needs_repository


def test_an_edited_task_is_taken_up_by_the_next_night_once(store: SqliteStore) -> None:
    bank(store, numbered(1))
    store.bank.write([numbered(1, prompt="mine")], at=BEFORE)

    assert store.bank.unknown([]) == (numbered(1, prompt="mine"),)
    bank(store, numbered(1, prompt="mine", lesson="c-else"))
    assert store.bank.unknown([]) == ()
    assert known(store) == {"t1": numbered(1, prompt="mine")}


def test_an_edit_made_while_a_night_runs_is_not_overwritten_by_it(store: SqliteStore) -> None:
    bank(store, numbered(1))
    with store.open_night() as page:
        store.bank.write([numbered(1, prompt="mine")], at=LATER)
        seal(page, tasks=(numbered(1, prompt="found again in other words"),))

    assert known(store) == {"t1": numbered(1, prompt="mine")}
    assert store.bank.unknown([]) == (numbered(1, prompt="mine"),)


STOOD: dict[str, Any] = {
    "reference": Command(argv=("pytest",)),
    "workspace": Workspace(root="/shop", commit="a" * 40),
    "needs_repository": True,
}


def test_a_task_that_waited_for_its_repository_is_kept_with_it_and_with_what_the_person_wrote(
    store: SqliteStore,
) -> None:
    bank(store, numbered(1), numbered(2), numbered(3))
    store.bank.write([numbered(2, prompt="mine")], at=BEFORE)
    store.bank.mark(["t3"], TaskMark.DROPPED, at=BEFORE)
    with store.open_night() as page:
        asked = [numbered(1), numbered(2, prompt="mine"), numbered(3)]
        seal(page, tasks=tuple(changed(task, **STOOD) for task in asked))

    assert known(store) == {"t1": numbered(1, **STOOD), "t2": numbered(2, prompt="mine", **STOOD)}
    assert [entry.edited for entry in store.bank.entries()] == [None, BEFORE, None]
    assert store.bank.entries()[2].task == numbered(3)


def test_a_reference_that_a_person_wrote_while_the_night_ran_is_not_replaced_by_what_it_found(
    store: SqliteStore,
) -> None:
    bank(store, numbered(1))
    with store.open_night() as page:
        store.bank.write([numbered(1, reference=Exact(answer="mine"))], at=LATER)
        seal(page, tasks=(numbered(1, **STOOD),))

    assert known(store)["t1"].reference == Exact(answer="mine")
    assert known(store)["t1"].setting.workspace is None


@pytest.mark.parametrize("is_equipped", [False, True])
def test_a_task_that_waited_for_its_side_is_kept_with_it_and_with_the_night_that_found_it(
    store: SqliteStore, *, is_equipped: bool
) -> None:
    bank(store, numbered(1, split=None))
    found_by = store.bank.entries()[0].night
    fields = STOOD if is_equipped else {}

    bank(store, numbered(1, split=Split.VAL, **fields))
    bank(store, numbered(1, split=Split.TRAIN, **fields))

    (entry,) = store.bank.entries()
    assert entry.task == numbered(1, split=Split.VAL, **fields)
    assert (entry.night == found_by) is not is_equipped
    assert store.bank.sides({"s1"}) == {"s1": "val"}


def test_a_task_dropped_while_a_night_runs_stays_dropped(store: SqliteStore) -> None:
    bank(store, numbered(1))
    with store.open_night() as page:
        store.bank.mark(["t1"], TaskMark.DROPPED, at=LATER)
        seal(page, tasks=(numbered(1, prompt="found again in other words"),))

    assert known(store) == {}
    assert store.bank.entries()[0].task == numbered(1)


def test_another_process_can_edit_while_a_night_is_open(store: SqliteStore, tmp_path: Path) -> None:
    bank(store, numbered(1))
    with store.open_night() as page:
        other = open_at(tmp_path)
        other.bank.write([numbered(1, prompt="mine")], at=LATER)
        other.close()
        seal(page, tasks=(numbered(1),))

    assert known(store) == {"t1": numbered(1, prompt="mine")}


def test_a_task_found_again_stays_pinned(store: SqliteStore) -> None:
    bank(store, numbered(1), numbered(2))
    store.bank.mark(["t1", "t2"], TaskMark.PINNED, at=NOON)
    store.bank.mark(["t2"], TaskMark.DROPPED, at=NOON)
    bank(store, numbered(1, prompt="found again in other words"))

    assert store.bank.pinned() == {"t1"}
    store.bank.mark(["t1"], TaskMark.PINNED, at=None)
    assert store.bank.pinned() == frozenset()


def test_an_added_task_waits_for_a_night_which_gives_it_a_cluster_and_a_side(store: SqliteStore) -> None:
    store.bank.write([by_hand()], at=BEFORE)

    assert known(store) == {}
    assert store.bank.unknown([]) == (by_hand(),)
    banked = by_hand(lesson="c", split=Split.VAL)
    bank(store, banked)
    assert known(store) == {"mine": banked}
    assert store.bank.unknown([]) == ()
    assert store.bank.entries()[0].edited == BEFORE


def test_a_new_side_takes_the_rest_of_the_session_along(store: SqliteStore) -> None:
    bank(store, numbered(1), numbered(2, session="s1"), numbered(3))

    assert store.bank.write([numbered(1, split=Split.VAL)], at=NOON) == ("t2",)
    assert {name: task.split for name, task in known(store).items()} == {"t1": "val", "t2": "val", "t3": "train"}
    assert store.bank.sides({"s1"}) == {"s1": "val"}
    assert store.bank.unknown([]) == ()


@pytest.mark.parametrize("edits", [1, 2])
def test_an_edit_holds_against_a_tasks_file_until_the_entry_is_changed_there(store: SqliteStore, edits: int) -> None:
    entry = by_hand("e", session="tasks_file:/t.toml#e")
    bank(store, replace(entry, lesson="c", split=Split.TRAIN))
    for number in range(edits):
        store.bank.write([replace(entry, prompt=f"edit {number}")], at=BEFORE)
    mine = replace(entry, prompt=f"edit {edits - 1}", lesson="c", split=Split.TRAIN)

    assert store.bank.kept([entry]) == (mine,)
    assert store.bank.unknown([entry]) == (mine,)
    bank(store, mine)
    assert store.bank.unknown([entry]) == ()

    changed = replace(entry, prompt="changed in the file")
    assert store.bank.unknown([changed]) == (changed,)
    bank(store, replace(changed, lesson="c", split=Split.TRAIN))
    assert [task.prompt for task in store.bank.all_tasks()] == ["changed in the file"]
    assert store.bank.unknown([changed]) == ()
    assert store.bank.entries()[0].edited is None


def test_a_tasks_file_that_names_a_mined_task_edits_it(store: SqliteStore) -> None:
    bank(store, numbered(1))
    exported = by_hand("t1", session="tasks_file:/t.toml#t1", at=numbered(1).at)
    assert store.bank.unknown([exported]) == ()

    mine = numbered(1, prompt="changed in the file")
    assert store.bank.unknown([replace(exported, prompt="changed in the file")]) == (mine,)


def test_of_tasks_that_cannot_all_be_written_none_is(store: SqliteStore) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        store.bank.write([by_hand(), by_hand("other"), by_hand()], at=NOON)

    assert store.bank.entries() == ()


def test_a_better_wording_replaces_a_proposal_that_waits_and_the_old_one_stays_in_its_history(
    store: SqliteStore,
) -> None:
    first = a_proposal(lessons=("l",))
    better = replace(first, version=2, night="2026-03-03", edits=(an_edit("- Only pnpm."),))
    bank(store, proposals=[first])
    bank(store, proposals=[better])
    bank(store, proposals=[first])

    (decided,) = store.bank.proposals(WAITING)
    assert (decided.proposal, decided.earlier) == (better, (first,))


def test_what_was_decided_during_the_night_is_not_replaced(store: SqliteStore) -> None:
    first = a_proposal(lessons=("l",))
    bank(store, proposals=[first])
    store.bank.decide(first.id, ADOPTED, at=NOON)
    bank(store, proposals=[replace(first, version=2)])

    assert [(entry.proposal, entry.state) for entry in store.bank.proposals()] == [(first, ADOPTED)]


def a_lesson(name: str, **fields: object) -> Lesson:
    return replace(Lesson(id=name, project="/p", wording=name, first=NOON, last=NOON), **fields)


def test_a_proposal_that_waits_gathers_what_is_asked_again_of_its_lessons(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal(lessons=("l",))])
    bank(store, a_task(id="t1", session="s1", lesson="l"), a_task(id="t2", session="s2", lesson="other"))
    bank(store, a_task(id="t3", session="s3", lesson="l"))

    (decided,) = store.bank.proposals()
    assert {piece.session for piece in decided.proposal.evidence} == {"s1", "s3"}
    assert decided.proposal.sessions == 2


def test_a_lesson_that_is_taken_back_withdraws_its_proposal_with_the_persons_words(store: SqliteStore) -> None:
    mine, other = a_proposal(lessons=("l",)), a_proposal(id="P-0002", lessons=("m",))
    removal = a_proposal(id="P-0003", lessons=("l",), proof=Proof.WORDS)
    bank(store, proposals=[mine, other, removal])
    said = Evidence(session="s9", turn=2, quote="forget pnpm", at=NOON)
    ended = a_lesson("l", state=LessonState.TAKEN_BACK)
    with store.open_night() as page:
        seal(page, lessons=(ended, a_lesson("n", takes_back="l", quotes=(said,))))

    first, *others = store.bank.proposals()
    assert first.state == WITHDRAWN
    assert first.decided
    assert "«forget pnpm»" in first.reason
    assert [entry.state for entry in others] == [WAITING, WAITING]


def test_a_lesson_that_is_wanted_again_withdraws_the_removal_of_its_rule(store: SqliteStore) -> None:
    bank(store, proposals=[a_proposal(lessons=("l",), proof=Proof.WORDS), a_proposal(id="P-0002", lessons=("l",))])
    said = Evidence(session="s9", turn=2, quote="pnpm after all", at=NOON)
    ended = a_lesson("n", takes_back="l", state=LessonState.TAKEN_BACK)
    with store.open_night() as page:
        seal(page, lessons=(ended, a_lesson("l", takes_back="n", quotes=(said,))))

    removal, teaching = store.bank.proposals()
    assert (removal.state, removal.reason) == (WITHDRAWN, "you asked for it again on 2026-03-02: «pnpm after all»")
    assert teaching.state == WAITING


def test_a_proposal_whose_rule_became_part_of_another_is_withdrawn(store: SqliteStore) -> None:
    parts = [
        a_proposal(lessons=("l",), proof=Proof.EARLY),
        a_proposal(id="P-0002", lessons=("m",), proof=Proof.EARLY),
    ]
    bank(store, proposals=parts)
    bank(store, proposals=[replace(parts[0], version=2, proof=Proof.TRIAL, lessons=("l", "m"))])

    whole, part = store.bank.proposals()
    assert (whole.state, whole.proposal.lessons) == (WAITING, ("l", "m"))
    assert (part.state, part.reason) == (WITHDRAWN, "its rule is part of P-0001 now")


def test_a_proposal_whose_edits_a_new_one_makes_too_is_gone_from_what_waits(store: SqliteStore) -> None:
    old = a_proposal(lessons=("l",), edits=(an_edit("- Use pnpm.", lessons=("l",)),))
    bank(store, proposals=[old, a_proposal(id="P-0002", edits=(an_edit("- Be brief."),))])
    bank(store, proposals=[a_proposal(id="P-0003", lessons=("n",), edits=(an_edit("- use  pnpm.", lessons=("n",)),))])

    states = {entry.proposal.id: (entry.state, entry.reason) for entry in store.bank.proposals()}
    assert states["P-0001"] == (WITHDRAWN, "its rule is part of P-0003 now")
    assert states["P-0002"][0] == states["P-0003"][0] == WAITING
