"""A change whose own requests are checked in code, beside a lesson that only the judge's model can grade."""

from pathlib import Path

import pytest

from skillopt_sleep.proposals.divide import reword
from skillopt_sleep.proposals.stage import FOLDER
from skillopt_sleep.records import GateRule, NightReport, Outcome, Proof, Purpose
from skillopt_sleep.stores.bank import ADOPTED
from tests.night import judges
from tests.night.judges import Grade, Scripted
from tests.nights import Machine, Watcher
from tests.reporters.reports import render

GATE = GateRule()
RUFF = "no - always use ruff here, never flake8"
OWN, BAD = "- Always use ruff here, never flake8.", "- Be a careful colleague."


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with an adopted rule that the judge grades; sessions of another lesson, which code checks, follow."""
    machine = Machine(tmp_path, model=Watcher(judging(judges.right)))
    machine.had(*range(10))
    report = night(machine)
    (proposal,) = report.proposals
    staged = Path(report.run.folder) / FOLDER / proposal.id / "result"
    Path(proposal.path).write_bytes(staged.read_bytes())
    store = machine.store()
    store.bank.decide(proposal.id, ADOPTED, at=machine.clock())
    store.close()
    machine.clock.pass_by(days=1)
    machine.had(*range(10, 15), said=RUFF, ask="check the style of module")
    return machine


def judging(grade: Grade) -> Scripted:
    return Scripted(grade, in_code="ruff")


def night(machine: Machine) -> NightReport:
    machine.model.prompts.clear()
    return machine.night(heuristic=False, gate=GATE)


def wished(machine: Machine, words: str) -> None:
    """The second night proposes a rule, which the person rewords and wants tested again; another day begins."""
    report = night(machine)
    (proposal,) = report.proposals
    own = reword(proposal, Path(report.run.folder) / FOLDER / proposal.id, words, allowed=())
    store = machine.store()
    store.bank.divide(proposal.id, (own,), at=machine.clock(), because="you changed its words")
    store.bank.test_again([own.id], wanted=True)
    store.close()
    machine.clock.pass_by(days=1)


def wishes(machine: Machine) -> list[str]:
    store = machine.store()
    found = [proposal.id for proposal in store.bank.again()]
    store.close()
    return found


def test_a_guard_that_the_judge_grades_measures_it_on_a_night_of_nothing_but_own_words(machine: Machine) -> None:
    wished(machine, OWN)

    report = night(machine)

    assert machine.model.asked(Purpose.JUDGE)
    assert report.judging.judge is not None
    assert (report.judging.judge.right, report.judging.judge.n, report.judging.judge.because) == (16, 16, "")
    (proposal,) = report.proposals
    assert (report.verdict, proposal.proof, proposal.tested.guarded) == (Outcome.IMPROVED, Proof.TRIAL, 1)
    assert wishes(machine) == []


def test_a_guard_that_the_judge_grades_measures_it_on_a_night_whose_sessions_are_checked_in_code(
    machine: Machine,
) -> None:
    report = night(machine)

    assert report.judging.judge is not None
    assert (report.verdict, report.judging.judge.n) == (Outcome.IMPROVED, 16)


def test_own_words_are_tested_without_the_guard_that_only_a_failed_judge_could_grade(machine: Machine) -> None:
    wished(machine, OWN)
    machine.model.inner = judging(judges.lenient)

    report = night(machine)

    (proposal,) = report.proposals
    assert (report.verdict, proposal.proof, proposal.tested.guarded) == (Outcome.IMPROVED, Proof.TRIAL, 0)
    assert "It decides nothing tonight" in render(report, verbose=True)
    assert len(machine.model.asked(Purpose.JUDGE)) == 1
    assert wishes(machine) == []


def test_own_words_that_show_no_gain_keep_that_result_whatever_judge_the_night_has(machine: Machine) -> None:
    wished(machine, BAD)
    machine.model.inner = judging(judges.lenient)

    report = night(machine)

    assert "P-0002.1 was tested again: no gain seen" in render(report, verbose=True)
    assert wishes(machine) == []


def test_what_code_checks_is_learned_beside_a_failed_judge(machine: Machine) -> None:
    machine.model.inner = judging(judges.lenient)

    report = night(machine)

    (outcome,) = report.documents
    assert (report.verdict, outcome.guard.lessons) == (Outcome.IMPROVED, ())
    assert report.judging.judge is not None
    assert (bool(report.judging.judge.because), report.judging.judge.untried) == (True, 0)
    assert len(machine.model.asked(Purpose.JUDGE)) == 1
    assert len(machine.unread()) == 0


def test_own_words_that_only_a_failed_judge_could_grade_wait_for_another(tmp_path: Path) -> None:
    machine = Machine(tmp_path, model=Watcher(judging(judges.right)))
    machine.had(*range(10))
    report = night(machine)
    (proposal,) = report.proposals
    own = reword(proposal, Path(report.run.folder) / FOLDER / proposal.id, "- Always use pnpm here.", allowed=())
    store = machine.store()
    store.bank.divide(proposal.id, (own,), at=machine.clock(), because="you changed its words")
    store.bank.test_again([own.id], wanted=True)
    store.close()
    machine.clock.pass_by(days=1)
    machine.model.inner = judging(judges.lenient)

    report = night(machine)

    assert (report.verdict, report.proposals) == (Outcome.UNVERIFIED, ())
    assert "judge.model" in report.remedy
    assert [note.summary for note in report.errors if "P-0001.1 waits to be tested again" in note.summary]
    assert wishes(machine) == ["P-0001.1"]

    machine.model.inner = judging(judges.right)
    machine.clock.pass_by(days=1)
    assert night(machine).verdict is Outcome.IMPROVED
    assert wishes(machine) == []
