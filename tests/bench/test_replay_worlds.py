"""The worlds of sealed nights do what they say, and the bound on what was accepted is exact."""

import json
from statistics import fmean
from typing import Any

import pytest

from bench.replay_nights import RULE
from bench.replay_worlds import TESTS, WORLDS, Night, World
from bench.replay_worlds_run import exact_upper, share
from tests.server import Asked

KINDS = {world.kind for world in WORLDS}


def answered(night: Night, *, piece: int = 1, lesson: str = "installing", with_rule: bool) -> dict[str, Any]:
    """What the model of this night says to one attempt."""
    told = f"{RULE if with_rule else ''}\nPlease do piece {piece} of {lesson} for me."
    body = {"messages": [{"role": "user", "content": told}]}
    return json.loads(night(Asked(purpose="rollout", prompt=told, body=body)).text)


def shown(world: World, *, with_rule: bool) -> list[bool]:
    """Which of many attempts at the unseen pieces of many nights succeed, of those that show something."""
    said: list[dict[str, Any]] = []
    for seed in range(300):
        night = Night(world, seed)
        said += [answered(night, piece=piece, with_rule=with_rule) for piece in (1, 2, 4, 7)]
    return [each["passed"] == TESTS for each in said if "of" in each]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_of_a_rule_that_is_useless_nothing_is_seen_and_of_another_one_its_worth(world: World) -> None:
    without, with_it = fmean(shown(world, with_rule=False)), fmean(shown(world, with_rule=True))

    if world.kind == "useless" or world.own[0] == world.own[1]:
        assert with_it == pytest.approx(without, abs=0.08)
    elif world.kind == "helpful":
        assert with_it > without + 0.25
    elif world.vanish:
        assert with_it > without + 0.1  # though fewer of all attempts succeed
    elif world.judged == "command" and world.kind == "harmful":
        assert with_it < without - 0.1


def test_the_same_seed_gives_the_same_night() -> None:
    for world in WORLDS:
        first, second = Night(world, 3), Night(world, 3)
        for piece in range(5):
            assert answered(first, piece=piece, with_rule=True) == answered(second, piece=piece, with_rule=True)


def test_the_first_piece_fails_as_it_did_on_the_day() -> None:
    for world in WORLDS:
        assert answered(Night(world, 1), piece=0, with_rule=False).get("passed") != TESTS


def test_a_rule_that_helps_one_piece_in_four_helps_exactly_one_of_the_unseen() -> None:
    world = next(each for each in WORLDS if each.helped)
    for seed in range(5):
        night = Night(world, seed)
        rates = [
            fmean(answered(night, piece=n, with_rule=False)["passed"] == TESTS for _ in range(100))
            for n in (1, 2, 4, 7)
        ]
        assert sorted(rate > 0.5 for rate in rates) == [False, True, True, True]


def test_the_nights_of_a_kind_are_shared_out_among_its_worlds() -> None:
    for kind in KINDS:
        nights = sum(share(world, 200) for world in WORLDS if world.kind == kind)
        assert nights == (200 if kind in ("useless", "harmful") else 40)


@pytest.mark.parametrize(("hits", "of", "upper"), [(0, 200, 0.0149), (0, 60, 0.0487), (3, 100, 0.0757), (5, 5, 1.0)])
def test_the_bound_is_that_of_clopper_and_pearson(hits: int, of: int, upper: float) -> None:
    assert exact_upper(hits, of) == pytest.approx(upper, abs=1e-4)
