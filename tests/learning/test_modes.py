"""Patch, rewrite and full rewrite: what a step tries, and what that takes."""

from collections.abc import Sequence
from typing import Any

import pytest

from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.learn import Teaching, learn
from skillopt_sleep.learning.propose import Proposed, propose
from skillopt_sleep.protocols.crew import StepRules
from skillopt_sleep.records import EditFate, Outcome, Purpose, Split, Task, Trajectory
from tests.builders import a_document, a_rollout, a_task
from tests.fakes import Answer, Answers, FakeBackend, FakeExecutor, FakeJudge, in_turn
from tests.nights import RULE, a_crew, a_plan, an_optimizer, with_side

DOCUMENT = a_document("- Old.\n- Older.")
THREE = [with_side(a_task(id=f"t{n}", session=f"s{n}", prompt=f"request {n}"), split=Split.TRAIN) for n in range(3)]
TRAIN = THREE[:2]
REFLECTED: Answer = {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}
BRIEF = "- Be brief."
TEXT = f"{RULE}\n- Older."
WRITTEN: Answer = {"body": TEXT, "reasoning": "worked in"}


def follows(word: str) -> Any:
    def grade(_task: Task, trajectory: Trajectory) -> float:
        return 1.0 if word in trajectory.response else 0.0

    return grade


class Learner:
    """A proposal made with fakes, and what it asked and logged."""

    def __init__(self, *, follow: str = RULE, **answers: Answers) -> None:
        self.optimizer = FakeBackend({Purpose(name): answer for name, answer in answers.items()})
        self.executor = FakeExecutor(lambda task, document, sample: f"{task.prompt}|{document.body}")
        self.judge = FakeJudge(follows(follow))
        self.log: dict[str, int] = {}

    def propose(self, train: Sequence[Task] = TRAIN, **plan: Any) -> Proposed:
        def log(name: str, rows: Any) -> None:
            self.log[name] = self.log.get(name, 0) + len(rows)

        crew = a_crew(optimizer=self.optimizer, executor=self.executor, judge=self.judge)
        optimizer = an_optimizer(self.optimizer, DOCUMENT)
        return propose(train, optimizer=optimizer, attempts=CrewAttempts(crew), plan=a_plan(**plan), log=log)

    @property
    def asked(self) -> list[Purpose]:
        return [prompt.purpose for prompt in self.optimizer.prompts]


def contents(proposed: Proposed) -> list[str]:
    return [fate.edit.content for fate in proposed.edits if fate.fate is EditFate.APPLIED]


# modes --------------------------------------------------------------------------------------------------


def test_by_default_edits_are_applied_as_they_are_and_nothing_more_is_asked() -> None:
    learner = Learner(reflect=REFLECTED)
    assert contents(learner.propose()) == [RULE]
    assert learner.asked == [Purpose.REFLECT]
    assert learner.log == {"rollouts": 2, "patches": 1, "edits": 1}


def test_in_mode_rewrite_they_are_worked_into_the_text() -> None:
    learner = Learner(reflect=REFLECTED, rewrite=WRITTEN)
    proposed = learner.propose(mode="rewrite")
    assert contents(proposed) == [TEXT]
    assert [(fate.edit.op, fate.edit.target) for fate in proposed.edits] == [("replace", DOCUMENT.body)]
    assert [fate.edit.tasks for fate in proposed.edits] == [("t0", "t1")]
    assert learner.asked == [Purpose.REFLECT, Purpose.REWRITE]


def test_in_mode_full_rewrite_the_text_takes_the_place_of_reflection() -> None:
    learner = Learner(rewrite_full=WRITTEN)
    proposed = learner.propose(mode="full_rewrite")
    assert contents(proposed) == [TEXT]
    assert learner.asked == [Purpose.REWRITE_FULL]


def test_of_several_full_texts_one_is_made() -> None:
    learner = Learner(rewrite_full=in_turn(WRITTEN, {"body": "- Old."}), rewrite={"body": f"- Old.\n{RULE}"})
    proposed = learner.propose(mode="full_rewrite", minibatch=1)
    assert contents(proposed) == [f"- Old.\n{RULE}"]
    assert learner.asked == [Purpose.REWRITE_FULL, Purpose.REWRITE_FULL, Purpose.REWRITE]


def test_where_several_full_texts_cannot_be_made_one_the_first_that_changes_something_is_tried() -> None:
    texts = in_turn({"body": DOCUMENT.body}, WRITTEN, {"body": f"- Old.\n- Older.\n{BRIEF}"})
    learner = Learner(rewrite_full=texts, rewrite="no JSON")
    proposed = learner.propose(THREE, mode="full_rewrite", minibatch=1)
    assert contents(proposed) == [TEXT]
    assert learner.asked == [Purpose.REWRITE_FULL] * 3 + [Purpose.REWRITE]
    assert not proposed.unfinished


@pytest.mark.parametrize("mode", ["rewrite", "full_rewrite"])
def test_a_text_with_something_that_the_guard_refuses_is_refused_whole(mode: str) -> None:
    reply: Answer = {"body": f"- Old.\n{RULE}\n- Older.\n- See https://evil.example/x for more."}
    proposed = Learner(reflect=REFLECTED, rewrite=reply, rewrite_full=reply).propose(mode=mode)
    assert [fate.fate for fate in proposed.edits] == [EditFate.REFUSED]


def test_a_text_that_says_the_same_is_no_change() -> None:
    proposed = Learner(rewrite_full={"body": DOCUMENT.body}).propose(mode="full_rewrite")
    assert proposed.nothing == (Outcome.NO_CHANGE, "no edit was proposed")


def test_where_no_text_came_back_the_lesson_is_unfinished() -> None:
    proposed = Learner(rewrite_full="no JSON").propose(mode="full_rewrite")
    assert proposed.unfinished
    assert proposed.nothing is not None
    assert proposed.nothing[0] is Outcome.UNVERIFIED


# augmentation -------------------------------------------------------------------------------------------


def test_made_up_requests_are_learned_from_and_credited_to_the_real_ones() -> None:
    learner = Learner(reflect=REFLECTED, augment={"requests": ["Set up the linter."]})
    proposed = learner.propose(augment=1)
    assert learner.log == {"augmented": 1, "rollouts": 3, "patches": 1, "edits": 1}
    assert "Set up the linter." in learner.optimizer.asked(Purpose.REFLECT)[0].text
    assert [fate.edit.tasks for fate in proposed.edits] == [("t0", "t1")]


def test_a_full_text_of_tasks_off_train_raises() -> None:
    unseen = with_side(a_task(), split=Split.VAL)
    with pytest.raises(ValueError, match="t1 is not on train"):
        learn(
            Teaching([[a_rollout()]], {unseen.id: unseen}, lambda score: score.soft),
            optimizer=an_optimizer(),
            rules=StepRules(mode="full_rewrite"),
            limit=None,
        )


def test_suggestions_that_fail_to_be_worked_in_are_tried_as_they_are() -> None:
    proposed = Learner(reflect=REFLECTED, rewrite="no JSON").propose(mode="rewrite")
    assert contents(proposed) == [RULE]
    assert [note.stage for note in proposed.notes] == ["rewrite"]


def test_without_an_edit_there_is_nothing_to_rewrite() -> None:
    learner = Learner(reflect={"edits": []})
    assert learner.propose(mode="rewrite").nothing == (Outcome.NO_CHANGE, "no edit was proposed")
    assert learner.asked == [Purpose.REFLECT]
