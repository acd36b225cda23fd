"""Rules that won are asked together whether they make another lesson worse, and the worst one is left out."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallFailed, FailureKind, ItemError, NightError
from skillopt_sleep.learning.attempts import OptionalAttempts
from skillopt_sleep.learning.guard import AGAIN, FIRST_ROUNDS, Guarded, guard, tasks_of_other_lessons
from skillopt_sleep.learning.trial import begin_trial
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.proposals.rules import learned
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    GateRule,
    GuardResult,
    Judged,
    Metric,
    Split,
    Task,
    Trajectory,
    Verdict,
)
from tests.builders import a_document, a_task, an_edit, changed
from tests.fakes import NOON, FakeExecutor, FakeJudge, SerialPool
from tests.nights import a_crew

DOCUMENT = a_document("- Old.")
RULE = GateRule(metric=Metric.HARD)


def a_val(lesson: str, n: int = 0, **fields: object) -> Task:
    task = a_task(id=f"{lesson}{n}", session=f"{lesson}{n}", lesson=lesson, split=Split.VAL)
    return changed(task, at=NOON + timedelta(days=n), **fields)


OTHERS = [a_val("a", wording="Use tabs."), a_val("b", wording="Say why."), a_val("c", wording="Be brief.")]
OWN = [a_val(lesson, n) for lesson in ("own", "too", "third") for n in range(2)]

# The grade of an attempt at a task: its lesson, the rules in the document, and which try at it with them.
Grade = Callable[[str, str, int], float | Exception]


def a_winner(lesson: str) -> Judged:
    """A rule that won its trial."""
    edit = an_edit(f"- Rule {lesson}.", lessons=(lesson,))
    trial = begin_trial(RULE, lessons=(lesson,))
    return Judged(
        kind=CandidateKind.RULE,
        edits=(edit,),
        trial=trial,
        verdict=Verdict(decision=Decision.ACCEPT, reason="better"),
    )


WINNER, TOO, THIRD = a_winner("own"), a_winner("too"), a_winner("third")


class Asked:
    """A guard with fakes, and what it asked: each task and the body of the version."""

    def __init__(self, grade: Grade, *, failure: str = "", pool: Pool | None = None) -> None:
        seen: Counter[tuple[str, str]] = Counter()

        def attempt(task: Task, version: Document, sample: int) -> str | Trajectory:
            if failure and task.lesson == "a" and "Rule" in version.body:
                return Trajectory(failure=failure)
            return f"{version.body} {sample}"

        def score(task: Task, trajectory: Trajectory) -> float | Exception:
            body = trajectory.response.rsplit(" ", 1)[0]
            seen[task.id, body] += 1
            return grade(task.lesson, body, seen[task.id, body] - 1)

        self.executor = FakeExecutor(attempt)
        self.crew = a_crew(executor=self.executor, judge=FakeJudge(score), pool=pool or SerialPool())

    def run(
        self,
        *winners: Judged,
        others: Sequence[Task] = OTHERS,
        rule: GateRule = RULE,
        failing: Sequence[str] = (),
    ) -> Guarded:
        tasks = [*OWN, *others]
        attempts = OptionalAttempts(self.crew)
        return guard(DOCUMENT, winners or (WINNER,), tasks, attempts=attempts, rule=rule, failing=failing)

    @property
    def asked(self) -> set[str]:
        return {task.id for task, _, _ in self.executor.jobs}


NOT_ASKED = ("too", "third")


def tried(
    grade: Grade, *, others: Sequence[Task] = OTHERS, rule: GateRule = RULE, failure: str = ""
) -> tuple[Guarded, set[str]]:
    """One winner's guard, and the tasks that were asked."""
    asked = Asked(grade, failure=failure)
    return asked.run(others=others, rule=rule, failing=NOT_ASKED), asked.asked


def fine(_lesson: str, _body: str, _n: int) -> float:
    return 1.0


def hurts_a(lesson: str, body: str, _n: int) -> float:
    return float(not ("Rule" in body and lesson == "a"))


def is_kept(found: Guarded) -> bool:
    assert found.kept in {(WINNER,), ()}
    return bool(found.kept)


def test_what_harms_no_other_lesson_is_kept_after_four_rounds_of_them() -> None:
    found, asked = tried(fine)

    assert is_kept(found)
    assert found.guard.lessons == found.guard.could_get_worse == ("a", "b", "c")
    assert len(found.rollouts) == FIRST_ROUNDS * len(OTHERS)
    assert asked == {"a0", "b0", "c0"}


def test_without_a_winner_nobody_is_asked() -> None:
    asked = Asked(hurts_a)

    found = guard(DOCUMENT, [], OTHERS, attempts=OptionalAttempts(asked.crew), rule=RULE)

    assert (found, asked.executor.jobs) == (Guarded(()), [])


def test_what_makes_one_other_lesson_worse_is_left_out_with_what_it_hurt() -> None:
    found, _ = tried(hurts_a)

    assert not is_kept(found)
    ((winner, (harm,)),) = found.harmful
    assert winner is WINNER
    assert (harm.lesson, harm.wording, harm.before, harm.after, harm.together) == ("a", "Use tabs.", 1.0, 0.0, False)


def fails_under_the_rule(*numbers: int, lessons: str = "a") -> Grade:
    return lambda lesson, body, n: float(not ("Rule" in body and lesson in lessons and n in numbers))


@pytest.mark.parametrize(
    ("failed", "again", "without"),
    [((), 0, 0), ((0,), AGAIN, 0), ((0, 4, 5, 6), AGAIN, 0), ((0, 4, 5, 6, 7), AGAIN, FIRST_ROUNDS + AGAIN)],
)
def test_only_what_fell_short_is_asked_again_and_without_the_rule_only_where_it_could_be_harm(
    failed: tuple[int, ...], again: int, without: int
) -> None:
    found, _ = tried(fails_under_the_rule(*failed))

    asked = Counter(attempt.task for attempt in found.rollouts)
    assert asked == {"a0": FIRST_ROUNDS + again + without, "b0": FIRST_ROUNDS, "c0": FIRST_ROUNDS}
    assert len(found.guard.pairs) == without


def test_bad_luck_in_the_first_rounds_blocks_nothing() -> None:
    def unlucky(lesson: str, body: str, n: int) -> float:
        new = "Rule" in body
        return float(not (lesson == "a" and (new if n < 2 else n == 5 and not new)))

    assert is_kept(tried(unlucky)[0])


def test_what_makes_all_others_a_little_worse_is_left_out_though_none_alone_shows_it() -> None:
    found, _ = tried(fails_under_the_rule(0, 4, 5, lessons="abc"))

    assert not is_kept(found)
    ((_, harms),) = found.harmful
    assert {harm.lesson for harm in harms} == {"a", "b", "c"}
    assert {harm.together for harm in harms} == {True}


def test_a_loss_that_is_not_worth_an_edit_blocks_nothing() -> None:
    soft = replace(RULE, metric=Metric.SOFT)

    assert is_kept(tried(lambda lesson, body, n: 0.9 - 0.04 * ("Rule" in body), rule=soft)[0])
    assert not is_kept(tried(lambda lesson, body, n: 0.9 - 0.06 * ("Rule" in body), rule=soft)[0])


def test_a_lesson_whose_attempts_fail_by_themselves_is_hurt_and_an_outage_leaves_it_open() -> None:
    hurt, _ = tried(fine, failure="timed_out: it took 60 s")
    out, _ = tried(fine, failure="overloaded: try later")

    assert (is_kept(hurt), hurt.left_open) == (False, ())
    assert (is_kept(out), out.left_open) == (True, ("a",))


def test_what_no_outage_kept_from_being_graded_blocks_nothing() -> None:
    found, _ = tried(lambda lesson, body, n: ItemError("can't tell") if lesson == "a" else 1.0)

    assert (is_kept(found), found.guard.lessons, found.left_open) == (True, ("b", "c"), ())


def test_a_lesson_that_was_tried_at_least_once_is_not_left_open_by_an_outage() -> None:
    gone = CallFailed(FailureKind.OVERLOADED, "try later")

    assert tried(lambda lesson, body, n: gone if n else 1.0)[0].left_open == ()


def test_harm_that_a_target_repeats_word_by_word_is_harm() -> None:
    crew = a_crew(
        executor=FakeExecutor(lambda task, version, sample: version.body),
        judge=FakeJudge(lambda task, trajectory: float("Rule" not in trajectory.response)),
    )

    found = guard(DOCUMENT, [WINNER], OTHERS[:1], attempts=OptionalAttempts(crew), rule=RULE)

    assert not is_kept(found)


def test_where_regressions_are_allowed_nobody_else_is_asked() -> None:
    found, asked = tried(hurts_a, rule=replace(RULE, non_regression=False))

    assert (is_kept(found), asked) == (True, set())


def test_a_lesson_that_fails_anyway_is_not_asked() -> None:
    asked = Asked(hurts_a)

    found = asked.run(failing=("a", *NOT_ASKED))

    assert (is_kept(found), asked.asked) == (True, {"b0", "c0"})


# several winners ----------------------------------------------------------------------------------------


def test_winners_of_several_lessons_are_guarded_together_each_lesson_with_its_own_rules_against_all() -> None:
    asked = Asked(fine)

    found = asked.run(WINNER, TOO, failing=("third",))

    assert found.kept == (WINNER, TOO)
    assert asked.asked == {"a0", "b0", "c0", "own1", "too1"}
    together = "- Old.\n- Rule own.\n- Rule too."
    assert {version.body for _, version, _ in asked.executor.jobs} == {together}


def test_what_falls_short_is_compared_with_its_own_rules_alone() -> None:
    asked = Asked(lambda lesson, body, _n: float(body.count("Rule") < 2))

    asked.run(WINNER, TOO, failing=("third",))

    together = "- Old.\n- Rule own.\n- Rule too."
    bodies: dict[str, list[str]] = {}
    for task, version, _ in asked.executor.jobs[: 5 * 2 * (FIRST_ROUNDS + AGAIN)]:
        bodies.setdefault(task.lesson, []).append(version.body)
    assert set(bodies["a"]) == {"- Old.", together}
    assert set(bodies["own"]) == {"- Old.\n- Rule own.", together}
    assert set(bodies["too"]) == {"- Old.\n- Rule too.", together}


def test_the_harmful_winner_is_left_out_and_the_rest_is_guarded_again_and_stays() -> None:
    def too_hurts_a(lesson: str, body: str, _n: int) -> float:
        return float(not ("Rule too" in body and lesson == "a"))

    asked = Asked(too_hurts_a)
    found = asked.run(WINNER, TOO, THIRD)

    assert found.kept == (WINNER, THIRD)
    assert [winner for winner, _ in found.harmful] == [TOO]
    assert [harm.lesson for harm in found.harmful[0][1]] == ["a"]
    assert found.guard.harmed == ()
    last = [version.body for task, version, _ in asked.executor.jobs if task.id == "a0"][-FIRST_ROUNDS:]
    assert set(last) == {"- Old.\n- Rule own.\n- Rule third."}


def test_a_winner_that_undoes_its_neighbours_lesson_is_the_one_left_out() -> None:
    def undoes(lesson: str, body: str, _n: int) -> float:
        return float(not ("Rule too" in body and lesson == "own"))

    found = Asked(undoes).run(WINNER, TOO, failing=("third",))

    assert found.kept == (WINNER,)
    assert [winner for winner, _ in found.harmful] == [TOO]


def test_if_all_lessons_together_are_hurt_the_winner_that_loses_most_by_itself_is_left_out() -> None:
    def a_little(lesson: str, body: str, n: int) -> float:
        return float(not ("Rule third" in body and lesson in "abc" and n in {0, 4, 5}))

    found = Asked(a_little).run(WINNER, THIRD, failing=("too",))

    assert found.kept == (WINNER,)
    ((winner, harms),) = found.harmful
    assert (winner, {harm.together for harm in harms}) == (THIRD, {True})


def test_if_every_winner_does_harm_none_is_left() -> None:
    found = Asked(hurts_a).run(WINNER, TOO)

    assert found.kept == ()
    assert {winner.edits for winner, _ in found.harmful} == {WINNER.edits, TOO.edits}


def test_no_attempt_is_drawn_twice() -> None:
    asked = Asked(lambda lesson, body, n: float(not ("Rule too" in body and lesson == "a")))
    asked.run(WINNER, TOO, THIRD)

    drawn = Counter((task.id, version.body, sample) for task, version, sample in asked.executor.jobs)
    assert max(drawn.values()) == 1


# what ends it -------------------------------------------------------------------------------------------

BUDGET = BudgetExhausted("the limit of 20 calls is reached", remedy="raise budget.calls")
GONE = BackendUnavailable("3 calls in a row failed", remedy="try again later")


@pytest.mark.parametrize("end", [BUDGET, GONE], ids=["budget", "model"])
@pytest.mark.parametrize("rounds", [0, FIRST_ROUNDS])
def test_an_end_of_the_night_meanwhile_concludes_nothing_and_says_so(end: NightError, rounds: int) -> None:
    def ends(lesson: str, body: str, n: int) -> float | Exception:
        return end if n >= rounds else hurts_a(lesson, body, n) if n else 1.0

    found, _ = tried(ends)

    assert (found.kept, found.harmful, found.end) == ((WINNER,), (), end)
    assert found.guard == GuardResult(cut_short=True)


@pytest.mark.parametrize("end", [BUDGET, GONE], ids=["budget", "model"])
def test_such_an_end_is_no_error_of_the_pool_that_would_end_the_other_documents(end: NightError) -> None:
    pool = ThreadPool(2, lambda label, done, of: None)

    def chain(_document: str) -> Guarded:
        found = Asked(lambda lesson, body, n: end, pool=pool).run()
        assert pool.map(str.upper, ["what comes next"], label="next") == ("WHAT COMES NEXT",)
        return found

    (found,) = pool.together(chain, ["one"])

    assert found.end == end


# who stands by ------------------------------------------------------------------------------------------


def test_of_each_other_lesson_the_newest_unseen_task_stands_by() -> None:
    train = replace(a_val("a", 9), split=Split.TRAIN)
    tasks = [a_val("own", 0), a_val("a", 2), a_val("a", 5), a_val("b", 1), train]

    assert {task.id for task in tasks_of_other_lessons(("own",), tasks)} == {"a5", "b1"}
    assert {task.id for task in tasks_of_other_lessons(("own", "a"), tasks)} == {"b1"}
    assert {task.id for task in tasks_of_other_lessons(("own",), tasks, failing=("a",))} == {"b1"}


def test_the_lessons_of_adopted_rules_that_still_stand_are_learned() -> None:
    document = a_document("- Use tabs.\n- Say why.")
    adopted = [
        an_edit("- Use tabs.", lessons=("a",)),
        an_edit("- Say why.", lessons=("b",)),
        an_edit("- Gone.", lessons=("c",)),
    ]

    assert learned(document, adopted) == {"a", "b"}
    assert learned(a_document("", lead="# Mine\n\n* Use\n  tabs.\n1. Say why.\n"), adopted) == {"a", "b"}
