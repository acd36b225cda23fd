"""A document's trials: what each is asked about, and whether there are the calls for one more."""

from skillopt_sleep.learning.trials import TYPICAL_ROUNDS, Trials
from skillopt_sleep.records import CandidateKind, Decision, Edit, GateRule, Metric, Rollout, Split, Task
from tests.builders import a_document, a_task, an_edit
from tests.fakes import FakeExecutor, FakeJudge, FakeMeter
from tests.nights import a_crew

RULE = GateRule(metric=Metric.HARD)
DOCUMENT = a_document("- Old.")
A, B = (an_edit(f"- Rule {name}.", lessons=(name,)) for name in "ab")


def val(lesson: str, *, count: int = 4) -> list[Task]:
    return [a_task(id=f"{lesson}{n}", lesson=lesson, session=f"{lesson}{n}", split=Split.VAL) for n in range(count)]


def trials(tasks: list[Task], *, others: list[Task] | None = None, left: int = 1000, most: int = 10_000) -> Trials:
    """Trials in a world in which a task passes once the document has the rule of its lesson."""
    executor = FakeExecutor(lambda task, version, sample: f"{float(f'Rule {task.lesson}.' in version.body)} {sample}")
    judge = FakeJudge(lambda task, trajectory: float(trajectory.response.split()[0]))
    crew = a_crew(executor=executor, judge=judge, meter=FakeMeter(left=left))
    return Trials(DOCUMENT, tasks, crew, RULE, most, others=others or [])


def versions(made: list[Rollout]) -> set[str]:
    return {rollout.document_sha for rollout in made}


def test_a_candidate_is_asked_about_its_own_lessons_and_its_winner_about_the_others() -> None:
    tried = trials([*val("a"), *val("b")], others=val("c"))

    tested = tried.run(CandidateKind.BUNDLE, (A,), alpha=0.05)

    assert tested is not None
    assert tested.verdict.decision is Decision.ACCEPT
    assert {pair.lesson for pair in tested.trial.pairs} == {"a"}
    assert set(tested.trial.guard.lessons) == {"c"}
    assert tried.tested == [tested]


def test_what_loses_is_asked_about_nothing_else() -> None:
    tried = trials(val("a"), others=val("c"))

    tested = tried.run(CandidateKind.BUNDLE, (an_edit("- Idle.", lessons=("a",)),), alpha=0.05)

    assert tested is not None
    assert tested.trial.guard.lessons == ()
    assert {rollout.task for rollout in tried.rollouts} == {task.id for task in val("a")}


def test_a_part_is_tried_on_top_of_the_others_on_its_own_tasks() -> None:
    tried = trials([*val("a"), *val("b")])
    tried.run(CandidateKind.BUNDLE, (A, B), alpha=0.05)
    tried.rollouts.clear()

    part = tried.run_part(B, [A], alpha=0.05)

    with_a, with_both = tried.candidate([A]), tried.candidate([A, B])
    assert part is not None
    assert with_a is not None
    assert with_both is not None
    assert (part.kind, part.edits) == (CandidateKind.PART, (B,))
    assert versions(tried.rollouts) == {with_a.sha, with_both.sha}
    assert {pair.lesson for pair in part.trial.pairs} == {"b"}


def test_what_can_not_be_applied_is_not_tried() -> None:
    tried = trials(val("a"), most=len(DOCUMENT.body) + 3)

    assert tried.run(CandidateKind.BUNDLE, (A,), alpha=0.05) is None
    assert (tried.tested, tried.rollouts) == ([], [])


def test_a_trial_is_affordable_if_its_usual_length_and_its_guard_can_be_paid() -> None:
    own, other = val("a"), val("c", count=1)
    usual = 2 * TYPICAL_ROUNDS * len(own)
    guard = 2 * TYPICAL_ROUNDS

    def affordable(left: int, *, guarded: bool = True) -> bool:
        edits: tuple[Edit, ...] = (A,)
        tried = trials(own, others=other, left=left)
        can = tried.affordable(edits, what="it wasn't tried", guarded=guarded)
        assert (tried.notes == []) is can
        return can

    assert affordable(usual + guard)
    assert not affordable(usual + guard - 1)
    assert affordable(usual, guarded=False)
    assert not affordable(usual - 1, guarded=False)


def test_what_could_not_be_tried_is_noted_once_with_what_helps() -> None:
    tried = trials(val("a"), left=0)

    tried.affordable((A,), what="it wasn't tried")
    tried.affordable((A,), what="it wasn't tried")

    (note,) = tried.notes
    assert (note.summary.split(": ")[1], note.remedy) == ("it wasn't tried", "raise budget.calls")
