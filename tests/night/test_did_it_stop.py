"""A night counts how often each adopted rule's lesson was corrected before and since, and tells what changed."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import Corrected, GateRule, NightReport, Recurrence
from skillopt_sleep.stores.bank import ADOPTED, UNDONE
from tests.builders import a_session
from tests.nights import ASKS, Machine
from tests.reporters.reports import render

ASK = ASKS[0]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which the rule of a lesson that came up in four sessions was adopted."""
    machine = Machine(tmp_path)
    machine.had(*range(4), ask=ASK)
    machine.night()
    decide(machine, ADOPTED)
    machine.clock.pass_by(days=2)
    return machine


def decide(machine: Machine, state: str) -> None:
    store = machine.store()
    assert store.bank.decide("P-0001", state, at=machine.clock(), leaving=("waiting", "adopted", "undone"))
    store.close()


def had(machine: Machine, *numbers: int, ask: str = ASK, **fields: object) -> None:
    """Sessions of the last hours in which nothing was corrected."""
    project = str(machine.project())
    for number in numbers:
        at = machine.clock() - timedelta(hours=20, minutes=number)
        own = {"project": project, "cwd": project} | fields
        machine.shelf.sessions.append(
            a_session(f"{ask} {number}", "Done.", id=f"claude_code:{number}", started=at, ended=at, **own)
        )


def counted(report: NightReport) -> tuple[Corrected, Corrected]:
    (one,) = report.found.recurrences
    return one.before, one.since


def test_a_night_without_an_adopted_rule_counts_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.had(*range(4))
    assert machine.night().found.recurrences == ()


def test_the_first_night_after_an_adoption_has_nothing_to_compare_with(machine: Machine) -> None:
    report = machine.night()
    assert counted(report) == (Corrected(times=4, sessions=4), Corrected())
    assert report.found.recurrences[0].change is None
    assert "Not seen since" in render(report, verbose=True)


def test_sessions_since_count_whether_they_were_corrected_or_not(machine: Machine) -> None:
    had(machine, 10, 11, 12)
    machine.had(20, ask=ASK)
    report = machine.night()
    assert counted(report)[1] == Corrected(times=1, sessions=4)
    (one,) = report.found.recurrences
    assert [piece.session for piece in one.again] == ["claude_code:shop-20"]
    assert (one.weeks[-1], sum(times for times, _ in one.weeks)) == ((1, 4), 5)


@pytest.mark.parametrize(
    "fields",
    [
        {"ask": "Draw a poster about whales"},
        {"project": "/elsewhere", "cwd": "/elsewhere"},
        {"source": "codex"},
    ],
)
def test_a_session_in_which_it_could_not_come_up_does_not_count(machine: Machine, fields: dict[str, str]) -> None:
    had(machine, 10, 11, **fields)
    assert counted(machine.night())[1].sessions == 0


def test_a_session_of_which_only_the_prompts_are_known_does_not_count(machine: Machine) -> None:
    had(machine, 10)
    at = machine.clock() - timedelta(hours=20)
    typed = a_session(ASK, id="claude_code:list", project=str(machine.project()), started=at, ended=at)
    machine.shelf.sessions.append(typed)
    assert counted(machine.night())[1].sessions == 1


def test_sessions_that_no_night_has_read_do_not_count(machine: Machine) -> None:
    had(machine, 10)
    at = machine.clock()
    machine.shelf.sessions[-1] = a_session(ASK, "Done.", project=str(machine.project()), started=at, ended=at)
    assert counted(machine.night())[1].sessions == 0  # it may still be going on


def test_the_morning_tells_of_a_lesson_that_came_up_again_with_the_words_and_what_to_do(machine: Machine) -> None:
    machine.had(20, said="no - we always use pnpm here, never npm!", ask=ASK)
    text = render(machine.night())
    assert "It came up again: corrected in 4 of 4 sessions before, 1 of 1 since (90 %" in text
    assert "skillopt-sleep undo P-0001" in text
    assert "never npm!" in text.partition("It came up again")[2]
    machine.clock.pass_by(days=1)
    had(machine, 30)
    report = machine.night()
    assert not report.found.recurrences[0].news  # nothing changed
    assert "It came up again" not in render(report)


def test_what_a_night_drafts_for_a_live_rule_that_was_corrected_says_so_with_the_words(machine: Machine) -> None:
    machine.had(20, 21, 22, said="no - we always use pnpm here, never npm!", ask=ASK)
    report = machine.night(gate=GateRule())
    assert [proposal.id for proposal in report.proposals] == ["P-0002"]
    text = render(report)
    assert "P-0001 is live, but corrected in 4 of 4 sessions before, 3 of 3 since" in text
    assert "take it back: `skillopt-sleep undo P-0001`" in text
    assert "never npm!" in text.partition("P-0001 is live")[0]


def test_it_stopped_only_once_enough_sessions_show_it(machine: Machine) -> None:
    had(machine, 10)
    machine.night()
    machine.clock.pass_by(days=1)
    had(machine, *range(40, 80))
    report = machine.night()
    (one,) = report.found.recurrences
    assert (one.fewer, one.news, one.since.times) == (True, True, 0)
    assert "It stopped: corrected in 4 of 4 sessions before, 0 of 41 since" in render(report)


def test_a_rule_that_was_taken_back_is_not_told_of(machine: Machine) -> None:
    had(machine, 10)
    machine.night()
    store = machine.store()
    assert list(store.recurrences())
    store.close()
    decide(machine, UNDONE)
    store = machine.store()
    assert store.recurrences() == {}
    store.close()


def test_what_is_kept_of_it_in_the_report_has_no_words_but_the_persons(machine: Machine) -> None:
    had(machine, 10, 11)
    (one,) = machine.night().found.recurrences
    assert b"Done." not in to_json(one)
    assert ASK.encode() not in to_json(one)
    assert isinstance(one, Recurrence)
