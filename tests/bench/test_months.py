"""The benchmark of months sees what it is for: a person whose wishes change, and documents that are wrong in the end."""

import random
from typing import Any

from bench.months import figures
from bench.months_nights import Month, month
from bench.months_world import (
    AGAINST,
    BOTH,
    CHANGED,
    MATTERS,
    NIGHTS,
    UNDER,
    WISHES,
    WITHOUT,
    MonthWorld,
    Person,
    Wish,
    Writes,
    chance,
    wish_of,
)
from skillopt_sleep.records import Prompt, Purpose
from tests.builders import a_document

GOOD = Month(right=8, stale=0, useless=0, proposed=8, useless_proposed=0, removals=0, calls=2000)


def test_some_of_the_wishes_change_in_mid_course() -> None:
    person = Person(random.Random(1))
    first = [person.wish(matter, 0).version for matter in range(MATTERS)]
    last = [person.wish(matter, NIGHTS).version for matter in range(MATTERS)]

    assert (sum(first), sum(last)) == (0, CHANGED)


def test_what_is_taken_back_ends_only_once_the_new_wish_came_up() -> None:
    person = Person(random.Random(2))
    tasks = [task for night in range(NIGHTS) for task in person.asked(night, a_document())]

    assert person.ended == {task.wanted.takes_back for task in tasks if task.wanted.takes_back}
    assert all(wish_of(name).version == 0 for name in person.ended)
    assert all(wish_of(task.lesson).version == 1 for task in tasks if task.wanted.takes_back)


def test_an_attempt_follows_the_rules_it_is_given() -> None:
    wish = Wish(0, 1)
    old, new = WISHES[0]

    assert [chance(wish, text) for text in ("", old, new, f"{old}\n{new}")] == [WITHOUT, AGAINST, UNDER, BOTH]


def reflected(writes: Writes, instructions: str) -> list[dict[str, object]]:
    """What an optimizer that is right says to two attempts, of which the later wish holds."""
    world = MonthWorld(random.Random(3), writes, 3)
    shown = "## Attempt 1\nof matter 0, wish 0.\n## Attempt 2\nof matter 0, wish 1."
    history = f"- no gain seen: {WISHES[0][1]}"
    text = f"# Editable part of the instructions\n{instructions}\n# Edits that were tried\n{history}\n# Attempts\n{shown}"
    answer: Any = world.answers()[Purpose.REFLECT]
    found: list[Any] = [answer(Prompt(purpose=Purpose.REFLECT, text=text))["edits"] for _ in "12345"]
    rules = {rule for wishes in WISHES for rule in wishes}
    return [edit for edits in found for edit in edits if edit["content"] in rules or writes == "nothing"]


def test_the_optimizers_write_as_their_names_say() -> None:
    old, new = WISHES[0]

    assert {(edit["op"], edit.get("target"), edit["content"]) for edit in reflected("replace", old)} == {
        ("replace", old, new)
    }
    assert {(edit["op"], edit["content"]) for edit in reflected("append", old)} == {("append", new)}
    assert not {edit["content"] for edit in reflected("nothing", old)}.intersection({old, new})


def test_the_worse_of_both_optimizers_is_the_figure() -> None:
    bad = GOOD._replace(right=4, stale=2, useless_proposed=2)
    claimed = figures({"replace": [GOOD] * 2, "append": [bad] * 2, "nothing": [GOOD]})

    assert claimed == {"lessons_right": 4, "useless_share": 4 / 32, "stale_rules": 2}


def test_a_month_is_the_same_for_the_same_seed_and_lessons_are_learned() -> None:
    first = month("replace", 1, nights=20)

    assert month("replace", 1, nights=20) == first
    assert first.proposed >= 1
