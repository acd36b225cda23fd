"""Each rule stands by itself: what is staged of a proven change is what is proven of it."""

from collections.abc import Callable

import pytest

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.learning.attempts import BLOCK, block
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.search import Search, search, shorten
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    EditOp,
    Effect,
    GateRule,
    Metric,
    Split,
    Task,
)
from skillopt_sleep.replay.variation import CANDIDATE_SAMPLES
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew

RULE = GateRule(metric=Metric.HARD)
DOCUMENT = a_document("- Old.")
A, B, C = (an_edit(f"- Rule {name}.", lessons=(name,)) for name in "abc")
IDLE = an_edit("- Idle.", lessons=("a",))
Grade = Callable[[Task, str, int], float]


def val(**sessions: int) -> list[Task]:
    """So many val tasks of each lesson, each of a session of its own."""
    tasks: list[Task] = []
    for lesson, count in sessions.items():
        for n in range(count):
            name = f"{lesson}{n}"
            tasks.append(a_task(id=name, lesson=lesson, session=name, split=Split.VAL))
    return tasks


def follows(task: Task, body: str, _sample: int) -> float:
    """A task passes once the document has the rule of its lesson."""
    return float(f"Rule {task.lesson}." in body)


def tried(edits: list[Edit], tasks: list[Task], *, grade: Grade = follows, meter: FakeMeter | None = None) -> Search:
    def attempt(task: Task, version: Document, sample: int) -> str:
        return f"{grade(task, version.body, sample)} {sample}"

    judge = FakeJudge(lambda task, trajectory: float(trajectory.response.split()[0]))
    crew = a_crew(executor=FakeExecutor(attempt), judge=judge, meter=meter or FakeMeter())
    return search(DOCUMENT, edits, tasks, crew=crew, rule=RULE)


def shown(found: Search) -> list[tuple[CandidateKind, tuple[Edit, ...], Decision]]:
    return [(one.kind, one.edits, one.verdict.decision) for one in found.tested]


def test_rules_that_are_all_proven_by_themselves_stay_together() -> None:
    found = tried([A, B], val(a=4, b=4))

    assert (found.best.kind, found.best.edits, found.waits) == (CandidateKind.BUNDLE, (A, B), ())
    assert shown(found)[1:] == [
        (CandidateKind.PART, (B,), Decision.ACCEPT),
        (CandidateKind.PART, (A,), Decision.ACCEPT),
    ]


def test_a_useless_rule_is_left_out_and_what_is_left_is_proven_anew() -> None:
    found = tried([A, IDLE, B], val(a=4, b=4))

    assert (found.best.kind, found.best.edits, found.waits) == (CandidateKind.PRUNED, (A, B), ())
    assert (CandidateKind.PART, (IDLE,), Decision.REJECT) in shown(found)
    bundle, *others = found.tested
    for other in others:
        assert not {pair.sample for pair in bundle.trial.pairs} & {pair.sample for pair in other.trial.pairs}


def test_the_number_beside_a_rule_is_its_own_on_top_of_the_others() -> None:
    found = tried([A, IDLE, B], val(a=4, b=4))
    effects = {effect.edit: effect for effect in credit(found.best, found.tested)}

    for edit in (A, B):
        assert (effects[edit].effect, effects[edit].before, effects[edit].after) == (Effect.HELPED, 0.0, 1.0)
    assert effects[IDLE].effect is not Effect.HELPED
    assert (effects[IDLE].before, effects[IDLE].after) == (1.0, 1.0)


def test_the_least_convincing_rule_is_tried_first() -> None:
    def mostly(task: Task, body: str, sample: int) -> float:
        return follows(task, body, sample) * float(task.id != "a0")

    found = tried([A, B], val(a=4, b=4), grade=mostly)

    assert [one.edits for one in found.tested[1:]] == [(A,), (B,)]


def test_of_two_rules_that_say_the_same_one_stays() -> None:
    twice = an_edit("- Again: Rule a.", lessons=("a",))

    found = tried([A, twice], val(a=4))

    assert (found.best.kind, found.best.edits) == (CandidateKind.PRUNED, (A,))
    assert found.best.verdict.decision is Decision.ACCEPT


def test_rules_that_only_help_together_stay_together() -> None:
    def both(task: Task, body: str, _sample: int) -> float:
        return float("Rule a." in body and "Rule b." in body)

    found = tried([A, B], val(a=4, b=4), grade=both)

    assert (found.best.kind, found.best.edits) == (CandidateKind.BUNDLE, (A, B))


def test_a_rule_that_another_one_needs_is_not_taken_from_under_it() -> None:
    after = an_edit("- Rule b.", op=EditOp.INSERT_AFTER, target="- Rule a.", lessons=("b",))

    found = tried([A, after], val(a=4, b=4))

    assert found.best.edits == (A, after)
    assert [one.edits for one in found.tested[1:]] == [(after,)]


def test_a_removal_stays_with_its_change() -> None:
    shorter = an_edit("", op=EditOp.DELETE, target="- Old.", lessons=("a",))

    found = tried([A, shorter], val(a=4))

    assert found.best.edits == (A, shorter)
    assert [one.edits for one in found.tested[1:]] == [(A,)]


def now_and_then(task: Task, body: str, sample: int) -> float:
    """The rule of b helps a little, which takes more than one night to prove; that of a always does."""
    if task.lesson == "b":
        return float("Rule b." in body and sample % 4 == 1)
    return follows(task, body, sample)


def test_a_rule_that_may_still_be_proven_waits_and_is_not_staged() -> None:
    found = tried([A, B], val(a=4, b=2), grade=now_and_then)

    assert (found.best.edits, found.best.verdict.decision) == ((A,), Decision.ACCEPT)
    (wait,) = found.waits
    assert (wait.kind, wait.edits, wait.verdict.decision) == (CandidateKind.PART, (B,), Decision.UNDECIDED)


def test_a_proven_change_waits_if_there_are_not_the_calls_to_take_it_apart() -> None:
    found = tried([A, IDLE], val(a=4), meter=FakeMeter(left=31))

    assert (found.best.kind, found.best.verdict.decision) == (CandidateKind.BUNDLE, Decision.UNDECIDED)
    assert "its rules weren't tried one by one" in found.best.verdict.reason
    (wait,) = found.waits
    assert (wait.edits, wait.verdict.decision) == ((A, IDLE), Decision.ACCEPT)
    (note,) = found.notes
    assert "its rules weren't tried one by one: that takes about 32 calls" in note.summary


def test_a_rule_without_an_unseen_task_of_its_own_tonight_waits_without_calls() -> None:
    proven = tried([A, B], val(a=4, b=4)).tested[0]
    executor = FakeExecutor(lambda task, version, sample: f"{follows(task, version.body, sample)} {sample}")
    judge = FakeJudge(lambda task, trajectory: float(trajectory.response.split()[0]))

    found = shorten(DOCUMENT, proven, val(a=4), crew=a_crew(executor=executor, judge=judge), rule=RULE)

    assert (found.best.edits, found.best.verdict.decision) == ((A,), Decision.ACCEPT)
    assert {version.body for _, version, _ in executor.jobs} == {"- Old.", "- Old.\n- Rule a."}
    (wait,) = found.waits
    assert (wait.kind, wait.edits, wait.verdict.decision) == (CandidateKind.PART, (B,), Decision.UNDECIDED)
    assert (wait.trial.pairs, wait.trial.lessons, wait.trial.alpha) == ((), (B.lessons,), proven.trial.alpha)
    assert len(wait.trial.wealth) == len(wait.trial.stakes) > 0
    assert "has no unseen task tonight" in found.notes[0].summary


def test_a_single_rule_needs_no_parts_and_no_calls_for_them() -> None:
    found = tried([A], val(a=4), meter=FakeMeter(left=0))

    assert (found.best.edits, found.best.verdict.decision) == ((A,), Decision.ACCEPT)


@pytest.mark.parametrize("ends_at", ["- Old.\n- Rule a.", "- Old.\n- Idle."])
def test_a_proven_change_is_not_lost_when_the_budget_ends_on_the_way(ends_at: str) -> None:
    def cut_short(task: Task, body: str, sample: int) -> float:
        if body == ends_at:
            raise BudgetExhausted("the limit of 20 calls is reached", remedy="raise it")
        return follows(task, body, sample)

    found = tried([IDLE, A], val(a=4), grade=cut_short)

    assert found.best.verdict.decision is Decision.UNDECIDED
    assert [wait.edits for wait in found.waits] == [(IDLE, A)]
    assert "the limit of 20 calls is reached" in found.notes[0].summary


def test_where_no_rule_is_proven_by_itself_nothing_is_staged() -> None:
    whole = candidate(DOCUMENT, [A, B])
    assert whole is not None
    first = block(CandidateKind.BUNDLE, DOCUMENT.text, whole.text) + CANDIDATE_SAMPLES

    def lucky(_task: Task, body: str, sample: int) -> float:
        """The two rules together win their trial by luck."""
        return float("Rule a." in body and "Rule b." in body and first <= sample < first + BLOCK)

    found = tried([A, B], val(a=2, b=2), grade=lucky)

    assert found.tested[0].verdict.decision is Decision.ACCEPT
    assert (found.best.verdict.decision, found.waits) == (Decision.REJECT, ())
    assert "none of its rules is proven by itself" in found.best.verdict.reason


def test_who_answers_by_hand_is_asked_about_all_rules_at_once() -> None:
    asked: set[str] = set()

    def pending(task: Task, body: str, sample: int) -> float:
        if body.count("Rule") != 2:
            return follows(task, body, sample)
        asked.add(body)
        raise CallPending("1 prompt waits")

    with pytest.raises(CallPending):
        tried([A, B, C], val(a=4, b=4, c=4), grade=pending)

    assert len(asked) == 3
