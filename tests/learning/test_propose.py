"""Train tasks become the edits a step tries, or the reason why there are none."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.begin import Begun, begin
from skillopt_sleep.learning.propose import Proposed, draft_rules, propose
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    EditFate,
    EditOp,
    EditStatus,
    GateRule,
    Judged,
    Metric,
    Outcome,
    Past,
    ProposedEdit,
    Purpose,
    Split,
    Task,
    Trial,
    Verdict,
    WaitingCandidate,
)
from tests.builders import a_document, a_past, a_task, an_edit, changed
from tests.fakes import Answers, FakeBackend, FakeExecutor, FakeJudge
from tests.nights import RULE, STRICT, a_crew, a_plan, an_optimizer
from tests.steps import a_side

DOCUMENT = a_document()
TRAIN = [a_task(id=f"t{n}", session=f"s{n}", split=Split.TRAIN) for n in range(2)]


def proposed(
    past: Past | None = None,
    *,
    grade: Any = 0.0,
    answers: dict[Purpose, Answers] | None = None,
    held: Sequence[str] = (),
    document: Document = DOCUMENT,
    tonight: Sequence[Task] = (),
    train: Sequence[Task] = TRAIN,
    **plan: Any,
) -> tuple[Proposed, FakeBackend]:
    edits = {"edits": [{"op": "append", "content": RULE, "reason": "said"}]}
    optimizer = FakeBackend({Purpose.REFLECT: edits, **(answers or {})})
    crew = a_crew(
        optimizer=optimizer,
        executor=FakeExecutor(lambda task, document, sample: f"answer {sample}"),
        judge=FakeJudge(grade),
    )
    found = propose(
        train,
        optimizer=an_optimizer(optimizer, document, past=past or Past()),
        attempts=CrewAttempts(crew),
        plan=a_plan(**plan),
        log=lambda stage, rows: None,
        held=held,
        tonight=tonight,
    )
    return found, optimizer


def a_wait(*contents: str, decision: Decision = Decision.UNDECIDED) -> WaitingCandidate:
    edits = tuple(an_edit(content) for content in contents)
    verdict = Verdict(decision=decision, reason="more")
    judged = Judged(kind=CandidateKind.RULE, edits=edits, trial=Trial(), verdict=verdict)
    return WaitingCandidate(night="n1", path=DOCUMENT.path, crew="m v", tested=judged)


def test_what_failed_becomes_edits_that_can_be_applied() -> None:
    found, _ = proposed()

    assert [(one.edit.content, one.fate) for one in found.edits] == [(RULE, EditFate.APPLIED)]
    assert found.nothing is None


@pytest.mark.parametrize(("since", "fate"), [("2026-03-01", EditFate.APPLIED), ("2026-03-02", EditFate.REFUSED)])
def test_what_was_taken_back_word_for_word_waits_until_it_is_said_again(since: str, fate: EditFate) -> None:
    undone = ProposedEdit(edit=an_edit(RULE), status=EditStatus.UNDONE, since=since, proposal="P-0003")
    found, _ = proposed(Past(proposed=(undone,)), tonight=TRAIN)

    assert [one.fate for one in found.edits] == [fate]
    assert ("P-0003 and took it back on 2026-03-02" in found.edits[0].because) is (fate is EditFate.REFUSED)


def rejected(*answers: str) -> list[Task]:
    return [changed(task, rejected=answer) for task, answer in zip(TRAIN, answers, strict=True)]


def test_the_answer_that_the_person_rejected_is_learned_from_without_another_attempt() -> None:
    found, optimizer = proposed(train=rejected("I ran npm.", "I ran yarn."), grade=graded())

    assert [one.edit.content for one in found.edits] == [RULE]
    (prompt,) = optimizer.prompts
    assert "I ran npm." in prompt.text
    assert "I ran yarn." in prompt.text


def test_a_rejected_answer_counts_as_one_of_the_attempts() -> None:
    _, optimizer = proposed(train=rejected("I ran npm.", ""), grade=graded(1.0, 0.0, 0.0), samples=2)

    (prompt,) = optimizer.prompts
    assert "I ran npm." in prompt.text
    assert "when it went better" in prompt.text


def test_a_rejected_answer_from_before_a_rule_is_attempted_anew() -> None:
    train = rejected("I ran npm.", "I ran yarn.")
    (lesson,) = {task.lesson for task in TRAIN}
    quote = train[0].quotes[-1]
    for found, optimizer in (
        proposed(train=train, grade=1.0, held=[lesson]),
        proposed(train=train, grade=1.0, document=a_document(f"# Rules\n\n{quote}\n")),
    ):
        assert found.nothing is not None
        assert (found.nothing[0], optimizer.prompts) == (Outcome.NO_HEADROOM, [])


def test_where_all_is_done_already_no_lesson_is_asked_for() -> None:
    found, optimizer = proposed(grade=1.0)

    assert found.nothing is not None
    assert (found.nothing[0], optimizer.prompts) == (Outcome.NO_HEADROOM, [])


def graded(*grades: float) -> Any:
    """The grades of one attempt after the other."""
    left = iter(grades)
    return lambda _task, _trajectory: next(left)


def test_a_lesson_whose_rule_stands_is_not_learned_again_while_most_attempts_pass() -> None:
    (lesson,) = {task.lesson for task in TRAIN}
    found, optimizer = proposed(grade=graded(1.0, 1.0, 0.0, 1.0), held=[lesson], samples=2)

    assert found.nothing == (
        Outcome.NO_HEADROOM,
        "most of 4 attempts already do what was asked, and the rules for the others stand",
    )
    assert optimizer.prompts == []


def test_a_lesson_is_learned_again_if_half_of_its_attempts_fail_or_if_no_rule_of_it_stands() -> None:
    (lesson,) = {task.lesson for task in TRAIN}
    half, _ = proposed(grade=graded(1.0, 0.0), held=[lesson])
    never, _ = proposed(grade=graded(1.0, 1.0, 0.0, 1.0), held=["another"], samples=2)

    assert half.nothing is None
    assert never.nothing is None


@pytest.mark.parametrize(
    ("past", "why"),
    [
        (
            a_past(refused=(an_edit(RULE),)),
            "you rejected P-0001 on 2026-03-01; to have it tried again: skillopt-sleep reject --undo P-0001",
        ),
        (Past(waiting=(a_wait(RULE),)), "it waits for more proof since the night of n1"),
    ],
)
def test_an_edit_that_was_refused_or_waits_is_not_tried_anew(past: Past, why: str) -> None:
    found, _ = proposed(past)

    assert [(one.fate, one.because) for one in found.edits] == [(EditFate.REFUSED, why)]
    assert found.nothing is not None
    assert found.nothing[0] is Outcome.NO_CHANGE


def test_an_edit_of_a_whole_patch_that_waits_may_be_tried_by_itself() -> None:
    found, _ = proposed(Past(waiting=(a_wait(RULE, "- Another."),)))

    assert found.nothing is None


def test_the_optimizer_is_shown_what_earlier_nights_tried() -> None:
    _, optimizer = proposed(a_past(refused=(an_edit("- Use yarn, please."),), notes="Short rules win."))

    (prompt,) = optimizer.asked(Purpose.REFLECT)
    assert "- the user refused it: - Use yarn, please." in prompt.text
    assert "Short rules win." in prompt.text


def test_an_edit_that_names_what_the_project_lacks_is_asked_back_once(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("check:\n\tpytest\n", encoding="utf-8")
    document = a_document(project=str(tmp_path))
    lint = {"edits": [{"op": "append", "content": "- Run `make lint` at the end."}]}
    check = {"edits": [{"number": 0, "content": "- Run `make check` at the end."}]}
    answers: dict[Purpose, Answers] = {Purpose.REFLECT: lint, Purpose.FIT: check}

    found, model = proposed(answers=answers, document=document)

    assert [fate.edit.content for fate in found.edits] == ["- Run `make check` at the end."]
    assert [prompt.purpose for prompt in model.prompts].count(Purpose.FIT) == 1
    _, model = proposed(answers=answers, document=DOCUMENT)  # its project can't be seen
    assert Purpose.FIT not in [prompt.purpose for prompt in model.prompts]


def test_by_default_each_step_is_asked_for_once() -> None:
    _, optimizer = proposed()

    assert [prompt.purpose for prompt in optimizer.prompts] == [Purpose.REFLECT]


# several attempts, deep reflection, a chosen budget -----------------------------------------------------


@pytest.mark.parametrize(("metric", "contrast"), [(Metric.SOFT, True), (Metric.HARD, False)])
def test_attempts_that_went_apart_under_the_gates_metric_are_shown_side_by_side(
    metric: Metric, contrast: bool
) -> None:
    _, optimizer = proposed(
        grade=lambda task, trajectory: 0.1 if trajectory.response == "answer 0" else 0.9,
        samples=2,
        gate=replace(STRICT, metric=metric),
    )

    (prompt,) = optimizer.asked(Purpose.REFLECT)
    assert ("answer 1" in prompt.text) is contrast


def test_deep_reflection_finds_an_edit_by_way_of_causes() -> None:
    found, optimizer = proposed(
        reflection="deep",
        answers={
            Purpose.DIAGNOSE: {"causes": [{"attempt": 1, "cause": "it isn't said"}]},
            Purpose.REFLECT_DEEP: {"edits": [{"op": "append", "content": "- Use pnpm.", "attempts": [1]}]},
        },
    )

    assert [prompt.purpose for prompt in optimizer.prompts] == [Purpose.DIAGNOSE, Purpose.REFLECT_DEEP]
    assert [(one.edit.content, one.edit.tasks) for one in found.edits] == [("- Use pnpm.", ("t0",))]


RULES = {"edits": [{"op": "append", "content": f"- {words}."} for words in ("Use tabs", "Name a ticket", "Be brief")]}


@pytest.mark.parametrize(
    ("waits", "refused"),
    [
        (RULE, True),
        ("-  use PNPM, never npm. ", True),
        ("- Use pnpm , never npm.", True),
        ("- Ask before you delete a row of customers.", False),
    ],
    ids=["the same", "in other letters", "in nearly the same words", "another rule"],
)
@pytest.mark.parametrize("decision", [Decision.UNDECIDED, Decision.REJECT])
def test_what_waits_is_not_born_anew_in_nearly_the_same_words(waits: str, refused: bool, decision: Decision) -> None:
    found, _ = proposed(Past(waiting=(a_wait(waits, decision=decision),)))

    (fate,) = found.edits
    assert (fate.fate is EditFate.REFUSED) is refused
    assert ("it waits for more proof since the night of n1" in fate.because) is refused


def test_an_addition_is_not_the_removal_of_the_same_words() -> None:
    removal = an_edit("", op=EditOp.DELETE, target=RULE)
    wait = a_wait(RULE)
    wait = replace(wait, tested=replace(wait.tested, edits=(removal,)))

    found, _ = proposed(Past(waiting=(wait,)))

    assert [fate.fate for fate in found.edits] == [EditFate.APPLIED]


@pytest.mark.parametrize(
    ("standing", "content", "refused"),
    [
        ("- Use pnpm,\n  never npm.", "- Use pnpm, never npm.", True),
        ("1. **Use pnpm, never npm.**\n2. Be brief.", "- Be brief.\n- Use pnpm, never npm.", True),
        ("- Use pnpm,\n  never npm.", "- Use pnpm, never npm.\n- Be brief.", False),
        ("- Unless asked, Use pnpm, never npm.", "- Use pnpm, never npm.", False),
    ],
)
@pytest.mark.parametrize("part", ["lead", "body"])
def test_a_rule_that_stands_in_the_document_in_another_layout_is_not_proposed_again(
    part: str, standing: str, content: str, refused: bool
) -> None:
    answers: dict[Purpose, Answers] = {Purpose.REFLECT: {"edits": [{"op": "append", "content": content}]}}
    found, _ = proposed(answers=answers, document=replace(DOCUMENT, **{part: standing}))
    (fate,) = found.edits
    assert (fate.fate is EditFate.REFUSED) is refused
    assert ("it stands there already" in fate.because) is refused


# rules --------------------------------------------------------------------------------------------------


def drafted(
    *edits: dict[str, object], tasks: Sequence[Task], lessons: Sequence[str] = ("a", "b"), **plan: Any
) -> Begun:
    """A step with the rules that were drafted for these lessons."""
    optimizer = FakeBackend({Purpose.REFLECT: {"edits": list(edits)}, Purpose.SELECT: {"selected_indices": [0, 1]}})
    executor = FakeExecutor(lambda task, document, sample: f"answer {sample}")
    crew = a_crew(optimizer=optimizer, executor=executor, judge=FakeJudge(0.0))
    settings = a_plan(**({"gate": GateRule()} | plan))
    begun = begin(a_document("- Old."), tasks, crew=crew, plan=settings)
    return draft_rules(begun, lessons, crew=crew, plan=settings, log=lambda stage, rows: None)


def of(lesson: str, *, val: int = 2) -> list[Task]:
    """The tasks of a lesson: one to learn from, and so many unseen ones."""
    tasks: list[Task] = []
    for n, split in enumerate([Split.TRAIN, *[Split.VAL] * val]):
        (task,) = a_side(split, n, lesson=lesson)
        tasks.append(replace(task, id=f"{lesson}{n}", session=f"{lesson}{n}", prompt=f"request {lesson} {n}"))
    return tasks


ONE: dict[str, object] = {"op": "append", "content": "- Rule a.", "attempts": [1]}
TWO: dict[str, object] = {"op": "append", "content": "- Rule b.", "attempts": [2]}
UNDER: dict[str, object] = {"op": "insert_after", "target": "- Rule a.", "content": "- Rule b.", "attempts": [2]}


def test_each_edit_is_a_rule_with_the_unseen_tasks_of_its_own_lessons() -> None:
    begun = drafted(ONE, TWO, tasks=[*of("a"), *of("b")])

    assert [(rule.kind, rule.lessons, rule.sessions) for rule in begun.rules] == [
        (CandidateKind.RULE, ("a",), 2),
        (CandidateKind.RULE, ("b",), 2),
    ]
    assert [[task.id for task in rule.val] for rule in begun.rules] == [["a1", "a2"], ["b1", "b2"]]
    assert begun.outcome.tasks.train == 2


def test_a_lesson_that_is_not_taken_on_is_not_learned_from() -> None:
    begun = drafted(ONE, tasks=[*of("a"), *of("b")], lessons=["a"])

    assert [rule.lessons for rule in begun.rules] == [("a",)]
    assert begun.outcome.tasks.train == 1


def test_edits_that_need_one_another_are_one_rule() -> None:
    begun = drafted(ONE, UNDER, tasks=[*of("a"), *of("b")])

    (rule,) = begun.rules
    assert (rule.kind, rule.lessons) == (CandidateKind.PATCH, ("a", "b"))


@pytest.mark.parametrize("name", ["strict", "greedy"])
def test_without_an_error_rate_to_share_all_edits_are_one_patch(name: Any) -> None:
    begun = drafted(ONE, TWO, tasks=[*of("a"), *of("b")], gate=replace(STRICT, name=name))

    (rule,) = begun.rules
    assert (rule.kind, len(rule.edits), len(rule.val)) == (CandidateKind.PATCH, 2, 4)


def test_no_more_edits_are_tried_than_lessons_were_taken_on() -> None:
    begun = drafted(ONE, TWO, tasks=of("a"), lessons=["a"])

    assert len([fate for fate in begun.outcome.tried.edits if fate.fate is EditFate.APPLIED]) == 1


def test_without_an_edit_it_says_how_it_ends() -> None:
    begun = drafted(tasks=of("a"), lessons=["a"])

    assert (begun.rules, begun.outcome.outcome, begun.outcome.because) == (
        (),
        Outcome.NO_CHANGE,
        "no edit was proposed",
    )
