"""The benchmark of recurrence sees what it is for: people whose true rate is known, and calls that are false."""

from itertools import islice
from statistics import fmean

import pytest

from bench.gate_figures import Count
from bench.recurrence import FOUND_WITHIN, WORLDS, Told, called, figures, fisher_says_fewer, told
from bench.recurrence_people import BEYOND, CHANGES, HELPED, NO_BETTER, TIMES, Lived, World, life

SILENT = Told(held=4, intervals=4, looks=4, fewer_at=None, fewer_at_any=None, fisher=False, known=30)
PEOPLE = 60


def _share(sessions: list[Lived]) -> float:
    came_up = [each for each in sessions if each.rate is not None]
    return sum(each.seen.corrected for each in came_up) / len(came_up)


@pytest.mark.parametrize("world", [HELPED, NO_BETTER[3], NO_BETTER[6]], ids=lambda world: world.title)
def test_the_share_corrected_is_the_rate_that_the_world_says(world: World) -> None:
    since = [each for seed in range(PEOPLE) for each in islice(life(world, "any", str(seed)).since, 400)]

    assert _share(since) == pytest.approx(world.since, abs=0.03)


def test_a_rule_is_adopted_while_corrections_are_frequent() -> None:
    lives = [life(NO_BETTER[1], "new", str(seed)) for seed in range(PEOPLE)]
    corrected = [sum(each.seen.corrected for each in person.before) for person in lives]

    assert min(corrected) >= TIMES[0]
    assert fmean(_share(list(person.before)) for person in lives) > NO_BETTER[1].before + 0.01


def test_all_sessions_since_began_after_the_adoption_in_order() -> None:
    person = life(HELPED, "lately", "1")
    since = [each.seen.began for each in islice(person.since, 100)]

    assert max(each.seen.began for each in person.before) < person.adopted < since[0]
    assert since == sorted(since)


def test_work_that_ends_leaves_nothing_to_correct() -> None:
    ends = NO_BETTER[-1]
    since = list(life(ends, "any", "1").since)

    assert ends.ends
    assert not any(each.seen.could_come_up or each.seen.corrected for each in since[-50:])


def test_what_is_recognised_amiss_is_in_some_worlds_only() -> None:
    drifts = {world.title: world for world in NO_BETTER}
    for title, overlooked, imagined in (
        ("comes up ever less", False, False),
        ("comes up ever less, both", True, True),
    ):
        since = list(islice(life(drifts[title], "any", "1").since, 600))
        assert any(each.rate is not None and not each.seen.could_come_up for each in since) is overlooked
        assert any(each.rate is None and each.seen.could_come_up for each in since) is imagined


def test_one_person_is_told_of_a_rule() -> None:
    one = told(life(HELPED, "any", "2"))

    assert one.looks == 4
    assert one.held <= one.intervals <= one.looks


def test_fisher_says_fewer_of_a_large_difference_only() -> None:
    assert fisher_says_fewer(Count(10, 40), Count(10, 200))
    assert not fisher_says_fewer(Count(10, 40), Count(50, 200))
    assert not fisher_says_fewer(Count(0, 0), Count(0, 200))


def test_the_worst_world_without_a_gain_is_the_false_calls() -> None:
    fewer = SILENT._replace(fewer_at=FOUND_WITHIN + 100)
    found = {world: {"any": [SILENT] * 4} for world in WORLDS}
    found[HELPED] = {"any": [SILENT._replace(fewer_at=30), fewer]}
    found[NO_BETTER[2]] = {"new": [fewer], "any": [SILENT] * 3}
    found[BEYOND[0]] = {"any": [fewer._replace(held=0)]}

    assert figures(found) == {"interval_holds": 1, "fewer_found": 0.5, "fewer_false": 0.25}
    assert called(found[NO_BETTER[2]]["new"], FOUND_WITHIN).hits == 0


def test_an_interval_that_misses_counts_in_every_world_but_those_beyond() -> None:
    found = {world: {"any": [SILENT._replace(held=2)]} for world in (*CHANGES, *NO_BETTER)}

    assert figures(found)["interval_holds"] == 0.5
