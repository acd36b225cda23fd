"""What a night can't prove yet is kept: later nights go on with its trial, and it is proposed when proven."""

from collections import defaultdict
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, NightError
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.records import Decision, Effect, GateRule, Outcome, Prompt, Proof, Purpose
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES, without_variation
from skillopt_sleep.stores.bank import ADOPTED
from tests.fakes import SerialPool
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
    assert "proven on one of the two sessions it takes" in report.because
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
    assert len(proposal.evidence) == proposal.sessions == 4
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


@pytest.mark.parametrize(
    ("end", "verdict"),
    [(BudgetExhausted, Outcome.OVER_BUDGET), (BackendUnavailable, Outcome.BACKEND_FAILED)],
)
def test_a_change_that_is_proven_is_proposed_though_another_document_ends_the_night_as_it_learns(
    machine: Machine, end: type[NightError], verdict: Outcome
) -> None:
    first_night(machine)
    machine.clock.pass_by(days=1)
    machine.had(2, 3, 4, 5)
    machine.had(0, 1, name="api")
    machine.model.fails = lambda prompt: end("at its end") if prompt.purpose is Purpose.REFLECT else None

    report = machine.night(gate=GATE)

    assert report.verdict is verdict
    (proposal,) = report.proposals
    assert (proposal.id, proposal.version, proposal.proof) == ("P-0001", 2, Proof.TRIAL)


BLOCK = "<!-- skillopt-sleep:begin -->\n{}\n<!-- skillopt-sleep:end -->\n"


def test_when_our_part_of_its_document_changed_it_goes_on_beside_what_stands_there_now(machine: Machine) -> None:
    first_night(machine)
    mine = BLOCK.format("- Say please.")
    (machine.project() / "CLAUDE.md").write_text(f"# Shop\n\n{mine}", encoding="utf-8")
    machine.clock.pass_by(days=1)
    machine.had(2, 3)

    machine.model.prompts.clear()

    report = machine.night(gate=GATE)

    assert report.verdict is Outcome.IMPROVED
    assert machine.model.asked(Purpose.REFLECT) == []
    assert all("- Say please." in prompt.text for prompt in machine.model.asked(Purpose.ROLLOUT))
    (proposal,) = report.proposals
    result = (Path(report.run.folder) / "proposals" / proposal.id / "result").read_text("utf-8")
    assert f"- Say please.\n{RULE}\n" in result


TEA = "We like tea."


def test_when_the_rest_of_its_document_changed_it_goes_on_and_both_arms_have_the_new_text(machine: Machine) -> None:
    first_night(machine)
    with machine.store().open_night() as page:
        (before,) = page.history.past(str(machine.project() / "CLAUDE.md")).waiting
    (machine.project() / "CLAUDE.md").write_text(f"# Shop\n\n{TEA}\n", encoding="utf-8")
    machine.clock.pass_by(days=1)
    machine.had(2, 3)
    machine.model.prompts.clear()

    report = machine.night(gate=GATE)

    (outcome,) = report.documents
    (proposal,) = report.proposals
    earlier = before.tested.trial
    assert report.verdict is Outcome.IMPROVED
    assert outcome.trial.pairs[: earlier.n] == earlier.pairs
    assert outcome.trial.alpha == earlier.alpha
    # Nothing was learned anew, and no attempt had the old text.
    assert machine.model.asked(Purpose.REFLECT) == []
    attempts = [prompt.text for prompt in machine.model.asked(Purpose.ROLLOUT)]
    assert all(TEA in text for text in attempts)
    assert {RULE in text for text in attempts} == {True, False}
    result = (Path(report.run.folder) / "proposals" / proposal.id / "result").read_text("utf-8")
    assert TEA in result
    assert RULE in result


def test_a_file_that_changes_every_day_ends_no_trial(machine: Machine) -> None:
    first_night(machine)
    file = machine.project() / "CLAUDE.md"
    said: list[str] = []
    for day in range(3):
        file.write_text(f"# Shop\n\nDay {day}.\n", encoding="utf-8")
        machine.clock.pass_by(days=1)
        report = machine.night(gate=GATE)
        said += [note.summary for note in report.errors]
    # Nobody asked for it these days, so it rested.
    machine.clock.pass_by(days=1)
    machine.had(2)
    report = machine.night(gate=GATE)

    assert not any("its trial ended" in summary for summary in said)
    assert report.verdict is Outcome.IMPROVED


def test_a_trial_that_the_calls_do_not_reach_goes_on_another_night(machine: Machine) -> None:
    first_night(machine)
    machine.clock.pass_by(days=1)
    machine.had(2)

    short = machine.night(gate=GATE, calls=1)
    assert short.verdict is Outcome.OVER_BUDGET
    assert "limit" in short.because
    machine.clock.pass_by(hours=1)
    machine.had(3)
    assert machine.night(gate=GATE, config="two").verdict is Outcome.IMPROVED


def test_both_versions_of_every_pair_are_told_the_same_and_every_pair_something_else(machine: Machine) -> None:
    machine.had(*range(4))
    machine.had(4, 5, 6, said="no - always name the ticket in the commit, never only the file")
    machine.night(gate=GATE)

    told: dict[tuple[str, int], set[str]] = defaultdict(set)
    pairs: set[tuple[str, int]] = set()
    for prompt in machine.model.asked(Purpose.ROLLOUT):
        place = (prompt.asker, prompt.sample % CANDIDATE_SAMPLES)
        told[place].add(prompt.text.removeprefix(without_variation(prompt.text)))
        if prompt.sample >= CANDIDATE_SAMPLES:
            pairs.add(place)
    assert len(pairs) > 10
    assert all(len(variations) == 1 for place, variations in told.items() if place in pairs)
    assert len({next(iter(told[place])) for place in pairs}) == len(pairs)


def test_a_proposal_whose_file_changed_around_our_part_waits_on_without_a_trial(machine: Machine) -> None:
    machine.had(*range(4))
    machine.night(gate=GATE)
    file = machine.project() / "CLAUDE.md"
    file.write_text(f"# Shop\n\n{TEA}\n", encoding="utf-8")
    machine.clock.pass_by(days=1)
    machine.had(4, 5)
    machine.model.prompts.clear()

    report = machine.night(gate=GATE)

    assert report.proposals == ()
    assert machine.model.asked(Purpose.REFLECT, Purpose.ROLLOUT) == []


def test_a_proposal_whose_part_of_the_file_changed_is_learned_anew(machine: Machine) -> None:
    machine.had(*range(4))
    machine.night(gate=GATE)
    (machine.project() / "CLAUDE.md").write_text("# Shop\n\n" + BLOCK.format("- Say please."), encoding="utf-8")
    machine.clock.pass_by(days=1)
    machine.had(4, 5)
    machine.model.prompts.clear()

    (again,) = machine.night(gate=GATE).proposals

    assert (again.id, again.version) == ("P-0001", 2)
    assert machine.model.asked(Purpose.REFLECT)


def adopt(machine: Machine) -> None:
    """A night whose only proposal is adopted."""
    report = machine.night(gate=GATE)
    (proposal,) = report.proposals
    staged = Path(report.run.folder) / "proposals" / proposal.id / "result"
    Path(proposal.path).write_bytes(staged.read_bytes())
    store = machine.store()
    store.bank.decide(proposal.id, ADOPTED, at=machine.clock())
    store.close()


@pytest.mark.parametrize("threads", [False, True])
def test_a_winner_whose_guard_the_budget_cut_short_is_not_proposed_but_on_the_next_night(
    machine: Machine, *, threads: bool
) -> None:
    machine.had(*range(5))
    adopt(machine)
    machine.clock.pass_by(days=1)
    machine.had(*range(10, 15), said="no - always use ruff here, never flake8", ask="check the style of module")
    labels: list[str] = []
    serial = SerialPool()
    serial.labels = labels
    threaded = ThreadPool(1, lambda label, done, of: labels.append(label))

    def cut(_prompt: Prompt) -> BaseException | None:
        if labels and labels[-1].startswith("guard"):
            return BudgetExhausted("the limit of 90 calls is reached", remedy="raise budget.calls")
        return None

    machine.model.fails = cut
    report = machine.night(gate=GATE, pool=threaded if threads else serial)

    assert any(label.startswith("guard") for label in labels)
    (outcome,) = report.documents
    assert (report.proposals, outcome.outcome) == ((), Outcome.UNDECIDED)
    assert report.verdict is Outcome.UNDECIDED
    assert report.remedy == "raise budget.calls"
    machine.model.fails = lambda prompt: None
    machine.clock.pass_by(hours=1)
    machine.had(20, 21, said="no - always use ruff here, never flake8", ask="check the style of module")
    again = machine.night(gate=GATE)
    assert again.verdict is Outcome.IMPROVED
    assert len(again.proposals) == 1


def test_the_rule_of_one_agents_file_is_proposed_for_that_of_another_agent_that_is_told_the_same(
    machine: Machine,
) -> None:
    machine.had(*range(4))
    adopt(machine)
    machine.clock.pass_by(days=1)
    (machine.project() / "AGENTS.md").write_text("# Shop\n", encoding="utf-8")
    machine.had(10, 11)
    told = machine.shelf.sessions[-2:]
    machine.shelf.name = "codex"
    machine.shelf.sessions = [replace(one, id=f"codex:{one.id}", source="codex") for one in told]

    (its,) = machine.night(gate=GATE).proposals

    assert its.paths == (str(machine.project() / "AGENTS.md"),)
    assert its.read_by == ("Codex",)
