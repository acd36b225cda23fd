"""Which candidates a step tries: the bundle, and if it wins, its rules one by one."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.attempts import CrewAttempts, block
from skillopt_sleep.learning.search import Search, search, shorten
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.learning.update import candidate
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
TRAIN = [a_task(id="t1", session="t1")]
VAL = [a_task(id=f"v{n}", session=f"s{n}", split=Split.VAL) for n in range(7)]
DOCUMENT = a_document("- Old.")
GOOD, ALSO, IDLE, BAD = (an_edit(f"- {word}.", tasks=("t1",)) for word in ("Good", "Also", "Idle", "Bad"))


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


def test_a_bundle_that_wins_is_left_with_the_rules_that_are_proven_by_themselves() -> None:
    found, _ = tried(GOOD, IDLE)

    assert kinds(found) == [CandidateKind.BUNDLE, CandidateKind.PART, CandidateKind.PRUNED]
    assert (found.best.kind, found.best.edits) == (CandidateKind.PRUNED, (GOOD,))


def test_a_bundle_that_loses_is_what_is_reported() -> None:
    found, _ = tried(BAD, IDLE)

    assert kinds(found) == [CandidateKind.BUNDLE]
    assert found.best.verdict.decision is Decision.REJECT


def test_the_share_of_a_bundle_passes_on_to_its_parts_once_it_is_proven() -> None:
    found, _ = tried(GOOD, IDLE)

    assert [tested.trial.alpha for tested in found.tested] == [RULE.alpha] * 3


@pytest.mark.parametrize("name", ["strict", "greedy"])
def test_only_the_bundle_is_tried_where_no_error_rate_is_kept(name: str) -> None:
    found, _ = tried(GOOD, IDLE, rule=replace(STRICT, name=name, metric=Metric.HARD))

    assert kinds(found) == [CandidateKind.BUNDLE]


def test_a_trial_of_one_candidate_is_as_run_trial_runs_it() -> None:
    found, executor = tried(GOOD)
    changed = candidate(DOCUMENT, [GOOD])
    assert changed is not None
    first = block(CandidateKind.BUNDLE, DOCUMENT.text, changed.text)
    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    assert (found.best.trial, found.best.verdict, found.rollouts) == run_trial(
        DOCUMENT, changed, VAL, attempts=CrewAttempts(crew), rule=RULE, lessons=[()], first=first
    )
    drawn = {sample for _, version, sample in executor.jobs if version.body != DOCUMENT.body}
    assert drawn == {CANDIDATE_SAMPLES + first}


def test_no_candidate_passes_the_documents_length() -> None:
    room = an_edit("", op=EditOp.DELETE, target="- Old.\n")
    document = a_document("- Old.\n- Bad.")
    longer = an_edit("- Good, and many words more.")
    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    found = search(document, [room, longer], VAL, crew=crew, rule=RULE, most=36)

    assert [one.edits for one in found.tested] == [(room, longer)]


def test_each_trial_counts_the_attempts_it_made() -> None:
    def attempt(task: Task, version: Document, sample: int) -> str | Trajectory:
        if task.id == "v6":
            return Trajectory(failure="over_budget: the limit is reached")
        return f"{version.body} {sample}"

    executor, judge = FakeExecutor(attempt), FakeJudge(lambda task, trajectory: graded(trajectory.response))
    crew = a_crew(executor=executor, judge=judge)
    found = search(DOCUMENT, [GOOD, IDLE], VAL, crew=crew, rule=RULE)

    made = [job for job in executor.jobs if job[0].id.startswith("v") and job[0].id != "v6"]
    assert len(found.tested) > 1
    assert sum(one.trial.calls for one in found.tested) == len(made)


def test_no_trial_of_a_night_reads_an_attempt_of_another_one() -> None:
    for edits in ((GOOD, BAD), (GOOD, IDLE), (GOOD, ALSO, IDLE)):
        _, executor = tried(*edits)
        drawn = [(task.id, version.body, sample) for task, version, sample in executor.jobs]
        assert len(drawn) == len(set(drawn))


def test_both_arms_of_a_round_are_drawn_side_by_side() -> None:
    _, executor = tried(GOOD, IDLE)

    for pair in zip(executor.jobs[::2], executor.jobs[1::2], strict=True):
        old, new = sorted(pair, key=lambda job: job[2])
        assert (old[0], old[2] + CANDIDATE_SAMPLES) == (new[0], new[2])


def test_a_change_that_waited_is_taken_apart_when_it_is_proven() -> None:
    earlier, _ = tried(GOOD, IDLE)
    executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
    judge = FakeJudge(lambda task, trajectory: graded(trajectory.response))

    found = shorten(DOCUMENT, earlier.tested[0], VAL, crew=a_crew(executor=executor, judge=judge), rule=RULE)

    assert (found.best.kind, found.best.edits) == (CandidateKind.PRUNED, (GOOD,))
    assert sum(one.trial.calls for one in found.tested[1:]) == len(executor.jobs)


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
