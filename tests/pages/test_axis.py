from hypothesis import given, strategies as st

from skillopt_sleep.pages.axis import Scale, ticks


@given(st.floats(-100, 10_000), st.floats(0.001, 100_000), st.integers(2, 8))
def test_ticks_are_few_and_within_the_range(low: float, span: float, most: int) -> None:
    found = ticks(low, low + span, most)
    assert 1 <= len(found) <= most
    assert found == sorted(found)
    assert all(low - span / 1e6 <= at <= low + span * (1 + 1e-6) for at in found[1:])


def test_a_scale_is_in_percent() -> None:
    assert Scale(low=2, high=4).share(3) == 50
