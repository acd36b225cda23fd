from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.learning.statistics import wilson
from skillopt_sleep.pages.chart import Chart
from skillopt_sleep.trainer.plot import Moment, chart_of, interval_of, moments
from skillopt_sleep.trainer.runs import read
from skillopt_sleep.trainer.summary import (
    Action,
    EndRecord,
    EpochRecord,
    Gated,
    History,
    Scores,
    SkillVersion,
    StepRecord,
    Summary,
)
from tests.trainer.toy import Late, a_trainer

START = SkillVersion(sha="a", val=0.25)
BEST = SkillVersion(sha="b", step=2, number=1, val=0.75)


def a_step(number: int, epoch: int, calls: int, gated: Gated, best: SkillVersion = START) -> StepRecord:
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


def drawn(history: History, summary: Summary | None = None) -> Chart:
    return chart_of(moments(history), history, summary, end=100)


def titles(chart: Chart, kind: str) -> list[str]:
    return [mark.title for one in chart.curves if one.curve.kind == kind for mark in one.marks]


def test_an_epoch_that_ended_stands_before_the_steps_of_the_next() -> None:
    first = EpochRecord(epoch=1, calls=40, current=START, best=START)
    history = History(baseline=HISTORY.baseline, calls=16, steps=HISTORY.steps, epochs=(first, *HISTORY.epochs))
    assert [moment.what for moment in moments(history)] == [
        "initial skill",
        "step 1",
        "end of epoch 1",
        "step 2",
        "end of epoch 2",
    ]


def test_what_was_tried_on_val_stands_at_its_calls_with_its_interval_and_fate() -> None:
    found = moments(HISTORY)
    assert [(one.calls, one.val, one.taken) for one in found] == [
        (16, 0.25, True),
        (30, 0.125, False),
        (50, 0.75, True),
        (60, 0.125, False),
    ]
    low, high = wilson(0.75, 8, level=0.9)
    assert f"step 2, after 50 calls: 0.750, {low:.3f} to {high:.3f} (n=8)" in titles(drawn(HISTORY), "val")


def test_the_best_stays_until_there_is_a_better_one() -> None:
    assert [(one.calls, one.best) for one in moments(HISTORY)] == [(16, 0.25), (30, 0.25), (50, 0.75), (60, 0.75)]


def test_a_training_that_is_not_finished_has_no_test_scores_and_reports_nothing() -> None:
    assert {one.curve.kind for one in drawn(HISTORY).curves} == {"train", "val", "best"}


def test_a_mean_of_nothing_has_no_interval() -> None:
    assert interval_of(None, 0) is None
    assert interval_of(0.5, 0) is None


def test_the_trial_of_the_final_skill_stands_at_the_end() -> None:
    better = Gated(action=Action.ACCEPT_NEW_BEST, before=0.75, after=1.0, n=8, items=8)
    last = moments(replace(HISTORY, end=(EndRecord(calls=80, gated=better),)))[-1]
    assert (last.what, last.calls, last.val, last.taken, last.best) == ("final skill", 80, 1.0, True, 1.0)
    refused = moments(replace(HISTORY, end=(EndRecord(calls=80, gated=REJECTED),)))[-1]
    assert (refused.val, refused.taken, refused.best) == (0.125, False, None)


def test_the_test_scores_stand_at_the_beginning_and_at_the_end(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path, Late()).train()
    history = read(tmp_path).history
    assert history is not None
    first, last = titles(chart_of(moments(history), history, summary, end=summary.total.calls), "test")
    assert first.startswith(f"initial skill, after {history.calls:,} calls: 0.000")
    assert last.startswith(f"best, after {summary.total.calls:,} calls: ")


def test_the_chart_has_each_mean_in_words_and_no_curve_without_one() -> None:
    shown = [
        Moment(what="initial skill", calls=0, best=0.25),
        Moment(what="step 1", calls=100, val=0.5, n=8, taken=False, best=0.5),
    ]
    chart = chart_of(shown, HISTORY, None, end=200)
    assert [one.curve.kind for one in chart.curves] == ["val", "best"]
    low, high = wilson(0.5, 8, level=0.9)
    assert titles(chart, "val") == [f"step 1, after 100 calls: 0.500, {low:.3f} to {high:.3f} (n=8)"]
