"""Try the rules of all documents, one after the other, as far as the night's calls take them to a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted
from skillopt_sleep.learning.begin import Step
from skillopt_sleep.learning.gate import gate, has_won
from skillopt_sleep.learning.rule import Rule, TriedRule
from skillopt_sleep.night.layout import Layout, rounds_within, staging_calls, usual_calls
from skillopt_sleep.protocols import Crew, Page, Plan
from skillopt_sleep.records import CandidateKind, Decision

End = BudgetExhausted | BackendUnavailable


def try_rules(
    steps: Sequence[Step], layout: Layout, *, crew: Crew, plan: Plan, page: Page, end: End | None
) -> tuple[dict[str, list[TriedRule]], End | None]:
    """Return the rules of each document as their trials left them, and what ended the night, if anything did."""
    waves = _Waves(steps, crew, plan, page, {step.document.id: [] for step in steps}, end)
    waves.run(layout)
    return waves.tried, waves.end


@dataclass
class _Waves:
    """The rules that were tried so far, by document, and what ended the night."""

    steps: Sequence[Step]
    crew: Crew
    plan: Plan
    page: Page
    tried: dict[str, list[TriedRule]]
    end: End | None

    def run(self, layout: Layout) -> None:
        """Try the rules in the order of the layout, as many at once as keep all workers busy.

        None is begun without the calls that its trial usually takes, with what has won so far guarded.
        """
        waiting = _in_order(self.steps, layout)
        is_over = False
        while waiting and not is_over:
            wave = partial(self._wave, waiting)
            rounds = self.page.keep(f"wave {len(waiting)}", tuple[int, ...], wave)
            if not rounds:
                break
            is_over = self._try(waiting[: len(rounds)], rounds)
            waiting = waiting[len(rounds) :]
        for step, rule in waiting:
            self.tried[step.document.id].append(step.untried(rule))

    def _try(self, wave: Sequence[tuple[Step, Rule]], rounds: Sequence[int]) -> bool:
        """Try these rules side by side, each in so many rounds at most, and read the undecided again.

        Returns whether the night ended meanwhile. With r of k rules of tonight proven, each of the others needs
        (k - r)/alpha (Holm). One whose trial the end cut short begins anew another night.
        """
        proven = {name: [one.tested for one in done if _is_proven(one)] for name, done in self.tried.items()}
        born = wave[0][0].share
        share = self._holm(born)

        def attempt(trial: tuple[Step, Rule, int]) -> tuple[Step, Rule, TriedRule]:
            step, rule, most = trial
            now = step._replace(share=share)
            return step, rule, now.attempt(rule, proven[step.document.id], rounds=most)

        trials = [(step, rule, most) for (step, rule), most in zip(wave, rounds, strict=True)]
        cut = list(wave)
        is_over = False
        try:
            for step, rule, one in self.crew.pool.together(attempt, trials):
                cut.remove((step, rule))
                self.tried[step.document.id].append(one)
        except (BudgetExhausted, BackendUnavailable) as error:
            self.end, is_over = error, True
            for step, rule in cut:
                self.tried[step.document.id].append(step.untried(rule))
        self._read_again(born)
        return is_over

    def _holm(self, share: float) -> float:
        """Return the share of a rule of tonight now: alpha/(k - r)."""
        alpha = self.plan.gate.alpha
        k = round(alpha / share)
        r = len([one for done in self.tried.values() for one in done if one.rule.wait is None and _is_proven(one)])
        return alpha / max(1, k - r)

    def _read_again(self, share: float) -> None:
        """Accept the undecided rules of tonight that the proofs of the others let through."""
        again = True
        while again:
            again = False
            for done in self.tried.values():
                for place, one in enumerate(done):
                    trial = replace(one.tested.trial, alpha=self._holm(share))
                    is_open = one.rule.wait is None and one.tested.verdict.decision is Decision.UNDECIDED
                    if not is_open or one.rule.kind is not CandidateKind.RULE or not has_won(trial, self.plan.gate):
                        continue
                    verdict = gate(trial, self.plan.gate, last=True)
                    if verdict is not None and verdict.decision is Decision.ACCEPT:
                        done[place] = one._replace(tested=replace(one.tested, trial=trial, verdict=verdict))
                        again = True

    def _wave(self, waiting: Sequence[tuple[Step, Rule]]) -> tuple[int, ...]:
        """Return in how many rounds at most each of the next rules is tried, which are begun together.

        The last may have fewer rounds than a night's, and goes on another night.
        """
        won = {name: [one.rule for one in done if one.won] for name, done in self.tried.items()}
        most = self.plan.gate.rounds
        begun: list[tuple[Rule, int]] = []
        jobs = taken = 0

        def left() -> float:
            return self.crew.meter.left() - sum(
                staging_calls(step.begun, won[step.document.id]) for step in self.steps
            )

        for step, rule in waiting:
            if begun and jobs >= self.crew.pool.width and not self.crew.by_hand:
                break
            won[step.document.id].append(rule)
            usual = 0 if rule.has_won else usual_calls(rule.val, share=self._holm(step.share), most=most)
            # The best-founded one is begun in any case: else a small limit would never get anywhere.
            if taken + usual > left() and (begun or any(self.tried.values())):
                won[step.document.id].remove(rule)
                break
            taken += usual
            jobs += 2 * len(rule.val)
            begun.append((rule, usual))
        # What is left over goes to those that need more than usual.
        more = (left() - taken) / len(begun) if begun else 0
        if more < 0:
            return (most,) * len(begun)
        return tuple(rounds_within(rule.val, calls=usual + more, most=most) for rule, usual in begun)


def _in_order(steps: Sequence[Step], layout: Layout) -> list[tuple[Step, Rule]]:
    """Return the rules of all documents in the order of the layout: a drafted one where its first lesson stands."""
    places = {pair: place for place, pair in enumerate(layout.taken)}

    def place(pair: tuple[Step, Rule]) -> int:
        step, rule = pair
        name = step.document.id
        known = [places[name, what] for what in (rule.key, *rule.lessons) if (name, what) in places]
        return min(known, default=len(places))

    rules = [(step, rule) for step in steps for rule in step.begun.rules]
    return sorted(rules, key=place)


def _is_proven(tried: TriedRule) -> bool:
    return tried.tested.verdict.decision is Decision.ACCEPT
