"""A rule less is proposed where it is proven no worse, within its own error rate and a margin."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, ItemError
from skillopt_sleep.learning.begin import Begun, DocumentStep
from skillopt_sleep.learning.removal import EVERY, remove
from skillopt_sleep.learning.rule import TriedRule
from skillopt_sleep.learning.step import settle
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import (
    CandidateKind,
    Completion,
    Decision,
    Document,
    Earlier,
    EditEffect,
    EditOp,
    EditStatus,
    Effect,
    GateRule,
    Judged,
    Metric,
    Outcome,
    Past,
    Prompt,
    ProposedEdit,
    Purpose,
    Split,
    StepOutcome,
    Task,
    Trajectory,
    Trial,
    Verdict,
    WaitingCandidate,
)
from skillopt_sleep.stores.bank import ADOPTED
from tests.builders import a_document, a_past, a_task, an_edit, an_outcome, with_parts
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import RULE as NPM, Machine, Watcher, a_crew, a_plan

RULE = GateRule(metric=Metric.HARD, rounds=20, margin=0.1)
IDLE = an_edit("- Idle.", tasks=("t0",))
DOCUMENT = a_document("- First.\n- Idle.\n- Last.")
LEARNED = an_outcome(document=DOCUMENT)
PAST = a_past(adopted=(IDLE,))
DUE = a_past(adopted=(IDLE,), snapshot=Earlier(night="n0", body="", nights=7))
TASKS = [a_task(id=f"t{n}", session=f"s{n}", lesson="c", split=Split.VAL if n else Split.TRAIN) for n in range(7)]


def said(_task: Task, version: Document, sample: int) -> str:
    return f"{version.body} {sample}"


def removed(
    grade: Callable[[Task, str], float | Exception] = lambda task, body: 1.0,
    *,
    attempt: Callable[[Task, Document, int], str | Trajectory] = said,
    meter: FakeMeter | None = None,
    learned: StepOutcome = LEARNED,
    past: Past = DUE,
    known: Sequence[Task] = (),
    **plan: Any,
) -> tuple[StepOutcome, list[TriedRule], FakeExecutor]:
    """What a night tries to remove after this outcome, and what it makes of that."""
    executor = FakeExecutor(attempt)
    judge = FakeJudge(lambda task, trajectory: grade(task, trajectory.response))
    tasks = (*TASKS, *known)
    step = DocumentStep(
        begun=Begun(
            outcome=learned, past=past, known=tasks, others=tuple(task for task in tasks if task.split is Split.VAL)
        ),
        crew=a_crew(executor=executor, judge=judge, meter=meter or FakeMeter()),
        plan=a_plan(**({"removal": RULE, "slow_every": 7} | plan)),
        log=lambda name, rows: None,
        night="n1",
        share=0.05,
    )
    outcome, tried = remove(step, learned)
    return settle(step, outcome, tried), tried, executor


def only(outcome: StepOutcome) -> Judged:
    (tested,) = outcome.tried.tested
    return tested


def test_a_rule_that_nothing_depends_on_is_proven_to_be_no_loss() -> None:
    outcome, _, executor = removed()

    tested = only(outcome)
    assert (tested.kind, tested.verdict.decision) == (CandidateKind.REMOVAL, Decision.ACCEPT)
    assert tested.verdict.reason.startswith("no worse: solved ")
    assert tested.verdict.error_rate.startswith("if removing it lost 10 points, the chance of that was at most 5 %")
    assert outcome.verdict.error_rate == tested.verdict.error_rate
    assert {version.body for _, version, _ in executor.jobs} == {DOCUMENT.body, "- First.\n- Last."}
    assert {task.id for task, _, _ in executor.jobs} == {task.id for task in TASKS[1:]}
    assert (outcome.outcome, outcome.tried.undecided) == (Outcome.IMPROVED, ())
    assert outcome.candidate is not None
    assert outcome.candidate.body == "- First.\n- Last."
    assert [told.effect for told in outcome.tried.effects] == [Effect.NEUTRAL]
    assert tested.trial.interval is not None
    assert tested.trial.interval[0] > -RULE.margin


def test_a_removal_that_no_attempt_could_be_scored_of_counts_as_not_tried() -> None:
    outcome, _, _ = removed(lambda task, body: ItemError("the judge is gone"))

    assert only(outcome).verdict.decision is Decision.ABSTAIN
    assert outcome.outcome is LEARNED.outcome
    assert "it counts as not tried: no unseen task could be scored" in outcome.notes[0].summary


def test_a_removal_during_which_the_model_changed_waits_with_a_new_trial() -> None:
    made: list[int] = []

    def attempt(_task: Task, version: Document, sample: int) -> Trajectory:
        made.append(sample)
        return Trajectory(response=f"{version.body} {sample}", model="m-1" if len(made) <= 90 else "m-2")

    outcome, _, _ = removed(attempt=attempt)

    assert only(outcome).verdict.decision is Decision.ABSTAIN
    (wait,) = outcome.tried.undecided
    assert (wait.tested.kind, wait.tested.trial.pairs, wait.tested.trial.margin) == (CandidateKind.REMOVAL, (), 0.1)


def test_a_rule_that_is_needed_stays_and_its_removal_is_over() -> None:
    outcome, _, _ = removed(lambda task, body: float("Idle" in body))

    assert (only(outcome).verdict.decision, outcome.outcome) == (Decision.REJECT, LEARNED.outcome)
    assert [told.effect for told in outcome.tried.effects] == [Effect.HARMFUL]
    assert only(outcome).verdict.reason.startswith("worse: solved 12 of 12 before and 0 of 12 with the change")
    assert outcome.tried.undecided == ()


def test_a_rule_that_a_single_task_needs_stays() -> None:
    outcome, _, _ = removed(lambda task, body: float("Idle" in body or task.id != "t1"))

    assert only(outcome).verdict.decision is Decision.REJECT


def test_a_removal_that_makes_another_lesson_worse_is_refused() -> None:
    other = a_task(id="other", session="other", lesson="other", split=Split.VAL)

    outcome, _, _ = removed(lambda task, body: float("Idle" in body or task.id != "other"), known=[other])

    assert only(outcome).verdict.decision is Decision.REJECT
    assert [harm.lesson for harm in only(outcome).verdict.harmed] == ["other"]


def test_what_a_night_can_not_prove_waits_with_its_margin_and_its_share() -> None:
    outcome, _, _ = removed(removal=replace(RULE, rounds=5, alpha=0.02))

    (wait,) = outcome.tried.undecided
    assert wait == WaitingCandidate(night="n1", path=DOCUMENT.path, crew="m v", tested=only(outcome))
    assert (wait.tested.trial.margin, wait.tested.trial.alpha) == (0.1, 0.02)
    assert "more tries like these would decide it" in wait.tested.verdict.reason
    assert outcome.outcome is LEARNED.outcome


def test_without_a_rule_to_remove_nothing_is_spent() -> None:
    outcome, tried, executor = removed(learned=replace(LEARNED, document=a_document("- First.")))

    assert (tried, outcome.tried.tested) == ([], ())
    assert executor.jobs == []


def test_without_calls_to_spare_nothing_is_spent_and_that_is_noted() -> None:
    outcome, _, executor = removed(meter=FakeMeter(left=47))

    assert executor.jobs == []
    assert "48 calls" in outcome.notes[0].summary


def test_with_few_calls_left_it_is_begun_and_later_nights_go_on() -> None:
    outcome, _, executor = removed(meter=FakeMeter(left=3 * 24 + 23))

    assert only(outcome).trial.rounds == 3
    assert len(executor.jobs) == 3 * 12
    assert only(outcome) == outcome.tried.undecided[0].tested


def test_where_the_budget_ends_meanwhile_nothing_else_is_lost() -> None:
    def grade(_task: Task, _body: str) -> float:
        raise BudgetExhausted("300 calls are spent", remedy="raise budget.calls")

    outcome, _, _ = removed(grade)

    assert (outcome.tried.tested, outcome.tried.undecided) == ((), ())
    assert "cut short: 300 calls are spent" in outcome.notes[0].summary


# when ---------------------------------------------------------------------------------------------------

WAIT = WaitingCandidate(
    night="n0",
    path=DOCUMENT.path,
    crew="m v",
    tested=Judged(
        kind=CandidateKind.REMOVAL,
        edits=(IDLE,),
        trial=Trial(),
        verdict=Verdict(decision=Decision.UNDECIDED, reason="more"),
    ),
)
OTHER = replace(WAIT, tested=replace(WAIT.tested, kind=CandidateKind.RULE))
LONG = replace(LEARNED, document=a_document(f"- Idle.\n{'x' * 68}"))
ACCEPTED = Verdict(decision=Decision.ACCEPT, reason="better")


@pytest.mark.parametrize(
    ("learned", "slow", "plan", "tried"),
    [
        (LEARNED, False, {}, False),
        (LEARNED, True, {}, True),
        (LONG, False, {"max_chars": 100}, True),
        (LONG, False, {"max_chars": 102}, False),
        (with_parts(LEARNED, waits=(OTHER,)), True, {}, True),
        (with_parts(LEARNED, waits=(OTHER, WAIT)), True, {}, False),
        (replace(LEARNED, verdict=ACCEPTED), True, {}, False),
        (with_parts(LEARNED, unfinished=True), True, {}, False),
        (LEARNED, True, {"removal": replace(RULE, name="strict")}, False),
    ],
    ids=["any", "slow", "nearly full", "not so full", "waiting", "one waits", "learned", "broken", "no error rate"],
)
def test_it_is_tried_on_slow_nights_and_where_the_document_is_nearly_full_one_at_a_time(
    learned: StepOutcome, slow: bool, plan: dict[str, Any], tried: bool
) -> None:
    _, found, _ = removed(learned=learned, past=DUE if slow else PAST, **plan)

    assert bool(found) is tried


@pytest.mark.parametrize(
    ("ago", "plan", "tried"),
    [(EVERY, {"slow_every": 7}, True), (EVERY - 1, {"slow_every": 7}, False), (EVERY, {"slow_every": 0}, False)],
    ids=["some nights ago", "of late", "never by itself"],
)
def test_some_nights_after_one_rule_the_next_is_tried(ago: int, plan: dict[str, Any], tried: bool) -> None:
    other = EditEffect(night="n", edit=an_edit("", op=EditOp.DELETE, target="- First."), effect=Effect.UNDECIDED)
    nights = (*(f"later{i}" for i in range(ago - 1)), "n", *(f"older{i}" for i in range(30)))

    _, found, _ = removed(past=a_past(adopted=(IDLE,), tried=(other,), nights=nights), **plan)

    assert bool(found) is tried


# whole nights -------------------------------------------------------------------------------------------


def adopted(machine: Machine) -> Machine:
    """A machine whose first night taught a rule, which a person adopted, and a later day like the first."""
    machine.had(0, 1, 2, 3, 4)
    report = machine.night()
    (proposal,) = report.proposals
    staged = Path(report.run.folder) / "proposals" / proposal.id / "result"
    Path(proposal.path).write_bytes(staged.read_bytes())
    store = machine.store()
    store.bank.decide(proposal.id, ADOPTED, at=machine.clock())
    store.close()
    machine.clock.pass_by(days=1)
    machine.had(5, 6, 7)
    return machine


def test_on_a_night_that_finds_the_document_nearly_full_a_rule_that_is_needed_stays(tmp_path: Path) -> None:
    machine = adopted(Machine(tmp_path))

    report = machine.night(max_chars=len(NPM) + 1)

    (document,) = report.documents
    (tested,) = (one for one in document.tried.tested if one.kind is CandidateKind.REMOVAL)
    assert [edit.target.strip() for edit in tested.edits] == [NPM]
    assert tested.verdict.decision is Decision.REJECT
    assert report.proposals == ()


def test_a_rule_that_nothing_needs_any_more_is_proposed_for_removal_with_its_numbers(tmp_path: Path) -> None:
    machine = adopted(Machine(tmp_path))
    machine.model = Watcher(Knowing(machine.model.inner))

    report = machine.night(calls=1_000, max_chars=len(NPM) + 1, removal=replace(RULE, rounds=40))

    assert report.verdict is Outcome.IMPROVED
    (document,), (proposal,) = report.documents, report.proposals
    assert document.because.startswith("no worse: solved ")
    assert document.because.endswith(f"{len(NPM)} characters less")
    assert [(edit.op, edit.target.strip()) for edit in proposal.edits] == [(EditOp.DELETE, NPM)]
    assert proposal.summary.startswith("Removes 1 rule")
    assert "the chance of that was at most 5 %" in proposal.tested.error_rate


def test_on_any_other_night_nothing_is_tried_to_be_removed(tmp_path: Path) -> None:
    report = adopted(Machine(tmp_path)).night()

    assert all(one.kind is not CandidateKind.REMOVAL for one in report.documents[0].tried.tested)


class Knowing:
    """A model that has come to do by itself what the rule asks for."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner

    def complete(self, prompt: Prompt) -> Completion:
        if prompt.purpose is Purpose.ROLLOUT:
            return Completion(text=f"I ran `pnpm install` {prompt.sample}.", model="m")
        return self.inner.complete(prompt)


def test_a_rule_that_was_adopted_after_the_last_look_back_is_not_tried() -> None:
    nights = ("2026-03-09-2", "2026-03-09", "2026-03-08", "2026-03-07")

    def past(since: str) -> Past:
        proposed = ProposedEdit(edit=IDLE, status=EditStatus.LIVE, since=since)
        return replace(DUE, proposed=(proposed, *DUE.proposed), nights=nights)

    _, young, _ = removed(past=past("2026-03-08"), slow_every=3)
    _, old, _ = removed(past=past("2026-03-06"), slow_every=3)

    assert (len(young), len(old)) == (0, 1)
