"""Take a proven change apart, so that each of its rules stands by itself: what is staged is what is proven.

Backward elimination: each rule is tried on top of the others, from the least convincing on, on the tasks of its own
lessons and on samples of its own. A rule stays if its own part is proven; a rule with nothing to show beyond noise is
dropped; what is neither waits for another night. The change's own hypothesis is rejected by then, so each of its
parts is tried at the change's full share (Bretz et al., "A graphical approach to sequentially rejective multiple test
procedures", Statistics in Medicine 28, 2009).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.stats import mean, noise
from skillopt_sleep.learning.trials import Trials
from skillopt_sleep.records import CandidateKind, Decision, Edit, EditOp, Judged, Verdict

NOT_AFFORDED = "its rules weren't tried one by one"


class Stands(NamedTuple):
    """The candidate to report, and those that wait for another night."""

    best: Judged
    waits: tuple[Judged, ...] = ()


def each_by_itself(whole: Judged, trials: Trials) -> Stands:
    """Return the rules of a proven change that are proven by themselves, as one candidate that is proven too.

    Without the calls for it nothing is lost: the change waits, and its rules are tried on another night.
    """
    if len(whole.edits) <= 1:
        return Stands(whole)
    try:
        kept, waits = _eliminated(whole, trials)
    except BudgetExhausted as error:
        trials.note(f"{NOT_AFFORDED}: {error.message}", remedy=error.remedy)
        return _all_wait(whole)
    if kept is None:
        return _all_wait(whole)
    return Stands(kept, tuple(waits))


def _eliminated(whole: Judged, trials: Trials) -> tuple[Judged | None, list[Judged]]:
    """Try each rule on top of the others; return what is left as one candidate, and the rules that wait.

    The candidate is None if the night's calls didn't reach.
    """
    share = whole.trial.alpha or 0.0
    left = [*whole.edits]
    waits: list[Judged] = []
    for edit in _least_convincing_first(whole):
        others = [other for other in left if other is not edit]
        if not others or edit.op is EditOp.DELETE:
            continue
        if not trials.affordable((edit,), what=NOT_AFFORDED):
            return None, []
        part = trials.run_part(edit, others, alpha=share)
        if part is None or part.verdict.decision is Decision.ACCEPT:
            continue
        left = others
        if _may_be_proven(part):
            waits.append(part)
    if len(left) == len(whole.edits):
        return whole, waits
    if not trials.affordable(left, what=NOT_AFFORDED):
        return None, []
    pruned = trials.run(CandidateKind.PRUNED, left, alpha=share)
    if pruned is None or pruned.verdict.decision is Decision.REJECT:
        return _none_stands(whole, waits), waits
    if pruned.verdict.decision is Decision.UNDECIDED:
        waits.append(pruned)
    return pruned, waits


def _least_convincing_first(whole: Judged) -> list[Edit]:
    """Return the edits by what the change gained in their own lessons, then by their support, later ones first."""
    gains: dict[int, float] = {}
    for place, edit in enumerate(whole.edits):
        gains[place] = mean([pair.gain for pair in whole.trial.of(edit.lessons)]) or 0.0
    places = sorted(gains, key=lambda place: (gains[place], whole.edits[place].support, -place))
    return [whole.edits[place] for place in places]


def _may_be_proven(part: Judged) -> bool:
    """Return whether another night may prove the rule: it gained more than one standard error, or wasn't scored."""
    if part.verdict.decision is Decision.ABSTAIN:
        return True
    gains = [pair.gain for pair in part.trial.own]
    return part.verdict.decision is Decision.UNDECIDED and math.fsum(gains) > noise(gains)


def _all_wait(whole: Judged) -> Stands:
    """Return the change as undecided: it is proven as a whole only, and is taken apart on another night."""
    because = f"{whole.verdict.reason}, but {NOT_AFFORDED}; another night with the calls for it would settle it"
    told = replace(whole, verdict=_told(whole, Decision.UNDECIDED, because))
    return Stands(told, (whole,))


def _none_stands(whole: Judged, waits: Sequence[Judged]) -> Judged:
    """Return the change as undecided if one of its rules may still be proven by itself, else as rejected."""
    because = f"{whole.verdict.reason}, but none of its rules is proven by itself"
    if waits:
        return replace(whole, verdict=_told(whole, Decision.UNDECIDED, f"{because} yet"))
    return replace(whole, verdict=_told(whole, Decision.REJECT, because))


def _told(whole: Judged, decision: Decision, because: str) -> Verdict:
    return replace(whole.verdict, decision=decision, reason=because)
