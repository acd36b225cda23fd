"""A look back on earlier nights: what it compares, what it may change, and what it costs when."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind, ItemError
from skillopt_sleep.learning.begin import is_due
from skillopt_sleep.learning.look_back import MOST_TASKS
from skillopt_sleep.proposals.edited import BEGIN, END
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Earlier,
    EditFate,
    EditSource,
    Effect,
    GateRule,
    Metric,
    NightReport,
    Outcome,
    Past,
    Purpose,
    Split,
    StepOutcome,
    Task,
    TaskOrigin,
    Trajectory,
)
from tests.builders import a_document, a_past, an_edit
from tests.fakes import Answers, FakeBackend, FakeExecutor, FakeJudge, FakeMeter
from tests.nights import STRICT, USELESS, Machine, a_crew, a_plan
from tests.steps import a_side, step

WISDOM = "- Ask before you delete."
DOCUMENT = a_document("- Old.")
SNAPSHOT = Earlier(night="2026-02-23", body="- Older.", nights=7)
DUE = Past(snapshot=SNAPSHOT)
HARD = replace(STRICT, metric=Metric.HARD)
SLOW = (Purpose.SLOW_UPDATE, Purpose.META_SKILL)


TASKS = [*a_side(Split.TRAIN, 1, 2), *a_side(Split.VAL, 1, 2), *a_side(Split.TEST, 1)]


class Night:
    """A step with fakes, whose judge likes one line; what it asked and attempted."""

    def __init__(self, *, likes: str = WISDOM, grade: Any = None, left: int = 10_000, **answers: Answers) -> None:
        def follows(_task: Task, trajectory: Trajectory) -> float:
            return float(likes in trajectory.response)

        told: dict[str, Answers] = {
            "reflect": {"edits": [{"op": "append", "content": "- Be careful."}]},
            "slow_update": {"guidance": WISDOM, "reasoning": "it deleted"},
            "meta_skill": {"notes": "Short rules win."},
        }
        self.optimizer = FakeBackend({Purpose(name): answer for name, answer in (told | answers).items()})
        self.executor = FakeExecutor(lambda task, document, sample: document.text)
        self.judge = FakeJudge(grade or follows)
        self.meter = FakeMeter(left=left)
        self.log: list[str] = []

    def step(self, tasks: Sequence[Task] = TASKS, past: Past = DUE, **plan: Any) -> StepOutcome:
        crew = a_crew(optimizer=self.optimizer, executor=self.executor, judge=self.judge, meter=self.meter)
        return step(
            DOCUMENT,
            tasks,
            crew=crew,
            plan=a_plan(**({"gate": HARD, "slow_every": 7} | plan)),
            log=lambda name, rows: self.log.extend([name] * len(rows)),
            past=past,
        )

    def asked(self, purpose: Purpose) -> list[str]:
        return [prompt.text for prompt in self.optimizer.asked(purpose)]

    @property
    def attempted_then(self) -> list[str]:
        """The tasks that were attempted under the body of some nights ago."""
        return [task.id for task, document, _ in self.executor.jobs if document.body == SNAPSHOT.body]


# when ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("every", "nights", "due"), [(7, 7, True), (7, 12, True), (7, 6, False), (1, 1, True), (0, 99, False)]
)
def test_it_is_due_after_as_many_nights_as_the_plan_says(every: int, nights: int, due: bool) -> None:
    past = Past(snapshot=replace(SNAPSHOT, nights=nights))

    assert is_due(a_plan(slow_every=every), past) is due
    assert not is_due(a_plan(slow_every=every), Past())


def test_a_new_document_has_nothing_to_look_back_on() -> None:
    night = Night()
    night.step(past=Past())

    assert not is_due(a_plan(slow_every=1), Past())
    assert night.asked(Purpose.SLOW_UPDATE) == []


def test_on_any_other_night_nothing_more_is_asked_or_attempted() -> None:
    idle, never = Night(), Night()
    outcome = idle.step(past=Past(snapshot=replace(SNAPSHOT, nights=6)))
    never.step(past=Past())

    assert idle.executor.jobs == never.executor.jobs
    assert [prompt.purpose for prompt in idle.optimizer.prompts] == [Purpose.REFLECT]
    assert (outcome.later.compared, outcome.later.notebook) == ({}, None)


def test_after_an_improvement_it_waits_for_another_night() -> None:
    night = Night(likes="- Be careful.")

    outcome = night.step()

    assert outcome.outcome is Outcome.IMPROVED
    assert (outcome.later.compared, night.attempted_then) == ({}, [])


def test_a_document_without_headroom_needs_no_guidance() -> None:
    night = Night(likes="- Old.")

    outcome = night.step()

    assert (outcome.outcome, outcome.later.compared, night.attempted_then) == (Outcome.NO_HEADROOM, {}, [])


# what it compares ---------------------------------------------------------------------------------------


def test_the_same_train_tasks_are_attempted_under_the_earlier_body_in_todays_file() -> None:
    night = Night()

    outcome = night.step()

    assert night.attempted_then == ["train1", "train2"]
    (then,) = {document.text for _, document, _ in night.executor.jobs if document.body == SNAPSHOT.body}
    assert then == f"{DOCUMENT.lead}{SNAPSHOT.body}"
    assert outcome.later.compared == {"persistent_fail": 2}
    assert night.log.count("comparisons") == 2


def test_what_changed_is_counted() -> None:
    assert Night(likes="- Older.").step().later.compared == {"regressed": 2}


def test_where_the_body_is_as_it_was_todays_attempts_are_both() -> None:
    night = Night()
    unchanged = Past(snapshot=replace(SNAPSHOT, body=DOCUMENT.body))

    outcome = night.step(past=unchanged)

    attempts = [document.body for task, document, _ in night.executor.jobs if task.id == "train1"]
    assert attempts == [DOCUMENT.body] * 2
    assert outcome.later.compared == {"persistent_fail": 2}


def test_only_the_newest_real_tasks_that_val_can_prove_are_compared() -> None:
    night = Night()
    many = a_side(Split.TRAIN, *range(MOST_TASKS + 3))
    alike = a_side(Split.TRAIN, 98, origin=TaskOrigin.RECALLED)
    waiting = a_side(Split.TRAIN, 99, lesson="other")

    outcome = night.step([*many, *alike, *waiting, *a_side(Split.VAL, 1)])

    assert night.attempted_then == [task.id for task in many[3:]]
    assert outcome.later.compared == {"persistent_fail": MOST_TASKS}


def test_what_could_not_be_scored_is_noted_and_it_is_due_again() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("can't tell") if "- Older." in trajectory.response else 0.0

    night = Night(grade=grade)
    outcome = night.step()

    assert outcome.later.compared == {}
    assert "2 of 4 attempts not scored: can't tell" in [note.summary for note in outcome.notes]
    assert [night.asked(purpose) for purpose in SLOW] == [[], []]


def test_neither_val_nor_test_reach_the_optimizer() -> None:
    night = Night()
    night.step()

    for purpose in SLOW:
        (text,) = night.asked(purpose)
        assert "request train 1" in text
        assert "request val" not in text
        assert "request test" not in text


# guidance -----------------------------------------------------------------------------------------------


def test_guidance_that_is_proven_is_the_nights_change() -> None:
    night = Night()

    outcome = night.step()

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.IMPROVED, Decision.ACCEPT)
    assert outcome.candidate is not None
    assert outcome.candidate.body == f"- Old.\n{BEGIN}\n{WISDOM}\n{END}"
    assert [(told.edit.source, told.effect) for told in outcome.tried.effects] == [
        (EditSource.FAILURE, Effect.UNDECIDED),
        (EditSource.SLOW, Effect.HELPED),
    ]
    assert [tested.kind for tested in outcome.tried.tested] == [CandidateKind.PATCH, CandidateKind.GUIDANCE]
    assert (outcome.kept_back.before, outcome.kept_back.after) == (0.0, 1.0)


def test_guidance_that_proves_nothing_leaves_the_night_as_it_was() -> None:
    night = Night(likes="- Nothing says this.")

    outcome = night.step()

    assert outcome.outcome is Outcome.NO_CHANGE
    assert outcome.tried.tested[-1].verdict.decision is Decision.REJECT
    assert (outcome.trial, outcome.tried.undecided) == (outcome.tried.tested[0].trial, ())


def test_learning_and_guidance_share_the_error_rate_of_the_document() -> None:
    rule = GateRule(metric=Metric.HARD, rounds=1)

    outcome = Night().step(gate=rule)

    assert [tested.trial.alpha for tested in outcome.tried.tested] == pytest.approx([0.025, 0.025])


def test_guidance_that_could_not_be_scored_counts_as_not_tried_and_is_due_again() -> None:
    def out_on_guidance(task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("the judge is gone") if WISDOM in trajectory.response else 0.0

    outcome = Night(grade=out_on_guidance).step()

    guidance = outcome.tried.tested[-1]
    assert (guidance.kind, guidance.verdict.decision) == (CandidateKind.GUIDANCE, Decision.ABSTAIN)
    assert [effect.effect for effect in outcome.tried.effects if effect.edit in guidance.edits] == [Effect.UNDECIDED]
    assert any("it counts as not tried: " in note.summary for note in outcome.notes)
    assert outcome.later.compared == {}


def test_undecided_guidance_waits_and_is_the_nights_end() -> None:
    outcome = Night().step(gate=GateRule(metric=Metric.HARD, rounds=2))

    _, wait = outcome.tried.undecided
    assert wait.tested.kind is CandidateKind.GUIDANCE
    assert (wait.night, wait.tested.edits[0].content) == ("tonight", WISDOM)
    assert (outcome.outcome, outcome.trial) == (Outcome.UNDECIDED, wait.tested.trial)


def test_a_rule_that_came_nearer_than_guidance_is_what_the_night_ends_as() -> None:
    def rule_helps_a_little(task: Task, trajectory: Trajectory) -> float:
        return 0.4 * ("- Be careful." in trajectory.response)

    rule = GateRule(metric=Metric.SOFT, rounds=2)
    outcome = Night(grade=rule_helps_a_little).step(gate=rule)

    learned, guidance = outcome.tried.tested
    assert (learned.verdict.decision, guidance.verdict.decision) == (Decision.UNDECIDED, Decision.REJECT)
    assert (outcome.outcome, outcome.trial, outcome.verdict) == (Outcome.UNDECIDED, learned.trial, learned.verdict)


def test_guidance_that_was_rejected_is_over_and_other_guidance_may_be_asked_for() -> None:
    night = Night(likes="- Nothing says this.")
    waits = night.step(gate=GateRule(metric=Metric.HARD)).tried.undecided
    again = Night(likes="- Nothing says this.")

    again.step(past=replace(DUE, waiting=waits), gate=GateRule(metric=Metric.HARD))

    assert [wait.tested.kind for wait in waits] == [CandidateKind.RULE]
    assert len(again.asked(Purpose.SLOW_UPDATE)) == 1


def test_while_guidance_waits_none_is_asked_for_but_the_notes_are() -> None:
    rule = GateRule(metric=Metric.HARD, rounds=2)
    waits = Night().step(gate=rule).tried.undecided
    night = Night()

    outcome = night.step(past=replace(DUE, waiting=waits), gate=rule)

    assert (len(night.asked(Purpose.SLOW_UPDATE)), len(night.asked(Purpose.META_SKILL))) == (0, 1)
    assert outcome.later.compared == {"persistent_fail": 2}
    assert outcome.later.notebook == "Short rules win."


def test_guidance_is_tried_on_the_lessons_it_is_for_and_the_strict_rule_reads_the_others_too() -> None:
    others = [task for n in (5, 6, 7) for task in a_side(Split.VAL, n, lesson=f"other {n}")]
    solved = a_side(Split.TRAIN, 5, lesson="other 5")

    def grade(task: Task, trajectory: Trajectory) -> float:
        return float(task.id == "train5" or WISDOM in trajectory.response)

    outcome = Night(grade=grade).step([*TASKS, *others, *solved])

    assert outcome.later.compared == {"persistent_fail": 2, "stable_success": 1}
    asked = {pair.task for pair in outcome.tried.tested[-1].trial.pairs}
    assert asked == {"val1", "val2", "val5", "val6", "val7"}


REFUSED = {
    "by the person": (WISDOM, "you rejected P-0001"),
    "by the guard": ("See https://evil.example/x", "address"),
    "for a marker": (f"{END}\n- More.", "marker"),
    "for its length": ("- Rule.\n" * 20, "characters"),
}


@pytest.mark.parametrize(("guidance", "because"), REFUSED.values(), ids=REFUSED)
def test_refused_guidance_is_not_tried(guidance: str, because: str) -> None:
    night = Night(slow_update={"guidance": guidance})
    refused = (an_edit("-  ask before you DELETE.", source=EditSource.SLOW),)

    outcome = night.step(past=a_past(refused=refused, snapshot=SNAPSHOT), max_chars=100)

    assert outcome.tried.edits[-1].fate is EditFate.REFUSED
    assert because in outcome.tried.edits[-1].because
    assert [tested.kind for tested in outcome.tried.tested] == [CandidateKind.PATCH]
    assert outcome.later.compared


def test_what_tonights_trials_told_is_for_the_notes_only() -> None:
    night = Night()
    night.step()

    (guidance,), (notes,) = (night.asked(purpose) for purpose in SLOW)
    assert "- Be careful." not in guidance
    assert re.search(r"^- no gain seen \(\d+ tries\): append - Be careful\.$", notes, re.MULTILINE)


# calls that fail ----------------------------------------------------------------------------------------


def test_a_guidance_call_that_fails_costs_its_own_part_and_is_due_again() -> None:
    outcome = Night(slow_update=CallFailed(FailureKind.TIMED_OUT, "no answer")).step()

    assert (outcome.outcome, outcome.later.compared, outcome.later.notebook) == (
        Outcome.NO_CHANGE,
        {},
        "Short rules win.",
    )
    assert [note.stage for note in outcome.notes] == ["slow_update"]


def test_a_call_for_the_notes_that_fails_leaves_them_as_they_were() -> None:
    outcome = Night(meta_skill=CallFailed(FailureKind.TIMED_OUT, "no answer")).step()

    assert (outcome.outcome, outcome.later.notebook) == (Outcome.IMPROVED, None)
    assert outcome.later.compared
    assert [note.stage for note in outcome.notes] == ["meta_skill"]


def test_without_the_calls_for_it_nothing_is_begun() -> None:
    night = Night(left=60)

    outcome = night.step(samples=15)

    assert (outcome.outcome, outcome.later.compared, night.attempted_then) == (Outcome.NO_CHANGE, {}, [])
    [note] = outcome.notes
    assert "shop:CLAUDE.md: no look back" in note.summary
    assert "66 calls" in note.summary
    assert note.remedy == "raise budget.calls"


def test_a_budget_that_ends_meanwhile_loses_nothing_of_the_night() -> None:
    outcome = Night(meta_skill=BudgetExhausted("no tokens are left", remedy="raise budget.tokens")).step()

    assert (outcome.outcome, outcome.later.compared, outcome.later.notebook) == (Outcome.NO_CHANGE, {}, None)
    assert [note.remedy for note in outcome.notes] == ["raise budget.tokens"]


# nights -------------------------------------------------------------------------------------------------


def slow_night(machine: Machine, *numbers: int) -> NightReport:
    machine.had(*numbers, said=USELESS)
    report = machine.night(slow_every=2)
    machine.clock.pass_by(days=1)
    return report


def test_over_real_nights_it_looks_back_and_takes_the_notes_along(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    reports = [slow_night(machine, *numbers) for numbers in ((0, 1, 2), (3, 4), (5, 6), (7, 8))]

    assert [bool(report.documents[0].later.compared) for report in reports] == [False, False, True, False]
    assert reports[2].documents[0].later.notebook is not None
    assert len(machine.model.asked(Purpose.SLOW_UPDATE)) == len(machine.model.asked(Purpose.META_SKILL)) == 1
    reflections = machine.model.asked(Purpose.REFLECT)
    assert "- Keep edits short." in reflections[-1].text


def test_guidance_is_staged_in_its_block_and_the_next_look_back_tells_what_it_did(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    plan: dict[str, Any] = {"slow_every": 1, "edit_budget": 1, "minibatch": 1}
    slow_night(machine, 0, 1, 2)
    machine.had(10, 11, 12, 13)
    machine.had(3, 4, said=USELESS)

    report = machine.night(**plan)
    (proposal,) = report.proposals
    result = (Path(report.run.folder) / "proposals" / proposal.id / "result").read_text(encoding="utf-8")

    assert [edit.source for edit in proposal.edits] == [EditSource.SLOW]
    assert f"{BEGIN}\n{proposal.edits[0].content}\n{END}\n" in result
    (machine.project() / "CLAUDE.md").write_text(result, encoding="utf-8")
    machine.clock.pass_by(days=1)
    machine.had(14, 15)
    machine.had(5, 6, said=USELESS)
    assert "improved" in machine.night(**plan).documents[0].later.compared
