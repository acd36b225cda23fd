"""Words that a person gave a proposed rule are tested the next night if they want it, on fresh draws alone."""

from datetime import timedelta
from pathlib import Path

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.proposals.divide import reword
from skillopt_sleep.proposals.stage import FOLDER
from skillopt_sleep.records import EditFate, GateRule, NightReport, Outcome, Proof, Purpose, RecallRules
from skillopt_sleep.stores.bank import ADOPTED, REJECTED, UNDONE, WAITING, WITHDRAWN
from tests.nights import Machine
from tests.reporters.reports import render

GATE = GateRule()
GOOD, BAD = "- Always use pnpm here, never npm.", "- Be a careful colleague."


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def edited(machine: Machine, words: str, *, again: bool = True) -> NightReport:
    """A night's proposal, which the person then edits; another day begins."""
    machine.had(0, 1, 2, 3)
    report = machine.night(gate=GATE)
    (proposal,) = report.proposals
    own = reword(proposal, Path(report.run.folder) / FOLDER / proposal.id, words, allowed=())
    store = machine.store()
    store.bank.divide(proposal.id, (own,), at=machine.clock(), because="you changed its words")
    store.bank.test_again([own.id], wanted=again)
    store.close()
    machine.clock.pass_by(days=1)
    machine.model.prompts.clear()
    return report


def states(machine: Machine) -> dict[str, tuple[str, bool]]:
    store = machine.store()
    found = {entry.proposal.id: (entry.state, entry.again) for entry in store.bank.proposals()}
    store.close()
    return found


def test_what_is_proven_is_staged_with_its_proof_in_place_of_the_untested_one(machine: Machine) -> None:
    edited(machine, GOOD)

    report = machine.night(gate=GATE)

    assert report.verdict is Outcome.IMPROVED
    (proposal,) = report.proposals
    assert (proposal.id, proposal.proof, [edit.content for edit in proposal.edits]) == (
        "P-0002",
        Proof.TRIAL,
        [GOOD],
    )
    assert proposal.evidence
    assert report.error_rate
    assert report.error_rate.spent == report.error_rate.rate
    assert states(machine)["P-0001.1"][0] == WITHDRAWN
    assert states(machine)["P-0002"] == (WAITING, False)
    assert machine.model.asked(Purpose.REFLECT, Purpose.MINE) == []


def test_no_earlier_attempt_counts(machine: Machine) -> None:
    before = edited(machine, GOOD)

    (outcome,) = machine.night(gate=GATE).documents

    assert outcome.trial.calls == 2 * outcome.trial.n
    assert len(machine.model.asked(Purpose.ROLLOUT)) >= outcome.trial.calls
    assert outcome.trial.pairs != before.documents[0].trial.pairs


def test_what_is_not_proven_stays_and_the_report_says_what_was_found_once(machine: Machine) -> None:
    edited(machine, BAD)

    report = machine.night(gate=GATE)

    assert report.proposals == ()
    assert states(machine)["P-0001.1"] == (WAITING, False)
    text = render(report, verbose=True)
    assert text.count("our wording P-0001.1 was tested again: no gain seen") == 1

    machine.clock.pass_by(days=1)
    machine.model.prompts.clear()
    assert machine.night(gate=GATE).verdict is Outcome.NOTHING_NEW
    assert machine.model.prompts == []


def test_without_the_wish_a_night_without_sessions_asks_nothing(machine: Machine) -> None:
    edited(machine, GOOD, again=False)

    assert machine.night(gate=GATE).verdict is Outcome.NOTHING_NEW
    assert machine.model.prompts == []


def test_words_that_the_person_replaced_by_their_own_are_not_proposed_again(machine: Machine) -> None:
    edited(machine, BAD, again=False)
    store = machine.store()
    (own,) = store.bank.proposals(WAITING)
    store.bank.decide(own.proposal.id, ADOPTED, at=machine.clock())
    store.close()
    machine.had(4, 5, 6, 7)

    report = machine.night(gate=GATE)

    assert report.proposals == ()
    (applied,) = report.documents[0].tried.edits
    assert applied.fate is EditFate.REFUSED
    assert "you replaced these words by your own in P-0001.1" in applied.because
    assert "you replaced these words by your own in P-0001.1" in render(report, verbose=True)


def test_tasks_too_old_to_come_back_let_it_wait_without_a_call(machine: Machine) -> None:
    edited(machine, GOOD)

    report = machine.night(gate=GATE, recall=RecallRules(retire=timedelta(hours=1)))

    assert machine.model.prompts == []
    assert states(machine)["P-0001.1"] == (WAITING, True)
    (note,) = [note for note in report.errors if "P-0001.1" in note.summary]
    assert note.expected
    assert "waits to be tested again" in note.summary


def test_a_night_that_its_budget_cuts_short_spends_no_wish(machine: Machine) -> None:
    edited(machine, GOOD)

    report = machine.night(calls=4, gate=GATE)

    assert report.verdict is Outcome.OVER_BUDGET
    assert states(machine)["P-0001.1"] == (WAITING, True)
    assert machine.night(gate=GATE).verdict is Outcome.IMPROVED


def test_sessions_of_other_lessons_are_learned_from_beside_it(machine: Machine) -> None:
    edited(machine, BAD)
    machine.had(10, 11, 12, 13, said="no, use tabs here, never spaces", ask="indent the file")

    report = machine.night(gate=GATE)

    assert report.verdict is Outcome.IMPROVED
    assert states(machine)["P-0001.1"] == (WAITING, False)
    (outcome,) = report.documents
    assert [one.proposal for one in outcome.tried.retested] == ["P-0001.1"]
    assert all(BAD not in edit.content for proposal in report.proposals for edit in proposal.edits)


@pytest.mark.parametrize(
    ("state", "words"), [(ADOPTED, "you adopted it"), (UNDONE, "and took it back"), (REJECTED, "you rejected it")]
)
def test_a_wish_for_what_was_decided_on_meanwhile_is_dropped_and_the_report_says_so_once(
    machine: Machine, state: str, words: str
) -> None:
    edited(machine, GOOD)
    store = machine.store()
    store.bank.decide("P-0001.1", state, at=machine.clock())
    store.close()

    first, second = machine.night(gate=GATE), machine.night(gate=GATE)

    (note,) = [note for note in first.errors if "P-0001.1 isn't tested again" in note.summary]
    assert note.expected
    assert words in note.summary
    assert all("P-0001.1" not in note.summary for note in second.errors)


def test_a_night_that_was_cut_short_says_that_and_not_that_no_request_was_there(machine: Machine) -> None:
    edited(machine, GOOD)
    machine.model.fails = lambda prompt: CallFailed(FailureKind.LOGIN, "the key was refused")

    report = machine.night(gate=GATE)

    (note,) = [note for note in report.errors if "P-0001.1" in note.summary]
    assert note.summary.endswith("waits to be tested again: the night was cut short")
