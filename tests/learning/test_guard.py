"""What wins its bet but makes another lesson worse is refused, and only what wins is asked about others."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, CallFailed, FailureKind, ItemError
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.harm import FIRST_ROUNDS, MOST_ROUNDS, bystanders, first_calls
from skillopt_sleep.learning.trial import run_trial
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.records import (
    Decision,
    Document,
    GateRule,
    Metric,
    Rollout,
    Split,
    Task,
    Trajectory,
    Trial,
    Verdict,
)
from tests.builders import a_document, a_task, an_edit
from tests.fakes import NOON, FakeExecutor, FakeJudge
from tests.nights import a_crew

BEFORE, AFTER = a_document("- Old."), a_document("- Old.\n- New.")
RULE = GateRule(metric=Metric.HARD)


def a_val(lesson: str, n: int = 0, **fields: object) -> Task:
    task = a_task(id=f"{lesson}{n}", session=f"{lesson}{n}", lesson=lesson, split=Split.VAL)
    return replace(task, at=NOON + timedelta(days=n), **fields)


OWN = [a_val("own", n) for n in range(4)]
OTHERS = [a_val("a", wording="Use tabs."), a_val("b", wording="Say why."), a_val("c", wording="Be brief.")]

# The grade of an attempt at a bystander: of its lesson, under the new version or not, in the n-th try.
Grade = Callable[[str, bool, int], float | Exception]


def tried(
    grade: Grade,
    *,
    others: Sequence[Task] = OTHERS,
    own: float = 1.0,
    rule: GateRule = RULE,
    earlier: Trial | None = None,
    failure: str = "",
) -> tuple[Trial, Verdict, tuple[Rollout, ...]]:
    """A trial whose own tasks pass under the new version only."""
    seen: dict[tuple[str, bool], int] = {}

    def attempt(task: Task, version: Document, sample: int) -> str | Trajectory:
        if failure and task.lesson == "a" and "New" in version.body:
            return Trajectory(failure=failure)
        return f"{'new' if 'New' in version.body else 'old'} {task.id} {sample}"

    def score(task: Task, trajectory: Trajectory) -> float | Exception:
        new = trajectory.response.startswith("new")
        if task.lesson == "own":
            return own * new
        n = seen.get((task.id, new), 0)
        seen[task.id, new] = n + 1
        return grade(task.lesson, new, n)

    crew = a_crew(executor=FakeExecutor(attempt), judge=FakeJudge(score))
    return run_trial(
        BEFORE,
        AFTER,
        OWN,
        attempts=CrewAttempts(crew),
        rule=rule,
        lessons=[("own",)],
        earlier=earlier,
        bystanders=others,
    )


def asked(rollouts: Sequence[Rollout]) -> set[str]:
    return {rollout.task for rollout in rollouts}


def fine(_lesson: str, _new: bool, _n: int) -> float:
    return 1.0


def hurts_a(lesson: str, new: bool, _n: int) -> float:
    return float(not (new and lesson == "a"))


def test_what_wins_and_harms_no_other_lesson_is_accepted_after_four_rounds_of_them() -> None:
    trial, verdict, _ = tried(fine)

    assert verdict.decision is Decision.ACCEPT
    assert (trial.bystanders, trial.unharmed) == (3, 3)
    assert len(trial.guard.pairs) == FIRST_ROUNDS * len(OTHERS)
    assert trial.calls == 2 * (trial.n + len(trial.guard.pairs))


def test_what_wins_no_bet_asks_nobody_else() -> None:
    trial, verdict, rollouts = tried(fine, own=0.0)

    assert verdict.decision is Decision.REJECT
    assert asked(rollouts) == {task.id for task in OWN}
    assert (trial.guard.pairs, trial.bystanders) == ((), 0)


def test_the_other_lessons_are_no_part_of_the_bet_or_of_its_numbers() -> None:
    alone, _, _ = tried(fine, others=())
    guarded, _, _ = tried(hurts_a)

    for name in ("wealth", "rounds", "pairs", "before", "after", "interval", "gain"):
        assert getattr(alone, name) == getattr(guarded, name)


def test_what_makes_one_other_lesson_worse_is_refused_and_the_verdict_says_which() -> None:
    trial, verdict, _ = tried(hurts_a)

    assert verdict.decision is Decision.REJECT
    assert verdict.reason.startswith("better: solved 0 of 8 before and 8 of 8 with the change")
    assert "but it made another lesson worse: «Use tabs.» (1.00 → 0.00, n=" in verdict.reason
    assert [harm.lesson for harm in trial.guard.harmed] == ["a"]
    assert (trial.bystanders, trial.unharmed) == (3, 2)


def test_only_what_looks_hurt_is_asked_again() -> None:
    trial, _, _ = tried(lambda lesson, new, n: float(not (new and lesson == "a" and n < 1)))

    counts = {lesson: len(trial.guard.of(lesson)) for lesson in "abc"}
    assert counts == {"a": FIRST_ROUNDS + 2 * (MOST_ROUNDS - FIRST_ROUNDS), "b": FIRST_ROUNDS, "c": FIRST_ROUNDS}


def test_bad_luck_in_the_first_rounds_blocks_nothing() -> None:
    def unlucky(lesson: str, new: bool, n: int) -> float:
        return float(not (lesson == "a" and (new if n < 2 else n == 5 and not new)))

    trial, verdict, _ = tried(unlucky)

    assert verdict.decision is Decision.ACCEPT
    assert trial.unharmed == 3


def test_what_makes_all_others_a_little_worse_is_refused_though_none_alone_shows_it() -> None:
    trial, verdict, _ = tried(lambda _lesson, new, n: float(not (new and n in {0, 1})))

    assert verdict.decision is Decision.REJECT
    assert "but it made other lessons taken together worse: «Use tabs.»" in verdict.reason
    assert {harm.together for harm in trial.guard.harmed} == {True}


def test_a_loss_that_is_not_worth_an_edit_blocks_nothing() -> None:
    soft = replace(RULE, metric=Metric.SOFT)

    assert tried(lambda lesson, new, n: 0.9 - 0.04 * new, rule=soft)[1].decision is Decision.ACCEPT
    assert tried(lambda lesson, new, n: 0.9 - 0.06 * new, rule=soft)[1].decision is Decision.REJECT


@pytest.mark.parametrize(
    ("failure", "decision"),
    [("timed_out: it took 60 s", Decision.REJECT), ("overloaded: try later", Decision.ABSTAIN)],
    ids=["by itself", "outage"],
)
def test_a_lesson_whose_attempts_fail_by_themselves_is_hurt_and_an_outage_leaves_it_open(
    failure: str, decision: Decision
) -> None:
    assert tried(fine, failure=failure)[1].decision is decision


def test_what_no_outage_kept_from_being_graded_blocks_nothing() -> None:
    trial, verdict, _ = tried(lambda lesson, new, n: ItemError("can't tell") if lesson == "a" else 1.0)

    assert (verdict.decision, trial.guard.lessons) == (Decision.ACCEPT, ("b", "c"))


def test_a_lesson_that_was_tried_at_least_once_is_not_left_open_by_an_outage() -> None:
    gone = CallFailed(FailureKind.OVERLOADED, "try later")

    assert tried(lambda lesson, new, n: gone if n else 1.0)[1].decision is Decision.ACCEPT


def test_the_verdict_says_how_many_other_lessons_an_outage_left_open() -> None:
    gone = CallFailed(FailureKind.OVERLOADED, "try later")

    _, verdict, _ = tried(lambda lesson, new, n: gone if lesson != "a" else 1.0)

    assert verdict.reason.endswith("but an outage kept 2 other lessons from being tried, so nobody knows its harm")


def test_harm_that_a_target_repeats_word_by_word_is_harm() -> None:
    crew = a_crew(
        executor=FakeExecutor(
            lambda task, version, sample: f"{version.body} {sample if task.lesson == 'own' else ''}"
        ),
        judge=FakeJudge(lambda task, trajectory: float(("New" in trajectory.response) == (task.lesson == "own"))),
    )

    _, verdict, _ = run_trial(
        BEFORE, AFTER, OWN, attempts=CrewAttempts(crew), rule=RULE, lessons=[("own",)], bystanders=OTHERS[:1]
    )

    assert verdict.decision is Decision.REJECT


def test_where_regressions_are_allowed_nobody_else_is_asked() -> None:
    trial, verdict, _ = tried(hurts_a, rule=replace(RULE, non_regression=False))

    assert (verdict.decision, trial.guard.pairs) == (Decision.ACCEPT, ())


def test_under_the_strict_rule_the_others_are_in_the_mean() -> None:
    strict = GateRule(name="strict", metric=Metric.HARD, rounds=1)
    trial, _, rollouts = tried(hurts_a, rule=strict)

    assert asked(rollouts) == {task.id for task in (*OWN, *OTHERS)}
    assert (trial.n, len(trial.gains), trial.bystanders) == (4, 7, 3)


def test_a_resumed_trial_that_wins_is_guarded_too_and_draws_anew() -> None:
    once = replace(RULE, rounds=1, alpha=1e-4)
    first, undecided, _ = tried(fine, rule=once)
    assert (undecided.decision, first.guard.pairs) == (Decision.UNDECIDED, ())

    second, verdict, _ = tried(hurts_a, rule=replace(once, rounds=8), earlier=first)
    assert (verdict.decision, second.unharmed) == (Decision.REJECT, 2)

    proven, _, _ = tried(fine)
    again, _, made = tried(fine, earlier=proven)
    assert again.guard.drawn == 2 * proven.guard.drawn
    assert len({(one.task, one.document_sha, one.sample) for one in made}) == len(made)


def test_what_is_early_is_guarded_too() -> None:
    one_session = [a_val("own", 0)]
    judge = FakeJudge(
        lambda task, trajectory: float(trajectory.response.startswith("- Old.\n- New.") == (task.lesson == "own"))
    )
    crew = a_crew(executor=FakeExecutor(lambda task, version, sample: f"{version.body} {sample}"), judge=judge)

    _, verdict, _ = run_trial(
        BEFORE, AFTER, one_session, attempts=CrewAttempts(crew), rule=RULE, lessons=[("own",)], bystanders=OTHERS
    )

    assert (verdict.decision, verdict.early) == (Decision.REJECT, False)


def spent(_lesson: str, _new: bool, _n: int) -> Exception:
    return BudgetExhausted("the limit of 20 calls is reached", remedy="raise budget.calls")


def test_a_budget_that_ends_while_others_are_asked_leaves_the_winner_undecided() -> None:
    trial, verdict, _ = tried(spent)

    assert (verdict.decision, verdict.early) == (Decision.UNDECIDED, False)
    assert verdict.reason.startswith("better: solved 0 of 8 before and 8 of 8 with the change")
    assert "the limit of 20 calls is reached before other lessons were asked" in verdict.reason
    assert (trial.guard.cut_short, trial.bystanders) == (True, 0)


def test_another_night_asks_the_others_without_another_round_of_the_bet() -> None:
    cut_short, _, _ = tried(spent)

    for grade, decision in ((fine, Decision.ACCEPT), (hurts_a, Decision.REJECT), (spent, Decision.UNDECIDED)):
        trial, verdict, made = tried(grade, earlier=cut_short)

        assert (verdict.decision, trial.rounds) == (decision, cut_short.rounds)
        assert asked(made) <= {task.id for task in OTHERS}
        assert trial.guard.cut_short is (decision is Decision.UNDECIDED)


def test_what_was_seen_of_the_others_before_the_budget_ended_counts() -> None:
    def ends_late(lesson: str, new: bool, n: int) -> float | Exception:
        return spent(lesson, new, n) if n >= FIRST_ROUNDS else hurts_a(lesson, new, n)

    trial, verdict, _ = tried(lambda lesson, new, n: ends_late(lesson, new, n) if n else 1.0)

    assert (verdict.decision, trial.guard.harmed) == (Decision.UNDECIDED, ())
    assert len(trial.guard.pairs) == FIRST_ROUNDS * len(OTHERS)


# who stands by ------------------------------------------------------------------------------------------


def test_of_each_other_lesson_the_newest_unseen_task_stands_by() -> None:
    train = replace(a_val("a", 9), split=Split.TRAIN)
    tasks = [*OWN, a_val("a", 2), a_val("a", 5), a_val("b", 1), train]

    assert {task.id for task in bystanders((), OWN, tasks)} == {"a5", "b1"}
    assert {task.id for task in bystanders([an_edit(lessons=("a",))], OWN, tasks)} == {"b1"}
    assert first_calls(bystanders((), OWN, tasks)) == 16


def test_the_lessons_of_adopted_rules_that_still_stand_are_learned() -> None:
    document = a_document("- Use tabs.\n- Say why.")
    adopted = [
        an_edit("- Use tabs.", lessons=("a",)),
        an_edit("- Say why.", tasks=("t9",)),
        an_edit("- Gone.", lessons=("c",)),
    ]
    known = [
        a_val("a", 1),
        a_val("c", 1),
        a_val("d", 1),
        a_val("b", 1),
        a_task(id="t9", lesson="b", split=Split.TRAIN),
    ]

    assert learned(document, adopted, known) == {"a", "b"}
    assert learned(a_document("", lead="# Mine\n\n* Use\n  tabs.\n1. Say why.\n"), adopted, known) == {"a", "b"}
