from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.statistics import wilson
from skillopt_sleep.trainer.found import read
from skillopt_sleep.trainer.plot.curves import Curves, Mark, chart_of, curves, in_order, interval_of, name_of
from skillopt_sleep.trainer.summary import (
    Action,
    EndRecord,
    EpochRecord,
    Gated,
    History,
    Scores,
    Standing,
    StepRecord,
)
from tests.trainer.toy import Late, a_trainer

START = Standing(sha="a", val=0.25)
BEST = Standing(sha="b", step=2, version=1, val=0.75)


def a_step(number: int, epoch: int, calls: int, gated: Gated, best: Standing = START) -> StepRecord:
    return StepRecord(
        step=number,
        epoch=epoch,
        calls=calls,
        train=Scores(metric=0.5, n=8, items=8),
        gated=gated,
        current=best,
        best=best,
    )


REJECTED = Gated(action=Action.REJECT, before=0.25, after=0.125, n=8, items=8)
TAKEN = Gated(action=Action.ACCEPT_NEW_BEST, before=0.25, after=0.75, n=8, items=8)
HISTORY = History(
    baseline=Scores(metric=0.25, n=8, items=8),
    calls=16,
    steps=(a_step(1, 1, 30, REJECTED), a_step(2, 2, 50, TAKEN, BEST)),
    epochs=(EpochRecord(epoch=2, calls=60, gated=REJECTED, current=BEST, best=BEST),),
)


def test_records_come_in_the_order_in_which_they_ended() -> None:
    assert [name_of(record) for record in in_order(HISTORY)] == ["step 1", "step 2", "end of epoch 2"]


def test_an_epoch_that_ended_stands_before_the_steps_of_the_next() -> None:
    first = EpochRecord(epoch=1, calls=40, current=START, best=START)
    history = History(baseline=HISTORY.baseline, calls=16, steps=HISTORY.steps, epochs=(first, *HISTORY.epochs))
    assert [name_of(record) for record in in_order(history)] == [
        "step 1",
        "end of epoch 1",
        "step 2",
        "end of epoch 2",
    ]


def test_what_was_tried_on_val_stands_at_its_calls_with_its_interval_and_fate() -> None:
    found = curves(HISTORY, None)
    assert [(mark.calls, mark.mean, mark.kept) for mark in found.val] == [
        (16, 0.25, True),
        (30, 0.125, False),
        (50, 0.75, True),
        (60, 0.125, False),
    ]
    assert found.val[2].interval == wilson(0.75, 8, level=0.9)


def test_the_best_stays_until_there_is_a_better_one() -> None:
    assert curves(HISTORY, None).best == ((16, 0.25), (30, 0.25), (50, 0.75), (60, 0.75))


def test_a_training_that_is_not_finished_has_no_test_scores_and_reports_nothing() -> None:
    found = curves(HISTORY, None)
    assert (found.test, found.reported, found.calls) == ((), None, 60)


def test_a_mean_of_nothing_has_no_interval() -> None:
    assert interval_of(None, 0) is None
    assert interval_of(0.5, 0) is None


def test_the_trial_of_the_final_skill_stands_at_the_end() -> None:
    better = Gated(action=Action.ACCEPT_NEW_BEST, before=0.75, after=1.0, n=8, items=8)
    found = curves(replace(HISTORY, end=(EndRecord(calls=80, gated=better),)), None)
    last = found.val[-1]
    assert (last.what, last.calls, last.mean, last.kept) == ("final skill", 80, 1.0, True)
    assert found.best[-1] == (80, 1.0)
    refused = curves(replace(HISTORY, end=(EndRecord(calls=80, gated=REJECTED),)), None)
    assert (refused.val[-1].mean, refused.val[-1].kept) == (0.125, False)
    assert refused.best[-1] == (60, 0.75)


@pytest.mark.parametrize("origin", ["slow_update", "removal"])
def test_a_test_score_stands_where_its_skill_arose(tmp_path: Path, origin: str) -> None:
    summary = a_trainer(tmp_path, Late()).train()
    assert summary.best.standing.origin == "slow_update"
    history = read(tmp_path).history
    assert history is not None
    last_step, last_epoch = history.steps[-1].calls, history.epochs[-1].calls
    best = replace(summary.best, standing=replace(summary.best.standing, origin=origin))
    found = curves(history, replace(summary, best=best))
    places = [mark.calls for mark in found.test if mark.what == "best"]
    assert places == [last_epoch]
    assert last_epoch != last_step


def test_the_chart_has_each_mean_in_words_and_no_curve_without_one() -> None:
    mark = Mark(what="step 1", calls=100, mean=0.5, n=8, interval=(0.3, 0.7), kept=False)
    drawn = chart_of(Curves(calls=200, train=(), val=(mark,), best=((0, 0.25), (100, 0.5))))
    assert [one.curve.kind for one in drawn.curves] == ["val", "best"]
    assert drawn.curves[0].marks[0].title == "step 1, after 100 calls: 0.500, 0.300 to 0.700 (n=8)"
