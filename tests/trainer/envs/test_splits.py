from hypothesis import given, strategies as st

from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.envs.reading import by_ratio


@given(st.integers(0, 60), st.tuples(*[st.integers(0, 9)] * 3).filter(any))
def test_a_cut_loses_nothing_and_is_off_by_less_than_one(total: int, ratio: tuple[int, int, int]) -> None:
    sides = by_ratio([Item(id=str(n), text=str(n)) for n in range(total)], ratio, seed=0)
    assert sum(len(side) for side in sides.values()) == total
    for part, side in zip(ratio, sides.values(), strict=True):
        assert abs(len(side) - total * part / sum(ratio)) < 1


def test_equal_texts_stay_on_one_side() -> None:
    items = [Item(id=str(n), text=f"question {n % 4}") for n in range(40)]
    for side in by_ratio(items, (1, 1, 2), seed=3).values():
        assert len(side) == 10 * len({item.text for item in side})
