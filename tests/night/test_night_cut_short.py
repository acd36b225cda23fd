"""Nights that are cut short: an outage, a budget, a stop or a crash costs no session and no call twice."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import (
    BackendUnavailable,
    BudgetExhausted,
    CallFailed,
    FailureKind,
    NightError,
    NightLocked,
)
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.records import (
    Outcome,
    Prompt,
    Purpose,
    Task,
)
from tests.nights import ASKS, Machine, NothingExcluded, first_time
from tests.sweeps import thinned

GONE = CallFailed(FailureKind.TIMED_OUT, "no answer in time", remedy="try again later")


class Without(NothingExcluded):
    """Leaves one project out."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __call__(self, project: str, cwd: str) -> bool:
        return Path(project).name == self.name


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def everything(machine: Machine) -> list[str]:
    return sorted(session.id for session in machine.shelf.sessions)


def banked(machine: Machine) -> tuple[Task, ...]:
    store = machine.store()
    tasks = store.bank.all_tasks()
    store.close()
    return tasks


def after(calls: int) -> Callable[[Prompt], bool]:
    """True from the call after so many on."""
    seen = [0]

    def late(_prompt: Prompt) -> bool:
        seen[0] += 1
        return seen[0] > calls

    return late


# outages ------------------------------------------------------------------------------------------------


OUTAGES: dict[str, Callable[[Prompt], bool]] = {
    "from the start": lambda prompt: True,
    "at the preflight": lambda prompt: prompt.purpose is Purpose.PREFLIGHT,
    "while mining": lambda prompt: prompt.purpose is Purpose.MINE,
    "after the preflight": lambda prompt: prompt.purpose is not Purpose.PREFLIGHT,
    "in the trials": after(4),
}


@pytest.mark.parametrize("out", OUTAGES.values(), ids=OUTAGES)
def test_an_outage_leaves_the_sessions_unread_and_the_next_healthy_night_reads_them_all(
    machine: Machine, out: Callable[[Prompt], bool]
) -> None:
    machine.had(0, 1, 2, 3, 4, 5)
    machine.model.fails = lambda prompt: GONE if out(prompt) else None

    report = machine.night(heuristic=False, sessions_per_call=1)

    assert report.verdict is Outcome.BACKEND_FAILED
    assert report.because
    assert report.remedy
    assert machine.unread() == everything(machine)
    assert banked(machine) == ()

    machine.model.fails = lambda prompt: None
    healthy = machine.night(heuristic=False, sessions_per_call=1)
    assert (healthy.verdict, healthy.found.sessions.used) == (Outcome.IMPROVED, 6)
    assert machine.unread() == []


def test_a_refused_key_asks_for_a_login(machine: Machine) -> None:
    machine.had(0, 1)
    machine.model.fails = lambda prompt: CallFailed(FailureKind.LOGIN, "the key was refused", remedy="check the key")

    report = machine.night()

    assert (report.verdict, report.run.login_needed) == (Outcome.BACKEND_FAILED, True)
    assert report.remedy == "check the key"


def test_a_model_that_never_answers_in_json_is_a_failed_backend(machine: Machine) -> None:
    machine.had(0, 1)
    machine.model.fails = lambda prompt: CallFailed(FailureKind.MALFORMED, "no JSON") if prompt.schema else None

    report = machine.night(heuristic=False)

    assert report.verdict is Outcome.BACKEND_FAILED
    assert "structured repl" in report.because
    assert machine.unread() == everything(machine)


def test_a_session_whose_mining_call_failed_stays_unread_and_the_others_are_read(machine: Machine) -> None:
    machine.had(0, 1, 2)
    machine.model.fails = first_time(GONE, Purpose.MINE, ASKS[1])

    report = machine.night(heuristic=False, sessions_per_call=1)

    assert report.verdict is Outcome.IMPROVED
    assert machine.unread() == ["claude_code:shop-1"]
    (note,) = report.errors
    assert note.stage == "mine"
    assert "no answer in time" in note.summary

    again = machine.night(heuristic=False, sessions_per_call=1)
    assert (again.found.sessions.used, machine.unread()) == (1, [])
    assert {task.session for task in banked(machine)} == set(everything(machine))


def test_where_no_reflection_came_back_the_sessions_stay_unread(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    machine.model.fails = lambda prompt: GONE if prompt.purpose is Purpose.REFLECT else None
    asked = machine.model.asked

    report = machine.night(heuristic=False)

    assert report.documents[0].sessions.unfinished
    assert len(asked(Purpose.REFLECT)) == 1
    assert machine.unread() == everything(machine)
    machine.model.fails = lambda prompt: None
    assert machine.night(heuristic=False).verdict is Outcome.IMPROVED


# the budget ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("calls", [1, 2, 4, 5])
def test_a_night_never_makes_more_calls_than_its_budget_and_leaves_the_sessions_unread(
    machine: Machine, calls: int
) -> None:
    machine.had(0, 1, 2, 3)

    report = machine.night(calls=calls)

    assert report.verdict is Outcome.OVER_BUDGET
    assert f"limit of {calls} calls" in report.because or "too few calls" in report.because
    assert len(machine.model.prompts) == report.spend.calls <= calls
    assert machine.unread() == everything(machine)


@pytest.mark.parametrize("end", [BudgetExhausted, BackendUnavailable])
@pytest.mark.parametrize("calls", thinned(range(14, 22), every=2))
def test_of_two_documents_what_is_proven_when_a_night_ends_is_staged_and_the_other_is_gone_on_with(
    machine: Machine, end: type[NightError], calls: int
) -> None:
    machine.had(0, 1, 2, 3)
    machine.had(0, 1, 2, 3, name="api")
    late = after(calls)
    machine.model.fails = lambda prompt: end("at its end") if late(prompt) else None

    report = machine.night(pool=ThreadPool(1, lambda label, done, of: None))

    improved = [outcome for outcome in report.documents if outcome.outcome is Outcome.IMPROVED]
    assert len(report.proposals) == len(improved) >= 1
    cut = Outcome.OVER_BUDGET if end is BudgetExhausted else Outcome.BACKEND_FAILED
    assert report.verdict is (Outcome.IMPROVED if len(improved) == 2 else cut)
    answered = [(prompt.purpose, prompt.text, prompt.sample) for prompt in machine.model.prompts[:calls]]
    asked = len(machine.model.prompts)
    machine.model.fails = lambda prompt: None
    again = machine.night()
    later = [(prompt.purpose, prompt.text, prompt.sample) for prompt in machine.model.prompts[asked:]]
    assert len(improved) + len(again.proposals) == 2
    assert machine.unread() == []
    assert not set(answered) & set(later)


def test_after_a_night_over_budget_no_completed_call_is_asked_again(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    machine.night(calls=5)
    before = [(prompt.purpose, prompt.text, prompt.sample) for prompt in machine.model.prompts]

    report = machine.night()

    later = [(prompt.purpose, prompt.text, prompt.sample) for prompt in machine.model.prompts[len(before) :]]
    assert report.verdict is Outcome.IMPROVED
    assert not set(before) & set(later)


def test_what_a_night_cut_short_has_drawn_counts_another_day_and_a_night_that_ended_draws_anew(
    machine: Machine,
) -> None:
    machine.had(0, 1, 2, 3)
    machine.night(calls=5)
    first = {prompt.text for prompt in machine.model.asked(Purpose.ROLLOUT)}
    machine.clock.pass_by(days=1)
    machine.night()
    both = [prompt.text for prompt in machine.model.asked(Purpose.ROLLOUT)]
    again = Machine(machine.folder / "whole")
    again.had(0, 1, 2, 3)
    again.night()
    whole = [prompt.text for prompt in again.model.asked(Purpose.ROLLOUT)]

    assert first
    assert sorted(both) == sorted(whole)


# interrupted and killed ---------------------------------------------------------------------------------


def test_a_night_that_is_stopped_is_interrupted_and_leaves_the_sessions_unread(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    late = after(3)
    machine.model.fails = lambda prompt: KeyboardInterrupt() if late(prompt) else None

    report = machine.night()

    assert report.verdict is Outcome.INTERRUPTED
    assert "stopped" in report.because
    assert machine.unread() == everything(machine)
    assert (Path(report.run.folder) / "report.md").exists()
    machine.model.fails = lambda prompt: None
    assert machine.night().verdict is Outcome.IMPROVED


def crash(machine: Machine, *, calls: int, **night: Any) -> None:
    """A night that dies of a bug after so many calls, as a killed process would leave it."""
    late = after(calls)
    machine.model.fails = lambda prompt: ZeroDivisionError() if late(prompt) else None
    with pytest.raises(ZeroDivisionError):
        machine.night(**night)
    machine.model.fails = lambda prompt: None


@pytest.mark.parametrize("calls", range(1, 9))
def test_a_night_that_died_anywhere_goes_on_and_asks_no_completed_call_again(machine: Machine, calls: int) -> None:
    machine.had(0, 1, 2, 3)
    crash(machine, calls=calls, heuristic=False)
    completed = [(prompt.purpose, prompt.text, prompt.sample) for prompt in machine.model.prompts[:calls]]

    report = machine.night(heuristic=False)

    later = [(prompt.purpose, prompt.text, prompt.sample) for prompt in machine.model.prompts[calls + 1 :]]
    assert (report.verdict, report.run.resumed) == (Outcome.IMPROVED, True)
    assert not set(completed) & set(later)
    assert report.spend.calls == len(machine.model.prompts)
    assert len(report.proposals) == 1


def test_a_night_that_goes_on_ends_as_one_that_was_never_cut_off(tmp_path: Path) -> None:
    whole, cut = Machine(tmp_path / "whole"), Machine(tmp_path / "cut")
    for machine in (whole, cut):
        machine.had(0, 1, 2, 3)
    crash(cut, calls=5)

    one, other = whole.night(), cut.night()

    assert [d.trial for d in one.documents] == [d.trial for d in other.documents]
    assert [d.fresh for d in one.documents] == [d.fresh for d in other.documents]
    assert one.documents[0].fresh.n > 0
    assert [[a.edit.content for a in d.tried.edits] for d in one.documents] == [
        [a.edit.content for a in d.tried.edits] for d in other.documents
    ]
    assert one.night == other.night


def test_sessions_that_arrive_while_a_night_lies_dead_wait_for_the_next_one(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    crash(machine, calls=4)
    machine.had(4)

    assert machine.night().found.sessions.used == 4
    assert machine.unread() == []
    assert machine.night().found.sessions.used == 1


def test_under_other_settings_a_dead_night_does_not_go_on(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    crash(machine, calls=4)

    report = machine.night(config="other")

    assert (report.run.resumed, report.verdict, report.night) == (False, Outcome.IMPROVED, "2026-03-02-2")


def test_two_nights_at_once_are_refused(machine: Machine) -> None:
    machine.had(0)
    store = machine.store()

    with store.open_night(), pytest.raises(NightLocked):
        machine.night()
    store.close()


# small outages ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("holding", "verdict"),
    [("", Outcome.BACKEND_FAILED), ("pnpm", Outcome.UNVERIFIED)],
    ids=["all attempts", "the candidate's attempts"],
)
def test_attempts_that_failed_leave_their_sessions_unread_for_a_better_night(
    machine: Machine, holding: str, verdict: Outcome
) -> None:
    machine.had(0, 1)

    def gone(prompt: Prompt) -> CallFailed | None:
        return GONE if prompt.purpose is Purpose.ROLLOUT and holding in prompt.text else None

    machine.model.fails = gone
    report = machine.night()
    assert report.verdict is verdict
    assert report.remedy
    assert machine.unread() == everything(machine)
    assert banked(machine) == ()

    machine.model.fails = lambda prompt: None
    assert machine.night().verdict is Outcome.IMPROVED


# what a night could not take ----------------------------------------------------------------------------


def test_what_is_more_than_one_night_takes_waits_for_the_next(machine: Machine) -> None:
    machine.had(0, 1, 2, 3)
    report = machine.night(max_tasks=2)
    assert any("another night" in error.summary for error in report.errors)
    assert machine.unread() == everything(machine)[:2]
    assert sum(machine.night().found.tasks.values()) == 2


def test_a_file_that_is_edited_during_the_night_keeps_its_proposal(machine: Machine) -> None:
    machine.had(0, 1)
    instructions = machine.project() / "CLAUDE.md"

    def edits(prompt: Prompt) -> None:
        if prompt.purpose is Purpose.REFLECT:
            instructions.write_text("# Shop, edited\n", encoding="utf-8")

    machine.model.fails = edits
    report = machine.night()
    assert report.verdict is Outcome.IMPROVED
    assert len(report.proposals) == 1
    assert instructions.read_text(encoding="utf-8") == "# Shop, edited\n"


def test_a_project_that_opts_out_after_a_crash_is_left_alone_when_the_night_goes_on(machine: Machine) -> None:
    machine.had(0, 1)
    machine.had(2, 3, name="hush-hush")

    def dies(prompt: Prompt) -> BaseException | None:
        return MemoryError("gone") if prompt.purpose is Purpose.REFLECT else None

    machine.model.fails = dies
    with pytest.raises(MemoryError):
        machine.night()
    machine.model.fails = lambda prompt: None
    before = len(machine.model.prompts)
    report = machine.night(excluded=Without("hush-hush"))
    assert report.run.resumed
    assert [outcome.document.id for outcome in report.documents] == ["shop/CLAUDE.md"]
    assert [p.text for p in machine.model.prompts[before:] if "hush-hush" in p.text] == []
