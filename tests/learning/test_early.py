"""A rule is proven on its own lessons; what one session alone can test is tried apart and can only be early."""

from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.learning.early import EARLY_SHARE, by_breadth, search_by_lesson, tried_together
from skillopt_sleep.learning.gate import EARLY_ROUNDS
from skillopt_sleep.learning.search import Search
from skillopt_sleep.records import CandidateKind, Decision, Document, Edit, GateRule, Metric, Split, Task
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew

RULE = GateRule(metric=Metric.HARD)
DOCUMENT = a_document("- Old.")
A, B, C = (an_edit(f"- Rule {name}.", lessons=(name,)) for name in "abc")


def val(**sessions: int) -> list[Task]:
    """So many val tasks of each lesson, each of a session of its own."""
    tasks: list[Task] = []
    for lesson, count in sessions.items():
        for n in range(count):
            name = f"{lesson}{n}"
            tasks.append(a_task(id=name, lesson=lesson, session=name, split=Split.VAL))
    return tasks


def passes(task: Task, body: str) -> float:
    """A task passes once the document has the rule of its lesson."""
    return float(f"Rule {task.lesson}." in body)


def tried(
    edits: list[Edit],
    tasks: list[Task],
    *,
    meter: FakeMeter | None = None,
    passes: Callable[[Task, str], float] = passes,
) -> Search:
    executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
    judge = FakeJudge(lambda task, trajectory: passes(task, trajectory.response))
    crew = a_crew(executor=executor, judge=judge, meter=meter or FakeMeter())
    return search_by_lesson(DOCUMENT, edits, tasks, crew=crew, rule=RULE, others=tasks)


def test_edits_are_sorted_by_the_unseen_sessions_of_their_own_lessons() -> None:
    also = an_edit("- Also b.", lessons=("b",))
    unknown = an_edit("- Unknown.")

    breadth = by_breadth([A, B, also, C, unknown], val(a=2, b=1))

    assert (breadth.wide, breadth.narrow, breadth.untestable) == ((A, unknown), ((B, also),), (C,))


def test_an_edit_of_several_lessons_counts_the_sessions_of_all() -> None:
    both = an_edit("- Both.", lessons=("a", "b"))

    assert by_breadth([both], val(a=1, b=1)).wide == (both,)


def test_what_two_sessions_can_prove_is_tried_as_one_change() -> None:
    tasks = val(a=2, b=1)

    assert tried_together(DOCUMENT, [A, B], tasks, rule=RULE, most=99) == (A,)
    assert tried_together(DOCUMENT, [B], tasks, rule=RULE, most=99) == ()
    assert tried_together(DOCUMENT, [A, B], tasks, rule=GateRule(name="strict"), most=99) == (A, B)


def test_two_rules_with_one_unseen_session_each_are_each_early_and_neither_is_accepted() -> None:
    found = tried([A, B], val(a=1, b=1))

    assert [(tested.edits, tested.verdict.early) for tested in found.apart] == [((A,), True), ((B,), True)]
    assert found.headline.verdict.decision is Decision.UNDECIDED
    assert {tested.trial.alpha for tested in found.apart} == {RULE.alpha / 2}


def test_a_rule_with_two_sessions_is_accepted_without_its_neighbour() -> None:
    found = tried([A, B], val(a=2, b=1))

    assert (found.headline.edits, found.headline.verdict.decision) == ((A,), Decision.ACCEPT)
    assert [tested.edits for tested in found.apart] == [(B,)]
    assert found.best.trial.alpha == pytest.approx(RULE.alpha * (1 - EARLY_SHARE))
    assert found.apart[0].trial.alpha == pytest.approx(RULE.alpha * EARLY_SHARE)


def test_what_is_proven_on_one_session_takes_up_to_eight_rounds() -> None:
    found = tried([A], val(a=1))

    assert found.headline.verdict.early
    assert found.headline.trial.rounds <= EARLY_ROUNDS
    assert found.headline.kind is CandidateKind.BUNDLE


def test_what_does_not_help_its_one_session_is_rejected_soon() -> None:
    found = tried([an_edit("- Idle.", lessons=("a",))], val(a=1))

    assert found.headline.verdict.decision is Decision.REJECT
    assert found.headline.trial.rounds == 2


def test_the_bet_and_the_numbers_are_its_own() -> None:
    trial = tried([A], val(a=2, b=2, c=2)).headline.trial

    assert (trial.before, trial.after) == (0.0, 1.0)
    assert {pair.lesson for pair in trial.pairs} == {"a"}


def test_what_makes_another_lesson_worse_is_refused_and_asked_of_whoever_wins_only() -> None:
    def harms_b(task: Task, body: str) -> float:
        return float("Rule a." not in body) if task.lesson == "b" else passes(task, body)

    found = tried([A], val(a=2, b=2, c=2), passes=harms_b)

    assert found.headline.verdict.decision is Decision.REJECT
    assert {harm.lesson for harm in found.headline.trial.guard.harmed} == {"b"}
    assert (found.headline.trial.bystanders, found.headline.trial.unharmed) == (2, 1)
    idle = tried([an_edit("- Idle.", lessons=("a",))], val(a=2, b=2), passes=harms_b)
    assert idle.headline.trial.guard.pairs == ()


def test_an_edit_without_an_unseen_task_is_not_tried_and_that_is_noted() -> None:
    found = tried([A, C], val(a=2))

    assert found.headline.edits == (A,)
    assert "«- Rule c.» wasn't tried" in found.notes[-1].summary
    alone = tried([C], val(a=2))
    assert alone.headline.verdict.decision is Decision.ABSTAIN


def test_without_the_calls_for_it_only_what_can_be_proven_is_tried() -> None:
    found = tried([A, B], val(a=2, b=1), meter=FakeMeter(left=15))

    assert found.headline.verdict.decision is Decision.ACCEPT
    assert found.apart == ()
    assert found.notes[-1].remedy == "raise budget.calls"


def test_an_accepted_change_is_not_lost_when_the_budget_ends_at_another_lesson() -> None:
    def attempt(task: Task, version: Document, sample: int) -> str:
        if "Rule b" in version.body:
            raise BudgetExhausted("the limit of 20 calls is reached", remedy="raise it")
        return f"{version.body} {sample}"

    judge = FakeJudge(lambda task, trajectory: passes(task, trajectory.response))
    crew = a_crew(executor=FakeExecutor(attempt), judge=judge)

    found = search_by_lesson(DOCUMENT, [A, B], val(a=2, b=1), crew=crew, rule=RULE)

    assert found.headline.verdict.decision is Decision.ACCEPT
    assert "the limit of 20 calls" in found.notes[-1].summary


def test_who_answers_by_hand_is_asked_for_all_lessons_at_once() -> None:
    asked: list[str] = []

    def attempt(task: Task, version: Document, sample: int) -> str:
        if version.body == DOCUMENT.body:
            return f"{version.body} {sample}"
        asked.append(version.body)
        raise CallPending("1 prompt waits")

    crew = a_crew(executor=FakeExecutor(attempt))
    with pytest.raises(CallPending):
        search_by_lesson(DOCUMENT, [A, B, C], val(a=2, b=1, c=1), crew=crew, rule=RULE)

    assert len(set(asked)) == 3


def test_an_edit_without_an_unseen_task_is_named_as_left_out_and_is_no_error() -> None:
    for found in (tried([A, B, C], val(a=2, b=1)), tried([C], val(a=2))):
        (note,) = found.notes
        assert note.expected
        assert "Rule c." in note.summary
        assert "no unseen task" in note.summary
