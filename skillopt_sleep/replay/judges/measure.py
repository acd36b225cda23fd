"""Tell from the judge's grades of known answers whether its grades may decide anything in a night.

They may if it is shown to be better than a coin (exact binomial test, level .002), at least as often right as wrong
both on the answers that meet their demand and on the others, and isn't shown to pay for length or for echo: an answer
of that kind is paid if it gets more than one to the same task that only misses its demand. That this happens more
often than in one case of five is tested exactly, at level .05: a judge wrong in one of ten pays in one of ten.

It is asked sixteen answers: eight that meet their demand, two that miss it, four longer ones and two echoes. If it is
wrong on one of them, or pays, it is asked sixteen more and all count, unless so many are wrong that no judge right on
nine of ten would be (level .01). One that answers at random is turned away in 99.9 % of nights, one that is right on
nine of ten in 1.7 %: see docs/replay.md.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from skillopt_sleep.records import AnswerKind, JudgeReading, KindCount, Score
from skillopt_sleep.replay.judges.known_answers import Control

COIN = 0.5
COIN_LEVEL = 0.002
GOOD = 0.9
GOOD_LEVEL = 0.01
PAID_BY_MISTAKE = 0.2
PAID_LEVEL = 0.05
PAID_FROM = 0.1  # a difference below it is no pay
PAYS = ((AnswerKind.LONGER, "for length"), (AnswerKind.ECHO, "for repeating the demand"))


class Graded(NamedTuple):
    """A known answer and the grade that the judge gave it."""

    control: Control
    score: Score

    @property
    def right(self) -> bool:
        """Tell whether an answer passes exactly if it meets its demand."""
        return (self.score.hard >= 1) is self.control.passes


def judge_reading(graded: Sequence[Graded]) -> JudgeReading:
    """Return how often the judge was right, and why its grades don't count if they don't."""
    kinds: list[KindCount] = []
    for kind in AnswerKind:
        of_kind = [grade for grade in graded if grade.control.kind is kind]
        if of_kind:
            right = sum(grade.right for grade in of_kind)
            kinds.append(KindCount(kind=kind, right=right, n=len(of_kind)))
    right = sum(count.right for count in kinds)
    return JudgeReading(right=right, n=len(graded), kinds=tuple(kinds), because=_because(graded, right))


def in_doubt(graded: Sequence[Graded]) -> bool:
    """Return whether to ask more known answers: it was wrong or paid, but may still be right on nine of ten."""
    n = len(graded)
    wrong = sum(not grade.right for grade in graded)
    if at_least(wrong, n, 1 - GOOD) < GOOD_LEVEL:
        return False
    return wrong > 0 or any(paid_for(kind, graded)[0] for kind, _ in PAYS)


def _because(graded: Sequence[Graded], right: int) -> str:
    n = len(graded)
    if n == 0:
        return "none of the answers whose grade we know could be graded, so nobody knows how often it is right"
    if len({grade.control.passes for grade in graded}) == 1:
        return "too few of the answers whose grade we know could be graded to tell how often it is right"
    if at_least(n, n, COIN) > COIN_LEVEL:
        return f"only {n} answers whose grade we know could be graded, too few to tell how often it is right"
    if at_least(right, n, COIN) > COIN_LEVEL or not _right_on_both_sides(graded):
        return f"it graded {right} of {n} answers rightly whose grade we know, which isn't clearly better than a coin"
    for kind, what in PAYS:
        paid, of = paid_for(kind, graded)
        if of and at_least(paid, of, PAID_BY_MISTAKE) <= PAID_LEVEL:
            return f"it pays {what}: it did so in {paid} of {of} answers that don't do what was asked for"
    return ""


def _right_on_both_sides(graded: Sequence[Graded]) -> bool:
    """Tell whether it is at least as often right as wrong on what should pass, and on what shouldn't."""
    for passes in (True, False):
        side = [grade.right for grade in graded if grade.control.passes is passes]
        if 2 * sum(side) < len(side):
            return False
    return True


def paid_for(kind: AnswerKind, graded: Sequence[Graded]) -> tuple[int, int]:
    """Return how many answers of this kind got more than one that plainly misses its demand, and of how many."""
    plain: dict[str, list[float]] = {}
    for grade in graded:
        if grade.control.kind is AnswerKind.MISSES:
            plain.setdefault(grade.control.task.id, []).append(grade.score.soft)
    lowest = min((min(grades) for grades in plain.values()), default=0.0)
    paid = 0
    of_kind = [grade for grade in graded if grade.control.kind is kind]
    for grade in of_kind:
        usual = min(plain.get(grade.control.task.id, [lowest]))
        paid += grade.score.soft - usual >= PAID_FROM
    return paid, len(of_kind)


def at_least(successes: int, n: int, chance: float) -> float:
    """Return the probability of at least so many successes in n tries."""
    return math.fsum(math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(successes, n + 1))
