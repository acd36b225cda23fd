"""Lay a night out against its limit: the best-founded lessons first, as many as it can take to a verdict.

What is taken on is fixed before val is asked about any of it, and with it how the night's error rate is shared. What
a trial usually takes is kept free before it is begun, and so are the guard and the fresh rounds of what wins.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from skillopt_sleep.learning.begin import Begun
from skillopt_sleep.learning.guard import AGAIN, FIRST_ROUNDS, tasks_of_other_lessons
from skillopt_sleep.learning.rule import CandidateRule, usual_rounds
from skillopt_sleep.prompts.grading import ANSWERS_PER_CALL
from skillopt_sleep.protocols.crew import NightPlan
from skillopt_sleep.records import Record, Rubric, Task, wants_a_tool

USUAL_LOOKS = 3  # after which most trials have a verdict
ACTING_CALLS = 8  # of an attempt in a sealed copy, usually
LEARNING_CALLS = 2  # of the optimizer for one document: reflect, and one more


class Layout(Record, frozen=True, kw_only=True):
    """What a night takes on: pairs of a document's id and a lesson, or the key of a rule; `left` waits untouched."""

    taken: tuple[tuple[str, str], ...] = ()
    left: tuple[tuple[str, str], ...] = ()

    def of(self, document: str) -> tuple[str, ...]:
        """Return what is taken on for this document, in order."""
        return tuple(what for name, what in self.taken if name == document)

    def left_of(self, document: str) -> tuple[str, ...]:
        """Return what is left of this document."""
        return tuple(what for name, what in self.left if name == document)


class _Aim(NamedTuple):
    """A lesson to draft a rule for, or a rule that waits."""

    document: str
    what: str
    is_new: bool
    is_wanted: bool
    sessions: int
    val: tuple[Task, ...]
    train: tuple[Task, ...] = ()

    @property
    def tested_by(self) -> int:
        """The number of sessions that test it."""
        return len({task.session for task in self.val})

    def order(self, plan: NightPlan) -> tuple[bool, int, int, str]:
        """Return a sort key: what the person wants first, then by sessions, then by cost."""
        calls = usual_calls(self.val, share=plan.gate.alpha, most=plan.gate.rounds)
        return (not self.is_wanted, -self.sessions, calls, self.what)


def lay_out(begun: Sequence[Begun], *, calls: float, plan: NightPlan) -> Layout:
    """Return what the night takes on of all that its documents could."""
    aims = sorted(_aims(begun), key=lambda aim: aim.order(plan))
    edits: dict[str, int] = {}
    eligible: list[_Aim] = []
    left: list[_Aim] = []
    for aim in aims:
        if aim.is_new and edits.get(aim.document, 0) >= plan.step.edit_budget:
            left.append(aim)
            continue
        edits[aim.document] = edits.get(aim.document, 0) + aim.is_new
        eligible.append(aim)
    # With every rule that is taken on, each needs more proof, and so more calls.
    count = len(eligible)
    while count > 1 and _usual(eligible[:count], begun, plan) > calls:
        count -= 1
    taken, left = eligible[:count], [*eligible[count:], *left]
    return Layout(
        taken=tuple((aim.document, aim.what) for aim in taken),
        left=tuple((aim.document, aim.what) for aim in left),
    )


def _aims(begun: Sequence[Begun]) -> list[_Aim]:
    aims: list[_Aim] = []
    for one in begun:
        name = one.document.id
        for rule in one.rules:
            is_new = rule.wait is None
            aims.append(_Aim(name, rule.key, is_new, bool(rule.proposal), one.sessions(rule.lessons), rule.val))
        for lesson in one.lessons:
            val = tuple(task for task in one.val if task.lesson == lesson)
            train = tuple(task for task in one.learn if task.lesson == lesson)
            aims.append(
                _Aim(
                    name, lesson, is_new=True, is_wanted=False, sessions=one.sessions({lesson}), val=val, train=train
                )
            )
    return aims


def _usual(aims: Sequence[_Aim], begun: Sequence[Begun], plan: NightPlan) -> float:
    """Return how many calls it usually takes to draft, try and guard these."""
    # What one session tests can't be proven tonight, only early, so it takes no share of the error rate.
    share = plan.gate.alpha / max(1, len([aim for aim in aims if aim.is_new and aim.tested_by > 1]))
    calls = 0
    for one in begun:
        own = [aim for aim in aims if aim.document == one.document.id]
        train = [task for aim in own for task in aim.train]
        if train:
            attempted = [task for task in train if not task.feedback.rejected]
            calls += LEARNING_CALLS + attempt_calls(attempted, plan.step.samples)
        for aim in own:
            calls += usual_calls(aim.val, share=share, most=plan.gate.rounds)
        if own:
            asked = _guarded(one, len(own))
            calls += attempt_calls(asked, FIRST_ROUNDS) + attempt_calls([task for aim in own for task in aim.val], 2)
    return calls


def usual_calls(val: Sequence[Task], *, share: float, most: int) -> int:
    """Return how many calls the trial of a rule that helps usually takes, in so many rounds at most."""
    rounds = usual_rounds(len({task.session for task in val}), share=share)
    return attempt_calls(val, 2 * min(rounds, most), looks=USUAL_LOOKS)


def rounds_within(val: Sequence[Task], *, calls: float, most: int) -> int:
    """Return in how many rounds a trial takes no more calls than these: one at least, and so many at most."""
    rounds = most
    while rounds > 1 and attempt_calls(val, 2 * rounds, looks=rounds) > calls:
        rounds -= 1
    return rounds


def staging_calls(won: Iterable[tuple[Begun, Sequence[CandidateRule]]]) -> int:
    """Return how many calls the guard and the fresh round of these rules take if one lesson of all looks hurt."""
    calls = again = 0
    for begun, rules in won:
        val = [task for rule in rules for task in rule.val]
        if val:
            test = [task for task in begun.test if task.lesson in {task.lesson for task in val}]
            asked = _guarded(begun, len(rules))
            calls += attempt_calls(asked, FIRST_ROUNDS) + attempt_calls(val, 2) + attempt_calls(test, 2)
            again = max(again, attempt_calls(asked[:1], AGAIN))
    return calls + again


def _guarded(begun: Begun, rules: int) -> list[Task]:
    """Return what the guard of so many rules asks: the lessons for which a rule stands, and one request of each."""
    asked = list(tasks_of_other_lessons((), [task for task in begun.others if task.lesson in begun.held]))
    return [*asked, *begun.val[:rules]] if rules > 1 else asked


def attempt_calls(tasks: Sequence[Task], times: int, *, looks: int = 1) -> int:
    """Return the calls of so many attempts at each task, and of grading them at so many looks."""
    calls = graded = 0
    for task in tasks:
        calls += times * (ACTING_CALLS if task.setting.needs_repository or wants_a_tool(task.reference) else 1)
        graded += times * isinstance(task.reference, Rubric)
    return calls + max(-(-graded // ANSWERS_PER_CALL), looks if graded else 0)
