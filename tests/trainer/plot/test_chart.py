import pytest

from skillopt_sleep.pages.axis import Scale
from skillopt_sleep.trainer.plot.chart import bars, chart, stairs
from skillopt_sleep.trainer.plot.curves import Curves, Mark

LOW = Mark(what="initial skill", calls=0, mean=0.25, n=8, interval=(0.1, 0.5))
HIGH = Mark(what="step 1", calls=100, mean=0.5, n=8, interval=(0.3, 0.7), kept=False)


def test_marks_are_laid_out_from_the_lowest_interval_to_the_highest() -> None:
    drawn = chart(Curves(calls=200, train=(), val=(LOW, HIGH), best=((0, 0.25), (100, 0.5))))
    low, high = drawn.val
    assert (low.x, high.x) == (0, 50)
    assert (low.bottom, high.top) == (100, 0)
    assert (low.y, high.kept) == (75, False)
    assert "step 1, after 100 calls: 0.500, 0.300 to 0.700 (n=8)" in high.title


def test_the_best_goes_on_to_the_last_call_and_is_level_between_two_steps() -> None:
    drawn = chart(Curves(calls=200, train=(), val=(LOW, HIGH), best=((0, 0.25), (100, 0.5))))
    assert [x for x, _ in drawn.best_line] == [0, 50, 50, 100, 100]
    levels = [y for _, y in drawn.best_line]
    assert levels[0] == levels[1] > levels[2] == levels[4]


def test_the_band_of_train_goes_along_the_upper_ends_and_back_along_the_lower_ones() -> None:
    band = chart(Curves(calls=100, train=(LOW, HIGH), val=(), best=())).train_band
    assert [x for x, _ in band] == [0, 100, 100, 0]
    assert band[3][1] == 100
    assert band[1][1] == 0


def test_a_chart_of_nothing_is_empty() -> None:
    drawn = chart(Curves(calls=0, train=(), val=(), best=()))
    assert drawn.val == drawn.best_line == ()


def test_stairs_have_a_corner_before_each_change() -> None:
    full = Scale(low=0, high=1)
    assert stairs([(0, 0.0), (1, 1.0)], full, full) == ((0, 100), (100, 100), (100, 0))


@pytest.mark.parametrize(("budget", "words"), [(None, "no budget"), (4, "budget 4")])
def test_a_step_says_its_budget_and_how_many_edits_it_applied(budget: int | None, words: str) -> None:
    (bar,) = bars([(1, budget, 2)]).bars
    assert words in bar.title
    assert "2 applied" in bar.title
    assert (bar.budget is None) == (budget is None)
    assert bar.applied == (100 if budget is None else 50)
