"""An edit that shows nothing on train isn't tried on val beside one that does."""

from msgspec.structs import replace

from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.early import search_by_lesson
from skillopt_sleep.learning.screen import PAIRS, Screened, screen
from skillopt_sleep.records import CandidateKind, Decision, Edit, EditOp, GateRule, Metric, Split, Task
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew

RULE = GateRule(metric=Metric.HARD)
DOCUMENT = a_document("- Old.")
TRAIN = [a_task(id="t1", session="t1", lesson="a"), a_task(id="t2", session="t2", lesson="b")]
VAL = [a_task(id=f"v{n}", session=f"s{n}", lesson="a", split=Split.VAL) for n in range(6)]
GOOD, IDLE, BAD = (an_edit(f"- {word}.", lessons=("a",), tasks=()) for word in ("Good", "Idle", "Bad"))


def graded(body: str) -> float:
    """Good is enough to pass, Bad keeps everything from passing."""
    return float("Good" in body and "Bad" not in body)


def screened(
    *edits: Edit, train: list[Task] = TRAIN, meter: FakeMeter | None = None
) -> tuple[Screened, FakeExecutor]:
    executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
    judge = FakeJudge(lambda task, made: graded(made.response))
    crew = a_crew(executor=executor, judge=judge, meter=meter or FakeMeter())
    found = screen(DOCUMENT, edits, train, attempts=CrewAttempts(crew), rule=RULE, most=1000)
    return found, executor


def test_of_several_edits_those_that_help_on_train_by_themselves_are_left() -> None:
    found, _ = screened(IDLE, GOOD, BAD)

    assert found.edits == (GOOD,)
    (note,) = found.notes
    assert "2 edits weren't tried on unseen tasks: nothing was gained" in note.summary


def test_each_is_attempted_on_its_own_train_tasks_and_all_are_compared_with_the_same_attempts() -> None:
    other = an_edit("- Other.", tasks=("t2",))

    found, executor = screened(GOOD, IDLE, other)

    asked = [(task.id, version.body) for task, version, _ in executor.jobs]
    assert {name for name, body in asked if "Good" in body or "Idle" in body} == {"t1"}
    assert {name for name, body in asked if "Other" in body} == {"t2"}
    assert asked.count(("t1", "- Old.")) == asked.count(("t1", "- Old.\n- Good.")) == PAIRS
    assert len(found.rollouts) == len(asked) == 5 * PAIRS


def test_if_none_helps_all_are_tried() -> None:
    found, _ = screened(IDLE, BAD)

    assert (found.edits, found.notes) == ((IDLE, BAD), ())


def test_a_single_edit_is_not_attempted_on_train() -> None:
    found, executor = screened(IDLE)

    assert (found.edits, executor.jobs) == ((IDLE,), [])


def test_what_train_can_not_tell_of_is_kept_and_so_is_what_takes_text_away() -> None:
    unknown = an_edit("- Unknown.", lessons=("c",), tasks=())
    shorter = replace(an_edit("", lessons=("a",), tasks=()), op=EditOp.DELETE, target="- Old.")

    found, _ = screened(GOOD, unknown, shorter, IDLE)

    assert found.edits == (GOOD, unknown, shorter)


def test_without_the_calls_for_it_nothing_is_left_out_and_that_is_noted() -> None:
    found, executor = screened(GOOD, IDLE, meter=FakeMeter(left=10))

    assert (found.edits, executor.jobs) == ((GOOD, IDLE), [])
    assert "2 edits weren't compared on train: that takes 48 calls" in found.notes[0].summary


def test_a_useless_rule_beside_a_useful_one_costs_val_nothing() -> None:
    judge = FakeJudge(lambda task, made: graded(made.response))
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    found = search_by_lesson(DOCUMENT, [IDLE, GOOD], VAL, crew=crew, rule=RULE, train=TRAIN)

    assert [(one.kind, one.edits) for one in found.tested] == [(CandidateKind.BUNDLE, (GOOD,))]
    assert (found.best.verdict.decision, found.best.trial.alpha) == (Decision.ACCEPT, RULE.alpha)
    assert {rollout.task for rollout in found.rollouts} >= {"t1", "v0"}
