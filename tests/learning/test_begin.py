"""A step until val is asked: what waits is resumed, a candidate is drafted, and whether it needs a share is known."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.learning.begin import Begun, begin
from skillopt_sleep.records import GateRule, Metric, Outcome, Past, Purpose, Split, Task
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeBackend, FakeExecutor, FakeJudge
from tests.nights import RULE, a_crew, a_plan, with_side

DOCUMENT = a_document("- Old.")
SURE = GateRule(metric=Metric.HARD)
PROPOSED = {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}


def a_side(split: Split, *numbers: int, lesson: str = "c") -> list[Task]:
    return [
        with_side(
            a_task(id=f"{split}{n}", session=f"{split}{n}", prompt=f"request {split} {n}"), split=split, lesson=lesson
        )
        for n in numbers
    ]


TRAIN, VAL, TEST = a_side(Split.TRAIN, 1, 2), a_side(Split.VAL, 1, 2), a_side(Split.TEST, 1)


class Night:
    """The first half of a step with fakes, and what was asked."""

    def __init__(self, *, proposed: Any = PROPOSED, grade: float = 0.0, failing: str = "") -> None:
        self.optimizer = FakeBackend({Purpose.REFLECT: proposed})
        self.executor = FakeExecutor(lambda task, document, sample: f"{task.id}|{document.body}|{sample}")
        self.judge = FakeJudge(lambda task, _trajectory: float(task.id != failing) if failing else grade)
        self.log: list[str] = []

    def begun(self, tasks: Sequence[Task], *, past: Past | None = None, **plan: Any) -> Begun:
        return begin(
            DOCUMENT,
            tasks,
            crew=a_crew(optimizer=self.optimizer, executor=self.executor, judge=self.judge),
            plan=a_plan(**({"gate": SURE} | plan)),
            log=lambda name, _rows: self.log.append(name),
            past=past or Past(),
        )

    @property
    def sides(self) -> set[Split | None]:
        return {task.split for task, _, _ in self.executor.jobs}


def test_a_candidate_is_drafted_from_train_and_no_unseen_task_is_asked() -> None:
    night = Night()

    begun = night.begun([*TRAIN, *VAL, *TEST])

    assert [edit.content for edit in begun.edits] == [RULE]
    assert begun.edits[0].lessons == ("c",)
    assert (begun.learned_from, begun.val, begun.test) == (tuple(TRAIN), tuple(VAL), tuple(TEST))
    assert night.sides == {Split.TRAIN}
    assert begun.needs_share(a_plan(gate=SURE))


def test_without_a_candidate_it_needs_no_share_and_says_how_it_ends() -> None:
    begun = Night(proposed={"edits": []}).begun([*TRAIN, *VAL])

    assert (begun.edits, begun.outcome.outcome) == ((), Outcome.NO_CHANGE)
    assert not begun.needs_share(a_plan(gate=SURE))


def test_where_train_leaves_nothing_to_learn_it_needs_no_share() -> None:
    begun = Night(grade=1.0).begun([*TRAIN, *VAL])

    assert (begun.edits, begun.outcome.outcome) == ((), Outcome.NO_HEADROOM)
    assert not begun.needs_share(a_plan(gate=SURE))


def test_a_lesson_without_an_unseen_task_is_not_even_attempted() -> None:
    night = Night()

    begun = night.begun([*TRAIN, *a_side(Split.VAL, 1, 2, lesson="another")])

    assert (begun.edits, begun.outcome.outcome) == ((), Outcome.UNVERIFIED)
    assert night.executor.jobs == []
    assert night.optimizer.prompts == []


def test_an_optimizer_that_fails_leaves_the_step_unfinished() -> None:
    failure = CallFailed(FailureKind.TIMED_OUT, "no answer")

    begun = Night(proposed=failure).begun([*TRAIN, *VAL])

    assert begun.edits == ()
    assert begun.outcome.sessions.unfinished


def test_what_a_person_refused_is_no_candidate() -> None:
    refused = replace(an_edit(RULE), lessons=("c",))

    begun = Night().begun([*TRAIN, *VAL], past=Past(refused=(refused,)))

    assert begun.edits == ()
    assert begun.outcome.outcome is Outcome.NO_CHANGE


def test_a_lesson_whose_adopted_rule_stands_is_left_alone_while_most_attempts_pass() -> None:
    adopted = Past(adopted=(an_edit("- Old.", lessons=("c",)),))
    train = a_side(Split.TRAIN, 1, 2, 3)
    held, gone = Night(failing=f"{Split.TRAIN}3"), Night(failing=f"{Split.TRAIN}3")

    begun = held.begun([*train, *VAL], past=adopted)
    again = gone.begun([*train, *VAL], past=Past(adopted=(an_edit("- Gone.", lessons=("c",)),)))

    assert (begun.edits, begun.outcome.outcome) == ((), Outcome.NO_HEADROOM)
    assert [edit.content for edit in again.edits] == [RULE]
