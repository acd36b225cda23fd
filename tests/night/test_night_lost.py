"""Corrections that were lost before anybody could know whether they recur are told as that, and so is a quiet night."""

import json
from pathlib import Path

from skillopt_sleep.records import Outcome, Purpose
from tests.night.test_night_explained import FOUND, Answering, diagnosed
from tests.nights import USELESS, Machine, Watcher


def test_a_miner_that_finds_nothing_makes_no_night_worse_than_rules(tmp_path: Path) -> None:
    home = Machine(tmp_path, model=Watcher(Answering({Purpose.MINE: '{"lessons": []}'})))
    home.had(*FOUND)
    report = home.night(heuristic=False)
    assert report.verdict is Outcome.IMPROVED
    assert report.found.corrections.counts == {"proposed": 4}


def test_no_session_since_the_last_night(tmp_path: Path) -> None:
    home = Machine(tmp_path)
    home.had(*FOUND)
    home.night()
    home.clock.pass_by(days=1)
    said = diagnosed(home.night())
    assert said["because"] == "there are no new sessions: all 4 were read by earlier nights"
    assert "run --again" in said["remedy"]


def test_more_tasks_than_a_night_takes(tmp_path: Path) -> None:
    home = Machine(tmp_path)
    home.had(*FOUND)
    said = diagnosed(home.night(max_tasks=1))
    assert said["found"]["corrections"]["counts"]["not_reached"] == 3
    assert "3 × not decided yet; another night goes on with it" in said["because"]
    assert "mine.max_tasks" in said["found"]["corrections"]["listed"][-1]["because"]
    assert "run again" in said["remedy"]


def test_a_miner_that_makes_words_up(tmp_path: Path) -> None:
    lesson = {"lesson": "Use deno", "quotes": ["use deno"]}
    home = Machine(tmp_path, model=Watcher(Answering({Purpose.MINE: json.dumps({"lessons": [lesson]})})))
    home.had(0, said=USELESS)
    said = diagnosed(home.night(heuristic=False))
    (correction,) = [one for one in said["found"]["corrections"]["listed"] if one["became"] == "unused"]
    assert correction["quote"] == "use deno"
    assert "in your own words" in correction["because"]
    assert said["found"]["sessions"]["used"] == 1
