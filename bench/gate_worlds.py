"""Worlds for the gate, written from its promise alone: rules, requests, ways in which grades mislead, and the bars."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

Arm = Literal["old", "new"]
Rng = random.Random
Rules = frozenset[int]  # which of the world's rules stand in the document
TYPICAL = 400  # characters of an answer without a rule that asks for length


class Request(NamedTuple):
    """One request of a lesson in one session of its own; `train` is what a rule was written from."""

    document: int
    lesson: str
    session: int
    train: bool = False


class Attempt(NamedTuple):
    """One attempt: what the judge says of it (None if it was lost), what is true, and how long the answer was."""

    grade: float | None
    right: bool
    length: int
    lost: Literal["", "timeout", "outage"] = ""


class Bar(NamedTuple):
    """What is counted in a world, the limit (None: print only), its side, and whether the limit is the issue's."""

    measure: str
    limit: float | None
    at_most: bool = True
    issue: bool = True


@dataclass(frozen=True)
class RuleWorld:
    """What one rule does: the rate at which its lesson's requests are answered right before and after."""

    lesson: str
    before: float
    after: float
    overfit: float = 0.0  # added to the requests it was written from, and nowhere else
    harms: tuple[str, float] | None = None  # the other lesson and what it loses
    longer: bool = False  # doubles the length of every answer
    unseen: int | None = None  # unseen sessions of this lesson, if not the world's
    reaches: float = 1.0  # the share of the lesson's requests at which it does anything

    @property
    def useful(self) -> bool:
        """Tell whether the rule truly helps on unseen requests."""
        return self.after > self.before


@dataclass(frozen=True)
class Noise:
    """How attempts and grades mislead; all zero is a model that answers afresh and a judge that is right."""

    repeats: bool = False  # one decision for each request and text of the document
    luck: float = 0.0  # sd on the logit that a changed text keeps on a request, nought in the mean
    swing: float = 0.0  # or: plus or minus this by a coin that a changed text keeps on a request
    grades: Literal["binary", "ties", "skew"] = "binary"
    judge_wrong: float = 0.0
    drift: float = 0.0  # the model gets better by this at some attempt drawn by the seed
    drift_before: int = 120  # ... among the first so many attempts of a document
    new_fails_time_out: float = 0.0
    new_fails_are_outages: float = 0.0
    old_successes_time_out: float = 0.0
    outages: tuple[float, float] = (0.0, 0.0)  # of the old and of the new arm, whatever the answer


@dataclass(frozen=True)
class World:
    """One cell: in each document the same rules, with requests and luck of their own."""

    name: str
    rules: tuple[RuleWorld, ...]
    unseen: int
    bar: Bar
    documents: int = 1
    lure: float = 0.0  # the share of wrong answers that the judge passes if they are longer than 1.2 x typical
    noise: Noise = field(default_factory=Noise)
    others: tuple[tuple[str, float], ...] = ()  # lessons that no rule is about, and their rate of right answers
    nights: int = 1
    fresh: int = 0  # new unseen sessions of each lesson with every night after the first
    hopeless: int = 0  # unseen sessions of every lesson whose request no answer ever meets
    today: int | None = None  # attempts of the gate at 92ddd7b9 in this world (gate-trial-2.md, section 4)

    def unseen_of(self, lesson: str, night: int = 0) -> int:
        """Return how many unseen sessions a lesson has in a night, the first being 0."""
        own = next((rule.unseen for rule in self.rules if rule.lesson == lesson and rule.unseen is not None), None)
        return (self.unseen if own is None else own) + night * self.fresh

    def requests(self, document: int, lesson: str, night: int = 0, train: bool = False) -> tuple[Request, ...]:
        """Return the unseen requests of a lesson in a night, oldest first, or the two a rule was written from."""
        count = 2 if train else self.unseen_of(lesson, night)
        return tuple(Request(document, lesson, number, train) for number in range(count))


class Night:
    """Draw the attempts of one history of nights; what persists hangs on the seed, what is fresh on the rng."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.seed = world, seed
        self.made = [0] * world.documents
        self._rates: dict[tuple[Rules, Request], float] = {}
        lot = self._lot("drift")
        self._drift_at = [lot.randrange(world.noise.drift_before) for _ in range(world.documents)]

    def _lot(self, *key: object) -> Rng:
        return random.Random("|".join(map(str, (self.world.name, self.seed, *key))))

    def attempt(self, document: int, rules: Rules, request: Request, arm: Arm, rng: Rng) -> Attempt:
        """Answer a request once; every call draws anew."""
        noise = self.world.noise
        if (rules, request) not in self._rates:
            self._rates[rules, request] = self.rate(rules, request)
        rate = self._rates[rules, request]
        if noise.drift and self.made[document] >= self._drift_at[document] and rate > 0:
            rate = min(0.98, rate + noise.drift)
        self.made[document] += 1
        text = ",".join(map(str, sorted(rules)))
        right = (self._lot("repeats", *request, text) if noise.repeats else rng).random() < rate
        longer = any(self.world.rules[number].longer for number in rules)
        length = round(TYPICAL * (2 if longer else 1) * math.exp(rng.gauss(0, 0.08)))
        lost = self._lost(right, arm, rng)
        return Attempt(None if lost else self.graded(right, length, rng), right, length, lost)

    def rate(self, rule_set: Rules, request: Request) -> float:
        """Return the true rate of right answers, before drift; it is also what a fresh round should find."""
        known = {**dict(self.world.others), **{rule.lesson: rule.before for rule in self.world.rules}}
        rules, base = [self.world.rules[number] for number in sorted(rule_set)], known[request.lesson]
        if not request.train and request.session < self.world.hopeless:
            return 0.0
        gains = [self._gain(rule, request) for rule in rules if rule.lesson == request.lesson]
        harm = sum(rule.harms[1] for rule in rules if rule.harms and rule.harms[0] == request.lesson)
        moved = base + max([0.0, *gains]) + sum(gain for gain in gains if gain < 0) - harm
        rate = moved if moved == base else min(max(moved, 0.02), 0.98)
        noise, text = self.world.noise, ",".join(map(str, sorted(rule_set)))
        if rules and noise.luck:
            rate = 1 / (1 + math.exp(-self._lot("luck", *request, text).gauss(centred(rate, noise.luck), noise.luck)))
        if rules and noise.swing:
            rate = min(max(rate + noise.swing * self._lot("swing", *request, text).choice((-1, 1)), 0.0), 1.0)
        return rate

    def _gain(self, rule: RuleWorld, request: Request) -> float:
        if request.train:
            return rule.after - rule.before + rule.overfit
        reached = rule.reaches >= 1 or self._lot("reaches", *request).random() < rule.reaches
        return rule.after - rule.before if reached else 0.0

    def _lost(self, right: bool, arm: Arm, rng: Rng) -> Literal["", "timeout", "outage"]:
        noise, failed_new, passed_old = self.world.noise, arm == "new" and not right, arm == "old" and right
        outage = max(noise.outages[arm == "new"], noise.new_fails_are_outages if failed_new else 0)
        if rng.random() < outage:
            return "outage"
        late = noise.new_fails_time_out if failed_new else noise.old_successes_time_out if passed_old else 0
        return "timeout" if rng.random() < late else ""

    def graded(self, right: bool, length: int, rng: Rng) -> float:
        """Grade an answer: a long wrong one passes at the lure's rate, any grade is turned round at the judge's."""
        passed = right or (length > 1.2 * TYPICAL and rng.random() < self.world.lure)
        passed = passed != (rng.random() < self.world.noise.judge_wrong)
        if self.world.noise.grades == "ties":
            return rng.choice((0.5, 1.0)) if passed else rng.choice((0.0, 0.5))
        if self.world.noise.grades == "skew":
            return 1 - 0.3 * rng.random() ** 4 if passed else 0.6 * rng.random() ** 3
        return float(passed)


@lru_cache(maxsize=4096)
def centred(rate: float, sd: float) -> float:
    """Return the logit whose rate is `rate` in the mean over a normal luck, so that a useless rule stays useless."""
    steps = [-4 + i / 10 for i in range(81)]
    weights = [math.exp(-z * z / 2) for z in steps]
    low, high = -30.0, 30.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        mean = sum(w / (1 + math.exp(-middle - sd * z)) for z, w in zip(steps, weights, strict=True)) / sum(weights)
        low, high = (middle, high) if mean < rate else (low, middle)
    return (low + high) / 2


NULL = Bar("false_accept", 0.02)
PROMISE = Bar("false_accept_noisy", 0.05, issue=False)  # DESIGN 7.3, though that speaks of fresh draws
PRINT = Bar("printed", None, issue=False)
RIDERS = Bar("riders_staged", 0.02)
HALF = Bar("half_reach_three_nights", 0.9, False, issue=False)
KEPT = Bar("each_kept_beside_weak_others", 0.9, False, issue=False)
COUNTED = Bar("attempts_x_today", 0.75)
POWER = Bar("power_30_three_nights", 0.93, False)
BASES = (0.5, 0.05, 0.2, 0.8, 0.95, 0.35, 0.65)


def useless(count: int, before: float = 0.5, overfit: float = 0.0) -> tuple[RuleWorld, ...]:
    """Return rules that change nothing on unseen requests, each of a lesson of its own."""
    return tuple(RuleWorld(f"useless{i}", before, before, overfit) for i in range(count))


def useful(count: int, before: float, after: float) -> tuple[RuleWorld, ...]:
    """Return rules that help, each of a lesson of its own."""
    return tuple(RuleWorld(f"useful{i}", before, after) for i in range(count))


def others(count: int, rate: float) -> tuple[tuple[str, float], ...]:
    """Return lessons that no rule of the night is about."""
    return tuple((f"other{i}", rate) for i in range(count))


def null_nights() -> tuple[World, ...]:
    """Return the nights on which nothing helps: 1-4 rules x 2-14 unseen x 1-12 documents, rates in turn."""
    cells = [(k, n, d) for d in (1, 3, 12) for k in (1, 2, 3, 4) for n in (2, 3, 4, 5, 7, 10, 14)]
    return tuple(
        World(
            f"null: {k} rules, {n} unseen, {d} documents, base {(b := BASES[i % len(BASES)])}",
            useless(k, b),
            n,
            NULL,
            d,
        )
        for i, (k, n, d) in enumerate(cells)
    )


def noisy_nulls() -> tuple[World, ...]:
    """Return null nights whose grades mislead; fresh draws stand under the issue's bar, the rest under DESIGN's 5 %."""
    fresh = (
        Noise(grades="ties"),
        Noise(grades="skew"),
        Noise(drift=0.1),
        Noise(drift=0.25),
        Noise(drift=0.5),
        Noise(judge_wrong=0.05),
        Noise(judge_wrong=0.15),
        Noise(judge_wrong=0.25),
        Noise(outages=(0.1, 0.1)),
        Noise(drift=0.3, judge_wrong=0.1, grades="ties"),
    )
    hard = (
        Noise(luck=0.5),
        Noise(luck=1.0),
        Noise(swing=0.2),
        Noise(outages=(0, 0.1)),
        Noise(outages=(0.1, 0)),
        Noise(outages=(0.3, 0)),
        Noise(old_successes_time_out=0.3),
        Noise(old_successes_time_out=0.6),
        Noise(new_fails_are_outages=0.5),
        Noise(new_fails_time_out=0.3),
        Noise(new_fails_time_out=0.6),
    )
    beyond = (Noise(luck=2.0), Noise(swing=0.3), Noise(swing=0.5))
    return tuple(
        World(
            f"null: {k} rules, {n} unseen, {sorted(set(vars(noise).items()) - set(vars(Noise()).items()))}",
            useless(k),
            n,
            bar,
            noise=noise,
        )
        for noises, bar in ((fresh, NULL), (hard, PROMISE), (beyond, PRINT))
        for noise in noises
        for k, n in ((1, 4), (3, 7))
    )


def repeating() -> tuple[World, ...]:
    """Return null nights of a model that decides once for each request and text, and words it afresh."""
    noise = Noise(repeats=True)
    one, more = Bar("repeats_accept", 0.045), Bar("repeats_more_rules", 0.07)
    cells = [
        World(f"repeats: 1 rule, {n} unseen, base {b}", useless(1, b), n, one, noise=noise)
        for n in (3, 4, 5, 7, 10, 14)
        for b in (0.5, 0.2, 0.8)
    ]
    cells += [
        World(f"repeats: {k} rules, {n} unseen", useless(k), n, more, noise=noise)
        for k in (2, 3, 4)
        for n in (3, 4, 7, 14)
    ]
    cells += [
        World(
            f"repeats: 1 rule, {n} unseen, 12 documents",
            useless(1),
            n,
            Bar("repeats_12_documents", None),
            12,
            noise=noise,
        )
        for n in (4, 7)
    ]
    cells += [
        World("repeats: 1 rule, 2 unseen", useless(1), 2, Bar("repeats_two_sessions", None), noise=noise),
        World("repeats: useful .1 -> .9, 4 unseen", useful(1, 0.1, 0.9), 4, PRINT, noise=noise),
    ]
    return tuple(cells)


def harmful() -> tuple[World, ...]:
    """Return rules that make their own lesson worse by 15 points, and winners that hurt another lesson."""
    kept = Bar("harmless_kept", 0.94, False)
    cells = [
        World(
            f"-15 points from {b}, {k} rules, {n} unseen",
            tuple(RuleWorld(f"worse{i}", b, b - 0.15) for i in range(k)),
            n,
            Bar("harmful_accept", 0.005),
        )
        for b in (0.5, 0.3, 0.9)
        for k, n in ((1, 4), (3, 7), (2, 2))
    ]
    cells += [
        World(
            f"one of three harms another lesson by {by}, 4 unseen",
            (RuleWorld("harming", 0.05, 0.9, harms=("other0", by)), *useful(2, 0.05, 0.9)),
            4,
            kept,
            others=others(4, 0.9),
        )
        for by in (0.4, 0.6)
    ]
    undoes = (RuleWorld("undoing", 0.1, 0.9, harms=("useful0", 0.7)), *useful(1, 0.1, 0.9))
    cells += [
        World("a winner undoes its neighbour's lesson", undoes, 7, Bar("undoing_pair_staged", 0.05, issue=False)),
        World(
            "a lone winner harms the last of eight other lessons",
            (RuleWorld("harming", 0.1, 0.9, harms=("other7", 0.5)),),
            4,
            PRINT,
            others=others(8, 0.9),
        ),
    ]
    return tuple(cells)


def beside() -> tuple[World, ...]:
    """Return useful rules beside useless and overfit ones: what is found, and what rides along."""
    found, overfit = Bar("useful_beside_useless", 0.94, False), Bar("useful_beside_overfit", 0.94, False)
    weak, strong, faint = Bar("weak_beside_useless", 0.57, False), useful(1, 0.1, 0.9), useful(1, 0.4, 0.8)
    cells = [
        World(f"{bar.measure}, {n} unseen", rules, n, bar)
        for rules, bar, sizes in (
            (strong + useless(2), found, (4, 7, 14)),
            (faint + useless(2), weak, (4, 7)),
            (strong + useless(2, 0.5, 0.4), overfit, (4, 7)),
        )
        for n in sizes
    ]
    cells += [
        World(
            f"riders: {u} useful {a} -> {b} beside {k}, {n} unseen, overfit {o}",
            useful(u, a, b) + useless(k, 0.5, o),
            n,
            RIDERS,
        )
        for u, k, n in ((1, 2, 4), (1, 2, 7), (1, 3, 14), (2, 2, 4), (3, 1, 7))
        for a, b, o in ((0.1, 0.9, 0.0), (0.1, 0.9, 0.4), (0.4, 0.8, 0.0))
    ]
    same = (RuleWorld("useful0", 0.4, 0.8), RuleWorld("useful0", 0.4, 0.4))
    return (*cells, World("riders: useful and useless of one lesson, 7 unseen", same, 7, RIDERS))


def mixed() -> tuple[World, ...]:
    """Return the worlds whose attempts are counted: the sum of them against the sum of `today`."""
    rows = [(useful(1, 0.1, 0.9) + useless(2), n, t) for n, t in ((2, 123), (4, 181), (7, 236), (14, 310))]
    rows += [(useful(1, 0.1, 0.9) + useless(2, 0.5, 0.4), n, t) for n, t in ((4, 274), (7, 381))]
    rows += [(useful(1, 0.4, 0.8) + useless(2), n, t) for n, t in ((2, 97), (4, 163), (7, 268))]
    rows += [(useful(2, 0.4, 0.8) + useless(1), 4, 243), (useful(3, 0, 0.9), 2, 109)]
    rows += [
        (useful(3, a, b), n, t)
        for a, b, n, t in (
            (0.4, 0.8, 2, 191),
            (0.4, 0.8, 4, 259),
            (0.4, 0.8, 7, 301),
            (0.3, 0.6, 4, 276),
            (0.3, 0.6, 7, 413),
        )
    ]
    rows += [(useless(3), n, t) for n, t in ((2, 74), (4, 107), (7, 167), (14, 276))]
    cells = [(rules, others(0, 0), n, t) for rules, n, t in rows]
    cells += [
        (useful(3, 0, 0.9), others(k, rate), 4, t) for k, rate, t in ((4, 0.9, 186), (8, 0.9, 243), (8, 0.5, 252))
    ]
    cells += [((RuleWorld("harming", 0, 0.9, harms=("other0", 0.4)), *useful(2, 0, 0.9)), others(4, 0.9), 4, 176)]
    return tuple(
        World(f"mixed {i}: {len(rules)} rules, {n} unseen", rules, n, COUNTED, others=rest, today=t)
        for i, (rules, rest, n, t) in enumerate(cells)
    )


def longer() -> tuple[World, ...]:
    """Return a judge that passes longer wrong answers, before a useless rule that asks for length."""
    rule = RuleWorld("long", 0.4, 0.4, longer=True)
    cells = [
        World(
            f"longer passes {lure}, base {b}, {n} unseen",
            (RuleWorld("long", b, b, longer=True),),
            n,
            Bar("longer_judge" if lure == 0.3 else "longer_judge_2_of_10", 0.05, issue=lure == 0.3),
            lure=lure,
        )
        for lure in (0.2, 0.3)
        for b in (0.4, 0.1)
        for n in (4, 7)
    ]
    honest = RuleWorld("useful0", 0.1, 0.9, longer=True)
    cells += [
        World(
            "honest judge, a useful rule that lengthens, beside two useless",
            (honest, *useless(2)),
            4,
            Bar("useful_longer_found", 0.94, False, issue=False),
        ),
        World("judge wrong .03, a useful rule that lengthens", (honest,), 4, PRINT, noise=Noise(judge_wrong=0.03)),
        World(
            "longer passes .3, the useless long rule beside two useful",
            (rule, *useful(2, 0.1, 0.9)),
            4,
            Bar("longer_judge_beside", 0.05, issue=False),
            lure=0.3,
        ),
    ]
    return tuple(cells)


def nasty() -> tuple[World, ...]:
    """Return the issue's world of three nights, and the author's own: nasty, and met by real people."""
    half = (RuleWorld("half", 0.1, 0.9, reaches=0.5),)
    uneven = (
        RuleWorld("useful0", 0.1, 0.9, unseen=3),
        RuleWorld("useless0", 0.5, 0.5, unseen=1),
        RuleWorld("useless1", 0.5, 0.5, unseen=2),
        RuleWorld("useless2", 0.95, 0.95, unseen=14),
    )
    return (
        World(".3 -> .6 in three nights, 4 unseen", useful(1, 0.3, 0.6), 4, POWER, nights=3, fresh=1),
        World("useless in three nights, 4 unseen", useless(1), 4, PROMISE, nights=3, fresh=1),
        *(
            World(f"bias of the gain, {a} -> {b}, {n} unseen", useful(1, a, b), n, Bar("gain_bias", None))
            for a, b, n in ((0.4, 0.8, 4), (0.3, 0.6, 7))
        ),
        World("one unseen session: never accepted, only early", useful(1, 0, 1), 1, Bar("accepted_at_one", 0)),
        World("uneven: a useful rule of 3 sessions beside useless of 1, 2 and 14", uneven, 4, RIDERS),
        World("2 of 6 requests can't be met by anyone, .1 -> .9", useful(1, 0.1, 0.9), 6, PRINT, hopeless=2),
        World("useless, 2 of 6 requests can't be met by anyone", useless(1), 6, NULL, hopeless=2),
        World("a rule for half of its requests, three nights, 4 unseen", half, 4, HALF, nights=3, fresh=1),
        World("useful .1 -> .9 as the model gains .4", useful(1, 0.1, 0.9), 4, PRINT, noise=Noise(drift=0.4)),
        World("drift +50 early, 2 unseen", useless(4, 0.3), 2, NULL, noise=Noise(drift=0.5, drift_before=16)),
        *(World(f"met at {b} with the rule and without it", useless(2, b), 14, NULL) for b in (0.0, 1.0)),
        World("3 useful, 8 other lessons at .5", useful(3, 0, 0.9), 4, KEPT, others=others(8, 0.5)),
        World("luck 1 in each of 3 documents, 2 rules, 4 unseen", useless(2), 4, PRINT, 3, noise=Noise(luck=1.0)),
    )


def worlds() -> tuple[World, ...]:
    """Return every cell, the issue's first."""
    return (*null_nights(), *noisy_nulls(), *repeating(), *harmful(), *beside(), *mixed(), *longer(), *nasty())
