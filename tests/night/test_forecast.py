"""The upper bound of a night's calls, against what nights really ask."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.learning import rewrite
from skillopt_sleep.learning.gate import EARLY_ROUNDS
from skillopt_sleep.mining.calibration import PER_CALL
from skillopt_sleep.night.forecast import MOST_EDITS, forecast
from skillopt_sleep.records import GateRule, Purpose, Session
from tests.builders import a_session
from tests.nights import HARMFUL, NOTE, USELESS, Machine, a_plan
from tests.sweeps import thinned


def ahead(
    *sessions: Session, reviewed: int = 0, known: int = 0, waiting: int = 0, models: int = 1, **plan: Any
) -> dict[Purpose, int]:
    asked = forecast(
        sessions,
        reviewed=reviewed,
        known=known,
        waiting=waiting,
        models=models,
        plan=a_plan(**plan),
        proved=PER_CALL,
    )
    return dict(asked)


def test_nothing_to_read_asks_nothing() -> None:
    assert ahead() == {}


def test_a_session_of_one_request_can_hold_no_correction() -> None:
    assert ahead(a_session("do it", "done")) == {Purpose.PREFLIGHT: 1}


def test_each_model_is_asked_whether_it_answers_where_there_is_anything_to_read() -> None:
    assert ahead(a_session("do it", "done"), models=3) == {Purpose.PREFLIGHT: 3}
    assert ahead(models=3) == {}


def test_hand_written_tasks_alone_are_attempted_and_graded() -> None:
    found = ahead(reviewed=3)

    assert found[Purpose.ROLLOUT] >= 3 * 2
    assert Purpose.MINE not in found


def test_rules_mine_without_a_call() -> None:
    assert Purpose.MINE not in ahead(a_session("do it", "done", "no, use tabs"), heuristic=True)


def test_names_are_agreed_on_once_a_project() -> None:
    some = [a_session("do it", "done", "no, use tabs", id=f"s{n}", project=f"/{n // 2}") for n in range(3)]

    assert ahead(*some, heuristic=False)[Purpose.LESSONS] == 2
    assert Purpose.LESSONS not in ahead(*some, heuristic=True)


HISTORIES: dict[str, Callable[[Machine], None]] = {
    "two projects": lambda machine: (machine.had(0, 1, 2), machine.had(5, 6, said=HARMFUL, ask=NOTE, name="notes"))[
        0
    ],
    "one wish": lambda machine: machine.had(0, 1, 2, 3, 4),
    "words only": lambda machine: machine.had(0, 1, 2, 3, 4, 5, 6, said=USELESS),
}


@pytest.mark.parametrize("history", thinned(HISTORIES, every=2))
@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"heuristic": False},
        {"heuristic": False, "sessions_per_call": 1, "samples": 3},
        {"reflection": "deep", "minibatch": 1, "min_edit_budget": 1},
        {"reflection": "shallow", "samples": 2, "successes": True},
        {"mode": "rewrite", "candidates": 3, "augment": 2, "samples": 2},
        {"mode": "full_rewrite", "candidates": 2, "minibatch": 1},
        {"gate": GateRule()},
        {"gate": GateRule(), "mode": "rewrite", "slow_every": 1},
    ],
)
def test_no_night_asks_more_often_for_anything(tmp_path: Path, history: str, plan: dict[str, Any]) -> None:
    machine = Machine(tmp_path)
    HISTORIES[history](machine)
    most = ahead(*machine.shelf.sessions, **plan)

    asked = machine.night(**plan).spend.purposes

    assert asked
    assert all(count <= most.get(Purpose(purpose), 0) for purpose, count in asked.items()), (asked, most)


def test_every_candidate_that_waits_may_be_asked_about_too() -> None:
    none, one, two = (ahead(reviewed=3, waiting=count, gate=GateRule())[Purpose.ROLLOUT] for count in (0, 1, 2))

    assert one - none == 3 * EARLY_ROUNDS
    # If both are proven they are tried as one.
    assert two - one == 3 * 3 * EARLY_ROUNDS


def test_as_many_edits_are_foreseen_as_a_rewritten_text_becomes() -> None:
    assert MOST_EDITS == rewrite.MOST_EDITS
