"""The upper bound of a night's calls, against what nights really ask."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.backends.replies import decoded
from skillopt_sleep.example.miner import ShownTurn, read_sessions
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.learning.harm import MOST_ATTEMPTS
from skillopt_sleep.mining.calibration import PER_CALL
from skillopt_sleep.night.forecast import forecast
from skillopt_sleep.records import Completion, GateRule, Prompt, Purpose, Session, Task, ToolEvent
from tests.builders import a_session, a_task
from tests.nights import ASKS, HARMFUL, NOTE, USEFUL, USELESS, Machine, Watcher, a_plan
from tests.sweeps import thinned


def ahead(
    *sessions: Session,
    reviewed: int = 0,
    known: Sequence[Task] = (),
    waiting: int = 0,
    models: int = 1,
    again: int = 0,
    **plan: Any,
) -> dict[Purpose, int]:
    asked = forecast(
        sessions,
        reviewed=reviewed,
        known=known,
        waiting=waiting,
        models=models,
        plan=a_plan(**plan),
        proved=PER_CALL,
        again=again,
    )
    return dict(asked)


def test_nothing_to_read_asks_nothing() -> None:
    assert ahead() == {}


def test_a_session_of_one_request_without_lasting_words_or_deeds_holds_no_lesson() -> None:
    assert ahead(a_session("do it", "done")) == {Purpose.PREFLIGHT: 1}


def test_each_model_is_asked_whether_it_answers_where_there_is_anything_to_read() -> None:
    assert ahead(a_session("do it", "done"), models=3) == {Purpose.PREFLIGHT: 3}
    assert ahead(models=3) == {}


def test_hand_written_tasks_alone_are_attempted_and_graded() -> None:
    found = ahead(reviewed=3)

    assert found[Purpose.ROLLOUT] >= 3 * 2
    assert Purpose.MINE not in found


def test_a_rule_that_is_tested_again_takes_calls_without_a_session() -> None:
    known = [a_task(id="t1"), a_task(id="t2")]
    once, twice = ahead(known=known, again=1), ahead(known=known, again=2)

    assert once[Purpose.PREFLIGHT] == 1
    assert 0 < once[Purpose.ROLLOUT] < twice[Purpose.ROLLOUT]
    assert ahead(known=known) == {}


def test_rules_mine_without_a_call() -> None:
    assert Purpose.MINE not in ahead(a_session("do it", "done", "no, use tabs"), heuristic=True)


def test_names_are_agreed_on_once_a_project_and_once_over_all() -> None:
    some = [a_session("do it", "done", "no, use tabs", id=f"s{n}", project=f"/{n // 2}") for n in range(3)]

    assert ahead(*some, heuristic=False)[Purpose.LESSONS] == 2 + 1, "and once for all"
    assert Purpose.LESSONS not in ahead(*some, heuristic=True)


def test_the_skills_that_sessions_used_are_documents_of_their_own() -> None:
    some = [a_session("do it", "done", "no, use tabs", id=name, skills=(name,)) for name in ("release", "review")]

    assert ahead(*some, slow_every=1)[Purpose.SLOW_UPDATE] == 3


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
        {"mode": "rewrite", "augment": 2, "samples": 2},
        {"mode": "full_rewrite", "minibatch": 1},
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


class Greedy:
    """A miner that makes as many tasks of every turn and deed as the person's words give names for."""

    def __init__(self) -> None:
        self._others = SimulatedBackend(forgets=0.0)

    def complete(self, prompt: Prompt) -> Completion:
        if prompt.purpose is not Purpose.MINE:
            return self._others.complete(prompt)
        lessons: list[Mapping[str, object]] = []
        for session in read_sessions(prompt.text):
            lessons += _all_of(session)
        return decoded(prompt, Completion(text=to_json({"lessons": lessons}).decode(), model="greedy"))


def _all_of(session: Sequence[ShownTurn]) -> Iterator[Mapping[str, object]]:
    typed = [turn.text for turn in session if turn.by == "person" and turn.text]
    for said in typed:
        names = itertools.islice(itertools.permutations(dict.fromkeys(said.split()), 2), 20)
        for name in names:
            yield {"lesson": " ".join(name), "quotes": [said.rpartition(". ")[2]]}
    for turn in session:
        for mark in turn.deeds:
            for name in ("rm", "ask me", "never run that", "stop"):
                yield {"lesson": name, "quotes": [mark]}


THREE_WISHES = "Never use tabs. Always sign off each commit. Use pnpm for the packages"
LASTING = "From now on, sign off each commit"
REJECTED = (ToolEvent(name="Bash", turn=0, brief="rm -rf build", rejected=True),)
SAID: dict[str, tuple[tuple[str, ...], Mapping[str, Any]]] = {
    "only a request": ((ASKS[0], "Done."), {}),
    "only a deed": ((ASKS[0], "Done."), {"tools": REJECTED}),
    "a lasting sentence": ((f"{ASKS[0].capitalize()}. {LASTING}", "Done."), {}),
    "a lasting sentence alone": ((LASTING, "Done."), {}),
    "three wishes in one turn": ((ASKS[0], "Done.", THREE_WISHES), {}),
    "a correction and a deed": ((ASKS[0], "Done.", USEFUL), {"tools": REJECTED}),
}


def had(machine: Machine, *kinds: str) -> None:
    """A session of each kind, all in one project."""
    machine.had(*range(len(kinds)))
    for number, kind in enumerate(kinds):
        turns, fields = SAID[kind]
        held = machine.shelf.sessions[number]
        machine.shelf.sessions[number] = replace(held, turns=a_session(*turns).turns, **fields)


@pytest.mark.parametrize("kinds", thinned([tuple(SAID), tuple(SAID) * 2, *[(kind,) for kind in SAID]], every=4))
@pytest.mark.parametrize("sessions_per_call", [1, 5])
@pytest.mark.slow
def test_a_miner_that_finds_all_it_can_asks_no_more_often(
    tmp_path: Path, kinds: tuple[str, ...], sessions_per_call: int
) -> None:
    machine = Machine(tmp_path, Watcher(Greedy()))
    had(machine, *kinds)
    plan: dict[str, Any] = {"heuristic": False, "sessions_per_call": sessions_per_call}
    most = ahead(*machine.shelf.sessions, **plan)

    asked = machine.night(calls=5_000, **plan).spend.purposes

    assert all(count <= most.get(Purpose(purpose), 0) for purpose, count in asked.items()), (asked, most)
    assert (Purpose.MINE in asked) is (set(kinds) != {"only a request"})


def test_every_candidate_that_waits_may_be_asked_about_too() -> None:
    none, one, two = (ahead(reviewed=3, waiting=count, gate=GateRule())[Purpose.ROLLOUT] for count in (0, 1, 2))

    assert one - none == 3 * 2 * MOST_ATTEMPTS
    # If both are proven they are tried as one.
    assert two - one == 2 * (one - none)
