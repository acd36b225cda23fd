"""Each trial has samples of its own."""

from skillopt_sleep.learning.afterwards import FRESH
from skillopt_sleep.learning.samples import BLOCK, block


def test_the_same_trial_has_the_same_samples_and_another_one_others() -> None:
    first = block("bundle", "old", "new")

    assert first == block("bundle", "old", "new")
    assert (
        len({first, block("part", "old", "new"), block("bundle", "new", "old"), block("bundle", "oldnew", "")}) == 4
    )


def test_a_block_begins_at_a_round_and_ends_before_the_round_after_an_acceptance() -> None:
    for n in range(500):
        first = block("bundle", "old", str(n))
        assert first % BLOCK == 0
        assert 0 <= first <= FRESH - BLOCK
