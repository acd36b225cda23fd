"""What became of each document is remembered from night to night."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Earlier,
    EditEffect,
    EditStatus,
    Effect,
    Judged,
    Outcome,
    Past,
    ProposedFile,
    Trial,
    Verdict,
    WaitingCandidate,
)
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE
from skillopt_sleep.stores.history import REMEMBERED
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_document, a_proposal, an_edit, an_outcome
from tests.fakes import NOON
from tests.stores.opening import open_at, seal

PATH = a_document().path
WAIT = WaitingCandidate(
    night="2026-03-02",
    path=PATH,
    crew="m v",
    tested=Judged(
        kind=CandidateKind.RULE,
        edits=(an_edit(),),
        trial=Trial(wealth=(0.1, 0.2, 0.3), alpha=0.05, rounds=5),
        verdict=Verdict(decision=Decision.UNDECIDED, reason="more"),
    ),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_at(tmp_path)
    yield opened
    opened.close()


def night(store: SqliteStore, **fields: object) -> Past:
    """Close a night with this outcome; return what the next night knows about its document."""
    with store.open_night() as page:
        seal(page, verdict=Outcome.UNDECIDED, documents=(an_outcome(**fields),))
    with store.open_night() as page:
        return page.history.past(PATH)


def effect(number: int) -> EditEffect:
    return EditEffect(edit=an_edit(f"- Rule {number}."), effect=Effect.NEUTRAL, because="no better")


def test_a_new_document_has_no_history(store: SqliteStore) -> None:
    with store.open_night() as page:
        assert page.history.past(PATH) == Past()


def test_a_candidate_waits_with_its_wealth_until_a_night_says_otherwise(store: SqliteStore) -> None:
    assert night(store, waits=(WAIT,)).waiting == (WAIT,)
    assert night(store, waits=()).waiting == ()


def test_a_night_that_did_not_reach_the_document_keeps_what_waits(store: SqliteStore) -> None:
    night(store, waits=(WAIT,))

    with store.open_night() as page:
        seal(page, verdict=Outcome.BACKEND_FAILED, documents=(an_outcome(),))
    assert night(store, unfinished=True).waiting == (WAIT,)


def test_tried_edits_are_remembered_newest_first_up_to_a_number(store: SqliteStore) -> None:
    past = night(store, effects=tuple(effect(n) for n in range(REMEMBERED + 5)))

    assert len(past.tried) == REMEMBERED
    assert past.tried[0] == effect(REMEMBERED + 4)


def test_the_optimizers_notes_stay_until_they_are_written_anew(store: SqliteStore) -> None:
    assert night(store, notebook="Short rules win.").notes == "Short rules win."
    assert night(store).notes == "Short rules win."
    assert night(store, notebook="Few rules win.").notes == "Few rules win."


def test_what_a_person_refused_is_known(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, proposals=(a_proposal(),))
    store.bank.decide("P-0001", REJECTED, at=NOON)

    with store.open_night() as page:
        assert page.history.past(a_proposal().path).refused == (an_edit(),)


def test_what_was_proposed_is_known_newest_first_with_what_the_person_made_of_it(store: SqliteStore) -> None:
    edits = [an_edit(f"- Rule {n}.") for n in range(4)]
    with store.open_night() as page:
        seal(page, proposals=tuple(a_proposal(id=f"P-000{n}", edits=(edit,)) for n, edit in enumerate(edits)))
    store.bank.decide("P-0000", ADOPTED, at=NOON + timedelta(days=2))
    store.bank.decide("P-0001", REJECTED, at=NOON, reason="not here")
    store.bank.decide("P-0002", ADOPTED, at=NOON)
    store.bank.decide("P-0002", UNDONE, at=NOON, leaving=[ADOPTED])

    with store.open_night() as page:
        proposed = page.history.past(a_proposal().path).proposed
        assert page.history.past("/elsewhere").proposed == ()

    assert [(one.edit, one.status, one.since, one.reason) for one in proposed] == [
        (edits[3], EditStatus.WAITS, "2026-03-02", ""),
        (edits[2], EditStatus.UNDONE, "2026-03-02", ""),
        (edits[1], EditStatus.REFUSED, "2026-03-02", "not here"),
        (edits[0], EditStatus.LIVE, "2026-03-04", ""),
    ]


def test_what_a_person_adopted_is_known_until_they_undo_it(store: SqliteStore) -> None:
    with store.open_night() as page:
        seal(page, proposals=(a_proposal(),))
    store.bank.decide("P-0001", ADOPTED, at=NOON)
    with store.open_night() as page:
        assert page.history.past(a_proposal().path).adopted == (an_edit(),)

    store.bank.decide("P-0001", UNDONE, at=NOON, leaving=[ADOPTED])
    with store.open_night() as page:
        assert page.history.past(a_proposal().path).adopted == ()


def test_the_tasks_that_waiting_candidates_were_learned_from_are_named(store: SqliteStore) -> None:
    night(store, waits=(WAIT,))

    with store.open_night() as page:
        assert page.history.named() == {"t1"}


def test_of_each_task_the_last_score_without_a_change_is_known(store: SqliteStore) -> None:
    night(store, scores={"t1": 0.25, "t2": 1.0})
    night(store, scores={"t1": 0.5})

    with store.open_night() as page:
        assert page.history.scores(["t1", "t2", "t3"]) == {"t1": 0.5, "t2": 1.0}


def test_the_body_of_the_first_night_is_what_a_later_one_looks_back_on(store: SqliteStore) -> None:
    assert night(store).snapshot == Earlier(night="2026-03-02", body="", nights=1)
    assert night(store, document=a_document("- New.")).snapshot == Earlier(night="2026-03-02", body="", nights=2)


def test_nights_that_did_not_reach_the_document_count_too_but_not_those_that_tried_nothing(
    store: SqliteStore,
) -> None:
    night(store)
    idle = (Outcome.BACKEND_FAILED, Outcome.OVER_BUDGET, Outcome.INTERRUPTED, Outcome.NOTHING_NEW)
    for outcome in (Outcome.NO_CHANGE, Outcome.NO_HEADROOM, Outcome.UNVERIFIED, *idle):
        with store.open_night() as page:
            seal(page, verdict=outcome)

    with store.open_night() as page:
        past = page.history.past(PATH)
    assert past.snapshot is not None
    assert past.snapshot.nights == 4


def test_after_a_look_back_it_is_that_nights_body(store: SqliteStore) -> None:
    night(store)
    past = night(store, document=a_document("- New."), compared={"improved": 1})

    assert past.snapshot is not None
    assert (past.snapshot.body, past.snapshot.nights) == ("- New.", 1)


def test_a_proposal_for_several_files_is_known_to_the_history_of_each(store: SqliteStore) -> None:
    other = "/p/AGENTS.md"
    copy = ProposedFile(document="shop:AGENTS.md", path=other, base="b", result="r", body="s")
    offered = a_proposal(copies=(copy,), body="m", lessons=("a",))
    with store.open_night() as page:
        seal(page, proposals=(offered,))
        for path in (PATH, other):
            (offer,) = page.history.past(path).offered
            assert (offer.proposal, offer.bodies) == ("P-0001", {PATH: "m", other: "s"})
            assert page.bank.waiting(path) == (offered,)
    store.bank.decide("P-0001", ADOPTED, at=NOON)
    with store.open_night() as page:
        for path in (PATH, other):
            past = page.history.past(path)
            assert past.adopted == offered.edits
            assert [edit.status for edit in past.proposed] == [EditStatus.LIVE]
        assert page.history.past("/p/elsewhere.md") == Past(nights=past.nights)


def test_the_nights_that_are_over_are_known_newest_first(store: SqliteStore) -> None:
    for _ in range(2):
        with store.open_night() as page:
            seal(page, verdict=Outcome.NO_CHANGE)
    with store.open_night() as page:
        first, second = reversed(page.history.past(PATH).nights)
        past = page.history.past(PATH)
        assert (past.ago(second), past.ago(first), past.ago("long gone")) == (1, 2, 3)
        assert page.night not in past.nights
