"""One step on one document: what it ends as, what it spends, and what may decide."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind, ItemError
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.begin import NOTHING_PAST
from skillopt_sleep.learning.confirm import FRESH
from skillopt_sleep.learning.step import MOST_WAITING
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    EditFate,
    EditOp,
    Effect,
    Evidence,
    GateRule,
    Judged,
    Metric,
    Outcome,
    Past,
    Purpose,
    Split,
    StepOutcome,
    Task,
    Trajectory,
    Trial,
    Verdict,
    WaitingCandidate,
)
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from tests.builders import SAID, a_document, a_past, an_edit, changed
from tests.fakes import Answers, FakeBackend, FakeExecutor, FakeJudge, FakeMeter
from tests.nights import RULE, STRICT, a_crew, a_plan
from tests.steps import a_side, step

DOCUMENT = a_document("- Old.")
HARD = replace(STRICT, metric=Metric.HARD)


SURE = GateRule(metric=Metric.HARD)
TRAIN, VAL, TEST = a_side(Split.TRAIN, 1, 2), a_side(Split.VAL, 1, 2), a_side(Split.TEST, 1)
OTHER = [*a_side(Split.TRAIN, 7, lesson="other"), *a_side(Split.VAL, 7, 8, lesson="other")]


class Night:
    """A step with fakes, and what it asked, did and logged."""

    def __init__(self, *, edits: Answers | None = None, grade: Any = None, **answers: Answers) -> None:
        proposed = edits or {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}
        self.optimizer = FakeBackend({Purpose.REFLECT: proposed, **{Purpose(name): a for name, a in answers.items()}})
        self.executor = FakeExecutor(lambda task, document, sample: f"{task.id}|{document.body}|{sample}")
        self.judge = FakeJudge(grade or follows_the_rule)
        self.log: list[tuple[str, int]] = []

    def step(
        self,
        tasks: Sequence[Task],
        *,
        document: Document = DOCUMENT,
        past: Past = NOTHING_PAST,
        known: Sequence[Task] = (),
        left: int = 10_000,
        **plan: Any,
    ) -> StepOutcome:
        meter = FakeMeter(left=left)
        return step(
            document,
            tasks,
            crew=a_crew(optimizer=self.optimizer, executor=self.executor, judge=self.judge, meter=meter),
            plan=a_plan(**({"gate": HARD} | plan)),
            log=lambda name, rows: self.log.append((name, len(rows))),
            past=past,
            known=known,
        )

    @property
    def attempted(self) -> list[str]:
        """The sides whose tasks were attempted, in order, each once."""
        return list(dict.fromkeys(str(task.split) for task, _, _ in self.executor.jobs))


def follows_the_rule(_task: Task, trajectory: Trajectory) -> float:
    return 1.0 if RULE in trajectory.response else 0.0


def always(grade: Any) -> Callable[[Task, Trajectory], Any]:
    return lambda task, trajectory: grade


# unverified ---------------------------------------------------------------------------------------------


def test_without_an_unseen_task_nothing_is_spent() -> None:
    night = Night()

    outcome = night.step(TRAIN)

    assert outcome.outcome is Outcome.UNVERIFIED
    assert outcome.verdict.decision is Decision.ABSTAIN
    assert "1 lesson has requests of one session only" in outcome.because
    assert outcome.tasks.untestable == 1
    assert (night.executor.jobs, night.optimizer.prompts, night.log) == ([], [], [])


def test_lessons_without_an_unseen_task_wait_while_the_others_are_learned() -> None:
    night = Night()
    waiting = a_side(Split.TRAIN, 7, lesson="other")

    outcome = night.step([*TRAIN, *waiting, *VAL])

    assert (outcome.outcome, outcome.tasks.untestable, outcome.tasks.train) == (Outcome.IMPROVED, 1, 2)
    assert all(task.id != "train7" for task, _, _ in night.executor.jobs)
    assert "request train 7" not in night.optimizer.prompts[0].text
    assert all("train7" not in edit.edit.tasks for edit in outcome.tried.edits)


def test_several_waiting_lessons_are_counted_by_lesson() -> None:
    tasks = [*a_side(Split.TRAIN, 1, 2, lesson="a"), *a_side(Split.TRAIN, 3, lesson="b")]

    outcome = Night().step(tasks)

    assert outcome.tasks.untestable == 2
    assert "2 lessons have requests of one session only" in outcome.because


def test_a_test_task_is_no_unseen_task_to_gate_with() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *TEST])

    assert (outcome.outcome, night.executor.jobs) == (Outcome.UNVERIFIED, [])


def test_attempts_that_could_not_be_scored_prove_nothing() -> None:
    night = Night(grade=always(ItemError("can't tell")))

    outcome = night.step([*TRAIN, *VAL])

    assert outcome.outcome is Outcome.UNVERIFIED
    assert "none of 2 attempts" in outcome.because
    assert [note.summary for note in outcome.notes] == ["2 of 2 attempts not scored: can't tell"]
    assert night.optimizer.prompts == []


def test_a_trial_that_could_not_be_scored_proves_nothing() -> None:
    def grade(task: Task, _trajectory: Trajectory) -> float | Exception:
        return 0.0 if task.split is Split.TRAIN else ItemError("can't tell")

    outcome = Night(grade=grade).step([*TRAIN, *VAL])

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.UNVERIFIED, Decision.ABSTAIN)
    assert outcome.candidate is not None
    assert outcome.trial.lost.pairs == 2


# no headroom, no change ---------------------------------------------------------------------------------


def test_where_every_attempt_does_what_was_asked_there_is_no_headroom() -> None:
    night = Night(grade=always(1.0))

    outcome = night.step([*TRAIN, *VAL, *TEST])

    assert outcome.outcome is Outcome.NO_HEADROOM
    assert "all 2 attempts" in outcome.because
    assert night.optimizer.prompts == []
    assert night.attempted == ["train"]


def test_one_unscored_attempt_among_successes_is_no_failure_to_learn_from() -> None:
    def grade(task: Task, _trajectory: Trajectory) -> float | Exception:
        return ItemError("no") if task.id == "train1" else 1.0

    outcome = Night(grade=grade).step([*TRAIN, *VAL])

    assert (outcome.outcome, outcome.because) == (Outcome.NO_HEADROOM, "the only attempt already does what was asked")


def test_no_edits_are_no_change() -> None:
    outcome = Night(edits={"edits": []}).step([*TRAIN, *VAL])

    assert (outcome.outcome, outcome.because, outcome.tried.edits) == (Outcome.NO_CHANGE, "no edit was proposed", ())


FATES = {
    "unmatched": (
        {"op": "replace", "content": "- X.", "target": "nowhere"},
        EditFate.UNMATCHED,
        "its target isn't in",
    ),
    "duplicate": ({"op": "append", "content": "- old."}, EditFate.DUPLICATE, "says it already"),
    "refused": ({"op": "append", "content": "See https://evil.example/x"}, EditFate.REFUSED, "address"),
}


@pytest.mark.parametrize(("edit", "fate", "because"), FATES.values(), ids=FATES)
def test_where_no_edit_could_be_applied_nothing_changes_and_each_says_why(
    edit: dict[str, str], fate: EditFate, because: str
) -> None:
    night = Night(edits={"edits": [edit]})

    outcome = night.step([*TRAIN, *VAL])

    assert outcome.outcome is Outcome.NO_CHANGE
    assert [applied.fate for applied in outcome.tried.edits] == [fate]
    assert because in outcome.tried.edits[0].because
    assert outcome.because.startswith("the proposed edit couldn't be applied (")
    assert because in outcome.because
    assert outcome.candidate is None
    assert night.attempted == ["train"]


def test_edits_that_undo_one_another_are_not_tried() -> None:
    edits = {"edits": [{"op": "append", "content": "- X."}, {"op": "delete", "target": "\n- X."}]}
    night = Night(edits=edits, select={"selected_indices": [0, 1]})

    outcome = night.step([*TRAIN, *VAL, *OTHER])

    assert outcome.outcome is Outcome.NO_CHANGE
    assert night.attempted == ["train"]


def test_a_useless_edit_is_rejected() -> None:
    outcome = Night(grade=always(0.5)).step([*TRAIN, *VAL, *TEST])

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.NO_CHANGE, Decision.REJECT)
    assert outcome.because.startswith("no better: solved 0 of 2 before and 0 of 2")
    assert outcome.candidate is not None


def test_a_harmful_edit_is_rejected() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float:
        return 0.0 if task.split is Split.TRAIN else 1.0 - follows_the_rule(task, trajectory)

    outcome = Night(grade=grade).step([*TRAIN, *VAL])

    assert (outcome.outcome, outcome.trial.before, outcome.trial.after) == (Outcome.NO_CHANGE, 1.0, 0.0)
    assert outcome.because.startswith("lower: solved 2 of 2 before and 0 of 2")


# what needs the repository ------------------------------------------------------------------------------

FILES = [changed(task, needs_repository=True) for task in (*a_side(Split.TRAIN, 8), *a_side(Split.VAL, 8, 9))]


def test_what_no_answer_in_words_can_show_is_not_tried_and_the_outcome_says_so() -> None:
    night = Night()

    outcome = night.step(FILES)

    assert outcome.outcome is Outcome.UNVERIFIED
    assert outcome.because == "needs the repository: 3 tasks wait for a replay that can run them"
    assert (outcome.tasks.train, outcome.tasks.untestable, outcome.tasks.needs_repository) == (0, 0, 3)
    assert outcome.sessions.ids == ("train8", "val8", "val9")
    assert not outcome.sessions.unfinished
    (note,) = outcome.notes
    assert "3 tasks wait" in note.summary
    assert note.expected
    assert (night.executor.jobs, night.optimizer.prompts, night.judge.graded) == ([], [], [])


def test_the_others_are_learned_while_those_wait() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL, *FILES])

    assert outcome.outcome is Outcome.IMPROVED
    assert outcome.tasks.needs_repository == 3
    assert {task.id for task, _, _ in night.executor.jobs} == {task.id for task in (*TRAIN, *VAL)}


def test_a_lesson_that_waits_for_the_repository_is_not_said_to_wait_for_a_session() -> None:
    seen_once = a_side(Split.TRAIN, 7, lesson="other")

    outcome = Night().step([*TRAIN, FILES[1], *seen_once])

    assert outcome.tasks.untestable == 1
    assert outcome.because.startswith("1 lesson has requests of one session only")
    assert outcome.because.endswith("needs the repository: 1 task waits for a replay that can run them")


def test_with_tools_they_are_tried_like_any_other() -> None:
    night = Night()
    night.executor.text_only = False

    outcome = night.step(FILES)

    assert (outcome.outcome, outcome.tasks.needs_repository) == (Outcome.IMPROVED, 0)


# improved -----------------------------------------------------------------------------------------------


def test_what_does_better_on_unseen_tasks_is_an_improvement() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL])

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.IMPROVED, Decision.ACCEPT)
    assert outcome.candidate is not None
    assert outcome.candidate.body == f"- Old.\n{RULE}"
    assert (outcome.trial.before, outcome.trial.after, outcome.trial.n) == (0.0, 1.0, 2)
    assert (outcome.tasks.train, outcome.tasks.val, outcome.tasks.test) == (2, 2, 0)
    assert [applied.fate for applied in outcome.tried.edits] == [EditFate.APPLIED]
    assert outcome.document == DOCUMENT
    assert outcome.tasks.text_only


def test_a_success_on_train_decides_nothing() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float:
        return follows_the_rule(task, trajectory) if task.split is Split.TRAIN else 0.0

    assert Night(grade=grade).step([*TRAIN, *VAL]).outcome is Outcome.NO_CHANGE


def test_its_evidence_and_sessions_are_named() -> None:
    outcome = Night().step([*TRAIN, *VAL, *TEST])

    assert outcome.tried.evidence == tuple(Evidence(session=task.session, turn=2, quote=SAID) for task in TRAIN)
    assert outcome.sessions.ids == tuple(task.session for task in (*TRAIN, *VAL, *TEST))


def test_each_stage_is_logged() -> None:
    night = Night()
    night.step([*TRAIN, *VAL])

    assert night.log == [("rollouts", 2), ("patches", 1), ("edits", 1), ("rollouts", 4), ("trials", 1)]


@pytest.mark.parametrize("samples", [1, 2, 3])
def test_each_train_task_is_attempted_as_often_as_the_plan_says(samples: int) -> None:
    night = Night()
    night.step([*TRAIN, *VAL], samples=samples)

    train = [(task.id, sample) for task, _, sample in night.executor.jobs if task.split is Split.TRAIN]
    assert train == [(task.id, sample) for task in TRAIN for sample in range(samples)]


def test_at_most_the_edit_budget_is_applied() -> None:
    edits = {"edits": [{"op": "append", "content": f"- Rule number {i} about {'abcd'[i] * 9}."} for i in range(4)]}
    night = Night(edits=edits, select={"selected_indices": [3, 0, 1, 2]})

    outcome = night.step([*TRAIN, *VAL, *OTHER], edit_budget=2)

    assert [applied.edit.content[:13] for applied in outcome.tried.edits] == ["- Rule number", "- Rule number"]
    assert outcome.candidate is not None
    assert outcome.candidate.body.splitlines()[1:] == [applied.edit.content for applied in outcome.tried.edits]
    assert "number 3" in outcome.tried.edits[0].edit.content


def test_the_house_rules_reach_the_optimizer() -> None:
    night = Night()
    night.step([*TRAIN, *VAL], preferences="Never more than ten words.")

    assert "Never more than ten words." in night.optimizer.prompts[0].text


def test_what_no_trial_has_shown_to_be_better_is_unverified_however_it_was_accepted() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL, *TEST], gate=GateRule(name="greedy"))

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.UNVERIFIED, Decision.ACCEPT)
    assert outcome.candidate is not None
    assert "val" not in night.attempted


# what was refused before --------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [RULE, "-  use PNPM, never npm. "])
@pytest.mark.parametrize("op", [EditOp.APPEND, EditOp.INSERT_AFTER])
def test_an_edit_that_a_person_rejected_is_not_tried_again(content: str, op: EditOp) -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL], past=a_past(refused=(an_edit(content, op=op),)))

    assert outcome.outcome is Outcome.NO_CHANGE
    assert [(applied.fate, applied.because) for applied in outcome.tried.edits] == [
        (
            EditFate.REFUSED,
            "you rejected P-0001 on 2026-03-01; to have it tried again: skillopt-sleep reject --undo P-0001",
        )
    ]
    assert night.attempted == ["train"]


def test_a_removal_that_a_person_rejected_is_not_tried_again() -> None:
    said = a_document("- Use npm.")
    removal = {"edits": [{"op": "delete", "target": "- Use npm."}]}
    night = Night(edits=removal)
    kept = an_edit("", op=EditOp.DELETE, target="- use  NPM.")

    outcome = night.step([*TRAIN, *VAL], document=said, past=a_past(refused=(kept,)))

    assert [applied.fate for applied in outcome.tried.edits] == [EditFate.REFUSED]


def test_another_edit_is_tried_although_one_was_rejected() -> None:
    assert Night().step([*TRAIN, *VAL], past=a_past(refused=(an_edit("- Use yarn."),))).outcome is Outcome.IMPROVED


# test tasks ---------------------------------------------------------------------------------------------


def test_test_tasks_are_reported_once_after_an_improvement() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL, *TEST])

    assert (outcome.kept_back.before, outcome.kept_back.after, outcome.kept_back.n) == (0.0, 1.0, 1)
    assert outcome.kept_back.interval is not None
    assert night.attempted == ["train", "val", "test"]
    assert outcome.trial.calls == 4
    assert all(pair.task.startswith("val") for pair in outcome.trial.pairs)


def test_only_test_tasks_of_the_accepted_rules_own_lesson_are_tried_and_without_one_no_number_is_told() -> None:
    night, alone = Night(), Night()
    others = a_side(Split.TEST, 7, 8, lesson="other")

    outcome = night.step([*TRAIN, *VAL, *TEST, *others])
    without = alone.step([*TRAIN, *VAL, *others])

    assert outcome.kept_back.n == 1
    assert {task.id for task, _, _ in night.executor.jobs} == {"train1", "train2", "val1", "val2", "test1"}
    assert (without.outcome, without.kept_back.n, without.kept_back.interval) == (Outcome.IMPROVED, 0, None)


def test_an_accepted_change_is_measured_on_fresh_attempts_that_no_trial_made() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL])

    drawn = Counter((task.id, document.body, sample) for task, document, sample in night.executor.jobs)
    assert max(drawn.values()) == 1
    assert {pair.sample for pair in outcome.fresh.pairs} == {FRESH}
    assert FRESH not in {pair.sample for tested in outcome.tried.tested for pair in tested.trial.pairs}
    assert (outcome.fresh.before, outcome.fresh.after, outcome.fresh.n) == (0.0, 1.0, 2)


@pytest.mark.parametrize("grade_when_fresh", [0.0, 1.0])
def test_the_fresh_round_never_decides(grade_when_fresh: float) -> None:
    def grade(task: Task, trajectory: Trajectory) -> float:
        follows = follows_the_rule(task, trajectory)
        fresh = int(trajectory.response.rsplit("|", 1)[1]) % CANDIDATE_SAMPLES == FRESH
        return (1 - follows) * grade_when_fresh if fresh else follows

    outcome = Night(grade=grade).step([*TRAIN, *VAL])

    assert (outcome.outcome, outcome.trial.after) == (Outcome.IMPROVED, 1.0)
    assert outcome.fresh.after == 0.0


@pytest.mark.parametrize("grade_on_test", [0.0, 0.5, 1.0])
def test_test_tasks_are_never_used_to_decide(grade_on_test: float) -> None:
    def grade(task: Task, trajectory: Trajectory) -> float:
        follows = follows_the_rule(task, trajectory)
        return (1 - follows) * grade_on_test if task.split is Split.TEST else follows

    with_test, without = Night(grade=grade), Night(grade=grade)
    one, other = with_test.step([*TRAIN, *VAL, *TEST]), without.step([*TRAIN, *VAL])

    assert (one.outcome, one.verdict, one.trial, one.candidate, one.tried.edits) == (
        other.outcome,
        other.verdict,
        other.trial,
        other.candidate,
        other.tried.edits,
    )


def test_without_an_improvement_test_tasks_are_not_attempted() -> None:
    night = Night(grade=always(0.5))
    outcome = night.step([*TRAIN, *VAL, *TEST])

    assert night.attempted == ["train", "val"]
    assert (outcome.kept_back.before, outcome.kept_back.n) == (None, 0)


def test_test_tasks_that_could_not_be_scored_are_noted_and_no_zero() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float | Exception:
        return ItemError("can't tell") if task.split is Split.TEST else follows_the_rule(task, trajectory)

    outcome = Night(grade=grade).step([*TRAIN, *VAL, *TEST])

    assert (outcome.outcome, outcome.kept_back.before, outcome.kept_back.n) == (Outcome.IMPROVED, None, 0)
    assert [note.summary for note in outcome.notes] == ["2 of 2 attempts not scored: can't tell"]


def test_neither_val_nor_test_reach_the_optimizer() -> None:
    night = Night()
    night.step([*TRAIN, *VAL, *TEST])

    text = "\n".join(prompt.text for prompt in night.optimizer.prompts)
    assert "request train 1" in text
    assert "request val" not in text
    assert "request test" not in text


# failing calls ------------------------------------------------------------------------------------------


def test_where_no_reflection_came_back_the_step_is_unfinished() -> None:
    outcome = Night(edits=CallFailed(FailureKind.TIMED_OUT, "no answer")).step([*TRAIN, *VAL])

    assert outcome.sessions.unfinished
    assert outcome.outcome is Outcome.UNVERIFIED
    assert outcome.because == "no lesson could be drawn: no answer"
    assert [note.stage for note in outcome.notes] == ["reflect"]


def test_one_reflection_is_enough_to_be_finished() -> None:
    answers = iter([CallFailed(FailureKind.TIMED_OUT, "no answer"), {"edits": []}])
    outcome = Night(edits=lambda prompt: next(answers)).step([*TRAIN, *VAL], minibatch=1)

    assert not outcome.sessions.unfinished
    assert len(outcome.notes) == 1


def test_a_dead_model_ends_the_step() -> None:
    with pytest.raises(BackendUnavailable):
        Night(edits=BackendUnavailable("gone")).step([*TRAIN, *VAL])


def test_an_edit_that_would_make_the_document_too_long_is_refused_with_that_reason() -> None:
    night = Night()

    outcome = night.step([*TRAIN, *VAL], max_chars=20)

    assert [(fate.fate, fate.because) for fate in outcome.tried.edits] == [
        (EditFate.REFUSED, "the rules would pass 20 characters (max_chars)")
    ]
    assert (outcome.outcome, night.attempted) == (Outcome.NO_CHANGE, ["train"])


# what waits ---------------------------------------------------------------------------------------------


def a_wait(night: Night, content: str, *, val: Sequence[Task] = VAL[:1], rule: GateRule = SURE) -> WaitingCandidate:
    """A rule of an earlier night that one task of its lesson couldn't prove."""
    edits = (an_edit(content, tasks=("train1",), lessons=("c",)),)
    changed = candidate(DOCUMENT, edits)
    assert changed is not None
    crew = a_crew(executor=night.executor, judge=night.judge)
    trial, verdict, _ = run_trial(DOCUMENT, changed, val, attempts=CrewAttempts(crew), rule=rule, lessons=("c",))
    judged = Judged(kind=CandidateKind.RULE, edits=edits, trial=trial, verdict=verdict)
    return WaitingCandidate(night="n1", path=DOCUMENT.path, crew="m v", tested=judged)


def test_a_rule_that_nothing_new_tests_waits_on_as_it_is() -> None:
    night = Night()
    wait = a_wait(night, RULE)
    night.executor.jobs.clear()

    outcome = night.step([*TRAIN, *VAL[:1]], past=Past(waiting=(wait,)), gate=SURE)

    assert outcome.tried.undecided == (wait,)
    assert night.executor.jobs == []
    assert outcome.because == "all that was asked for has a rule that waits for more sessions"


def test_a_rule_that_waits_is_proven_by_a_new_session_and_its_lesson_is_not_learned_again() -> None:
    night = Night()
    wait = a_wait(night, RULE)

    outcome = night.step([*TRAIN, *VAL], past=Past(waiting=(wait,)), gate=SURE)

    assert (outcome.outcome, outcome.tried.undecided) == (Outcome.IMPROVED, ())
    assert outcome.trial.pairs[: wait.tested.trial.n] == wait.tested.trial.pairs
    assert night.optimizer.prompts == []


def test_a_rejected_rule_waits_with_what_it_was_worth_and_its_lesson_may_be_learned_in_other_words() -> None:
    night = Night(grade=always(0.0))
    first = night.step([*TRAIN, *VAL], gate=SURE)
    (wait,) = first.tried.undecided
    other = Night(edits={"edits": [{"op": "append", "content": "- Say which package manager.", "reason": "said"}]})

    again = other.step([*TRAIN, *VAL], past=Past(waiting=(wait,)), gate=SURE)

    assert (first.outcome, wait.tested.verdict.decision) == (Outcome.NO_CHANGE, Decision.REJECT)
    assert wait.tested.trial == first.tried.tested[0].trial
    assert [fate.edit.content for fate in again.tried.edits] == ["- Say which package manager."]
    assert wait in again.tried.undecided


def test_a_rejected_rule_in_nearly_the_same_words_is_not_born_anew_but_goes_on_with_a_new_unseen_task() -> None:
    rejected = Night(grade=always(0.0)).step([*TRAIN, *VAL], gate=SURE).tried.undecided
    same = Night(edits={"edits": [{"op": "append", "content": "- Use pnpm , never npm.", "reason": "said"}]})

    refused = same.step([*TRAIN, *VAL], past=Past(waiting=rejected), gate=SURE)
    tried = Night(edits={"edits": []}).step([*VAL, *a_side(Split.VAL, 3)], past=Past(waiting=rejected), gate=SURE)

    assert [(fate.fate, "it waits for more proof" in fate.because) for fate in refused.tried.edits] == [
        (EditFate.REFUSED, True)
    ]
    assert refused.tried.tested == ()
    (tested,) = tried.tried.tested
    before = rejected[0].tested.trial
    assert tested.trial.pairs[: before.n] == before.pairs
    assert tested.trial.alpha == before.alpha


def test_of_too_many_that_wait_the_rejected_go_first_and_then_the_oldest_each_by_name() -> None:
    night = Night()
    waits = [replace(a_wait(night, f"- {RULE} {n}."), night=f"n{n}") for n in range(MOST_WAITING + 1)]
    verdict = replace(waits[5].tested.verdict, decision=Decision.REJECT)
    waits[5] = replace(waits[5], tested=replace(waits[5].tested, verdict=verdict))

    outcome = night.step([*TRAIN, *VAL[:1]], past=Past(waiting=tuple(waits)), gate=SURE)

    kept = [wait.night for wait in outcome.tried.undecided]
    assert kept == [wait.night for wait in waits if wait.night != "n5"]
    assert any("the change of n5 was dropped" in note.summary for note in outcome.notes)


def test_a_rule_that_was_tried_while_the_model_changed_waits_with_a_new_trial() -> None:
    night = Night()
    made: list[int] = []

    def attempt(task: Task, document: Document, sample: int) -> Trajectory:
        made.append(sample)
        model = "m-1" if len(made) <= 6 else "m-2"
        return Trajectory(response=f"{task.id}|{document.body}|{sample}", model=model)

    night.executor = FakeExecutor(attempt)

    outcome = night.step([*TRAIN, *VAL], gate=SURE)

    assert (outcome.outcome, outcome.verdict.decision) == (Outcome.UNVERIFIED, Decision.ABSTAIN)
    assert "it counts as not tried: the trial is void: it began with m-1 and ended with m-2" in notes_of(outcome)
    (wait,) = outcome.tried.undecided
    assert (wait.tested.edits, wait.tested.trial.pairs) == (outcome.tried.tested[0].edits, ())
    assert wait.tested.trial.alpha == outcome.tried.tested[0].trial.alpha
    again = Night().step([*TRAIN, *VAL], past=Past(waiting=(wait,)), gate=SURE)
    assert again.outcome is Outcome.IMPROVED


def notes_of(outcome: StepOutcome) -> str:
    return "\n".join(note.summary for note in outcome.notes)


# what is proposed ---------------------------------------------------------------------------------------


def test_a_proposal_quotes_only_the_words_its_edits_were_learned_from() -> None:
    said = [
        changed(task, evidence=(Evidence(session=task.session, turn=1, quote=f"words of {task.id}"),))
        for task in TRAIN
    ]
    night = Night(edits={"edits": [{"op": "append", "content": RULE, "reason": "said", "attempts": [1]}]})

    outcome = night.step([*said, *VAL])

    assert [evidence.quote for evidence in outcome.tried.evidence] == ["words of train1"]


BOTH: dict[str, list[Any]] = {
    "edits": [
        {"op": "append", "content": RULE, "reason": "said", "attempts": [1]},
        {"op": "append", "content": "- Be brief.", "reason": "said", "attempts": [2]},
    ]
}


def of_two_lessons(sessions: int, others: int) -> list[Task]:
    """The tasks of two lessons with one train task and so many unseen ones each, with the person's words."""
    tasks: list[Task] = []
    for lesson, count in (("wide", sessions), ("narrow", others)):
        for n, split in enumerate([Split.TRAIN, *[Split.VAL] * count]):
            (task,) = a_side(split, n, lesson=lesson)
            name = f"{lesson}{n}"
            words = Evidence(session=name, turn=1, quote=f"words of {name}")
            tasks.append(changed(task, id=name, session=name, prompt=f"request {name}", evidence=(words,)))
    return tasks


def follows_its_own(task: Task, trajectory: Trajectory) -> float:
    return float((RULE if task.lesson == "wide" else "- Be brief.") in trajectory.response)


def test_each_rule_has_its_own_trial_on_its_own_lesson_and_what_isnt_proven_is_not_quoted() -> None:
    outcome = Night(edits=BOTH, grade=follows_its_own).step(of_two_lessons(4, 1), gate=SURE)

    assert outcome.candidate is not None
    assert outcome.candidate.body == f"- Old.\n{RULE}"
    assert [evidence.quote for evidence in outcome.tried.evidence] == ["words of wide0"]
    assert [{pair.lesson for pair in one.trial.pairs} for one in outcome.tried.tested] == [{"wide"}, {"narrow"}]
    (early,) = outcome.tried.early
    assert ([edit.content for edit in early.tested.edits], early.candidate.body) == (
        ["- Be brief."],
        "- Old.\n- Be brief.",
    )
    assert [evidence.quote for evidence in early.evidence] == ["words of narrow0"]
    (wait,) = outcome.tried.undecided
    assert wait.tested.verdict.early


def test_a_lesson_that_the_calls_of_a_night_do_not_reach_waits_by_name_and_its_sessions_stay_unread() -> None:
    night = Night(edits={"edits": BOTH["edits"][1:]}, grade=follows_its_own)

    outcome = night.step(of_two_lessons(4, 4), gate=SURE, left=50)

    assert outcome.outcome is Outcome.IMPROVED
    assert {"wide0", "wide1"} <= set(outcome.sessions.left) <= {f"wide{n}" for n in range(5)}
    assert "1 lesson waits for another night" in notes_of(outcome)
    assert "«request wide0»" in notes_of(outcome)
    assert all(task.id != "wide0" for task, _, _ in night.executor.jobs)


def test_rules_that_are_all_proven_are_proposed_together_with_the_numbers_of_all() -> None:
    outcome = Night(edits=BOTH, grade=follows_its_own).step(of_two_lessons(4, 4), gate=SURE)

    assert outcome.candidate is not None
    assert outcome.candidate.body == f"- Old.\n- Be brief.\n{RULE}"
    assert {pair.lesson for pair in outcome.trial.pairs} == {"wide", "narrow"}
    assert outcome.trial.n == sum(one.trial.n for one in outcome.tried.tested)
    assert [effect.effect for effect in outcome.tried.effects] == [Effect.HELPED] * 2
    assert (outcome.fresh.n, {pair.lesson for pair in outcome.fresh.pairs}) == (8, {"wide", "narrow"})
    assert "this one helped in 8 of 8 sessions" in outcome.verdict.error_rate
    assert "the night proposed any rule that does nothing was at most 5 %" in outcome.verdict.error_rate
    assert outcome.trial.evidence is None  # no bet was placed on all of them


def test_the_rules_of_a_night_share_its_error_rate_and_each_proof_leaves_more_to_the_others() -> None:
    outcome = Night(edits=BOTH, grade=follows_its_own).step(of_two_lessons(4, 4), gate=SURE)

    assert [one.trial.alpha for one in outcome.tried.tested] == pytest.approx([SURE.alpha / 2, SURE.alpha])


def test_an_undecided_rule_is_read_again_when_another_is_proven() -> None:
    def grade(task: Task, trajectory: Trajectory) -> float:
        """The first rule's gain is just enough for the whole rate, and too little for half of it."""
        return follows_its_own(task, trajectory) * float(task.id != "narrow7")

    outcome = Night(edits=BOTH, grade=grade).step(of_two_lessons(7, 7), gate=replace(SURE, rounds=1))

    first, second = outcome.tried.tested
    assert first.trial.evidence is not None
    assert 1 / SURE.alpha <= first.trial.evidence < 2 / SURE.alpha
    assert (first.verdict.decision, second.verdict.decision) == (Decision.ACCEPT, Decision.ACCEPT)
    assert first.trial.alpha == pytest.approx(SURE.alpha)


# other lessons ------------------------------------------------------------------------------------------


LEARNED = a_past(adopted=(an_edit("- Say why.", lessons=("learned",)),))


@pytest.mark.parametrize("stands", [True, False])
def test_a_lesson_that_was_learned_before_is_guarded_though_nobody_asks_for_it_tonight(*, stands: bool) -> None:
    document = a_document("- Old.\n- Say why." if stands else "- Old.")
    (known,) = a_side(Split.VAL, 9, lesson="learned")

    def grade(task: Task, trajectory: Trajectory) -> float:
        has_rule = RULE in trajectory.response
        return float(has_rule != (task.lesson == "learned"))

    outcome = Night(grade=grade).step(
        [*TRAIN, *a_side(Split.VAL, 1, 2, 3, 4)], document=document, past=LEARNED, gate=SURE, known=[known]
    )

    assert outcome.outcome is (Outcome.NO_CHANGE if stands else Outcome.IMPROVED)
    assert ("made another lesson worse" in outcome.because) is stands
    if stands:
        (effect,) = outcome.tried.effects
        assert effect.effect is Effect.UNDECIDED
        assert "another lesson worse" in effect.because
        assert effect.harmed == 1
        assert [harm.lesson for harm in outcome.verdict.harmed] == ["learned"]
        assert outcome.tried.undecided[0].tested.verdict.decision is Decision.REJECT


def test_the_harmful_winner_is_left_out_while_the_rest_is_proposed() -> None:
    (known,) = a_side(Split.VAL, 9, lesson="learned")

    def grade(task: Task, trajectory: Trajectory) -> float:
        if task.lesson == "learned":
            return float("- Be brief." not in trajectory.response)
        return follows_its_own(task, trajectory)

    outcome = Night(edits=BOTH, grade=grade).step(
        of_two_lessons(4, 4), document=a_document("- Old.\n- Say why."), past=LEARNED, gate=SURE, known=[known]
    )

    assert outcome.candidate is not None
    assert outcome.candidate.body == f"- Old.\n- Say why.\n{RULE}"
    assert [one.verdict.decision for one in outcome.tried.tested] == [Decision.REJECT, Decision.ACCEPT]
    assert [effect.harmed for effect in outcome.tried.effects] == [1, 0]
    (wait,) = outcome.tried.undecided
    assert [harm.lesson for harm in wait.tested.verdict.harmed] == ["learned"]


def test_a_lesson_that_nothing_answers_well_can_not_get_worse_and_is_not_asked() -> None:
    failing = a_side(Split.VAL, 9, lesson="other")
    train = a_side(Split.TRAIN, 9, lesson="other")
    only = {"edits": [{"op": "append", "content": RULE, "reason": "said", "attempts": [1]}]}
    night = Night(edits=only, grade=lambda task, made: float(task.lesson == "c") * follows_the_rule(task, made))

    outcome = night.step([*TRAIN, *VAL, *train, *failing], gate=SURE)

    assert outcome.outcome is Outcome.IMPROVED
    assert outcome.guard.pairs == ()
    assert all(task.id != failing[0].id for task, _, _ in night.executor.jobs)


@pytest.mark.parametrize(("rejected", "asked"), [("", ("other",)), ("I ran npm install.", ())])
def test_a_request_that_the_person_accepted_can_get_worse_and_one_that_they_corrected_was_not_answered_well(
    rejected: str, asked: tuple[str, ...]
) -> None:
    (other,) = a_side(Split.VAL, 9, lesson="other")
    night = Night(grade=lambda task, made: 1.0 if task.lesson == "other" else follows_the_rule(task, made))

    outcome = night.step([*TRAIN, *VAL, changed(other, rejected=rejected)], gate=SURE)

    assert outcome.outcome is Outcome.IMPROVED
    assert outcome.guard.could_get_worse == asked
    assert (other.id in {task.id for task, _, _ in night.executor.jobs}) is bool(asked)


def ends_in_its_guard(task: Task, trajectory: Trajectory) -> float:
    if task.lesson == "learned":
        raise BudgetExhausted("the limit of 20 calls is reached", remedy="raise budget.calls")
    return follows_the_rule(task, trajectory)


def test_a_winner_whose_guard_was_cut_short_waits_for_its_guard_alone() -> None:
    document = a_document("- Old.\n- Say why.")
    val = [*VAL, *a_side(Split.VAL, 9, lesson="learned")]

    cut = Night(grade=ends_in_its_guard).step([*TRAIN, *val], document=document, past=LEARNED, gate=SURE)

    assert (cut.outcome, cut.verdict.decision) == (Outcome.UNDECIDED, Decision.UNDECIDED)
    assert (cut.guard.cut_short, "nobody knows its harm" in cut.because) == (True, True)
    assert "the limit of 20 calls is reached before other lessons were asked" in cut.tried.effects[0].because
    (wait,) = cut.tried.undecided
    again = Night(grade=lambda task, made: follows_the_rule(task, made) or float(task.lesson == "learned"))
    healthy = again.step(val, document=document, past=replace(LEARNED, waiting=(wait,)), gate=SURE)
    assert healthy.outcome is Outcome.IMPROVED
    assert healthy.trial.pairs == wait.tested.trial.pairs
    assert again.optimizer.prompts == []
    asked = {task.id for task, _, sample in again.executor.jobs if sample % CANDIDATE_SAMPLES < FRESH}
    assert asked == {"val9"}


def test_a_winner_whose_guard_other_models_answer_begins_anew() -> None:
    document = a_document("- Old.\n- Say why.")
    val = [*VAL, *a_side(Split.VAL, 9, lesson="learned")]

    def answering(model: str, grade: Any) -> Night:
        night = Night(grade=grade)
        night.executor = FakeExecutor(
            lambda task, version, sample: Trajectory(response=f"{task.id}|{version.body}|{sample}", model=model)
        )
        return night

    cut = answering("m-1", ends_in_its_guard).step([*TRAIN, *val], document=document, past=LEARNED, gate=SURE)
    past = replace(LEARNED, waiting=cut.tried.undecided)
    outcome = answering("m-2", lambda task, made: 1.0).step(val, document=document, past=past, gate=SURE)

    (wait,) = outcome.tried.undecided
    assert outcome.outcome is not Outcome.IMPROVED
    assert (wait.tested.trial.pairs, wait.tested.verdict.decision) == ((), Decision.UNDECIDED)


def test_a_removal_that_won_beside_something_new_waits_for_another_night_and_asks_nothing_then() -> None:
    removal = an_edit("", op=EditOp.DELETE, target="- Old.", tasks=("train8",), lessons=("old",))
    known = [*a_side(Split.TRAIN, 8, lesson="old"), *a_side(Split.VAL, 8, 9, lesson="old")]
    verdict = Verdict(decision=Decision.ACCEPT, reason="no worse")
    tested = Judged(kind=CandidateKind.REMOVAL, edits=(removal,), trial=Trial(lessons=("old",)), verdict=verdict)
    wait = WaitingCandidate(night="n1", path=DOCUMENT.path, crew="m v", tested=tested)
    past = a_past(waiting=(wait,), adopted=(an_edit("- Old.", tasks=("train8",), lessons=("old",)),))
    night = Night(grade=lambda task, made: float(task.lesson == "old" or RULE in made.response))

    outcome = night.step([*TRAIN, *VAL], past=past, known=known, gate=SURE)

    assert outcome.candidate is not None
    assert outcome.candidate.body == f"- Old.\n{RULE}"
    assert outcome.tried.undecided == (wait,)
    alone = Night().step([*VAL], past=past, known=known, gate=SURE)
    assert alone.candidate is not None
    assert (alone.candidate.body, alone.verdict.decision) == ("", Decision.ACCEPT)
