"""Only references that tell a bad answer from a good one are kept."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from skillopt_sleep.errors import CallFailed, FailureKind
from skillopt_sleep.mining.calibration import PER_CALL
from skillopt_sleep.mining.mined import Mined
from skillopt_sleep.mining.prove import prove
from skillopt_sleep.prompts.grading import ANSWERS_PER_CALL
from skillopt_sleep.records import AnswerKind, Check, Checks, Evidence, Note, Op, Prompt, Purpose, Rubric, Task
from skillopt_sleep.replay.judges import ReferenceJudge
from tests.builders import a_task, some_checks
from tests.fakes import Answer, FakeBackend, SerialPool
from tests.graded import judged, shown_items

RUBRIC = Rubric(text="It uses pnpm.")
MISSES = "$ npm ci"
MEETS = "I ran pnpm ci"

Grader = Callable[[str], float | None]


def honest(answer: str) -> float:
    """A judge that knows what is wanted."""
    return 1.0 if "I ran pnpm" in answer else 0.0


def graded(grader: Grader) -> Callable[[Prompt], dict[str, Any]]:
    return lambda prompt: judged(prompt.text, lambda _demand, answer: grader(answer))


def written(misses: str = MISSES, meets: str = MEETS) -> Callable[[Prompt], dict[str, Any]]:
    def reply(prompt: Prompt) -> dict[str, Any]:
        numbers = range(1, len(shown_items(prompt.text)) + 1)
        return {"controls": [{"item": number, "misses": misses, "meets": meets} for number in numbers]}

    return reply


def proved(*tasks: Task, grader: Grader = honest, **answers: Any) -> tuple[Mined, FakeBackend]:
    model = FakeBackend({Purpose.CONTROLS: answers.get("controls", written()), Purpose.PROVE: graded(grader)})
    return prove(Mined(tasks=tasks), judge=ReferenceJudge(model), model=model, pool=SerialPool()), model


def references(tasks: Sequence[Task]) -> list[object]:
    return [task.reference for task in tasks]


def asked(model: FakeBackend) -> list[Purpose]:
    return [prompt.purpose for prompt in model.prompts]


def test_checks_that_tell_the_answers_apart_stay_and_nobody_is_asked() -> None:
    task = a_task(rejected="I ran npm install.", accepted="I ran pnpm install.")
    found, model = proved(task)
    assert found == Mined(tasks=(task,))
    assert model.prompts == []


def test_checks_stay_where_there_is_no_answer_to_try_them_on() -> None:
    found, _ = proved(a_task())
    assert references(found.tasks) == [some_checks()]


def test_checks_that_the_accepted_answer_fails_are_replaced_by_those_that_it_passes() -> None:
    found, _ = proved(a_task(rejected="I ran npm install.", accepted="I ran pnpm install, not npm."))
    assert references(found.tasks) == [Checks(items=(Check(op=Op.CONTAINS, arg="pnpm"),))]


def test_checks_that_the_rejected_answer_passes_are_replaced_by_the_persons_words() -> None:
    found, model = proved(a_task(rejected="I use pnpm.", accepted="I ran pnpm install."))
    (task,) = found.tasks
    assert isinstance(task.reference, Rubric)
    assert all(said.quote in task.reference.text for said in task.feedback.evidence)
    assert asked(model) == [Purpose.PROVE]


def test_without_words_of_the_person_nothing_replaces_checks_that_do_not_work() -> None:
    found, model = proved(a_task(rejected="I use pnpm.", accepted="I ran pnpm install.", evidence=()))
    assert (found.tasks, model.prompts) == ((), [])
    kept, _ = proved(a_task(reference=RUBRIC, evidence=()))
    assert references(kept.tasks) == [RUBRIC]


def test_a_rubric_is_tried_on_answers_of_known_worth_without_saying_which_is_which() -> None:
    task = a_task(reference=RUBRIC, rejected="I ran npm install.", accepted="I ran pnpm install.")
    found, model = proved(task)
    assert [kept.id for kept in found.tasks] == [task.id]
    (items,) = (shown_items(prompt.text) for prompt in model.asked(Purpose.PROVE))
    assert sorted(items[0][2:]) == sorted(["I ran npm install.", "I ran pnpm install."])
    (prompt,) = model.asked(Purpose.PROVE)
    assert not any(word in prompt.text for word in ("rejected", "accepted", "baseline", "misses", "control"))


def test_a_rubric_by_which_the_rejected_answer_passes_is_dropped_and_counted() -> None:
    task = a_task(reference=RUBRIC, rejected="I ran pnpm install.")
    found, _ = proved(task, a_task(id="other"))
    assert [kept.id for kept in found.tasks] == ["other"]
    assert found.lost == ()
    (note,) = found.notes
    assert note.summary.startswith("1 of 2 tasks dropped")
    assert note.expected


@pytest.mark.parametrize(("rejected", "kept"), [("no", True), ("", False)])
def test_an_accepted_answer_that_fails_is_excused_where_the_rejected_one_fails_and_a_good_one_passes(
    rejected: str, kept: bool
) -> None:
    found, model = proved(a_task(reference=RUBRIC, rejected=rejected, accepted="Sorry, I ran yarn."))
    assert bool(found.tasks) is kept
    assert sorted(asked(model)) == [Purpose.CONTROLS, *[Purpose.PROVE] * (1 + kept)]


@pytest.mark.parametrize("unseen", [("I ran npm install.",), ("Done.",), ("I ran npm install.", "Done.")])
def test_an_agents_answer_that_does_not_show_it_proves_nothing(unseen: Sequence[str]) -> None:
    task = a_task(reference=RUBRIC, rejected="I ran npm install.", accepted="Done.")
    found, _ = proved(
        task, grader=lambda answer: None if answer in unseen else 1.0 if answer == "Done." else honest(answer)
    )
    assert [kept.id for kept in found.tasks] == [task.id]
    (kept,) = found.tasks
    assert not set(unseen) & {known.response for known in kept.known_answers}


def test_what_its_answers_are_worth_is_kept_with_the_task() -> None:
    (kept,) = proved(a_task(reference=RUBRIC, rejected="I ran npm install.", accepted="I ran pnpm install."))[0].tasks
    known = [(known.kind, known.response) for known in kept.known_answers]
    assert known == [(AnswerKind.MEETS, "I ran pnpm install."), (AnswerKind.MISSES, "I ran npm install.")]


def test_one_pair_is_written_for_a_lesson_and_proves_its_demand_for_all_its_tasks() -> None:
    tasks = [a_task(id=f"t{n}", prompt=f"do {n}", reference=RUBRIC, wording="Use pnpm") for n in range(3)]
    found, model = proved(*tasks)
    assert [task.id for task in found.tasks] == ["t0", "t1", "t2"]
    assert [len(shown_items(prompt.text)) for prompt in model.prompts] == [1, 1]
    assert proved(*tasks, grader=lambda _answer: 1.0)[0].tasks == ()


def test_what_was_said_in_all_sessions_of_a_lesson_stands_beside_its_demand() -> None:
    said = [Evidence(session=f"codex:s{n}", turn=2, quote=f"pnpm, I said {n}") for n in range(2)]
    tasks = [
        a_task(id=f"t{n}", session=piece.session, reference=RUBRIC, wording="Use pnpm", evidence=(piece,))
        for n, piece in enumerate(said)
    ]
    found, model = proved(*tasks)
    assert all(piece.quote in prompt.text for piece in said for prompt in model.prompts)
    assert [task.feedback.evidence for task in found.tasks] == [(piece,) for piece in said]


def test_a_task_that_the_judge_does_not_bear_out_is_told_of_with_its_answers() -> None:
    found, _ = proved(a_task(reference=RUBRIC), grader=lambda _answer: 1.0)
    assert found.tasks == ()
    assert [[known.response for known in task.known_answers] for task in found.refused] == [[MEETS, MISSES]]


def test_a_rubric_that_only_null_grades_is_dropped() -> None:
    found, _ = proved(
        a_task(reference=RUBRIC, rejected="npm", accepted="Done."),
        grader=lambda answer: None if any(map(str.isalnum, answer)) else 0.0,
    )
    assert found.tasks == ()


def test_a_task_that_no_answer_in_words_can_show_waits_for_the_repository_ungraded() -> None:
    tasks = [a_task(id=name, reference=Rubric(text=f"{name}: pnpm.")) for name in ("seen", "unseen")]
    controls = {
        "controls": [
            {"item": 2, "needs_repository": True},
            {"item": 1, "misses": MISSES, "meets": MEETS},
        ]
    }
    found, model = proved(*tasks, controls=controls)
    assert [(task.id, task.setting.needs_repository) for task in found.tasks] == [("seen", False), ("unseen", True)]
    assert [answers for _, _, *answers in shown_items(model.prompts[-1].text)] == [[MISSES, MEETS]]


def test_a_check_for_a_tool_waits_for_the_repository_too() -> None:
    called = Checks(items=(Check(op=Op.TOOL_CALLED, arg="Bash"),))
    found, _ = proved(a_task(reference=called), a_task(id="words"))
    assert [(task.id, task.setting.needs_repository) for task in found.tasks] == [("t1", True), ("words", False)]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "1 of 1 task dropped, as no test told the rejected answer from a good one: «ask 0»"),
        (
            4,
            "4 of 4 tasks dropped, as no test told the rejected answer from a good one: «ask 0»; «ask 1»; «ask 2»; …",
        ),
    ],
)
def test_a_night_that_drops_all_it_found_says_so_and_names_the_first_three(count: int, said: str) -> None:
    tasks = [a_task(id=f"t{n}", prompt=f"ask\n{n}", reference=RUBRIC, rejected="I ran pnpm.") for n in range(count)]
    found, _ = proved(*tasks)
    assert [note.summary for note in found.notes] == [said]


def busy(prompt: Prompt) -> CallFailed | None:
    if "It uses 0." in prompt.text:
        return CallFailed(FailureKind.OVERLOADED, "too busy", retry_after=None)
    return None


@pytest.mark.parametrize("fails", [Purpose.CONTROLS, Purpose.PROVE])
def test_a_call_that_fails_loses_its_own_batch_only(fails: Purpose) -> None:
    tasks = [
        a_task(id=f"t{n}", session=f"codex:s{n}", reference=Rubric(text=f"It uses {n}."), rejected=f"no {n}")
        for n in range(ANSWERS_PER_CALL + 1)
    ]
    answers = {Purpose.CONTROLS: written(), Purpose.PROVE: graded(honest)}

    def reply(prompt: Prompt) -> Answer:
        return (busy(prompt) if prompt.purpose is fails else None) or answers[prompt.purpose](prompt)

    model = FakeBackend(dict.fromkeys(answers, reply))
    before = Mined(tasks=tuple(tasks), notes=(Note(stage="mine", summary="earlier"),), lost=("codex:before",))
    found = prove(before, judge=ReferenceJudge(model), model=model, pool=SerialPool())
    lost = PER_CALL if fails is Purpose.CONTROLS else ANSWERS_PER_CALL // 3
    assert [task.id for task in found.tasks] == [task.id for task in tasks[lost:]]
    assert found.lost == ("codex:before", *(f"codex:s{n}" for n in range(lost)))
    before_it, note = found.notes
    assert before_it.summary == "earlier"
    assert f"{lost} tasks left" in note.summary
    assert note.summary.endswith(": too busy")
    assert not note.expected


def test_a_session_of_which_one_test_could_not_be_tried_out_stays_unread_with_all_its_tasks() -> None:
    tasks = [a_task(id=f"t{n}", session="codex:s1", reference=Rubric(text="It uses 0.")) for n in range(2)]
    checked = a_task(id="checked", session="codex:s1", reference=some_checks(), rejected="npm", accepted="pnpm")
    other = a_task(id="other", session="codex:s2", reference=some_checks(), rejected="npm", accepted="pnpm")
    model = FakeBackend({Purpose.CONTROLS: lambda prompt: busy(prompt) or {}, Purpose.PROVE: {}})
    before = Mined(tasks=(*tasks, checked, other))
    found = prove(before, judge=ReferenceJudge(model), model=model, pool=SerialPool())
    assert [task.id for task in found.tasks] == ["other"]
    assert set(found.lost) == {"codex:s1"}
