"""Val is asked about a half of a rejected change only if that half helped on train."""

import pytest

from skillopt_sleep.errors import CallPending
from skillopt_sleep.learning.search import Search, search
from skillopt_sleep.records import CandidateKind, Decision, Document, Edit, GateRule, Metric, Split, Task
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew

RULE = GateRule(metric=Metric.HARD)
DOCUMENT = a_document("- Old.")
TRAIN = [a_task(id="t1", session="t1", lesson="a"), a_task(id="t2", session="t2", lesson="b")]
VAL = [a_task(id=f"v{n}", session=f"s{n}", lesson="ab"[n % 2], split=Split.VAL) for n in range(6)]
GOOD, BAD = an_edit("- Good.", lessons=("a",), tasks=()), an_edit("- Bad.", lessons=("b",), tasks=())


def tried(*edits: Edit, train: list[Task] = TRAIN, meter: FakeMeter | None = None) -> tuple[Search, FakeExecutor]:
    """Good helps, Bad keeps everything from passing."""
    executor = FakeExecutor(lambda task, version, sample: f"{version.body} {sample}")
    judge = FakeJudge(lambda task, made: float("Good" in made.response and "Bad" not in made.response))
    crew = a_crew(executor=executor, judge=judge, meter=meter or FakeMeter())
    return search(DOCUMENT, edits, VAL, crew=crew, rule=RULE, train=train), executor


def test_only_the_half_that_helped_on_train_is_tried() -> None:
    found, executor = tried(GOOD, BAD)

    assert [(one.kind, one.edits) for one in found.tested] == [
        (CandidateKind.BUNDLE, (GOOD, BAD)),
        (CandidateKind.HALF, (GOOD,)),
    ]
    assert (found.best.edits, found.best.verdict.decision) == ((GOOD,), Decision.ACCEPT)
    on_train = [(task.id, version.body) for task, version, _ in executor.jobs if task in TRAIN]
    old, good, bad = "- Old.", "- Old.\n- Good.", "- Old.\n- Bad."
    assert on_train == [("t1", old), ("t1", good), ("t2", old), ("t2", bad)]


def test_of_several_lessons_those_that_helped_on_train_are_tried_as_one() -> None:
    idle = an_edit("- Idle.", lessons=("c",), tasks=())
    more = [*TRAIN, a_task(id="t3", session="t3", lesson="c")]

    found, executor = tried(GOOD, BAD, idle, train=more)

    assert [one.edits for one in found.tested] == [(GOOD, BAD, idle), (GOOD,)]
    asked = [task.id for task, _, _ in executor.jobs if task in more]
    assert asked == ["t1", "t1", "t2", "t2", "t3", "t3"]


def test_rules_of_one_lesson_are_halved() -> None:
    worse = an_edit("- Bad.", lessons=("a",), tasks=())

    found, _ = tried(worse, GOOD)

    assert [one.edits for one in found.tested] == [(worse, GOOD), (GOOD,)]


def test_the_train_tasks_are_those_the_edits_were_learned_from() -> None:
    by_task = an_edit("- Good.", tasks=("t2",))

    _, executor = tried(by_task, BAD)

    asked = [task.id for task, version, _ in executor.jobs if task in TRAIN and version.body == "- Old.\n- Good."]
    assert asked == ["t2"]


def test_a_half_that_no_train_task_speaks_for_is_not_tried() -> None:
    found, _ = tried(GOOD, BAD, train=[])

    assert [one.kind for one in found.tested] == [CandidateKind.BUNDLE]
    assert found.best.verdict.decision is Decision.REJECT


def test_without_the_calls_for_them_the_halves_are_not_tried_and_that_is_noted() -> None:
    found, executor = tried(GOOD, BAD, meter=FakeMeter(left=10))

    assert [one.kind for one in found.tested] == [CandidateKind.BUNDLE]
    assert not [task for task, _, _ in executor.jobs if task in TRAIN]
    assert "its halves weren't tried: that takes about" in found.notes[0].summary


def test_the_part_has_what_the_bundle_left_of_the_error_rate() -> None:
    found, _ = tried(GOOD, BAD)
    bundle, half = found.tested

    assert [bundle.trial.alpha, half.trial.alpha] == pytest.approx([0.03, 0.02])


def test_who_answers_by_hand_is_asked_about_both_halves_at_once() -> None:
    asked: set[str] = set()

    def attempt(task: Task, version: Document, sample: int) -> str:
        if task in TRAIN:
            asked.add(task.id)
            raise CallPending("1 prompt waits")
        return f"{version.body} {sample}"

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(0.0))
    with pytest.raises(CallPending):
        search(DOCUMENT, [GOOD, BAD], VAL, crew=crew, rule=RULE, train=TRAIN)

    assert asked == {"t1", "t2"}
