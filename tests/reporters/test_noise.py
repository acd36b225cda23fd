"""The noise floor is how far grades of one request without a change lie apart, and says of how many attempts."""

import random
import statistics

from hypothesis import given, strategies as st
from msgspec.structs import replace

from skillopt_sleep.records import CandidateKind, Decision, Judged, Pair, StepOutcome, Trial, Verdict
from skillopt_sleep.reporters.noise import in_words, noise_floor
from tests.builders import an_edit, an_outcome

grades = st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), max_size=5)


def an_outcome_of(before: list[list[float]]) -> StepOutcome:
    pairs = tuple(
        Pair(task=f"v{task}", session="s", sample=sample, before=grade, after=1.0)
        for task, samples in enumerate(before)
        for sample, grade in enumerate(samples)
    )
    verdict = Verdict(decision=Decision.REJECT, reason="so it was")
    tested = Judged(kind=CandidateKind.RULE, edits=(an_edit(),), trial=Trial(pairs=pairs), verdict=verdict)
    return an_outcome(tested=(tested,))


@given(grades)
def test_it_counts_only_what_was_repeated_and_looks_at_baselines_only(before: list[list[float]]) -> None:
    found = noise_floor([an_outcome_of(before)])

    repeated = [samples for samples in before if len(samples) > 1]
    if not repeated:
        assert found is None
        assert in_words(found) == ""
        return
    assert found is not None
    assert (found.n, found.tasks) == (sum(map(len, repeated)), len(repeated))
    assert 0 <= found.spread <= 1
    assert f"n={found.n}" in in_words(found) or f"All {found.n}" in in_words(found)


def test_differences_between_tasks_are_no_noise() -> None:
    found = noise_floor([an_outcome_of([[0.0, 0.0], [1.0, 1.0]])])

    assert found is not None
    assert found.spread == 0.0


def test_it_finds_the_noise_of_a_judge() -> None:
    draw = random.Random(1)
    before = [[float(draw.random() < 0.5) for _ in range(8)] for _ in range(200)]

    found = noise_floor([an_outcome_of(before)])

    assert found is not None
    assert abs(found.spread - statistics.pstdev([0, 1])) < 0.02


def test_two_documents_are_put_together() -> None:
    one = an_outcome_of([[0.0, 1.0]])
    other = replace(one, document=replace(one.document, id="other"))

    found = noise_floor([one, other])

    assert found is not None
    assert (found.n, found.tasks) == (4, 2)
