import random

import msgspec
import pytest

from skillopt_sleep.records import Split
from skillopt_sleep.trainer.envs.household import NOTHING, STATES, Game, Household
from skillopt_sleep.trainer.envs.text_worlds import TextWorlds

HOLDERS = {
    "desk 1": ("mug 1", "mug 2", "desklamp 1"),
    "fridge 1": (),
    "sinkbasin 1": (),
    "microwave 1": (),
    "shelf 1": (),
}
WON = {
    "pick_and_place_simple": ["go to desk 1", "take mug 1 from desk 1", "go to shelf 1", "put mug 1 in/on shelf 1"],
    "look_at_obj_in_light": ["go to desk 1", "take mug 1 from desk 1", "use desklamp 1"],
    "pick_clean_then_place_in_recep": [
        "go to desk 1", "take mug 1 from desk 1", "go to sinkbasin 1", "clean mug 1 with sinkbasin 1", "go to shelf 1", "move mug 1 to shelf 1",
    ],
    "pick_heat_then_place_in_recep": [
        "go to desk 1", "take mug 1 from desk 1", "go to microwave 1", "heat mug 1 with microwave 1", "go to shelf 1", "move mug 1 to shelf 1",
    ],
    "pick_cool_then_place_in_recep": [
        "go to desk 1", "take mug 1 from desk 1", "go to fridge 1", "cool mug 1 with fridge 1", "go to shelf 1", "move mug 1 to shelf 1",
    ],
    "pick_two_obj_and_place": [
        "go to desk 1", "take mug 1 from desk 1", "go to shelf 1", "move mug 1 to shelf 1",
        "go to desk 1", "take mug 2 from desk 1", "go to shelf 1", "move mug 2 to shelf 1",
    ],
}  # fmt: skip


def _house(kind: str = "pick_and_place_simple") -> Household:
    return Household(Game(kind=kind, thing="mug", place="shelf", holders=HOLDERS, closed=("fridge 1",)))


@pytest.mark.parametrize("kind", WON)
def test_every_kind_of_task_is_won_by_its_last_command_and_not_before(kind: str) -> None:
    house = _house(kind)
    house.reset()
    for number, command in enumerate(WON[kind], start=1):
        seen, scores, dones, infos = house.step([command])
        assert seen[0] != NOTHING, command
        last = number == len(WON[kind])
        assert (scores[0], dones[0], infos["won"][0]) == (float(last), last, last)


@pytest.mark.parametrize("kind", [kind for kind in WON if "then" in kind])
def test_a_thing_that_was_not_made_so_does_not_count(kind: str) -> None:
    house = _house(kind)
    assert not any(house.step([command])[3]["won"][0] for command in WON["pick_and_place_simple"])


@pytest.mark.parametrize(
    "command",
    [
        "take mug 1 from desk 1",
        "go to attic 1",
        "fly",
        "",
        "open desk 1",
        "use desklamp 1",
        "move mug 1 to shelf 1",
        "clean mug 1 with sinkbasin 1",
    ],
)
def test_an_impossible_command_does_nothing(command: str) -> None:
    assert _house().step([command])[0] == [NOTHING]


def test_what_is_shut_shows_nothing_until_it_is_opened() -> None:
    house = Household(
        Game(kind="look_at_obj_in_light", thing="egg", holders={"fridge 1": ("egg 1",)}, closed=("fridge 1",))
    )
    assert house.step(["Go to  Fridge 1"])[0] == ["You arrive at fridge 1. The fridge 1 is closed."]
    assert house.step(["take egg 1 from fridge 1"])[0] == [NOTHING]
    assert house.step(["open fridge 1"])[0] == ["You open the fridge 1. In it, you see a egg 1."]
    assert house.step(["take egg 1 from fridge 1"])[0] == ["You pick up the egg 1 from the fridge 1."]
    assert house.step(["inventory"])[0] == ["You are carrying: a egg 1."]
    assert house.step(["close fridge 1"])[0] == ["You close the fridge 1."]
    assert house.step(["move egg 1 to fridge 1"])[0] == [NOTHING]


def test_a_reset_puts_everything_back() -> None:
    house = _house()
    first = house.reset()
    for command in WON["pick_and_place_simple"]:
        house.step([command])
    assert house.reset() == first


def _games() -> list[tuple[str, Game]]:
    return [
        (item.id, msgspec.convert(item.data["row"], Game)) for split in Split for item in TextWorlds().items(split)
    ]


def _plan(game: Game) -> list[str]:
    """Return commands that win the game, from knowing where everything is."""

    def at(name: str) -> list[str]:
        return [f"go to {name}", *([f"open {name}"] if name in game.closed else [])]

    named = [(name, thing) for name, things in game.holders.items() for thing in things]
    wanted = [(name, thing) for name, thing in named if thing.startswith(f"{game.thing} ")]
    if game.kind == "look_at_obj_in_light":
        source, thing = wanted[0]
        lamp, light = next((name, one) for name, one in named if one.startswith("desklamp"))
        return [*at(source), f"take {thing} from {source}", *([] if lamp == source else at(lamp)), f"use {light}"]
    place = next(name for name in game.holders if name.startswith(f"{game.place} "))
    commands: list[str] = []
    for source, thing in wanted[: 2 if "two" in game.kind else 1]:
        commands += [*at(source), f"take {thing} from {source}"]
        for how, tool in STATES.items():
            if how in game.kind:
                commands += [*at(f"{tool} 1"), f"{how} {thing} with {tool} 1"]
        commands += [*at(place), f"move {thing} to {place}"]
    return commands


@pytest.mark.parametrize(("name", "game"), _games())
def test_every_game_of_the_sample_can_be_won(name: str, game: Game) -> None:
    house = Household(game)
    won = [house.step([command])[3]["won"][0] for command in _plan(game)]
    assert won == [False] * (len(won) - 1) + [True]


@pytest.mark.parametrize(("name", "game"), _games())
def test_every_command_that_is_named_does_something(name: str, game: Game) -> None:
    house, chance = Household(game), random.Random(name)
    commands = house.reset()[1]["admissible_commands"][0]
    for _ in range(200):
        seen, _, _, infos = house.step([chance.choice(commands)])
        assert seen[0] != NOTHING
        commands = infos["admissible_commands"][0]


@pytest.mark.parametrize(
    "row", [{"kind": "fly", "thing": "mug", "holders": {}}, {"kind": "pick_and_place_simple", "holders": {}}]
)
def test_an_impossible_game_is_refused(row: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(row, Game)
