"""Search among a step's candidates: the bundle; if it wins, its rules one by one.

What a night may accept by mistake is spent on the bundle; once its null hypothesis is rejected its share passes on to
its parts. The hypotheses are fixed before val is seen, and every trial draws both arms anew: no attempt counts in two
of them.
"""

import sys
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.drift import begun_anew
from skillopt_sleep.learning.gate import has_won, lacking
from skillopt_sleep.learning.parts import Stands, each_by_itself
from skillopt_sleep.learning.trials import Trials
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    GateRule,
    Judged,
    Note,
    Rollout,
    StepOutcome,
    Task,
    Waiting,
)


class Search(NamedTuple):
    """The best of the edits tried together, all candidates made of them, their rollouts, and what could not be tried.

    `waits` are candidates that another night may prove, whatever the best one is; `apart` are those of lessons that
    one session alone tests; those `left_out` showed nothing on train.
    """

    best: Judged
    tested: tuple[Judged, ...]
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()
    waits: tuple[Judged, ...] = ()
    apart: tuple[Judged, ...] = ()
    left_out: tuple[Edit, ...] = ()

    @property
    def headline(self) -> Judged:
        """The candidate to report: what is accepted, else what is early, else the best of the edits together."""
        if self.best.verdict.decision is not Decision.ACCEPT:
            for tested in self.apart:
                if tested.verdict.early:
                    return tested
        return self.best


def add_trial(outcome: StepOutcome, tested: Judged, *, night: str, crew: Crew) -> StepOutcome:
    """Add a candidate's trial to the outcome; later nights resume it if it is undecided.

    A void trial measured nothing, so it counts as not tried; if the model changed meanwhile, later nights begin anew.
    """
    document, tried = outcome.document, outcome.tried
    undecided, effects = tried.undecided, tried.effects
    if tested.verdict.decision is Decision.ABSTAIN:
        summary = f"{document.id}: the {tested.kind} counts as not tried: {tested.verdict.reason}"
        outcome = outcome.noted(Note(stage="trial", summary=summary))
    else:
        effects += credit(tested, (tested,))
    if tested.verdict.drifted:
        undecided = (*undecided, waiting(document, begun_anew(tested), night=night, crew=crew))
    elif tested.verdict.decision is Decision.UNDECIDED:
        undecided = (*undecided, waiting(document, tested, night=night, crew=crew))
    tried = replace(
        tried,
        tested=(*tried.tested, tested),
        effects=effects,
        undecided=undecided,
    )
    return replace(outcome, tried=tried)


def waiting(document: Document, tested: Judged, *, night: str, crew: Crew) -> Waiting:
    """Return the candidate as later nights resume it."""
    return Waiting(
        night=night,
        path=document.path,
        base=document.sha,
        body=document.body_sha,
        crew=crew.identity(),
        tested=tested,
    )


def search(
    document: Document,
    edits: Sequence[Edit],
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    others: Sequence[Task] = (),
    most: int = sys.maxsize,
) -> Search:
    """Try the edits together, and if they win, each of them; `rule.alpha` is the share of everything tried here.

    Only the sequential rule shares an error rate, so only under it more than the bundle is tried. What is proven must
    not harm the lessons of `others`. No candidate is longer than `most` characters.
    """
    trials = Trials(document, val, crew, rule, most, others=others)
    several = len(edits) > 1 and rule.name == "sequential"
    bundle = trials.run(CandidateKind.BUNDLE, edits, alpha=rule.alpha)
    if bundle is None:
        raise ValueError("a bundle is made of edits that were applied")
    stands = Stands(bundle)
    if several and bundle.verdict.decision is Decision.ACCEPT:
        stands = each_by_itself(bundle, trials)
    elif several and bundle.verdict.decision is Decision.UNDECIDED:
        stands = _without_lacking(bundle, trials, rule)
    return _found(stands, trials)


def shorten(
    document: Document,
    proven: Judged,
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    others: Sequence[Task] = (),
) -> Search:
    """Take a candidate apart that was proven on a later night than its first, or wasn't taken apart then."""
    trials = Trials(document, val, crew, rule, sys.maxsize, others=others)
    trials.tested.append(proven)
    stands = Stands(proven)
    if rule.name == "sequential" and proven.kind is not CandidateKind.REMOVAL:
        stands = each_by_itself(proven, trials)
    return _found(stands, trials)


def _found(stands: Stands, trials: Trials) -> Search:
    return Search(stands.best, tuple(trials.tested), tuple(trials.rollouts), tuple(trials.notes), stands.waits)


def _without_lacking(bundle: Judged, trials: Trials, rule: GateRule) -> Stands:
    """Return the edits that helped in two sessions of their own, if the bundle is proven but for the others."""
    share = bundle.trial.alpha or rule.alpha
    if not has_won(bundle.trial, replace(rule, alpha=share)):
        return Stands(bundle)
    lacks = lacking(bundle.trial, rule)
    kept = [edit for place, edit in enumerate(bundle.edits) if place not in lacks]
    if not lacks or not kept or not trials.affordable(kept, what="its proven part wasn't tried by itself"):
        return Stands(bundle)
    try:
        # The bundle is better as a whole, so its share passes on.
        pruned = trials.run(CandidateKind.PRUNED, kept, alpha=share)
    except BudgetExhausted as error:
        trials.note(f"its proven part wasn't tried by itself: {error.message}")
        return Stands(bundle)
    if pruned is None or pruned.verdict.decision is not Decision.ACCEPT:
        return Stands(bundle)
    return each_by_itself(pruned, trials)
