"""Known answers among those that a judge grades."""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import ItemError
from skillopt_sleep.prompts.grading import ANSWERS_PER_CALL
from skillopt_sleep.records import AnswerKind, KnownAnswer, Rubric, Score, Task
from skillopt_sleep.replay.judges.controls import WANTED, MixingJudge, chosen, plain, room, shuffled, unmixed
from skillopt_sleep.replay.judges.known_answers import Control, controls_of
from skillopt_sleep.replay.judges.measure import Graded
from tests.builders import a_task, a_trajectory
from tests.fakes import FakeJudge, SerialPool

RUBRIC = Rubric(text="It uses pnpm.")


def known(number: int, *, meets: str = "pnpm ci", misses: str = "npm ci") -> Task:
    answers = (
        KnownAnswer(kind=AnswerKind.MEETS, response=f"{meets} {number}"),
        KnownAnswer(kind=AnswerKind.MISSES, response=f"{misses} {number}"),
    )
    return a_task(id=f"t{number}", reference=RUBRIC, known_answers=answers)


def test_sixteen_are_chosen_and_sixteen_more_of_which_half_should_pass_and_so_of_each_first_part() -> None:
    first, more = chosen(controls_of([known(number) for number in range(9)]))
    assert len(set(first) | set(more)) == 32
    for controls in (first, more):
        assert [control.passes for control in controls] == [True, False] * 8
        for kind, wanted in WANTED.items():
            assert sum(control.kind is kind for control in controls) == wanted


def test_one_task_is_enough_for_all_that_are_graded_one_by_one() -> None:
    first, more = chosen(controls_of([known(1)]))
    controls = [*first, *more]
    assert len(controls) == len(set(controls)) == 32
    assert {control.response.strip() for control in controls if control.passes} == {"pnpm ci 1"}


def test_without_an_answer_that_passes_there_are_only_the_others() -> None:
    task = a_task(reference=RUBRIC, rejected="npm ci")
    controls, _ = chosen(controls_of([task]))
    assert {control.kind for control in controls} == {AnswerKind.MISSES, AnswerKind.LONGER, AnswerKind.ECHO}


def test_only_a_rubric_that_words_or_changes_can_meet_is_tried() -> None:
    changes = Rubric(text="Comments are plain.", of_changes=True)
    tasks = [
        known(1),
        a_task(id="t2"),
        a_task(id="t3", reference=RUBRIC, needs_repository=True),
        a_task(id="t4", reference=changes, needs_repository=True),
    ]
    assert [task.id for task in plain(tasks)] == ["t1", "t4"]


def test_the_order_of_tasks_differs_from_night_to_night_and_not_within_one() -> None:
    tasks = [known(number) for number in range(6)]
    orders = {tuple(task.id for task in shuffled(tasks, night=f"night {number}")) for number in range(5)}
    assert len(orders) > 1
    assert shuffled(tasks, night="one") == shuffled(reversed(tasks), night="one")


def test_with_so_many_the_last_call_is_full() -> None:
    for answers in range(1, 20):
        assert (answers + room(answers)) % ANSWERS_PER_CALL == 0
        assert answers <= room(answers) < answers + ANSWERS_PER_CALL


class Taking:
    """Hands out controls, and remembers how many were asked for and how they were graded."""

    def __init__(self, *controls: Control) -> None:
        self.controls = controls
        self.asked: list[int] = []
        self.graded: list[Graded] = []

    def __call__(self, answers: int) -> Sequence[Control]:
        self.asked.append(answers)
        return self.controls


def test_the_grades_of_controls_are_nobodys_scores() -> None:
    taking = Taking(Control(known(1), AnswerKind.MEETS, "pnpm ci"), Control(known(2), AnswerKind.MISSES, "npm ci"))
    inner = FakeJudge(lambda _task, trajectory: float("pnpm" in trajectory.response))
    judge = MixingJudge(inner, taking, taking.graded.append)
    answers = [
        (known(3), a_trajectory("npm i")),
        (known(3), a_trajectory("npm i")),
        (a_task(), a_trajectory("pnpm i")),
    ]
    scores = judge.scores(answers, pool=SerialPool(), label="grade")
    assert [score.soft for score in scores if isinstance(score, Score)] == [0.0, 0.0, 1.0]
    assert taking.asked == [1]
    assert [graded.right for graded in taking.graded] == [True, True]
    assert [trajectory.response for _, trajectory in inner.graded][3:] == ["pnpm ci", "npm ci"]


def test_a_control_that_could_not_be_graded_counts_neither_way() -> None:
    taking = Taking(Control(known(1), AnswerKind.MEETS, "pnpm ci"))
    judge = MixingJudge(FakeJudge(ItemError("no grade")), taking, taking.graded.append)
    assert len(judge.scores([(known(3), a_trajectory("npm i"))], pool=SerialPool(), label="grade")) == 1
    assert taking.graded == []


def test_what_decides_nothing_is_graded_without_controls() -> None:
    judge, taking = FakeJudge(), Taking(Control(known(1), AnswerKind.MEETS, "pnpm ci"))

    unmixed(MixingJudge(judge, taking, taking.graded.append)).scores(
        [(known(3), a_trajectory("npm i"))], pool=SerialPool(), label="grade"
    )

    assert (len(judge.graded), taking.asked) == (1, [])
    assert unmixed(judge) is judge


def test_the_judge_is_told_of_a_task_what_reflection_is_not() -> None:
    judge = FakeJudge()

    told = MixingJudge(judge, lambda _: (), lambda _: None, lambda task: replace(task, wording="as told"))
    told.scores([(known(3), a_trajectory("npm i"))], pool=SerialPool(), label="grade")

    assert [task.wording for task, _ in judge.graded] == ["as told"]
