"""The layout takes on the best-founded lessons, as many as the night's limit can take to a verdict."""

import itertools
from typing import Any

from skillopt_sleep.learning.begin import Begun
from skillopt_sleep.learning.rule import NOT_TRIED, CandidateRule
from skillopt_sleep.night.layout import Layout, lay_out, rounds_within, staging_calls, usual_calls
from skillopt_sleep.records import CandidateKind, Judged, Past, Rubric, Task, Trial, WaitingCandidate
from tests.builders import a_document, an_edit, changed
from tests.night.lessons import GATE, SHOP, a_lesson, begun_on
from tests.nights import a_plan

LARGE, MIDDLE, SMALL = a_lesson("large", val=6), a_lesson("middle", val=4), a_lesson("small", val=2)
THREE = (*SMALL, *LARGE, *MIDDLE)


def laid_out(*begun: Begun, calls: float = 10_000, **plan: Any) -> Layout:
    return lay_out(begun, calls=calls, plan=a_plan(gate=GATE, **plan))


def taken(layout: Layout) -> list[str]:
    return [what for _, what in layout.taken]


def waits_for(lesson: str) -> WaitingCandidate:
    edits = (an_edit(f"- Do {lesson}.", lessons=(lesson,)),)
    tested = Judged(kind=CandidateKind.RULE, edits=edits, trial=Trial(), verdict=NOT_TRIED)
    return WaitingCandidate(night="n1", path=SHOP.path, crew="m v", tested=tested)


def own_words(lesson: str, *tasks: Task) -> CandidateRule:
    edits = (an_edit(f"- Always do {lesson}.", lessons=(lesson,)),)
    return CandidateRule(CandidateKind.RULE, edits, tuple(tasks), proposal="P-0001")


def test_what_came_up_in_more_sessions_goes_first() -> None:
    layout = laid_out(begun_on(*THREE))

    assert taken(layout) == ["large", "middle", "small"]
    assert layout.left == ()


def test_of_equally_founded_lessons_the_cheaper_goes_first() -> None:
    cheap = a_lesson("words", val=3)
    dear = a_lesson("judged", val=3, reference=Rubric(text="it does it"))

    assert taken(laid_out(begun_on(*dear, *cheap))) == ["words", "judged"]


def test_what_the_person_wants_tested_goes_first() -> None:
    begun = begun_on(*LARGE, *SMALL)
    begun = begun._replace(rules=(own_words("small", *begun.val[-2:]),))

    assert laid_out(begun).taken[0] == ("shop", begun.rules[0].key)


def test_the_lessons_of_all_documents_are_in_one_order() -> None:
    other = begun_on(*a_lesson("other", val=5, document="blog"), document=a_document(id="blog", path="/blog.md"))

    layout = laid_out(begun_on(*THREE), other)

    assert layout.taken == (("shop", "large"), ("blog", "other"), ("shop", "middle"), ("shop", "small"))
    assert layout.of("blog") == ("other",)


def test_as_many_are_taken_on_as_the_limit_can_take_to_a_verdict_and_the_rest_waits() -> None:
    begun = begun_on(*THREE)
    by_calls = [taken(laid_out(begun, calls=calls)) for calls in range(0, 400, 2)]

    assert [len(names) for names in by_calls] == sorted(len(names) for names in by_calls)
    for names, layout in ((names, laid_out(begun, calls=2 * n)) for n, names in enumerate(by_calls)):
        assert names == ["large", "middle", "small"][: len(names)]
        assert [what for _, what in layout.left] == ["large", "middle", "small"][len(names) :]
    assert {len(names) for names in by_calls} == {1, 2, 3}


def test_the_guard_and_the_fresh_rounds_of_what_is_taken_on_are_reserved() -> None:
    begun = begun_on(*LARGE, *MIDDLE)
    two = next(calls for calls in itertools.count() if len(taken(laid_out(begun, calls=calls))) == 2)

    val = [[task for task in begun.val if task.lesson == lesson] for lesson in begun.lessons]
    trials = sum(usual_calls(tasks, share=GATE.alpha / 2, most=8) for tasks in val)
    rules = [CandidateRule(CandidateKind.RULE, (an_edit(),), tuple(tasks)) for tasks in val]
    after = staging_calls([(begun, rules)])

    assert after >= 2 * len(begun.val)
    assert two > trials + 2 * len(begun.val)


def test_a_tighter_share_makes_each_trial_longer() -> None:
    begun = begun_on(*MIDDLE)

    assert usual_calls(begun.val, share=0.005, most=8) > usual_calls(begun.val, share=0.05, most=8)
    assert usual_calls(begun.val, share=0.005, most=1) == 2 * len(begun.val)


def test_a_trial_gets_the_rounds_that_its_calls_allow() -> None:
    val = begun_on(*MIDDLE).val

    assert [rounds_within(val, calls=calls, most=8) for calls in (0, 8, 31, 32, 1_000)] == [1, 1, 3, 4, 8]


def test_no_document_gets_more_new_rules_than_its_edit_budget() -> None:
    layout = laid_out(begun_on(*THREE, edit_budget=2), edit_budget=2)

    assert taken(layout) == ["large", "middle"]
    assert layout.left_of("shop") == ("small",)


def test_a_rule_that_waits_is_taken_on_in_the_place_of_its_lesson() -> None:
    begun = begun_on(*THREE, past=Past(waiting=(waits_for("large"),)))

    layout = laid_out(begun)

    assert begun.lessons == ("small", "middle")
    assert taken(layout) == [begun.rules[0].key, "middle", "small"]


def test_a_lesson_with_tasks_in_the_repository_costs_more_than_one_in_words() -> None:
    words = a_lesson("words", val=2)
    acting = [changed(task, needs_repository=True) for task in words]

    assert usual_calls(acting, share=0.05, most=8) > 2 * usual_calls(words, share=0.05, most=8)
