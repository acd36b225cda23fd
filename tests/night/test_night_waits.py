"""What a night can't prove yet is kept: later nights go on with its trial, and it is proposed when proven."""

from pathlib import Path

import pytest

from skillopt_sleep.records import Decision, Effect, GateRule, Outcome, Proof, Purpose
from tests.nights import RULE, Machine

GATE = GateRule()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def first_night(machine: Machine) -> None:
    """Two sessions: one to learn from, one to test with, which alone proves nothing about others."""
    machine.had(0, 1)
    report = machine.night(gate=GATE)

    (outcome,) = report.documents
    assert (report.verdict, outcome.verdict.decision) == (Outcome.UNDECIDED, Decision.UNDECIDED)
    assert outcome.verdict.early
    assert "proven on one session only; one more session would prove it" in report.because
    assert [wait.tested.edits[0].content for wait in outcome.tried.undecided] == [RULE]
    assert [(proposal.id, proposal.proof) for proposal in report.proposals] == [("P-0001", Proof.EARLY)]


def test_a_change_that_waits_is_proposed_when_new_unseen_tasks_prove_it(machine: Machine) -> None:
    first_night(machine)
    machine.clock.pass_by(days=1)
    machine.had(2, 3)
    machine.model.prompts.clear()

    report = machine.night(gate=GATE)

    (outcome,) = report.documents
    assert report.verdict is Outcome.IMPROVED
    (proposal,) = report.proposals
    assert (proposal.id, proposal.version, proposal.proof) == ("P-0001", 2, Proof.TRIAL)
    assert len(proposal.evidence) == 1
    (banked,) = machine.store().bank.proposals()
    assert (banked.proposal, [old.proof for old in banked.earlier]) == (proposal, [Proof.EARLY])
    assert "tried since the night of" in outcome.because
    assert outcome.tried.undecided == ()
    assert [told.effect for told in outcome.tried.effects] == [Effect.HELPED]
    # What was learned the night before isn't learned, and paid for, anew.
    assert machine.model.asked(Purpose.REFLECT) == []


def test_its_trial_keeps_the_pairs_and_the_share_of_the_night_it_was_born_in(machine: Machine) -> None:
    first_night(machine)
    with machine.store().open_night() as page:
        (before,) = page.history.past(str(machine.project() / "CLAUDE.md")).waiting
    machine.clock.pass_by(days=1)
    machine.had(2, 3)

    (outcome,) = machine.night(gate=GATE).documents

    assert outcome.trial.pairs[: before.tested.trial.n] == before.tested.trial.pairs
    assert outcome.trial.alpha == before.tested.trial.alpha


def test_the_third_session_of_a_lesson_proves_its_rule(machine: Machine) -> None:
    first_night(machine)
    machine.clock.pass_by(days=1)
    machine.had(2)

    assert machine.night(gate=GATE).verdict is Outcome.IMPROVED


def test_when_its_document_changed_it_is_let_go_and_the_lesson_is_learned_anew(machine: Machine) -> None:
    first_night(machine)
    (machine.project() / "CLAUDE.md").write_text("# Shop\n\nWe like tea.\n", encoding="utf-8")
    machine.clock.pass_by(days=1)
    machine.had(2, 3)

    report = machine.night(gate=GATE)

    assert any("its document changed, so its trial ended" in note.summary for note in report.errors)
    assert report.verdict is Outcome.IMPROVED


def test_a_trial_that_the_calls_do_not_reach_goes_on_another_night(machine: Machine) -> None:
    first_night(machine)
    machine.clock.pass_by(days=1)
    machine.had(2)

    short = machine.night(gate=GATE, calls=1)
    assert "waits for one more session" in short.because
    assert any(note.remedy == "raise budget.calls" for note in short.errors)
    machine.clock.pass_by(hours=1)
    machine.had(3)
    assert machine.night(gate=GATE, config="two").verdict is Outcome.IMPROVED
