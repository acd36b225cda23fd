"""Try the rules of all documents, one after the other, as far as the night's calls take them to a verdict."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted
from skillopt_sleep.learning.begin import DocumentStep
from skillopt_sleep.learning.gate import gate, has_won, more_pairs
from skillopt_sleep.learning.rule import CandidateRule, TriedRule, is_cut_short
from skillopt_sleep.night.layout import Layout, attempt_calls, rounds_within, staging_calls, usual_calls
from skillopt_sleep.protocols.crew import Crew, NightPlan
from skillopt_sleep.protocols.stores import OpenNight
from skillopt_sleep.records import CandidateKind, Decision, GateRule, Record

End = BudgetExhausted | BackendUnavailable


class Wave(Record, frozen=True, kw_only=True):
    """In how many rounds at most the next rules are tried; if `hurried`, each is put off once these look too few."""

    rounds: tuple[int, ...] = ()
    hurried: bool = False


def try_rules(
    steps: Sequence[DocumentStep], layout: Layout, *, crew: Crew, plan: NightPlan, page: OpenNight, end: End | None
) -> tuple[dict[str, list[TriedRule]], End | None]:
    """Return the rules of each document as their trials left them, and what ended the night, if anything did."""
    tried: dict[str, list[TriedRule]] = {step.document.id: [] for step in steps}
    waves = _Waves(steps, crew, plan, page, tried, end)
    waves.run(layout)
    return waves.tried, waves.end


@dataclass
class _Waves:
    """The rules that were tried so far, by document, and what ended the night."""

    steps: Sequence[DocumentStep]
    crew: Crew
    plan: NightPlan
    page: OpenNight
    tried: dict[str, list[TriedRule]]
    end: End | None

    def run(self, layout: Layout) -> None:
        """Try the rules in the order of the layout; then those that were put off go on, while calls are left.

        Whoever answers by hand is asked in the first pass only.
        """
        rules = [(step, step.untried(rule)) for step, rule in _in_order(self.steps, layout)]
        is_over = self._go_through(rules, "wave")
        if not is_over and not self.crew.by_hand:
            self._go_through(self._put_off(), "second wave")

    def _put_off(self) -> list[tuple[DocumentStep, TriedRule]]:
        """Take out the rules that more rounds may decide tonight, the nearest to a proof first."""
        found: list[tuple[float, DocumentStep, TriedRule]] = []
        for step in self.steps:
            done = self.tried[step.document.id]
            for one in tuple(done):
                if one.begun and is_cut_short(one.tested, self.plan.gate.rounds):
                    done.remove(one)
                    found.append((more_pairs(one.tested.trial, self._gate_of(step, one)) or math.inf, step, one))
        return [(step, one) for _, step, one in sorted(found, key=lambda entry: entry[0])]

    def _go_through(self, waiting: Sequence[tuple[DocumentStep, TriedRule]], name: str) -> bool:
        """Try these rules, as many at once as keep all workers busy; tell whether the night ended meanwhile.

        None is begun without the calls that its trial usually takes, with what has won so far guarded.
        """
        is_over = False
        while waiting and not is_over:
            wave = self.page.keep(f"{name} {len(waiting)}", Wave, partial(self._wave, waiting))
            if not wave.rounds:
                break
            is_over = self._try(waiting[: len(wave.rounds)], wave)
            waiting = waiting[len(wave.rounds) :]
        for step, one in waiting:
            self.tried[step.document.id].append(one)
        return is_over

    def _try(self, rules: Sequence[tuple[DocumentStep, TriedRule]], wave: Wave) -> bool:
        """Try these rules side by side, in the rounds of the wave, and read the undecided again.

        Returns whether the night ended meanwhile. With r of k rules of tonight proven, each of the others needs
        (k - r)/alpha (Holm). Of one whose trial the end cut short, only what earlier rounds brought is kept.
        """
        proven = {name: [one.tested for one in done if _is_proven(one)] for name, done in self.tried.items()}
        share = self._holm(rules[0][0].share)

        def attempt(place: int) -> tuple[int, TriedRule]:
            step, one = rules[place]
            so_far = None
            if one.begun:
                trial = replace(one.tested.trial, alpha=self._gate_of(step, one).alpha)
                so_far = one._replace(tested=replace(one.tested, trial=trial))
            others = proven[step.document.id]
            now = step._replace(share=share)
            return place, now.attempt(
                one.rule, others, rounds=wave.rounds[place], hurried=wave.hurried, so_far=so_far
            )

        after = [one for _, one in rules]
        is_over = False
        try:
            for place, one in self.crew.pool.together(attempt, range(len(rules))):
                after[place] = one
        except (BudgetExhausted, BackendUnavailable) as error:
            self.end, is_over = error, True
        for (step, _), one in zip(rules, after, strict=True):
            self.tried[step.document.id].append(one)
        self._read_again()
        return is_over

    def _gate_of(self, step: DocumentStep, one: TriedRule) -> GateRule:
        """Return the gate with a rule's share of the error rate now: one of an earlier night keeps its own."""
        share = self._holm(step.share)
        if one.rule.wait is not None:
            share = one.tested.trial.alpha or share
        return replace(self.plan.gate, alpha=share)

    def _holm(self, share: float) -> float:
        """Return the share of a rule of tonight now: alpha/(k - r)."""
        alpha = self.plan.gate.alpha
        k = round(alpha / share)
        r = len([one for done in self.tried.values() for one in done if one.rule.wait is None and _is_proven(one)])
        return alpha / max(1, k - r)

    def _read_again(self) -> None:
        """Accept the undecided rules of tonight that the proofs of the others let through."""
        again = True
        while again:
            again = False
            for step in self.steps:
                done = self.tried[step.document.id]
                for place, one in enumerate(done):
                    trial = replace(one.tested.trial, alpha=self._holm(step.share))
                    is_open = one.rule.wait is None and one.tested.verdict.decision is Decision.UNDECIDED
                    if not is_open or one.rule.kind is not CandidateKind.RULE or not has_won(trial, self.plan.gate):
                        continue
                    verdict = gate(trial, self.plan.gate, last=True)
                    if verdict is not None and verdict.decision is Decision.ACCEPT:
                        done[place] = one._replace(tested=replace(one.tested, trial=trial, verdict=verdict))
                        again = True

    def _wave(self, waiting: Sequence[tuple[DocumentStep, TriedRule]]) -> Wave:
        """Return in how many rounds the next rules are tried, which are begun together.

        The last may have fewer rounds than the gate allows, and goes on another night.
        """
        won = {name: [one.rule for one in done if one.won] for name, done in self.tried.items()}
        most = self.plan.gate.rounds
        usual = [self._usual(step, one, most) for step, one in waiting]
        begun: list[CandidateRule] = []
        jobs = taken = 0

        def left() -> float:
            return self.crew.meter.left() - staging_calls((step.begun, won[step.document.id]) for step in self.steps)

        for (step, one), calls in zip(waiting, usual, strict=True):
            if begun and jobs >= self.crew.pool.width and not self.crew.by_hand:
                break
            won[step.document.id].append(one.rule)
            # The best-founded one is begun in any case: else a small limit would never get anywhere.
            if taken + calls > left() and (begun or one.begun or any(self.tried.values())):
                won[step.document.id].remove(one.rule)
                break
            taken += calls
            jobs += 2 * len(one.rule.val)
            begun.append(one.rule)
        # Without a second pass, or in it, a rule may use what nobody else waits for.
        is_last = self.crew.by_hand or any(one.begun for _, one in waiting)
        hurried = len(begun) < len(waiting) or not is_last
        # What is left over goes to those that need more than usual.
        more = (left() - taken) / len(begun) if begun else 0
        if more < 0:
            return Wave(rounds=(most,) * len(begun), hurried=hurried)
        rounds = [
            rounds_within(rule.val, calls=calls + more, most=most)
            for rule, calls in zip(begun, usual[: len(begun)], strict=True)
        ]
        return Wave(rounds=tuple(rounds), hurried=hurried)

    def _usual(self, step: DocumentStep, one: TriedRule, most: int) -> int:
        """Return how many calls usually decide a rule: one that was tried tonight goes on as it went so far."""
        if one.rule.has_won:
            return 0
        more = more_pairs(one.tested.trial, self._gate_of(step, one)) if one.begun else None
        if more is None:
            return usual_calls(one.rule.val, share=self._holm(step.share), most=most)
        rounds = min(most, -(-more // len(one.rule.val)))
        return attempt_calls(one.rule.val, 2 * rounds, looks=1)


def _in_order(steps: Sequence[DocumentStep], layout: Layout) -> list[tuple[DocumentStep, CandidateRule]]:
    """Return the rules of all documents in the order of the layout: a drafted one where its first lesson stands."""
    places = {pair: place for place, pair in enumerate(layout.taken)}

    def place(pair: tuple[DocumentStep, CandidateRule]) -> int:
        step, rule = pair
        name = step.document.id
        known = [places[name, what] for what in (rule.key, *rule.lessons) if (name, what) in places]
        return min(known, default=len(places))

    rules = [(step, rule) for step in steps for rule in step.begun.rules]
    return sorted(rules, key=place)


def _is_proven(tried: TriedRule) -> bool:
    return tried.tested.verdict.decision is Decision.ACCEPT
