"""A candidate that isn't better is accepted as a saving if sealed attempts prove that it reaches the same with less."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from skillopt_sleep.kit.betting import STAKES, bet, start, statistic
from skillopt_sleep.learning.gate import alpha_of_score, has_won
from skillopt_sleep.learning.saving import SHARE, effort
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.records import (
    Decision,
    GateRule,
    Metric,
    Pair,
    Rollout,
    Score,
    Split,
    Took,
    Trajectory,
    Trial,
    Usage,
    Verdict,
    savings_of,
)
from skillopt_sleep.replay.rollout import Job
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task

BEFORE = a_document("- Old.")
AFTER = a_document("- New.")
RULE = GateRule(metric=Metric.HARD)
SEVEN = [a_task(id=f"v{n}", session=f"s{n}", lesson="own", split=Split.VAL) for n in range(7)]
FOUR = SEVEN[:4]
Drawn = tuple[str, int, bool]  # a task, a sample and whether it is the new version


class Made(NamedTuple):
    """What one attempt took and was worth; without a grade it wasn't scored."""

    tokens: int = 1000
    turns: int = 10
    grade: float | None = 1.0
    seconds: float = 1.0
    failure: str = ""


class Attempts:
    """Makes each attempt as it is told to, in a sealed copy or in words."""

    def __init__(self, made: Callable[[str, int, bool], Made], seal: str) -> None:
        self._made = made
        self._seal = seal

    def left(self) -> int:
        return 1000

    def make(self, jobs: Sequence[Job], *, label: str) -> tuple[Rollout, ...]:
        rollouts: list[Rollout] = []
        for task, document, sample in jobs:
            new = document.text == AFTER.text
            made = self._made(task.id, sample % CANDIDATE_SAMPLES, new)
            trajectory = Trajectory(
                response=f"{task.id} {sample}",
                turns=made.turns,
                seal=self._seal,
                seconds=made.seconds,
                usage=Usage(input_tokens=made.tokens),
                failure=made.failure,
            )
            score = None if made.grade is None else Score(hard=made.grade, soft=made.grade)
            rollouts.append(Rollout(task=task.id, document_sha="", sample=sample, trajectory=trajectory, score=score))
        return tuple(rollouts)


def run(
    made: Callable[[str, int, bool], Made],
    *,
    val: Sequence[object] = SEVEN,
    seal: str = "bubblewrap",
    rule: GateRule = RULE,
    earlier: Trial | None = None,
) -> tuple[Trial, Verdict]:
    tasks = [task for task in SEVEN if task in val]
    trial, verdict, _ = run_trial(
        BEFORE,
        AFTER,
        tasks,
        attempts=Attempts(made, seal),
        rule=rule,
        earlier=earlier,
        lessons=[("own",)],
    )
    return trial, verdict


def halves(_task: str, _sample: int, new: bool) -> Made:
    return Made(tokens=500, turns=6, seconds=2.0) if new else Made(tokens=1000, turns=12, seconds=1.0)


def test_half_the_tokens_at_equal_grades_are_accepted_as_a_saving_in_words() -> None:
    trial, verdict = run(halves)

    assert (verdict.decision, verdict.saving) == (Decision.ACCEPT, True)
    assert verdict.reason.startswith("reaches the same with 50 % fewer tokens (90 % interval ")
    assert "12 → 6.0 turns" not in verdict.reason
    assert "12 → 6 turns" in verdict.reason
    assert f"{trial.n} tries at 7 requests" in verdict.reason
    assert "better" not in verdict.reason.replace("no better", "")
    assert trial.effort is not None
    assert (trial.effort.turns, trial.effort.tokens, trial.effort.n) == ((12.0, 6.0), (1000.0, 500.0), trial.n)


def test_its_error_rate_is_that_of_both_ways_and_of_the_loss_it_rules_out() -> None:
    _, verdict = run(halves)

    assert "accepting it, as better or as a saving, was at most 5 %" in verdict.error_rate
    assert "lost 10 points" in verdict.error_rate
    assert "at most 1 %" in verdict.error_rate


def test_more_seconds_decide_nothing() -> None:
    trial, verdict = run(halves)

    assert verdict.saving
    assert trial.effort is not None
    assert trial.effort.seconds == (1.0, 2.0)


def test_in_words_nothing_is_measured_and_the_whole_share_is_for_being_better() -> None:
    trial, verdict = run(halves, seal="")

    assert (verdict.decision, trial.rounds, trial.saving_alpha, trial.effort) == (Decision.REJECT, 2, 0.0, None)
    assert {pair.took for pair in trial.pairs} == {None}
    assert alpha_of_score(trial, RULE) == RULE.alpha
    assert "as a saving" not in verdict.error_rate


def test_the_saving_has_its_part_of_the_share_and_being_better_the_rest() -> None:
    trial, _ = run(halves)

    assert trial.saving_alpha == pytest.approx(SHARE * RULE.alpha)
    assert alpha_of_score(trial, RULE) + trial.saving_alpha == RULE.alpha
    sure = replace(trial, statistic=1 / RULE.alpha)
    assert not has_won(sure, RULE)
    assert has_won(replace(sure, saving_alpha=0.0), RULE)


def test_as_many_tokens_are_no_saving_and_end_the_trial_as_soon_as_before() -> None:
    trial, verdict = run(lambda task, sample, new: Made())

    assert (verdict.decision, verdict.saving, trial.rounds) == (Decision.REJECT, False, 2)


def test_a_small_saving_is_no_edit_worth() -> None:
    _, verdict = run(lambda task, sample, new: Made(tokens=950 if new else 1000))

    assert (verdict.decision, verdict.saving) == (Decision.REJECT, False)


def test_fewer_tokens_in_more_turns_are_no_saving() -> None:
    _, verdict = run(lambda task, sample, new: Made(tokens=500, turns=13) if new else Made(turns=12))

    assert verdict.decision is not Decision.ACCEPT


def test_one_session_never_carries_a_saving_however_much_it_saves() -> None:
    def one(task: str, _sample: int, new: bool) -> Made:
        return Made(tokens=10 if new and task == "v0" else 1000)

    trial, verdict = run(one, val=FOUR[:2])

    shares = [share for each in savings_of(trial.pairs).values() for share in each]
    assert statistic(bet(start(STAKES), shares * 4)) > 1 / trial.saving_alpha  # all together would have proven it
    assert verdict.decision is not Decision.ACCEPT


def test_a_candidate_that_loses_grades_is_no_saving_however_little_it_takes() -> None:
    def gives_up(task: str, sample: int, new: bool) -> Made:
        if new and (int(task[1:]) + sample) % 7 == 0:
            return Made(tokens=10, turns=1, grade=0.0)
        return halves(task, sample, new)

    _, verdict = run(gives_up)

    assert verdict.decision is not Decision.ACCEPT
    assert not verdict.saving


@pytest.mark.parametrize("failure", ["timed_out: 60 s", "the attempt reached its limit before the agent was done"])
def test_attempts_that_were_not_scored_count_against_the_saving(failure: str) -> None:
    def stopped(task: str, sample: int, new: bool) -> Made:
        if new and (int(task[1:]) + sample) % 4 == 0:
            return Made(grade=None, failure=failure)
        return halves(task, sample, new)

    _, verdict = run(stopped)

    assert verdict.decision is not Decision.ACCEPT


@pytest.mark.parametrize(
    ("grades", "after", "saved"),
    [
        ((1.0, 1.0), 700, 0.3),
        ((0.0, 1.0), 700, 0.3),
        ((1.0, 0.0), 10, -1.0),
        ((1.0, 1.0), 2000, -0.5),
        ((1.0, 1.0), 0, -1.0),
    ],
)
def test_a_pair_saves_its_share_unless_it_did_worse_or_is_not_known(
    grades: tuple[float, float], after: int, saved: float
) -> None:
    took = (Took(turns=1, tokens=1000), Took(turns=1, tokens=after))
    pair = Pair(task="t", sample=0, before=grades[0], after=grades[1], took=took)

    assert pair.saved == pytest.approx(saved)
    assert replace(pair, took=None).saved is None


def test_both_arms_swapped_save_the_opposite() -> None:
    one, other = Took(turns=1, tokens=300), Took(turns=1, tokens=1000)
    pair = Pair(task="t", sample=0, before=1.0, after=1.0, took=(one, other))
    swapped = replace(pair, took=(other, one))

    assert (pair.saved or 0.0) == pytest.approx(-(swapped.saved or 0.0))


def test_tasks_of_one_session_make_one_bet_a_round() -> None:
    took = (Took(turns=1, tokens=1000), Took(turns=1, tokens=500))
    pairs = [Pair(task=f"t{n}", session="s", sample=0, before=1.0, after=1.0, took=took) for n in range(3)]

    assert savings_of(pairs) == {"s": (pytest.approx(0.5),)}
    found = effort(pairs)
    assert found is not None
    assert (found.n, found.requests) == (3, 3)


def test_few_tasks_wait_for_another_night_and_are_accepted_then() -> None:
    first, verdict = run(halves, val=FOUR)

    assert (verdict.decision, verdict.saving, first.rounds) == (Decision.UNDECIDED, False, RULE.rounds)
    assert "whether it reaches the same with less" in verdict.reason
    second, accepted = run(halves, val=SEVEN, earlier=first)
    assert (accepted.decision, accepted.saving) == (Decision.ACCEPT, True)
    assert second.saving_alpha == first.saving_alpha


def test_a_trial_that_an_older_version_began_keeps_its_whole_share_and_looks_for_no_saving() -> None:
    first, _ = run(halves, val=FOUR, rule=replace(RULE, rounds=1))
    old = replace(first, saving_alpha=0.0, pairs=tuple(replace(pair, took=None) for pair in first.pairs))
    trial, verdict = run(halves, earlier=old)

    assert (trial.saving_alpha, verdict.decision) == (0.0, Decision.REJECT)


def test_what_is_better_is_accepted_as_better() -> None:
    def better(task: str, sample: int, new: bool) -> Made:
        return halves(task, sample, new)._replace(grade=1.0 if new else 0.0)

    _, verdict = run(better)

    assert (verdict.decision, verdict.saving) == (Decision.ACCEPT, False)


def test_a_removal_needs_no_saving() -> None:
    trial, _ = run(halves, rule=replace(RULE, margin=0.1))

    assert trial.saving_alpha == 0.0
