"""A candidate that couldn't be proven waits, goes on with new unseen tasks, and is let go when it is stale."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, ItemError
from skillopt_sleep.kit.codec import from_json, to_json
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.resume import MOST_ROUNDS, Resumed, resume, together
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    EditOp,
    GateRule,
    Judged,
    Metric,
    Split,
    Task,
    Trajectory,
    Verdict,
    Waiting,
)
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew

RULE = GateRule(metric=Metric.HARD, rounds=2)
DOCUMENT = a_document("- Old.")
EDIT = an_edit("- New.", lessons=("lesson",))
TAUGHT = a_task(id="t1", split=Split.TRAIN, lesson="lesson")
OLD = [a_task(id=f"v{n}", session=f"s{n}", split=Split.VAL, lesson="lesson") for n in range(2)]
FRESH = a_task(id="v9", session="s9", split=Split.VAL, lesson="lesson")


def crew(
    grade: Callable[[str, str], float | Exception],
    identity: str = "m v",
    meter: FakeMeter | None = None,
    model: str = "",
) -> tuple[Any, FakeExecutor]:
    def attempt(task: Task, version: Document, sample: int) -> Trajectory:
        return Trajectory(response=f"{task.id}|{version.body}|{sample}", model=model)

    executor = FakeExecutor(attempt)
    judge = FakeJudge(lambda task, trajectory: grade(task.id, trajectory.response))
    return a_crew(executor=executor, judge=judge, identity=lambda: identity, meter=meter or FakeMeter()), executor


def mends(_task: str, response: str) -> float:
    return float("New" in response)


def a_wait(grade: Callable[[str, str], float] = mends, *, rounds: int = 1, model: str = "", **fields: Any) -> Waiting:
    """A candidate after a night that couldn't prove it."""
    changed = candidate(DOCUMENT, [EDIT])
    assert changed is not None
    rule = replace(RULE, rounds=rounds, alpha=0.02)
    trial, verdict, _ = run_trial(
        DOCUMENT, changed, OLD, attempts=CrewAttempts(crew(grade, model=model)[0]), rule=rule, lessons=(EDIT.lessons,)
    )
    wait = Waiting(
        night="n1",
        path=DOCUMENT.path,
        base=DOCUMENT.sha,
        body=DOCUMENT.body_sha,
        crew="m v",
        tested=Judged(kind=CandidateKind.BUNDLE, edits=(EDIT,), trial=trial, verdict=verdict),
    )
    return replace(wait, **fields)


def gone_on(
    *waits: Waiting,
    val: Sequence[Task] = (*OLD, FRESH),
    document: Document = DOCUMENT,
    grade: Callable[[str, str], float | Exception] = mends,
    identity: str = "m v",
    **fields: Any,
) -> tuple[Resumed, FakeExecutor]:
    own, executor = crew(grade, identity, FakeMeter(left=fields.pop("left", 1_000)), fields.pop("model", ""))
    given: dict[str, Any] = {"known": [TAUGHT]} | fields
    return resume(document, waits, val, crew=own, rule=RULE, **given), executor


def test_it_goes_on_with_its_wealth_and_its_share_on_all_tasks() -> None:
    wait = a_wait()
    assert wait.tested.verdict.decision is Decision.UNDECIDED

    found, executor = gone_on(wait)

    (went,) = found.tried
    assert went.tested.verdict.decision is Decision.ACCEPT
    assert went.tested.trial.pairs[: wait.tested.trial.n] == wait.tested.trial.pairs
    assert went.tested.trial.alpha == 0.02
    assert {task.id for task, _, _ in executor.jobs} == {"v0", "v1", "v9"}
    assert found.proven == (went,)


def test_its_next_rounds_draw_samples_it_has_not_seen() -> None:
    _, executor = gone_on(a_wait())

    assert min(sample for _, version, sample in executor.jobs if version == DOCUMENT) == 1


def test_without_a_new_unseen_task_it_rests_and_costs_nothing() -> None:
    wait = a_wait()

    found, executor = gone_on(wait, val=OLD)

    assert (found.tried, found.rest, executor.jobs) == ((), (wait,), [])


def test_what_is_still_undecided_waits_on() -> None:
    # It wins one task and loses another: nothing to prove, nothing to refute yet.
    found, _ = gone_on(a_wait(), grade=lambda task, response: mends(task, response) if task == "v0" else 1.0)

    (went,) = found.undecided
    assert (went.night, went.base) == ("n1", DOCUMENT.sha)
    assert found.proven == ()


def test_what_turns_out_futile_is_dropped() -> None:
    found, _ = gone_on(a_wait(), grade=lambda task, response: 1.0 - mends(task, response))

    assert [wait.tested.verdict.decision for wait in found.tried] == [Decision.REJECT]
    assert (found.undecided, found.rest) == ((), ())


@pytest.mark.parametrize(
    ("fields", "document", "identity", "why"),
    [
        ({}, a_document("- Other."), "m v", "our part of its document changed"),
        ({}, DOCUMENT, "m v2", "run by m v; tonight m v2 answers"),
        ({"crew": "m v; m v"}, DOCUMENT, "a 1; j 2", "run by m v; tonight a 1 and j 2 answers"),
    ],
)
def test_a_stale_one_is_let_go_and_named(fields: dict[str, Any], document: Document, identity: str, why: str) -> None:
    found, executor = gone_on(a_wait(**fields), document=document, identity=identity)

    assert (found.tried, found.rest, executor.jobs) == ((), (), [])
    assert why in found.notes[0].summary


def test_text_around_ours_that_changes_ends_a_round_but_no_trial() -> None:
    living = replace(DOCUMENT, lead="# Shop, since this morning\n\n")
    newer = replace(living, trail="\nAnd since noon.\n")
    wait = a_wait()
    val = [OLD[0], *(a_task(id=f"w{n}", session=f"w{n}", split=Split.VAL, lesson="lesson") for n in range(2))]

    def one_of_two(task: str, response: str) -> float:
        return mends(task, response) if task == "v0" else 1.0

    found, executor = gone_on(wait, document=living, val=val, grade=one_of_two)
    (went,) = found.undecided
    later, _ = gone_on(went, document=newer, val=(*val, FRESH), grade=one_of_two)
    (last,) = later.tried

    assert {version.lead for _, version, _ in executor.jobs} == {living.lead}
    assert (went.base, went.body) == (living.sha, DOCUMENT.body_sha)
    assert went.tested.trial.text_changed == (wait.tested.trial.rounds,)
    assert last.tested.trial.text_changed == (wait.tested.trial.rounds, went.tested.trial.rounds)


def test_a_text_that_did_not_change_ends_no_round() -> None:
    found, _ = gone_on(a_wait())

    assert found.tried[0].tested.trial.text_changed == ()


def test_one_that_never_comes_to_an_end_is_let_go() -> None:
    wait = a_wait()
    endless = replace(wait, tested=replace(wait.tested, trial=replace(wait.tested.trial, rounds=MOST_ROUNDS)))

    found, _ = gone_on(endless)

    assert "still undecided after 40 rounds" in found.notes[0].summary


def test_every_candidate_goes_on_though_another_is_proven() -> None:
    other = replace(a_wait(), night="n2")

    found, _ = gone_on(a_wait(), other)

    assert [wait.night for wait in found.proven] == ["n1", "n2"]


def a_proven() -> Waiting:
    """A candidate that is proven as a whole only."""
    wait = a_wait()
    return replace(wait, tested=replace(wait.tested, verdict=Verdict(decision=Decision.ACCEPT, reason="better")))


def test_what_is_proven_needs_no_new_task() -> None:
    assert len(gone_on(a_proven(), val=OLD)[0].tried) == 1


def test_what_is_proven_waits_on_without_an_unseen_task_of_its_lessons() -> None:
    proven = a_proven()
    others = [replace(FRESH, id=f"o{n}", lesson="other", session=f"o{n}") for n in range(3)]

    found, executor = gone_on(proven, val=others)

    assert (found.rest, executor.jobs) == ((proven,), [])


def ends_after(calls: int) -> Callable[[str, str], float]:
    """A grade as `mends` gives it, until the budget ends."""
    made: list[str] = []

    def grade(task: str, response: str) -> float:
        made.append(task)
        if len(made) > calls:
            raise BudgetExhausted("the night's budget is spent", remedy="raise budget.calls")
        return mends(task, response)

    return grade


def test_what_is_proven_is_kept_if_the_budget_ends_on_another_candidate() -> None:
    other = replace(a_wait(), night="n2")

    found, _ = gone_on(a_wait(), other, grade=ends_after(12))

    assert [wait.night for wait in found.proven] == ["n1"]
    assert found.rest == (other,)
    assert [note.summary for note in found.notes] == [
        f"{DOCUMENT.id}: the change of n2: it waits on: the night's budget is spent"
    ]


def test_a_budget_that_ends_before_anything_is_proven_ends_the_night() -> None:
    with pytest.raises(BudgetExhausted):
        gone_on(a_wait(), grade=ends_after(3))


def joined(*waits: Waiting, val: Sequence[Task], left: int = 1_000) -> tuple[Judged | None, tuple[str, ...]]:
    """The candidates as one change, if that is proven, and the notes."""
    own, _ = crew(lambda task, response: float(f"Rule {task[0]}." in response), meter=FakeMeter(left=left))
    found, _, notes = together(DOCUMENT, waits, val, crew=own, rule=RULE, known=val)
    return found, tuple(note.summary for note in notes)


def of_lesson(name: str) -> Waiting:
    """A proven candidate for this lesson."""
    wait = a_wait()
    edits = (an_edit(f"- Rule {name}.", lessons=(name,)),)
    return replace(wait, tested=replace(wait.tested, edits=edits))


BOTH = [
    a_task(id=f"{name}{n}", lesson=name, session=f"{name}{n}", split=Split.VAL) for name in "ab" for n in range(3)
]


def test_proven_candidates_of_different_lessons_become_one_change() -> None:
    found, notes = joined(of_lesson("a"), of_lesson("b"), of_lesson("a"), val=BOTH)

    assert found is not None
    assert [edit.content for edit in found.edits] == ["- Rule a.", "- Rule b."]
    assert (found.verdict.decision, notes) == (Decision.ACCEPT, ())


def test_one_candidate_or_two_of_one_lesson_stay_as_they_are() -> None:
    assert joined(of_lesson("a"), of_lesson("a"), val=BOTH) == (None, ())


def test_without_the_calls_for_it_nothing_is_joined_and_that_is_noted() -> None:
    found, (note,) = joined(of_lesson("a"), of_lesson("b"), val=BOTH, left=5)

    assert found is None
    assert "waits for another night" in note


def test_a_budget_that_ends_in_the_joint_trial_loses_none_of_what_is_proven() -> None:
    own, _ = crew(ends_after(5))

    found, _, (note,) = together(DOCUMENT, [of_lesson("a"), of_lesson("b")], BOTH, crew=own, rule=RULE, known=BOTH)

    assert found is None
    assert "waits for another night: the night's budget is spent" in note.summary


def test_an_edit_that_can_not_be_applied_any_more_ends_its_trial() -> None:
    wait = a_wait()
    lost = replace(wait, tested=replace(wait.tested, edits=(replace(EDIT, content="- Old."),)))
    assert isinstance(lost.tested.verdict, Verdict)

    found, _ = gone_on(lost)

    assert "it can't be applied any more" in found.notes[0].summary
    assert found.notes[0].expected


def test_a_removal_goes_on_with_the_tasks_that_exercise_its_rule_and_no_others() -> None:
    rule = [a_task(id=f"c{n}", session=f"c{n}", lesson="c", split=Split.VAL if n else Split.TRAIN) for n in range(4)]
    removal = an_edit("", op=EditOp.DELETE, target="- Old.", tasks=("c0",))
    wait = a_wait()
    wait = replace(wait, tested=replace(wait.tested, kind=CandidateKind.REMOVAL, edits=(removal,)))
    own, executor = crew(lambda task, response: 1.0)

    found = resume(DOCUMENT, [wait], (*OLD, FRESH), crew=own, rule=RULE, known=(*rule, *OLD, FRESH))
    resting = resume(DOCUMENT, [wait], (*OLD, FRESH), crew=own, rule=RULE, known=(*OLD, FRESH))

    assert {task.id for task, _, _ in executor.jobs} == {"c1", "c2", "c3"}
    assert len(found.tried) == 1
    assert resting.rest == (wait,)


def test_one_whose_edit_a_person_refused_meanwhile_is_let_go() -> None:
    found, executor = gone_on(a_wait(), refused=[EDIT])

    assert (found.tried, found.rest, executor.jobs) == ((), (), [])
    assert "rejected" in found.notes[0].summary
    assert found.notes[0].expected, "what a person decided is no problem of the night"


def test_tasks_of_other_lessons_alone_are_no_reason_to_go_on() -> None:
    wait = a_wait()
    others = [replace(FRESH, id=f"o{n}", lesson="other") for n in range(4)]

    assert gone_on(wait, val=others)[0].rest == (wait,)
    nameless = replace(wait, tested=replace(wait.tested, edits=(replace(EDIT, lessons=()),)))
    assert gone_on(nameless, val=[FRESH], known=[])[0].rest == (nameless,)


def test_where_the_calls_do_not_reach_it_waits_on_and_says_so() -> None:
    wait = a_wait()

    found, executor = gone_on(wait, left=11)

    assert (found.rest, executor.jobs) == ((wait,), [])
    assert "12 calls" in found.notes[0].summary


def test_a_night_whose_attempts_could_not_be_scored_leaves_it_as_it_was() -> None:
    wait = a_wait()

    def fails(task: str, response: str) -> float | Exception:
        return ItemError("can't tell") if "New" in response else 0.0

    found, _ = gone_on(wait, val=[*OLD, *(replace(FRESH, id=f"n{n}") for n in range(6))], grade=fails)

    assert (found.tried, found.rest) == ((), (wait,))
    assert "could not be scored" in found.notes[0].summary


def test_a_candidate_of_an_older_version_learns_its_lessons_from_its_tasks() -> None:
    wait = a_wait()
    edit = replace(EDIT, lessons=())
    pairs = tuple(replace(pair, lesson="") for pair in wait.tested.trial.pairs)
    trial = replace(wait.tested.trial, lessons=(), pairs=pairs)
    old = replace(wait, tested=replace(wait.tested, edits=(edit,), trial=trial))

    (went,) = gone_on(old)[0].tried

    assert went.tested.edits == (EDIT,)
    assert {pair.lesson for pair in went.tested.trial.pairs} == {"lesson"}
    assert went.tested.verdict.decision is Decision.ACCEPT


def test_what_is_proven_tonight_but_harms_another_lesson_is_refused() -> None:
    other = a_task(id="other", session="other", lesson="other", split=Split.VAL)

    def harms(task: str, response: str) -> float:
        return float("New" not in response) if task == "other" else mends(task, response)

    found, _ = gone_on(a_wait(), grade=harms, others=(*OLD, other))

    assert found.proven == ()
    (wait,) = found.tried
    assert wait.tested.verdict.decision is Decision.REJECT
    assert [harm.lesson for harm in wait.tested.trial.guard.harmed] == ["other"]


def test_a_winner_whose_guard_was_cut_short_needs_no_new_task_and_is_guarded_first() -> None:
    other = a_task(id="other", session="other", lesson="other", split=Split.VAL)

    def ends(task: str, response: str) -> float:
        if task == "other":
            raise BudgetExhausted("the night's budget is spent", remedy="raise budget.calls")
        return mends(task, response)

    (wait,) = gone_on(a_wait(), grade=ends, others=(other,))[0].undecided
    assert (wait.tested.trial.guard.cut_short, wait.tested.verdict.decision) == (True, Decision.UNDECIDED)

    found, executor = gone_on(wait, others=(other,))

    assert {task.id for task, _, _ in executor.jobs} == {"other"}
    (proven,) = found.proven
    assert proven.tested.trial.pairs == wait.tested.trial.pairs
    assert gone_on(wait, others=(other,), left=7)[0].rest == (wait,)
    assert len(gone_on(wait, others=(other,), left=8)[0].proven) == 1


# another version of the model ---------------------------------------------------------------------------


@pytest.mark.parametrize(("before", "tonight"), [("m-1", "m-1"), ("", "m-2"), ("m-1", "")])
def test_a_trial_goes_on_while_no_other_model_is_seen_to_answer(before: str, tonight: str) -> None:
    wait = a_wait(model=before)

    (went,) = gone_on(wait, model=tonight)[0].tried

    assert went.tested.trial.pairs[: wait.tested.trial.n] == wait.tested.trial.pairs
    assert went.tested.trial.models == tuple(filter(None, [tonight or before]))


def test_a_trial_begins_anew_when_another_version_answers_tonight() -> None:
    wait = a_wait(model="m-1")

    found, executor = gone_on(wait, model="m-2")

    (went,) = found.tried
    trial = went.tested.trial
    drawn = {sample for _, version, sample in executor.jobs if version == DOCUMENT}
    assert {pair.sample for pair in trial.pairs} == drawn
    assert drawn.isdisjoint(pair.sample for pair in wait.tested.trial.pairs)
    assert (trial.models, trial.alpha, trial.rounds) == (("m-2",), 0.02, len(drawn))
    assert trial.rounds <= RULE.rounds
    (note,) = found.notes
    assert "its trial begins anew: m-1 answered until now, and m-2 tonight" in note.summary


def test_a_winner_is_not_accepted_if_only_its_guard_was_left_and_another_version_answers_that() -> None:
    other = a_task(id="other", session="other", lesson="other", split=Split.VAL)

    def ends(task: str, response: str) -> float:
        if task == "other":
            raise BudgetExhausted("the night's budget is spent", remedy="raise budget.calls")
        return mends(task, response)

    (wait,) = gone_on(a_wait(model="m-1"), grade=ends, others=(other,), model="m-1")[0].undecided

    found, _ = gone_on(wait, others=(other,), model="m-2")

    assert found.tried == ()
    (rest,) = found.rest
    assert (rest.tested.trial.pairs, rest.tested.trial.guard.cut_short) == ((), False)
    assert "begins anew" in found.notes[0].summary


def test_what_an_older_version_kept_says_nothing_of_its_model_and_goes_on() -> None:
    wait = a_wait(model="m-1")
    kept = json.loads(to_json(wait))
    del kept["tested"]["trial"]["models"]

    read = from_json(to_json(kept), Waiting)

    assert read.tested.trial.models == ()
    (went,) = gone_on(read, model="m-2")[0].tried
    assert went.tested.trial.pairs[: wait.tested.trial.n] == wait.tested.trial.pairs
