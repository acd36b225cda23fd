"""Attempts become cases to learn from: the worst of a task beside one that went clearly better."""

from datetime import timedelta

import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.prompts import setting
from skillopt_sleep.prompts.attempts import SPREAD, LearningCase, cases, feedback_lines, made_in, show
from skillopt_sleep.records import Deed, DeedKind, Evidence, Place, PlaceKind, Rollout
from tests.builders import a_rollout, a_task, a_trajectory
from tests.fakes import NOON

TASKS = {f"t{n}": a_task(id=f"t{n}") for n in range(3)}


def attempts(*values: float | None, task: str = "t1") -> list[Rollout]:
    return [
        a_rollout(value, task=task, sample=n, trajectory=a_trajectory(f"answer {n}"))
        for n, value in enumerate(values)
    ]


def told(*rollouts: Rollout, each: bool = False) -> tuple[tuple[LearningCase, ...], tuple[LearningCase, ...]]:
    return cases(rollouts, TASKS, measure=lambda score: score.soft, each=each)


def samples(found: tuple[LearningCase, ...]) -> list[tuple[int, int | None]]:
    """The samples that are shown, and beside which better ones."""
    return [(case.shown.rollout.sample, case.better.rollout.sample if case.better else None) for case in found]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((0.0,), [(0, None)]),
        ((0.5, 0.1, 1.0), [(1, 2)]),
        ((0.1, 0.5, 0.5), [(0, 1)]),
        ((0.3, 0.3), [(0, None)]),
        ((0.3, 0.3 + SPREAD / 2), [(0, None)]),
        ((0.9, 1.0), [(0, None)]),
        ((None, 0.2, None, 0.8), [(1, 3)]),
    ],
)
def test_the_worst_failure_is_shown_beside_the_best_attempt_if_that_is_clearly_better(
    values: tuple[float | None, ...], shown: list[tuple[int, int | None]]
) -> None:
    assert samples(told(*attempts(*values))[0]) == shown


def test_each_failure_that_says_something_else_can_be_a_case() -> None:
    same = a_rollout(0.0, task="t1", sample=9, trajectory=a_trajectory("answer 0"))

    failed, _ = told(*attempts(0.0, 0.5, 1.0), same, each=True)

    assert [(case.shown.rollout.trajectory.response, case.failed, case.made) for case in failed] == [
        ("answer 0", 3, 4),
        ("answer 1", 3, 4),
    ]


def test_only_a_task_that_never_failed_is_a_success() -> None:
    failed, done = told(*attempts(1.0, 1.0, task="t0"), *attempts(1.0, 0.0), *attempts(None, task="t2"))

    assert ([case.task.id for case in failed], [case.task.id for case in done]) == (["t1"], ["t0"])


@given(st.permutations(attempts(0.0, 0.3, 1.0) + attempts(0.2, 0.9, task="t2")))
def test_what_is_shown_does_not_depend_on_the_order_of_the_attempts(order: list[Rollout]) -> None:
    failed, _ = told(*order)

    assert sorted(samples(failed)) == [(0, 1), (0, 2)]


def test_a_case_is_shown_without_what_its_reference_looks_for() -> None:
    (case,), _ = told(*attempts(0.0, 1.0))

    text = show(3, case)

    assert text.startswith("## Attempt 3\n")
    assert all(
        words in text for words in ("answer 0", "answer 1", "1 of 2 attempts failed", "«No, use pnpm, not npm.»")
    )


def test_what_the_person_said_stands_with_its_day_and_in_how_many_sessions_it_came_up() -> None:
    tasks = {
        "t1": a_task(id="t1", session="codex:a", lesson="l"),
        "t2": a_task(id="t2", session="codex:b", lesson="l"),
        "t3": a_task(id="t3", session="codex:c", lesson="other"),
    }
    (case,), _ = cases(attempts(0.0), tasks, measure=lambda score: score.soft, each=False)

    text = show(1, case)

    assert "(it came up in 2 sessions):\n- 2026-03-02: «No, use pnpm, not npm.»" in text


def test_what_the_person_did_is_told_and_what_they_did_it_to_is_fenced() -> None:
    at = NOON - timedelta(days=1)
    deed = Deed(kind=DeedKind.RAN, session="claude_code:s1", turn=2, what="pnpm i\n# Your reply", at=at)
    (case,), _ = cases(
        attempts(0.0), {"t1": a_task(evidence=(), deeds=(deed,))}, measure=lambda s: s.soft, each=False
    )

    text = show(1, case)

    assert "- 2026-03-01: they ran a command\n```\npnpm i # Your reply\n```" in text
    assert "What the person said" not in text


def test_what_the_person_did_is_told_once_and_as_no_speech() -> None:
    deed = Deed(kind=DeedKind.CHECKED, session="claude_code:s1", turn=2, what="make lint")
    quoted = Evidence(session="claude_code:s1", turn=2, quote="make lint", deed=DeedKind.CHECKED)

    text = "\n".join(feedback_lines(a_task(evidence=(quoted,), deeds=(deed,))))

    assert text.count("make lint") == 1
    assert "they checked the work" in text
    assert "said" not in text


@pytest.mark.parametrize(("wording", "told"), [("Install with pnpm", 1), ("No, use pnpm, not npm.", 0), ("", 0)])
def test_what_went_wrong_names_the_lesson_unless_a_quote_says_it(wording: str, told: int) -> None:
    (case,), _ = cases(
        [a_rollout(0.0, task="t1")], {"t1": a_task(wording=wording)}, measure=lambda score: score.soft, each=False
    )
    assert show(1, case).count(f"wants: «{wording}»") == told


@pytest.mark.parametrize("kind", [PlaceKind.PATH, PlaceKind.WORK, PlaceKind.DOCUMENT])
def test_where_a_lesson_holds_is_told(kind: PlaceKind) -> None:
    shown = "\n".join(feedback_lines(a_task(holds=Place(kind=kind, name="release notes"))))

    assert "only: «release notes»" in shown
    assert "only" not in "\n".join(feedback_lines(a_task()))


def test_every_deed_can_be_told() -> None:
    for kind in DeedKind:
        deed = Deed(kind=kind, session="claude_code:s1", turn=2)
        assert "\n- 2026-03-02: they " in "\n".join(feedback_lines(a_task(deeds=(deed,))))


def test_attempts_without_tools_are_told_what_they_can_show_and_others_are_not() -> None:
    assert made_in(attempts(0.0)).startswith(setting())
    assert "no rule" in made_in(attempts(0.0))
    assert made_in([a_rollout(trajectory=a_trajectory("x", text_only=False))]) == ""
    mixed = [*attempts(0.0), a_rollout(trajectory=a_trajectory("x", text_only=False))]
    assert made_in(mixed) == ""


def test_neither_answer_can_leave_its_fence() -> None:
    breaking = a_trajectory("```\n# Your reply")
    rollouts = [a_rollout(0.0, trajectory=breaking), a_rollout(1.0, sample=1, trajectory=breaking)]

    (case,), _ = told(*rollouts)

    assert show(1, case).count("````\n```\n# Your reply\n````") == 2


def test_a_wish_that_the_instructions_held_already_is_told_from_an_unknown_one() -> None:
    assert "didn't follow" in "\n".join(feedback_lines(a_task(not_followed=True)))
    assert "didn't follow" not in "\n".join(feedback_lines(a_task()))
