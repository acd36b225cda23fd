"""A trial asks every unseen task under both versions, round by round, until the gate has a verdict."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.backends.cached import Cached
from skillopt_sleep.errors import ItemError
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.gate import stakes_of
from skillopt_sleep.learning.statistics import NO_LOSS_STAKES, STAKES, bet, lifted, start, statistic
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.records import Decision, Document, GateRule, Metric, Pair, Split, Task, Trajectory, Trial
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES, SingleShot
from tests.builders import a_document, a_task
from tests.fakes import FakeBackend, FakeCalls, FakeExecutor, FakeJudge, SerialPool
from tests.nights import STRICT, a_crew

Item = TypeVar("Item")
Result = TypeVar("Result")

BEFORE = a_document("- Old.")
AFTER = a_document("- New.")
VAL = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL) for i in range(3)]
HARD = replace(STRICT, metric=Metric.HARD)


class BackwardsPool:
    """Runs the last item first."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item], *, label: str) -> tuple[Result, ...]:
        return tuple(reversed([function(item) for item in reversed(items)]))


def names_itself(task: Task, document: Document, sample: int) -> str:
    return f"{task.id} {document.body} {sample}"


def better(_task: Task, trajectory: Trajectory) -> float:
    return 1.0 if "New" in trajectory.response else 0.0


def run(
    grade: Any = better,
    *,
    rule: GateRule = HARD,
    val: Sequence[Task] = VAL,
    candidate: Document = AFTER,
    pool: Any = None,
) -> tuple[Any, FakeExecutor]:
    executor = FakeExecutor(names_itself)
    crew = a_crew(executor=executor, judge=FakeJudge(grade), pool=pool or SerialPool())
    return run_trial(BEFORE, candidate, val, attempts=CrewAttempts(crew), rule=rule), executor


def test_a_better_candidate_is_accepted_with_its_pairs() -> None:
    (trial, verdict, rollouts), _ = run()

    assert verdict.decision is Decision.ACCEPT
    assert [replace(pair, answers=("", ""), request="") for pair in trial.pairs] == [
        Pair(task=f"v{i}", session=f"s{i}", sample=0, before=0.0, after=1.0, solved=(False, True)) for i in range(3)
    ]
    assert (trial.before, trial.after, trial.n, trial.rounds) == (0.0, 1.0, 3, 1)
    assert (trial.lost.pairs, trial.calls) == (0, 6)
    assert len(rollouts) == 6


def test_a_worse_candidate_is_rejected() -> None:
    (trial, verdict, _), _ = run(lambda task, trajectory: 1.0 - better(task, trajectory))

    assert verdict.decision is Decision.REJECT
    assert (trial.before, trial.after) == (1.0, 0.0)


def test_a_tie_is_rejected() -> None:
    (_, verdict, _), _ = run(lambda task, trajectory: 1.0)

    assert verdict.decision is Decision.REJECT


def test_an_identical_candidate_costs_nothing() -> None:
    (trial, verdict, rollouts), executor = run(candidate=a_document("- Old."))

    assert (trial, rollouts, executor.jobs) == (Trial(), (), [])
    assert (verdict.decision, verdict.reason) == (Decision.ABSTAIN, "nothing was changed")


def test_both_versions_are_attempted_side_by_side_task_by_task_and_chance_says_which_goes_first() -> None:
    _, executor = run(rule=replace(HARD, rounds=20))

    asked = [(task.id, document.body) for task, document, _ in executor.jobs]
    pairs = list(zip(asked[::2], asked[1::2], strict=True))
    assert [{*pair} for pair in pairs] == [{(f"v{i}", "- Old."), (f"v{i}", "- New.")} for i in range(3)] * 20
    assert 15 < sum(first == "- Old." for (_, first), _ in pairs) < 45


def test_what_does_better_on_every_second_attempt_makes_no_version_look_better() -> None:
    attempts = itertools.count()
    executor = FakeExecutor(lambda task, document, sample: "New" if next(attempts) % 2 else "Old")
    crew = a_crew(executor=executor, judge=FakeJudge(better))
    val = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL) for i in range(4)]

    _, verdict, _ = run_trial(BEFORE, AFTER, val, attempts=CrewAttempts(crew), rule=SURE)

    assert verdict.decision is not Decision.ACCEPT


def test_every_round_draws_new_samples_and_never_those_of_the_other_arm() -> None:
    _, executor = run(rule=replace(HARD, rounds=2))

    own = CANDIDATE_SAMPLES
    drawn = [sample for _, _, sample in executor.jobs]
    assert sorted(drawn[:6]) == [0] * 3 + [own] * 3
    assert sorted(drawn[6:]) == [1] * 3 + [own + 1] * 3


def test_rounds_go_on_until_the_gate_has_a_verdict() -> None:
    (trial, verdict, rollouts), _ = run(rule=replace(HARD, rounds=3))

    assert trial.rounds == 3
    assert [(pair.task, pair.sample) for pair in trial.pairs] == [(f"v{i}", s) for s in range(3) for i in range(3)]
    assert (trial.calls, len(rollouts), trial.n) == (18, 18, 9)
    assert verdict.decision is Decision.ACCEPT


def test_what_a_budget_refuses_is_no_attempt() -> None:
    def attempt(task: Task, document: Document, sample: int) -> str | Trajectory:
        full = "over_budget: the limit of 8 calls for /shop is reached"
        return names_itself(task, document, sample) if task.id == "v0" else Trajectory(failure=full)

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(better))
    trial, _, rollouts = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=HARD)

    assert (trial.calls, trial.n, len(rollouts)) == (2, 1, 6)


@pytest.mark.parametrize("lost", ["- Old.", "- New."])
def test_a_pair_with_an_unscored_arm_is_no_pair(lost: str) -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        return (
            ItemError("can't tell") if task.id == "v1" and lost in trajectory.response else better(task, trajectory)
        )

    (trial, verdict, rollouts), _ = run(grade)

    assert [pair.task for pair in trial.pairs] == ["v0", "v2"]
    assert (trial.lost.pairs, trial.n, trial.calls) == (1, 2, 6)
    assert (trial.before, trial.after) == (0.0, 1.0)
    assert verdict.decision is Decision.ACCEPT
    assert [rollout.note for rollout in rollouts if rollout.score is None] == ["can't tell"]


def test_an_unscored_arm_is_never_a_zero_that_makes_the_other_look_better() -> None:
    def grade(_task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("can't tell") if "Old" in trajectory.response else 1.0

    (trial, verdict, _), _ = run(grade)

    assert verdict.decision is Decision.ABSTAIN
    assert (trial.before, trial.after, trial.interval, trial.lost.pairs) == (None, None, None, 3)


def test_a_round_may_pair_what_another_could_not() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("no") if trajectory.response.endswith("0") else better(task, trajectory)

    (trial, verdict, _), _ = run(grade, rule=replace(HARD, rounds=2))

    assert (trial.n, trial.lost.pairs, trial.rounds) == (3, 3, 2)
    assert verdict.decision is Decision.ACCEPT


def test_without_unseen_tasks_there_is_no_evidence() -> None:
    (trial, verdict, _), _ = run(val=[])

    assert (verdict.decision, trial.calls) == (Decision.ABSTAIN, 0)


def test_the_interval_is_that_of_the_mean_gain() -> None:
    (trial, _, _), _ = run()

    low, high = trial.interval
    assert low <= 1.0 <= high
    assert (low, high) != (1.0, 1.0)


def grade_by_name(_task: Task, trajectory: Trajectory) -> float | Exception:
    """Something different for every attempt, unscored now and then."""
    number = sum(trajectory.response.encode()) % 7
    return ItemError("no") if number == 0 else number / 6


@given(st.integers(0, 6), st.integers(1, 3))
def test_the_result_does_not_depend_on_the_order_in_which_the_pool_works(tasks: int, rounds: int) -> None:
    val = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL) for i in range(tasks)]
    rule = GateRule(rounds=rounds)

    forwards, _ = run(grade_by_name, rule=rule, val=val)
    backwards, _ = run(grade_by_name, rule=rule, val=val, pool=BackwardsPool())

    assert forwards == backwards


def test_the_result_does_not_depend_on_which_thread_is_done_first() -> None:
    lock, seen = threading.Lock(), [0]

    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        with lock:
            seen[0] += 1
            early = seen[0] % 3
        time.sleep(early / 500)
        return grade_by_name(task, trajectory)

    threads, _ = run(grade, pool=ThreadPool(4, lambda label, done, total: None))
    serial, _ = run(grade_by_name)

    assert threads == serial


# Grades whose means are exact: a gain below rounding is one by the pairs and none by the means.
GRADES = st.integers(0, 64).map(lambda n: n / 64)


@given(st.lists(st.tuples(GRADES, GRADES), min_size=1, max_size=8))
def test_before_and_after_are_the_means_of_the_pairs(grades: list[tuple[float, float]]) -> None:
    val = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL) for i in range(len(grades))]

    def grade(task: Task, trajectory: Trajectory) -> float:
        return grades[int(task.id[1:])]["New" in trajectory.response]

    (trial, verdict, _), _ = run(grade, rule=replace(HARD, metric=Metric.SOFT), val=val)

    assert trial.before == pytest.approx(sum(before for before, _ in grades) / len(grades))
    assert trial.after == pytest.approx(sum(after for _, after in grades) / len(grades))
    assert (verdict.decision is Decision.ACCEPT) == (trial.after > trial.before)


# sequential ---------------------------------------------------------------------------------------------

SURE = GateRule(metric=Metric.HARD)


def test_it_stops_as_soon_as_the_bet_is_won() -> None:
    (trial, verdict, _), _ = run(rule=SURE)

    assert (verdict.decision, trial.rounds, trial.n, trial.calls) == (Decision.ACCEPT, 2, 6, 12)
    assert trial.evidence is not None
    assert trial.evidence >= 20
    assert trial.interval is not None
    assert trial.interval[0] > 0


def test_it_stops_at_its_first_look_if_it_is_worse() -> None:
    (trial, verdict, _), _ = run(lambda task, trajectory: 1.0 - better(task, trajectory), rule=SURE)

    assert (verdict.decision, trial.rounds) == (Decision.REJECT, 2)


def test_all_tasks_take_part_in_every_round_whatever_they_showed() -> None:
    _, executor = run(lambda task, trajectory: better(task, trajectory) if task.id == "v0" else 1.0, rule=SURE)

    asked = Counter((task.id, document.body, sample % CANDIDATE_SAMPLES) for task, document, sample in executor.jobs)
    assert asked == Counter(itertools.product(["v0", "v1", "v2"], ["- Old.", "- New."], range(SURE.rounds)))


def test_the_reported_gain_is_shrunk_and_below_what_was_seen() -> None:
    (trial, _, _), _ = run(rule=SURE)

    assert trial.gain is not None
    assert 0.5 < trial.gain < 1.0


def test_an_undecided_trial_goes_on_another_night_with_its_wealth_and_its_share() -> None:
    once = replace(SURE, rounds=1, alpha=0.01)
    (first, undecided, _), _ = run(rule=once)

    executor = FakeExecutor(names_itself)
    crew = a_crew(executor=executor, judge=FakeJudge(better))
    more = [a_task(id="w", session="w", split=Split.VAL), *VAL]
    second, accepted, _ = run_trial(
        BEFORE, AFTER, more, attempts=CrewAttempts(crew), rule=replace(SURE, alpha=0.5), earlier=first
    )

    assert (undecided.decision, accepted.decision) == (Decision.UNDECIDED, Decision.ACCEPT)
    assert "at most 1 % " in accepted.error_rate
    assert {sample % CANDIDATE_SAMPLES for _, _, sample in executor.jobs} == {1, 2}
    assert (second.rounds, second.n, second.alpha) == (3, 3 + 8, 0.01)
    assert second.pairs[:3] == first.pairs
    assert second.evidence == pytest.approx(statistic(bet(start(STAKES), second.gains)))


def test_a_trial_that_goes_on_is_the_same_as_one_that_was_never_interrupted() -> None:
    rule = replace(SURE, alpha=1e-9)
    (whole, _, _), _ = run(rule=replace(rule, rounds=4))
    crew = a_crew(executor=FakeExecutor(names_itself), judge=FakeJudge(better))
    part = None
    for _ in range(4):
        part, _, _ = run_trial(
            BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=replace(rule, rounds=1), earlier=part
        )

    assert part == whole


NINE = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL) for i in range(9)]


def lost_at(*lost: int, version: str = "New", times: int = 99) -> Callable[[Task, Trajectory], Any]:
    """Better, but these tasks' first attempts under this version can't be graded, however often or so many times."""
    asked = Counter[str]()

    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        sample = int(trajectory.response.rsplit(" ", 1)[1]) % CANDIDATE_SAMPLES
        if version in trajectory.response and sample == 0 and int(task.id[1:]) in lost:
            asked[task.id] += 1
            if asked[task.id] <= times:
                return ItemError("can't tell")
        return better(task, trajectory)

    return grade


@pytest.mark.parametrize("version", ["Old", "New"])
def test_four_attempts_that_only_one_version_lost_make_the_trial_void(version: str) -> None:
    (trial, verdict, _), _ = run(lost_at(0, 1, 2, 3, version=version), rule=SURE, val=NINE)

    assert (verdict.decision, trial.lost.before, trial.lost.after) == (
        Decision.ABSTAIN,
        4 * (version == "Old"),
        4 * (version == "New"),
    )
    assert "the trial is void" in verdict.reason


@pytest.mark.parametrize("version", ["Old", "New"])
def test_three_do_not(version: str) -> None:
    (trial, verdict, _), _ = run(lost_at(0, 1, 2, version=version), rule=SURE, val=NINE)

    assert (verdict.decision, trial.lost.pairs) == (Decision.ACCEPT, 3)


def test_an_attempt_that_only_one_version_lost_is_made_once_more_and_counts_as_lost() -> None:
    (trial, verdict, rollouts), executor = run(lost_at(0, 1, 2, times=1), rule=SURE, val=NINE)

    assert (verdict.decision, trial.lost.after, trial.n) == (Decision.ACCEPT, 3, len(rollouts) // 2)
    again = [job for job, count in Counter((t.id, d.body, s) for t, d, s in executor.jobs).items() if count > 1]
    assert sorted(again) == [(f"v{n}", "- New.", CANDIDATE_SAMPLES) for n in range(3)]
    assert len(executor.jobs) == len(rollouts) + 3


def test_what_both_versions_lost_is_not_made_again() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("no") if task.id == "v0" else better(task, trajectory)

    (trial, _, rollouts), executor = run(grade, rule=SURE, val=NINE)

    assert trial.lost.both == trial.rounds
    assert len(executor.jobs) == len(rollouts)


def test_where_nothing_can_be_scored_it_is_asked_up_to_the_first_look() -> None:
    (trial, verdict, _), _ = run(lambda task, trajectory: ItemError("no"), rule=SURE)

    assert (verdict.decision, trial.rounds) == (Decision.ABSTAIN, 2)


# looks --------------------------------------------------------------------------------------------------


class Counting(CrewAttempts):
    """Counts how often attempts are asked for: the number of each batch."""

    def __init__(self, grade: Any, *, model: str = "") -> None:
        def attempt(task: Task, document: Document, sample: int) -> Trajectory:
            return Trajectory(response=names_itself(task, document, sample), model=model)

        super().__init__(a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(grade)))
        object.__setattr__(self, "batches", [])

    batches: list[int]

    def make(self, jobs: Sequence[Any], *, label: str) -> Any:
        self.batches.append(len(jobs))
        return super().make(jobs, label=label)


def looked(
    grade: Any, count: int, *, by_hand: bool = False, hurried: bool = False, **rule: Any
) -> tuple[Trial, Decision, list[int]]:
    """The trial on so many tasks, its decision, and the number of attempts of each look."""
    attempts = Counting(grade)
    val = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL, lesson="c") for i in range(count)]
    gate = replace(SURE, **rule)
    trial, verdict, _ = run_trial(
        BEFORE, AFTER, val, attempts=attempts, rule=gate, lessons=("c",), by_hand=by_hand, hurried=hurried
    )
    return trial, verdict.decision, attempts.batches


@pytest.mark.parametrize(("count", "alpha", "batches"), [(2, 0.05, [12]), (4, 0.05, [16]), (4, 0.01, [16, 8])])
def test_a_clear_rule_is_decided_in_one_or_two_looks(count: int, alpha: float, batches: list[int]) -> None:
    trial, decision, made = looked(better, count, alpha=alpha)

    assert (decision, made) == (Decision.ACCEPT, batches)
    assert trial.rounds == sum(batches) // (2 * count)


@pytest.mark.parametrize(("by_hand", "batches"), [(False, [12, 8]), (True, [24])])
def test_what_is_answered_by_hand_is_asked_whole_up_to_where_it_can_be_won(
    *, by_hand: bool, batches: list[int]
) -> None:
    trial, decision, made = looked(better, 2, by_hand=by_hand, alpha=0.01)

    assert (decision, made, trial.rounds) == (Decision.ACCEPT, batches, sum(batches) // 4)


def test_what_can_be_won_in_one_round_is_read_after_one() -> None:
    trial, decision, made = looked(better, 7)

    assert (decision, made, trial.rounds) == (Decision.ACCEPT, [14], 1)


def test_a_useless_rule_is_given_up_at_its_first_look() -> None:
    trial, decision, made = looked(lambda task, trajectory: 1.0, 4)

    assert (decision, made, trial.rounds) == (Decision.REJECT, [16], 2)


def test_no_look_is_laid_out_beyond_the_rounds_of_a_night() -> None:
    trial, _, made = looked(better, 2, alpha=1e-9, rounds=3)

    assert (trial.rounds, made) == (3, [12])


def half_helps(task: Task, trajectory: Trajectory) -> float:
    """Only the even tasks can be met at all, and only under the new version."""
    return better(task, trajectory) * float(int(task.id[1:]) % 2 == 0)


@pytest.mark.parametrize(("hurried", "rounds"), [(True, 2), (False, 8)])
def test_where_others_wait_a_trial_is_put_off_once_its_rounds_look_too_few(*, hurried: bool, rounds: int) -> None:
    def seldom(task: Task, trajectory: Trajectory) -> float:
        return better(task, trajectory) if task.id == "v0" else 0.5

    trial, decision, _ = looked(seldom, 4, hurried=hurried, alpha=0.0001, rounds=8)

    assert (decision, trial.rounds) == (Decision.UNDECIDED, rounds)


def test_where_others_wait_a_trial_that_can_be_decided_goes_on() -> None:
    assert looked(better, 4, hurried=True, alpha=0.001)[1] is Decision.ACCEPT


def test_a_request_that_no_answer_meets_is_set_aside_after_three_pairs() -> None:
    trial, _, _ = looked(half_helps, 4, alpha=0.01)

    counts = Counter(pair.task for pair in trial.pairs)
    assert counts["v1"] == counts["v3"] in {3, 4}
    assert counts["v0"] == counts["v2"] == trial.rounds == SURE.rounds


def test_a_request_that_one_answer_met_is_asked_on_however_it_went() -> None:
    def once(task: Task, trajectory: Trajectory) -> float:
        if task.id == "v1":
            return float("Old" in trajectory.response and trajectory.response.endswith(" 0"))
        return better(task, trajectory)

    trial, _, _ = looked(once, 4, alpha=1e-9)

    assert {count for _, count in Counter(pair.task for pair in trial.pairs).items()} == {SURE.rounds}


def test_one_session_alone_makes_a_rule_early_after_some_looks_and_never_accepted() -> None:
    trial, decision, _ = looked(better, 1)

    assert (decision, trial.n <= SURE.rounds) == (Decision.UNDECIDED, True)


def test_a_trial_begins_anew_with_its_share_if_another_model_answers() -> None:
    rule = replace(SURE, rounds=2, alpha=1e-4)
    first, _, _ = run_trial(BEFORE, AFTER, VAL, attempts=Counting(better, model="m-1"), rule=rule)

    on, _, _ = run_trial(BEFORE, AFTER, VAL, attempts=Counting(better, model="m-1"), rule=rule, earlier=first)
    silent, _, _ = run_trial(BEFORE, AFTER, VAL, attempts=Counting(better), rule=rule, earlier=first)
    again, _, _ = run_trial(
        BEFORE, AFTER, VAL, attempts=Counting(better, model="m-2"), rule=replace(rule, alpha=0.05), earlier=first
    )

    assert on.pairs[: first.n] == silent.pairs[: first.n] == first.pairs
    assert (again.models, again.alpha, again.rounds) == (("m-2",), 1e-4, 2)
    assert {pair.sample for pair in again.pairs}.isdisjoint(pair.sample for pair in first.pairs)


def test_another_model_at_the_end_of_the_night_than_at_its_beginning_makes_the_trial_void() -> None:
    made: list[int] = []

    def attempt(task: Task, document: Document, sample: int) -> Trajectory:
        made.append(sample)
        return Trajectory(response=names_itself(task, document, sample), model="m-1" if len(made) <= 4 else "m-2")

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(better))
    _, verdict, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=SURE)

    assert verdict.decision is Decision.ABSTAIN
    assert verdict.reason == "the trial is void: it began with m-1 and ended with m-2"


def test_models_that_take_turns_all_night_void_nothing() -> None:
    turns = itertools.count()

    def attempt(task: Task, document: Document, sample: int) -> Trajectory:
        return Trajectory(response=names_itself(task, document, sample), model=f"m-{next(turns) % 2}")

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(better))
    _, verdict, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=SURE)

    assert verdict.decision is Decision.ACCEPT


def test_the_greedy_rule_asks_nothing() -> None:
    (trial, verdict, rollouts), executor = run(rule=GateRule(name="greedy"))

    assert (verdict.decision, verdict.error_rate) == (Decision.ACCEPT, "unverified")
    assert (trial.n, trial.before, rollouts, executor.jobs) == (0, None, (), [])


def test_a_trial_with_a_margin_bets_that_no_more_than_that_is_lost_and_keeps_it_between_nights() -> None:
    rule = GateRule(metric=Metric.HARD, margin=0.1, rounds=2)
    same = a_crew(executor=FakeExecutor(names_itself), judge=FakeJudge(1.0))
    trial, verdict, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(same), rule=rule)
    on, _, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(same), rule=SURE, earlier=trial)

    assert (verdict.decision, trial.margin, on.margin) == (Decision.UNDECIDED, 0.1, 0.1)
    assert stakes_of(trial) == stakes_of(on) == NO_LOSS_STAKES
    none = start(NO_LOSS_STAKES)
    assert trial.wealth == bet(none, [lifted(0.0, 0.1)] * trial.n, stakes=NO_LOSS_STAKES)
    assert on.wealth == pytest.approx(bet(none, [lifted(0.0, 0.1)] * on.n, stakes=NO_LOSS_STAKES))
    assert on.n > trial.n


def test_requests_in_the_same_words_are_drawn_each_by_itself_though_no_question_is_paid_twice() -> None:
    val = [a_task(id=f"v{n}", session=f"s{n}", prompt="the same words", split=Split.VAL) for n in range(4)]
    model = FakeBackend(otherwise="an answer")
    target = SingleShot(Cached(model, FakeCalls(), model="m", version=lambda: "v"))
    crew = a_crew(executor=target, judge=FakeJudge(lambda task, trajectory: 0.5))

    (first, _, _), _ = (
        run_trial(BEFORE, AFTER, val, attempts=CrewAttempts(crew), rule=replace(HARD, rounds=2)) for _ in range(2)
    )

    assert first.n == 8
    assert len(model.prompts) == 2 * first.n


# what is bet on -----------------------------------------------------------------------------------------


def test_tasks_of_one_session_are_one_bet_a_round() -> None:
    of_one = [a_task(id=f"v{i}", session="s", split=Split.VAL) for i in range(3)]
    val = [*of_one, a_task(id="w", session="other", split=Split.VAL)]

    (trial, _, _), _ = run(rule=replace(SURE, rounds=1), val=val)

    assert (trial.n, trial.bets) == (4, (1.0, 1.0))
    assert trial.wealth == bet(start(STAKES), [1.0, 1.0])


def test_the_bet_is_on_its_own_lessons_only_whatever_else_is_asked() -> None:
    val = [a_task(id=f"{lesson}{i}", session=f"{lesson}{i}", lesson=lesson) for lesson in "ab" for i in range(2)]
    crew = a_crew(executor=FakeExecutor(names_itself), judge=FakeJudge(better))

    trial, _, _ = run_trial(BEFORE, AFTER, val, attempts=CrewAttempts(crew), rule=SURE, lessons=("a",))

    assert trial.wealth == pytest.approx(bet(start(STAKES), [1.0] * 2 * trial.rounds))


def ends_with(failure: str, *, lost: str) -> Callable[[Task, Document, int], str | Trajectory]:
    """The first task's attempt under this version ends without an answer."""

    def attempt(task: Task, document: Document, sample: int) -> str | Trajectory:
        if task.id == "v0" and lost in document.body:
            return Trajectory(failure=failure)
        return names_itself(task, document, sample)

    return attempt


@pytest.mark.parametrize(
    ("failure", "lost", "grade", "bets"),
    [
        ("timed_out: it took 60 s", "New", 1.0, [-1.0, 0.0, 0.0]),
        ("timed_out: it took 60 s", "New", 0.0, [0.0, 0.0, 0.0]),
        ("timed_out: it took 60 s", "Old", 1.0, [0.0, 0.0]),
        ("overloaded: try later", "New", 1.0, [0.0, 0.0]),
    ],
    ids=["worst case", "nothing to lose", "of the baseline", "outage"],
)
def test_an_attempt_that_the_candidate_lost_by_itself_is_its_worst_case_in_the_bet_and_in_nothing_else(
    failure: str, lost: str, grade: float, bets: list[float]
) -> None:
    crew = a_crew(executor=FakeExecutor(ends_with(failure, lost=lost)), judge=FakeJudge(grade))

    trial, _, rollouts = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=replace(SURE, rounds=1))

    assert sorted(trial.bets) == sorted(bets)
    assert trial.wealth == pytest.approx(bet(start(STAKES), bets))
    assert (trial.n, trial.lost.pairs) == (2, 1)
    assert (trial.before, trial.after) == (grade, grade)
    assert [made.score for made in rollouts if made.trajectory.failure] == [None]


def test_a_candidate_whose_attempts_often_end_without_an_answer_is_rejected_for_that() -> None:
    val = [a_task(id=f"v{i}", session=f"s{i}", split=Split.VAL) for i in range(6)]

    def attempt(task: Task, document: Document, sample: int) -> str | Trajectory:
        if task.id != "v0" and "New" in document.body:
            return Trajectory(failure="timed_out: it took 60 s")
        return names_itself(task, document, sample)

    def grade(task: Task, trajectory: Trajectory) -> float:
        return float(task.id != "v0" or "New" in trajectory.response)

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(grade))
    _, verdict, _ = run_trial(BEFORE, AFTER, val, attempts=CrewAttempts(crew), rule=SURE)

    assert verdict.decision is Decision.REJECT
    assert verdict.reason.endswith("but 5 attempts under the new version ended without an answer")


def always_the_same(task: Task, document: Document, _sample: int) -> str:
    return f"{task.id} {document.body}"


def test_a_target_that_repeats_itself_is_asked_once_more_and_counts_once() -> None:
    crew = a_crew(executor=FakeExecutor(always_the_same), judge=FakeJudge(better))

    trial, verdict, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=SURE)

    assert verdict.decision is Decision.UNDECIDED
    assert (trial.rounds, trial.n, trial.repeated) == (2, 3, 3)
    assert trial.wealth == bet(start(STAKES), [1.0] * 3)


def test_answers_that_differ_in_case_and_spacing_only_are_the_same() -> None:
    def attempt(task: Task, document: Document, sample: int) -> str:
        return f"{task.id}  {document.body}".upper() if sample % 2 else f"{task.id} {document.body}\n"

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(1.0))
    trial, _, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=replace(SURE, alpha=1e-9))

    assert trial.repeated == 3


@pytest.mark.parametrize("varies", ["Old", "New"])
def test_where_one_version_answers_anew_the_pair_counts(varies: str) -> None:
    def attempt(task: Task, document: Document, sample: int) -> str:
        said = f"{task.id} {document.body}"
        return f"{said} {sample}" if varies in document.body else said

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(better))
    trial, verdict, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=SURE)

    assert (verdict.decision, trial.repeated) == (Decision.ACCEPT, 0)


def test_what_an_earlier_night_heard_does_not_count_again() -> None:
    crew = a_crew(executor=FakeExecutor(always_the_same), judge=FakeJudge(better))
    first, _, _ = run_trial(BEFORE, AFTER, VAL, attempts=CrewAttempts(crew), rule=SURE)
    new = a_task(id="w", session="w", split=Split.VAL)

    second, _, _ = run_trial(BEFORE, AFTER, [*VAL, new], attempts=CrewAttempts(crew), rule=SURE, earlier=first)

    assert [pair.task for pair in second.pairs[first.n :]] == ["w"]
