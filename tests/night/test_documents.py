"""A night's lessons are drafted, tried one after the other and settled, over all of its documents."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Judged,
    Outcome,
    Split,
    Task,
    Trajectory,
    Trial,
    Verdict,
    WaitingCandidate,
)
from skillopt_sleep.stores.bank import ADOPTED
from skillopt_sleep.stores.sqlite import SqliteStore
from tests.builders import a_proposal, an_edit, an_outcome, changed
from tests.fakes import NOON
from tests.night.lessons import (
    BLOG,
    GATE,
    LARGE,
    MIDDLE,
    SHOP,
    SMALL,
    THREE,
    Night,
    a_lesson,
    a_rule,
    accepted,
    lives,
    of_val,
    slightly,
)
from tests.nights import RULE
from tests.stores.opening import open_at, seal

# order and limit -------------------------------------------------------------------------------------------


def test_val_is_asked_only_after_all_documents_have_learned_from_train(tmp_path: Path) -> None:
    night = Night((*LARGE, *a_lesson("other", document="blog")), documents=(SHOP, BLOG))

    night.alone(tmp_path)

    splits = [task.split for task in night.jobs]
    first = splits.index(Split.VAL)
    assert {task.document for task in night.jobs[:first]} == {"shop", "blog"}
    assert Split.TRAIN not in splits[first:]


def test_what_the_limit_does_not_reach_waits_untouched_by_name_with_its_sessions_unread(tmp_path: Path) -> None:
    names = ("five", "four", "one", "six", "three", "two")
    tasks = [task for name in names for task in a_lesson(name, val=3)]
    night = Night(tasks, left=90, plan={"edit_budget": 6})

    (outcome,) = night.alone(tmp_path)

    learned = {task.lesson for task in night.jobs if task.split is Split.TRAIN}
    untouched = [name for name in names if name not in learned]
    assert untouched
    reached = accepted(outcome)
    assert set(reached) <= learned
    untouched = [name for name in names if name not in reached]
    assert set(outcome.sessions.left) == {task.session for task in tasks if task.lesson in untouched}
    note = next(note for note in outcome.notes if note.stage == "layout")
    assert "for another night" in note.summary
    assert all(f"«do {name}»" in note.summary for name in untouched)
    assert "budget.calls" in note.remedy


def test_a_rule_that_was_written_but_could_not_be_begun_waits_with_its_share_and_is_begun_the_next_night(
    tmp_path: Path,
) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        first = Night(THREE, left=135, grade=slightly("large", 0.2))
        (outcome,) = first.run(page)
        seal(page, documents=(outcome,))
    with store.open_night() as page:
        second = Night(THREE)
        (later,) = second.run(page)
    store.close()

    waits = {wait.tested.edits[0].lessons[0]: wait.tested for wait in outcome.tried.undecided}
    assert waits["small"].trial.rounds == 0
    assert waits["small"].trial.alpha == GATE.alpha / 3
    assert any("«do small»" in note.summary for note in outcome.notes if note.stage == "layout")
    assert of_val(later)["small"].trial.alpha == GATE.alpha / 3
    assert "small" in accepted(later)
    assert "small" not in {task.lesson for task in second.jobs if task.split is Split.TRAIN}


def test_a_document_that_the_limit_does_not_reach_is_told_so(tmp_path: Path) -> None:
    others = [task for name in ("other", "last") for task in a_lesson(name, val=3, document="blog")]
    night = Night((*LARGE, *MIDDLE, *others), documents=(BLOG, SHOP), left=60)

    outcomes = {outcome.document.id: outcome for outcome in night.alone(tmp_path)}

    blog = outcomes["blog"]
    assert (blog.outcome, blog.tried.tested) == (Outcome.UNVERIFIED, ())
    assert blog.because.startswith("left for another night")
    assert blog.sessions.left
    assert set(blog.sessions.left) <= set(blog.sessions.ids)
    assert {task.document for task in night.jobs} == {"shop"}


# a night that ends early ----------------------------------------------------------------------------------


def gone_at(lesson: str) -> Callable[[Task, Document], None]:
    """The model is gone as soon as this lesson's unseen tasks are asked."""
    gone: list[Task] = []

    def breaks(task: Task, _document: Document) -> None:
        if gone or (task.split is Split.VAL and task.lesson == lesson):
            gone.append(task)
            raise BackendUnavailable("the model is gone", remedy="start it")

    return breaks


def test_a_night_that_ends_early_has_decided_all_it_began_but_one_and_the_next_begins_with_the_rest(
    tmp_path: Path,
) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        first = Night(THREE, breaks=gone_at("small"))
        with pytest.raises(BackendUnavailable):
            first.run(page)
        seal(page, documents=first.outcomes)
    with store.open_night() as page:
        second = Night(THREE)
        (outcome,) = second.run(page)
    store.close()

    (cut,) = first.outcomes
    proven = [wait.tested for wait in cut.tried.undecided if wait.tested.verdict.decision is Decision.ACCEPT]
    assert [one.edits[0].lessons for one in proven] == [("large",), ("middle",)]
    assert cut.outcome is not Outcome.IMPROVED
    (note,) = [note for note in cut.notes if note.stage == "layout"]
    assert "3 lessons wait for another night, as this one ended first" in note.summary
    assert "«do small»" in note.summary
    assert note.remedy == "start it"
    assert second.tried[:1] == ["small"]
    assert set(accepted(outcome)) == {"large", "middle", "small"}
    assert outcome.outcome is Outcome.IMPROVED


def test_what_was_proven_before_the_end_is_staged_where_nothing_else_can_get_worse(tmp_path: Path) -> None:
    night = Night((*LARGE, *SMALL), breaks=gone_at("small"))
    store = open_at(tmp_path)
    with store.open_night() as page, pytest.raises(BackendUnavailable):
        night.run(page)
    store.close()

    (outcome,) = night.outcomes
    assert accepted(outcome) == ["large"]
    assert (outcome.outcome, outcome.candidate and outcome.candidate.body) == (Outcome.IMPROVED, a_rule("large"))
    assert [wait.tested.edits[0].lessons for wait in outcome.tried.undecided] == [("small",)]


# shares of the error rate -----------------------------------------------------------------------------------


def test_a_lesson_that_yields_no_edit_counts_among_the_rules_that_share_the_error_rate(tmp_path: Path) -> None:
    (outcome,) = Night(THREE, silent=("middle", "small")).alone(tmp_path)

    assert [one.trial.alpha for one in outcome.tried.tested] == [GATE.alpha / 3]


def waits_for(lesson: str, *, alpha: float = 0.05) -> WaitingCandidate:
    edits = (an_edit(a_rule(lesson), lessons=(lesson,)),)
    verdict = Verdict(decision=Decision.UNDECIDED, reason="one session")
    tested = Judged(kind=CandidateKind.RULE, edits=edits, trial=Trial(alpha=alpha), verdict=verdict)
    return WaitingCandidate(night="n1", path=SHOP.path, crew="m v", tested=tested)


def test_a_rule_that_waits_keeps_the_share_it_was_born_with_and_takes_none_from_tonights(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        seal(page, documents=(an_outcome(document=SHOP, waits=(waits_for("large", alpha=0.01),)),))
    with store.open_night() as page:
        (outcome,) = Night((*LARGE, *SMALL)).run(page)
    store.close()

    assert {name: one.trial.alpha for name, one in of_val(outcome).items()} == {"large": 0.01, "small": GATE.alpha}


def test_by_hand_a_whole_night_takes_few_stops_and_asks_no_answered_question_again(tmp_path: Path) -> None:
    lessons = [a_lesson(f"{name}{n}", document=name) for name in ("shop", "blog") for n in range(3)]
    night = Night([task for tasks in lessons for task in tasks], documents=(SHOP, BLOG), by_hand=True)
    store = open_at(tmp_path)
    with store.open_night() as page:
        stops = lives(night, page)
    store.close()

    assert [len(accepted(outcome)) for outcome in night.outcomes] == [3, 3]
    assert stops <= 5


# a night that is resumed -----------------------------------------------------------------------------------


def test_a_resumed_night_keeps_its_layout_and_its_shares(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        first = Night(THREE, left=150)
        (before,) = first.run(page)
        second = Night(THREE, left=10_000)
        (after,) = second.run(page)
        third = Night(THREE, left=10_000, silent=("large", "middle", "small"))
        third.run(page)
    store.close()

    assert [one.trial.alpha for one in after.tried.tested] == [one.trial.alpha for one in before.tried.tested]
    assert second.jobs == first.jobs


# what each document brings --------------------------------------------------------------------------------


def test_a_document_whose_tasks_need_the_repository_shares_neither_the_error_rate_nor_the_calls(
    tmp_path: Path,
) -> None:
    acting = [changed(task, needs_repository=True) for task in a_lesson("other", document="blog")]
    night = Night((*acting, *LARGE), documents=(BLOG, SHOP), left=60)

    told = {outcome.document.id: outcome for outcome in night.alone(tmp_path)}

    assert [one.trial.alpha for one in told["shop"].tried.tested] == [GATE.alpha]
    assert told["blog"].because.startswith("needs the repository: 5 tasks wait")
    assert not told["blog"].sessions.unfinished


def taught(folder: Path, document: Document, *tasks: Task, **rule: object) -> SqliteStore:
    """A store in which a rule of this document was adopted on an earlier night, with these tasks in its bank."""
    store = open_at(folder)
    proposal = a_proposal(path=document.path, edits=(an_edit(RULE, **rule),))
    with store.open_night() as page:
        seal(page, tasks=tasks, proposals=(proposal,))
    store.bank.decide(proposal.id, ADOPTED, at=NOON)
    return store


def test_the_documents_share_the_error_rate_of_removals_too(tmp_path: Path) -> None:
    documents = [replace(document, body=RULE) for document in (SHOP, BLOG)]
    tasks = [task for name in ("shop", "blog") for task in a_lesson("done", val=2, document=name, project="/p")]
    store = open_at(tmp_path)
    proposals = [
        a_proposal(id=f"P-000{n}", path=document.path, edits=(an_edit(RULE, tasks=(f"{document.id} done train0",)),))
        for n, document in enumerate(documents)
    ]
    with store.open_night() as page:
        seal(page, proposals=tuple(proposals))
    for proposal in proposals:
        store.bank.decide(proposal.id, ADOPTED, at=NOON)
    with store.open_night() as page:
        night = Night(tasks, documents=documents, grade=lambda _task, _made: 1.0, plan={"max_chars": 25})
        outcomes = night.run(page)
    store.close()

    removals = [one for outcome in outcomes for one in outcome.tried.tested]
    assert [(one.kind, one.trial.alpha, one.trial.margin) for one in removals] == [
        (CandidateKind.REMOVAL, 0.025, 0.1)
    ] * 2
    assert [outcome.outcome for outcome in outcomes] == [Outcome.NO_HEADROOM] * 2
    assert [len(outcome.tried.undecided) for outcome in outcomes] == [1, 1]


def test_what_each_task_scored_without_a_change_is_told(tmp_path: Path) -> None:
    (outcome,) = Night(LARGE).alone(tmp_path)

    assert outcome.later.scores == {task.id: 0.0 for task in LARGE}


def test_what_waits_for_a_lesson_that_was_taken_back_is_dropped_with_a_note(tmp_path: Path) -> None:
    wait = waits_for("gone")
    store = open_at(tmp_path)
    with store.open_night() as page:
        seal(page, documents=(an_outcome(document=SHOP, waits=(wait,)),))
    with store.open_night() as page:
        (outcome,) = Night(LARGE, ended={"gone"}).run(page)
    store.close()

    assert outcome.tried.undecided == ()
    assert any("you took its lesson back" in note.summary for note in outcome.notes)


def test_tasks_of_a_lesson_that_was_taken_back_no_longer_defend_its_rule(tmp_path: Path) -> None:
    old, other = a_lesson("old", val=2, project="/p"), a_lesson("other", val=2, project="/p")
    document = replace(SHOP, body=RULE)
    store = taught(tmp_path, document, *old, *other, tasks=(old[0].id, other[0].id))
    night = Night(
        a_lesson("new", val=0, project="/p"),
        documents=(document,),
        grade=lambda _task, _made: 1.0,
        ended={"old"},
        plan={"max_chars": 25},
    )
    with store.open_night() as page:
        night.run(page)
    store.close()

    asked = {task.id for task in night.jobs}
    assert {task.id for task in other[1:]} <= asked
    assert asked.isdisjoint(task.id for task in old)


@pytest.mark.parametrize("stands", [True, False])
def test_a_rule_that_stands_is_guarded_however_old_its_lesson_is(tmp_path: Path, *, stands: bool) -> None:
    document = replace(SHOP, body=RULE if stands else "- Old.")
    learned = a_lesson("learned", val=1, train=0, project="/p", at=NOON - timedelta(days=400))

    def grade(task: Task, made: Trajectory) -> float:
        """The new rule makes the learned lesson worse."""
        return float((a_rule("large") in made.response) != (task.lesson == "learned"))

    store = taught(tmp_path, document, *learned, lessons=("learned",))
    with store.open_night() as page:
        (outcome,) = Night(a_lesson("large", project="/p"), documents=(document,), grade=grade).run(page)
    store.close()

    assert outcome.outcome is (Outcome.NO_CHANGE if stands else Outcome.IMPROVED)
    (tested,) = outcome.tried.tested
    assert [harm.lesson for harm in tested.verdict.harmed] == (["learned"] if stands else [])


def test_the_sessions_that_could_prove_a_waiting_rule_stay_unread_if_it_is_not_reached(tmp_path: Path) -> None:
    store = open_at(tmp_path)
    with store.open_night() as page:
        seal(page, documents=(an_outcome(document=SHOP, waits=(waits_for("small"),)),))
    with store.open_night() as page:
        (outcome,) = Night((*LARGE, *SMALL), left=60).run(page)
    store.close()

    assert accepted(outcome) == ["large"]
    assert set(outcome.sessions.left) == {task.session for task in SMALL}
    (wait,) = outcome.tried.undecided
    assert (wait.night, wait.tested.edits[0].lessons, wait.tested.trial.rounds) == ("n1", ("small",), 0)
