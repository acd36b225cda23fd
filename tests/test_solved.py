"""Attempts that did all that was asked are counted in whole numbers, or not at all."""

from skillopt_sleep.records import Pair, Solved, solved


def tried(task: str, sample: int, outcome: tuple[bool, bool] | None) -> Pair:
    return Pair(task=task, sample=sample, before=0.25, after=0.9, solved=outcome)


def test_attempts_are_counted_before_and_after_with_their_requests() -> None:
    pairs = [tried("a", 0, (False, True)), tried("a", 1, (True, True)), tried("b", 0, (False, False))]
    assert solved(pairs) == Solved(before=1, after=2, n=3, requests=2)


def test_one_request_that_tests_several_lessons_counts_once() -> None:
    pairs = [
        Pair(task=name, session=session, request="r1", sample=0, before=0, after=1, solved=(False, True))
        for name, session in [("a", "s1"), ("b", "s1"), ("c", "s2")]
    ]
    assert solved(pairs) == Solved(before=0, after=3, n=3, requests=2)


def test_nothing_is_counted_if_one_attempt_does_not_say_it() -> None:
    assert solved([tried("a", 0, (False, True)), tried("a", 1, None)]) is None
    assert solved([]) is None
