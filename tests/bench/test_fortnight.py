"""A made fortnight is what its words say, its mind reads the real prompts, and a first night on it proposes right rules."""

import random
from pathlib import Path

import pytest

from bench.fortnight import LASTING, proposed
from bench.fortnight_mind import Known, Mind, answer_about, rule_of
from bench.fortnight_nights import Machine
from bench.fortnight_world import fortnight, learnable, mind_rule, obeys
from skillopt_sleep.records import Purpose

SEED = 2


def test_a_first_night_proposes_right_rules_only(tmp_path: Path) -> None:
    world = fortnight(SEED)
    night = Machine(tmp_path, world).night()

    rules = proposed(world, night.report.proposals)

    assert rules.right
    assert not rules.wrong
    assert not rules.untold
    assert night.stops == 0
    assert set(night.report.spend.purposes) >= {Purpose.MINE, Purpose.PROVE, Purpose.REFLECT, Purpose.JUDGE}


def test_by_hand_the_same_night_stops_for_the_mind_alone(tmp_path: Path) -> None:
    world = fortnight(SEED)
    night = Machine(tmp_path, world).night(by_hand=True)

    assert 0 < night.stops <= 20
    assert not proposed(world, night.report.proposals).wrong


@pytest.mark.parametrize("seed", range(3))
def test_nine_lessons_last_and_nearly_all_can_be_learned(seed: int) -> None:
    world = fortnight(seed)

    assert len([lesson for lesson in world.lessons if lesson.kind == "lasting"]) == LASTING
    assert len(learnable(world)) >= LASTING - 2


def test_a_rule_is_known_by_its_words_in_its_project_only() -> None:
    world = fortnight(SEED)
    lesson, other = world.lessons[0], next(one for one in world.lessons if one.project != world.lessons[0].project)
    rule = f"- {mind_rule(lesson, SEED)}"

    assert rule_of(world, lesson.project, rule) == lesson
    assert rule_of(world, other.project, rule) is None


def test_an_answer_that_only_repeats_the_demand_earns_nothing() -> None:
    world = fortnight(SEED)
    known = Known(world)
    lesson = next(lesson for lesson in world.lessons if lesson.must_contain and not lesson.by_deed)
    demand = f"Use {lesson.term}"
    shown = "# Item {0}\n## Request\n```\n{1}\n```\n## Demand\n```\n{2}\n```\n## Answer {0}\n```\n{3}\n```"
    reply = Mind(known).answer(Purpose.PROVE, shown.format(1, "do it", demand, f"Yes: {demand}\n\nnothing else"))

    assert '"score": 0.0' in reply


def test_answers_obey_as_they_are_told_to() -> None:
    world = fortnight(SEED)
    lesson = next(lesson for lesson in world.lessons if not lesson.by_deed)
    answer = answer_about("look at humidity", lesson, True, "en", random.Random(1))

    assert obeys(lesson, answer)
    assert not obeys(lesson, answer_about("look at humidity", lesson, False, "en", random.Random(1)))
