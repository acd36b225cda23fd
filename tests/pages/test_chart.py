import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.pages.chart import Curve, Point, Scale, chart, dot, ticks

LOW = Point(0, 0.25, (0.1, 0.5), "initial")
HIGH = Point(100, 0.5, (0.3, 0.7), "step 1", filled=False)


def test_marks_are_laid_out_from_the_lowest_interval_to_the_highest() -> None:
    (drawn,) = chart([Curve("val", "tried", (LOW, HIGH))], end=200, told="").curves
    low, high = drawn.marks
    assert (low.x, high.x) == (0, 50)
    assert (low.bottom, high.top) == (100, 0)
    assert (low.y, high.filled, high.title) == (75, False, "step 1")
    assert drawn.line == ((0, 75), (50, 33.33))


def test_stairs_are_level_between_two_points_and_go_on_to_the_end() -> None:
    (drawn,) = chart([Curve("best", "best", (LOW, HIGH), stairs=True)], end=200, told="").curves
    assert [x for x, _ in drawn.line] == [0, 50, 50, 100, 100]
    levels = [y for _, y in drawn.line]
    assert levels[0] == levels[1] > levels[2] == levels[4]
    assert drawn.marks == ()


def test_a_band_goes_along_the_upper_ends_and_back_along_the_lower_ones() -> None:
    (drawn,) = chart([Curve("train", "train", (LOW, HIGH), band=True)], end=100, told="").curves
    assert [x for x, _ in drawn.band] == [0, 100, 100, 0]
    assert (drawn.band[3][1], drawn.band[1][1]) == (100, 0)


def test_what_has_no_point_is_left_out() -> None:
    drawn = chart([Curve("val", "tried", ())], end=0, told="nothing")
    assert drawn.curves == ()
    assert drawn.up


@given(st.floats(-100, 10_000), st.floats(0.001, 100_000), st.integers(2, 8))
def test_ticks_are_few_and_within_the_range(low: float, span: float, most: int) -> None:
    found = ticks(low, low + span, most)
    assert 1 <= len(found) <= most
    assert found == sorted(found)
    assert all(low - span / 1e6 <= at <= low + span * (1 + 1e-6) for at in found[1:])


def test_a_scale_is_in_percent() -> None:
    assert Scale(low=2, high=4).share(3) == 50


def test_a_gain_stands_between_worse_and_better_with_its_interval() -> None:
    drawn = dot(0.25, 0.75, (0.0, 1.0), "12 tries")
    assert (drawn.at, drawn.low, drawn.high, drawn.zero) == (75, 50, 100, 50)
    assert drawn.told == "grade 0.25 → 0.75 (+0.50), 90 % interval of the gain 0.00 to 1.00, 12 tries"


def test_what_lies_beyond_the_line_ends_with_it() -> None:
    drawn = dot(0.0, 0.9, (-1.4, 1.3), "2 tries")
    assert (drawn.low, drawn.high) == (0, 100)
    assert "−1.40 to 1.30" in drawn.told


@pytest.mark.parametrize("gain", [-0.25, 0.25])
def test_a_gain_without_an_interval_says_so(gain: float) -> None:
    drawn = dot(0.5, 0.5 + gain, None, "1 try")
    assert drawn.low == drawn.at == drawn.high
    assert "no interval" in drawn.told
