"""Which candidates a step tries: the bundle; where it wins, leave-one-outs; where it loses, its halves."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.search import BUNDLE_SHARE, Search, candidate, search, shorten
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    EditOp,
    GateRule,
    Metric,
    Split,
    Task,
    Trajectory,
)
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import STRICT, a_crew

RULE = GateRule(metric=Metric.HARD)
VAL = [a_task(id=f"v{n}", session=f"s{n}", split=Split.VAL) for n in range(7)]
DOCUMENT = a_document("- Old.")
GOOD, ALSO, IDLE, BAD = (an_edit(f"- {word}.") for word in ("Good", "Also", "Idle", "Bad"))


def graded(body: str) -> float:
    """Good or Also is enough to pass, Bad keeps everything from passing."""
    return float(("Good" in body or "Also" in body) and "Bad" not in body)


def tried(
    *edits: object,
    rule: GateRule = RULE,
    grade: Callable[[str], float] = graded,
    meter: FakeMeter | None = None,
) -> tuple[Search, FakeExecutor]:
    executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
    judge = FakeJudge(lambda task, trajectory: grade(trajectory.response))
    crew = a_crew(executor=executor, judge=judge, meter=meter or FakeMeter())
    return search(DOCUMENT, edits, VAL, crew=crew, rule=rule), executor  # pyright: ignore[reportArgumentType]


def kinds(found: Search) -> list[CandidateKind]:
    return [tested.kind for tested in found.tested]


def test_a_single_edit_is_the_bundle_with_the_whole_share() -> None:
    found, _ = tried(GOOD)

    assert kinds(found) == [CandidateKind.BUNDLE]
    assert found.best.verdict.decision is Decision.ACCEPT
    assert found.best.trial.alpha == RULE.alpha


def test_an_edit_that_contributes_nothing_is_dropped_from_a_bundle_that_wins() -> None:
    found, _ = tried(GOOD, IDLE)

    assert kinds(found) == [CandidateKind.BUNDLE, CandidateKind.WITHOUT, CandidateKind.WITHOUT]
    assert (found.best.kind, found.best.edits) == (CandidateKind.WITHOUT, (GOOD,))


def test_an_edit_without_which_the_bundle_would_lose_stays() -> None:
    found, _ = tried(GOOD, an_edit("- Always."), grade=lambda body: float("Good" in body and "Always" in body))

    assert found.best.kind is CandidateKind.BUNDLE
    assert [tested.verdict.decision for tested in found.tested[1:]] == [Decision.REJECT, Decision.REJECT]


def test_several_idle_edits_are_dropped_together_on_fresh_attempts() -> None:
    found, executor = tried(IDLE, GOOD, an_edit("- Void."))

    assert (found.best.kind, found.best.edits) == (CandidateKind.PRUNED, (GOOD,))
    drawn = {sample for _, version, sample in executor.jobs[-2 * len(VAL) :] if version.body == DOCUMENT.body}
    earlier = {sample for _, version, sample in executor.jobs[: -2 * len(VAL)] if version.body == DOCUMENT.body}
    assert not drawn & earlier


def test_of_two_edits_that_say_the_same_one_stays() -> None:
    found, _ = tried(GOOD, ALSO)

    assert found.best.kind is CandidateKind.WITHOUT
    assert len(found.best.edits) == 1


def test_the_halves_of_a_bundle_that_loses_are_tried() -> None:
    found, _ = tried(GOOD, BAD)

    assert kinds(found) == [CandidateKind.BUNDLE, CandidateKind.HALF, CandidateKind.HALF]
    assert (found.best.edits, found.best.verdict.decision) == ((GOOD,), Decision.ACCEPT)


def test_a_bundle_whose_halves_lose_too_is_what_is_reported() -> None:
    found, _ = tried(BAD, IDLE)

    assert found.best.kind is CandidateKind.BUNDLE
    assert found.best.verdict.decision is Decision.REJECT


def test_all_that_is_born_shares_one_error_rate() -> None:
    lost, _ = tried(GOOD, BAD)
    won, _ = tried(GOOD, IDLE)

    assert sum(tested.trial.alpha or 1.0 for tested in lost.tested) == pytest.approx(RULE.alpha)
    bundle, *shorter = won.tested
    assert bundle.trial.alpha == pytest.approx(RULE.alpha * BUNDLE_SHARE)
    # The bundle's share passes on to them once its own null hypothesis is rejected.
    assert sum(tested.trial.alpha or 1.0 for tested in shorter) <= RULE.alpha * BUNDLE_SHARE


@pytest.mark.parametrize("name", ["strict", "greedy"])
def test_only_the_bundle_is_tried_where_no_error_rate_is_kept(name: str) -> None:
    found, _ = tried(GOOD, IDLE, rule=replace(STRICT, name=name, metric=Metric.HARD))

    assert kinds(found) == [CandidateKind.BUNDLE]


def test_without_the_calls_for_it_nothing_shorter_is_tried_and_that_is_noted() -> None:
    found, _ = tried(GOOD, IDLE, meter=FakeMeter(left=69))

    assert (kinds(found), found.best.kind) == ([CandidateKind.BUNDLE], CandidateKind.BUNDLE)
    (note,) = found.notes
    assert "a shorter change wasn't tried: that takes up to 70 calls" in note.summary


def test_an_accepted_bundle_is_not_lost_when_the_budget_ends_on_the_way() -> None:
    def attempt(task: Task, version: Document, sample: int) -> str:
        if version.body == "- Old.\n- Idle.":
            raise BudgetExhausted("the limit of 20 calls is reached", remedy="raise it")
        return f"{version.body} {sample}"

    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    found = search(DOCUMENT, [GOOD, IDLE], VAL, crew=a_crew(executor=FakeExecutor(attempt), judge=judge), rule=RULE)

    assert (found.best.kind, found.best.verdict.decision) == (CandidateKind.BUNDLE, Decision.ACCEPT)
    assert "not pruned: the limit of 20 calls is reached" in found.notes[0].summary


def test_edits_that_need_one_another_are_not_taken_apart() -> None:
    after = an_edit("- More.", op=EditOp.INSERT_AFTER, target="- Good.")

    assert candidate(DOCUMENT, [after]) is None
    found, _ = tried(GOOD, after)
    assert [tested.edits for tested in found.tested] == [(GOOD, after), (GOOD,)]


def test_a_trial_of_one_candidate_is_as_run_trial_runs_it() -> None:
    found, executor = tried(GOOD)
    changed = candidate(DOCUMENT, [GOOD])
    assert changed is not None
    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    assert (found.best.trial, found.best.verdict, found.rollouts) == run_trial(
        DOCUMENT, changed, VAL, attempts=CrewAttempts(crew), rule=RULE, lessons=[()]
    )
    assert {sample for _, version, sample in executor.jobs if version.body != DOCUMENT.body} == {CANDIDATE_SAMPLES}


def test_a_half_that_is_proven_is_not_lost_when_the_budget_ends_with_the_other() -> None:
    def attempt(task: Task, version: Document, sample: int) -> str:
        if version.body == "- Old.\n- Bad.":
            raise BudgetExhausted("the limit of 20 calls is reached", remedy="raise it")
        return f"{version.body} {sample}"

    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=FakeExecutor(attempt), judge=judge)
    found = search(DOCUMENT, [GOOD, BAD], VAL, crew=crew, rule=RULE)

    assert (found.best.edits, found.best.verdict.decision) == ((GOOD,), Decision.ACCEPT)
    assert "its other half wasn't tried" in found.notes[0].summary


def test_a_removal_is_never_left_out_of_a_bundle_for_that_would_lengthen_it() -> None:
    shorter = an_edit("", op=EditOp.DELETE, target="- Old.\n", tasks=("t1",))
    document = a_document("- Old.\n- Stays.")
    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    found = search(document, [GOOD, shorter], VAL, crew=crew, rule=RULE)

    assert found.best.edits == (GOOD, shorter)
    assert [one.edits for one in found.tested[1:]] == [(shorter,)]


def test_no_candidate_passes_the_documents_length() -> None:
    room = an_edit("", op=EditOp.DELETE, target="- Old.\n")
    document = a_document("- Old.\n- Bad.")
    longer = an_edit("- Good, and many words more.")
    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    found = search(document, [room, longer], VAL, crew=crew, rule=RULE, most=36)

    assert [one.edits for one in found.tested] == [(room, longer), (room,)]


def test_what_a_budget_refused_is_counted_for_no_candidate() -> None:
    def attempt(task: Task, version: Document, sample: int) -> str | Trajectory:
        return (
            Trajectory(failure="over_budget: the limit is reached") if task.id == "v6" else f"{version.body} {sample}"
        )

    executor, judge = FakeExecutor(attempt), FakeJudge(lambda task, trajectory: graded(trajectory.response))
    found = search(DOCUMENT, [GOOD, BAD], VAL, crew=a_crew(executor=executor, judge=judge), rule=RULE)

    made = {(task.id, version.body, sample) for task, version, sample in executor.jobs if task.id != "v6"}
    assert len(found.tested) > 1
    assert sum(one.trial.calls for one in found.tested) == len(made)


def test_what_the_baseline_drew_for_an_earlier_candidate_is_not_counted_again() -> None:
    found, executor = tried(GOOD, BAD)

    assert sum(one.trial.calls for one in found.tested) == len({(t.id, v.body, s) for t, v, s in executor.jobs})


def test_of_what_is_shortened_the_attempts_of_tonight_are_counted_and_each_once() -> None:
    earlier, _ = tried(GOOD, IDLE)
    proven = earlier.tested[0]
    tonight = [one for one in earlier.rollouts if one.sample == 0]

    for made, paid in (((), 0), (tonight, len(VAL))):
        executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
        judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
        found = shorten(DOCUMENT, proven, VAL, crew=a_crew(executor=executor, judge=judge), rule=RULE, made=made)
        attempts = {(task.id, version.body, sample) for task, version, sample in executor.jobs}
        assert sum(one.trial.calls for one in found.tested[1:]) == len(attempts) - paid


def of_lesson(word: str, lesson: str) -> Edit:
    return an_edit(f"- {word}.", lessons=(lesson,))


def test_an_edit_that_helped_in_no_two_sessions_of_its_own_is_left_out_of_a_bundle_that_wins() -> None:
    val = [a_task(id=f"{lesson}{n}", lesson=lesson, session=f"{lesson}{n}", split=Split.VAL) for lesson in "ab" for n in range(3)]  # fmt: skip
    executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
    judge = FakeJudge(lambda task, trajectory: float("Good" in trajectory.response and task.lesson == "a"))
    good, idle = of_lesson("Good", "a"), of_lesson("Idle", "b")

    found = search(DOCUMENT, [good, idle], val, crew=a_crew(executor=executor, judge=judge), rule=RULE)

    assert found.tested[0].verdict.decision is Decision.UNDECIDED
    assert (found.best.kind, found.best.edits) == (CandidateKind.PRUNED, (good,))
    assert found.best.verdict.decision is Decision.ACCEPT
