import pytest

from skillopt_sleep.pages.interval import dot


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
