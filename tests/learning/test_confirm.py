"""An accepted change is tried once more, on attempts that chose nothing: that is the gain a person is told."""

import random
import threading
from collections import Counter
from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ItemError, NightError, NightInterrupted
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.confirm import FRESH, TEST, FreshAttempts, ask_once
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import (
    Decision,
    Document,
    FreshRound,
    GateRule,
    Metric,
    Pair,
    Split,
    Task,
    Trajectory,
    mean_of,
)
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task
from tests.fakes import FakeExecutor, FakeJudge, SerialPool
from tests.nights import RULE, a_crew, with_side

DOCUMENT = a_document("- Old.")
CHANGED = a_document(f"- Old.\n{RULE}")
OWN = [with_side(a_task(id=f"v{n}", session=f"s{n}"), split=Split.VAL, lesson="c") for n in range(3)]
GATE = GateRule(metric=Metric.HARD)
BUDGET = BudgetExhausted("the limit is reached", remedy="raise it")
GONE = BackendUnavailable("3 calls in a row failed", remedy="try again later")

both_ends = pytest.mark.parametrize("end", [BUDGET, GONE], ids=["budget", "model"])


def follows(_task: Task, trajectory: Trajectory) -> float:
    return 1.0 if RULE in trajectory.response else 0.0


class Afterwards:
    """A fresh round with fakes, and the attempts it made."""

    def __init__(
        self,
        grade: Callable[[Task, Trajectory], float | Exception] = follows,
        *,
        ends: NightError | None = None,
        after: int = 0,
        pool: Pool | None = None,
    ) -> None:
        def answer(task: Task, document: Document, sample: int) -> str:
            if ends is not None and len(self.executor.jobs) > after:
                raise ends
            return f"{task.id}|{document.body}|{sample}"

        self.executor = FakeExecutor(answer)
        self._crew = a_crew(executor=self.executor, judge=FakeJudge(grade), pool=pool or SerialPool())
        self.attempts = CrewAttempts(self._crew)

    def run(self, tasks: list[Task] = OWN, *, sample: int = FRESH) -> FreshAttempts:
        return ask_once(DOCUMENT, CHANGED, tasks, crew=self._crew, rule=GATE, sample=sample)

    @property
    def jobs(self) -> list[tuple[str, bool, int]]:
        """The attempts: the task, whether under the changed document, and the sample."""
        return [(task.id, RULE in document.body, sample) for task, document, sample in self.executor.jobs]


@pytest.mark.parametrize("sample", [FRESH, TEST])
def test_each_task_is_attempted_once_more_under_both_versions(sample: int) -> None:
    night = Afterwards()

    found = night.run(sample=sample)

    arms = ((False, sample), (True, sample + CANDIDATE_SAMPLES))
    assert Counter(night.jobs) == Counter((task.id, *arm) for task in OWN for arm in arms)
    assert (found.round.n, found.round.before, found.round.after) == (3, 0.0, 1.0)
    assert found.round.interval is not None


def test_without_a_task_nothing_is_asked() -> None:
    night = Afterwards()

    assert (night.run([]), night.jobs) == (FreshAttempts(), [])


def test_both_arms_of_a_pair_are_drawn_side_by_side_with_samples_that_no_trial_reaches() -> None:
    night = Afterwards()

    night.run()

    for one, other in zip(night.jobs[::2], night.jobs[1::2], strict=True):
        assert (one[0], {one[1], other[1]}) == (other[0], {False, True})
    assert {sample % CANDIDATE_SAMPLES for _, _, sample in night.jobs} == {FRESH}
    assert 1000 * GATE.rounds < FRESH


@both_ends
def test_an_end_of_the_night_in_it_costs_only_the_number_and_that_is_said(end: NightError) -> None:
    found = Afterwards(ends=end).run()

    assert found.round == FreshRound()
    (note,) = found.notes
    assert f"the fresh round has 0 pairs of 3: {end.message}" in note.summary
    assert note.remedy == end.remedy


def test_what_is_asked_of_requests_that_were_kept_back_is_called_that() -> None:
    (note,) = Afterwards(ends=BUDGET).run(sample=TEST).notes

    assert "the round on the requests that were kept back has 0 pairs of 3" in note.summary


@both_ends
def test_an_end_of_the_night_in_it_is_no_error_of_the_pool_that_would_end_the_other_documents(
    end: NightError,
) -> None:
    pool = ThreadPool(2, lambda label, done, of: None)
    night = Afterwards(ends=end, pool=pool)

    def chain(_document: str) -> FreshAttempts:
        found = night.run()
        assert pool.map(str.upper, ["what comes next"], label="next") == ("WHAT COMES NEXT",)
        return found

    (found,) = pool.together(chain, ["one"])

    assert found.round == FreshRound()


@both_ends
def test_an_end_of_the_night_while_it_is_graded_is_no_error_of_the_pool_either(end: NightError) -> None:
    pool = ThreadPool(2, lambda label, done, of: None)

    (found,) = pool.together(lambda _: Afterwards(lambda task, made: end, pool=pool).run(), ["one"])

    assert (found.round, len(found.notes)) == (FreshRound(), 1)
    assert end.message in found.notes[0].summary


def test_a_night_that_another_document_ends_in_the_meantime_keeps_what_is_proven() -> None:
    pool = ThreadPool(1, lambda label, done, of: None)
    ended = threading.Event()

    def fails(_item: str) -> str:
        raise BUDGET

    def chain(document: str) -> FreshAttempts:
        if document == "other":
            try:
                pool.map(fails, ["a call"], label="other")
            finally:
                ended.set()
        assert ended.wait(10)
        return Afterwards(pool=pool).run()

    rounds = pool.together(chain, ["proven", "other"])

    proven = next(rounds)
    assert proven.round == FreshRound()
    assert "0 pairs of 3: the night ended on another document" in proven.notes[0].summary
    with pytest.raises(BudgetExhausted):
        next(rounds)


def test_the_pairs_made_before_the_end_of_a_budget_count_and_what_lacks_is_said() -> None:
    found = Afterwards(ends=BUDGET, after=3).run()

    assert (found.round.n, found.round.before, found.round.after) == (1, 0.0, 1.0)
    assert "the fresh round has 1 pair of 3: the limit is reached" in found.notes[0].summary


@both_ends
def test_after_the_end_of_a_night_nothing_more_is_asked(end: NightError) -> None:
    night = Afterwards(ends=end, after=1)

    night.run()

    assert len(night.jobs) == 2


def test_a_night_that_is_stopped_stops_in_it_too() -> None:
    with pytest.raises(NightInterrupted):
        Afterwards(ends=NightInterrupted("the night was stopped")).run()


def test_an_attempt_that_could_not_be_scored_makes_no_pair() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("can't tell") if task.id == "v0" else follows(task, trajectory)

    found = Afterwards(grade).run()

    assert (found.round.n, found.notes) == (2, ())


def test_the_interval_of_a_round_narrows_with_its_pairs() -> None:
    pair = Pair(task="v", lesson="c", session="s", sample=FRESH, before=0.0, after=1.0)
    widths: list[float] = []
    for n in (1, 4, 16):
        pairs = tuple(Pair(task=f"v{i}", session=f"s{i}", sample=FRESH, before=0.0, after=1.0) for i in range(n))
        interval = FreshAttempts(pairs).round.interval
        assert interval is not None
        widths.append(interval[1] - interval[0])

    assert FreshAttempts().round == FreshRound()
    assert FreshAttempts((pair,)).round.n == 1
    assert widths == sorted(widths, reverse=True)


def test_the_trial_flatters_what_it_accepts_and_the_fresh_round_does_not() -> None:
    draw = random.Random(18)
    rates = {False: 0.4, True: 0.6}

    def grade(_task: Task, trajectory: Trajectory) -> float:
        return float(draw.random() < rates[RULE in trajectory.response])

    tasks = [with_side(a_task(id=f"v{n}", session=f"s{n}"), split=Split.VAL, lesson="c") for n in range(7)]
    flattered: list[float] = []
    fresh: list[float] = []
    for _ in range(400):
        night = Afterwards(grade)
        trial, verdict, _ = run_trial(DOCUMENT, CHANGED, tasks, attempts=night.attempts, rule=GATE, lessons=("c",))
        if verdict.decision is Decision.ACCEPT:
            flattered += [pair.gain for pair in trial.own]
            fresh += [pair.gain for pair in night.run(tasks).pairs]
    assert (mean_of(flattered) or 0.0) > 0.3
    assert abs((mean_of(fresh) or 0.0) - 0.2) < 0.08
