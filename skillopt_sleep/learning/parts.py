"""Take a proven change apart, so that each of its rules stands by itself: what is staged is what is proven.

Backward elimination: each rule is tried on top of the others, from the least convincing on, on the tasks of its own
lessons and on samples of its own. A rule stays if its own part is proven; a rule with nothing to show beyond noise is
dropped; what is neither waits for another night, as does without a call what no unseen task of tonight is about. The
change's own hypothesis is rejected by then, so each of its parts is tried at the change's full share (Bretz et al.,
"A graphical approach to sequentially rejective multiple test procedures", Statistics in Medicine 28, 2009).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.kit.stats import mean, noise
from skillopt_sleep.learning.drift import begun_anew
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
    elimination = _Elimination(whole, trials)
    try:
        kept = elimination.run()
    except BudgetExhausted as error:
        trials.note(f"{NOT_AFFORDED}: {error.message}", remedy=error.remedy)
        return _all_wait(whole)
    if kept is None:
        return _all_wait(whole)
    return Stands(kept, tuple(elimination.waits))


class _Elimination:
    """Tries each rule on top of the others; `left` are those not dropped so far, `waits` those to try again."""

    def __init__(self, whole: Judged, trials: Trials) -> None:
        self._whole = whole
        self._trials = trials
        self._share = whole.trial.alpha or 0.0
        self._pending: CallPending | None = None
        self.left = [*whole.edits]
        self.waits: list[Judged] = []

    def run(self) -> Judged | None:
        """Return what is left as one candidate, or None if the night's calls don't reach."""
        for edit in sorted(_least_convincing_first(self._whole), key=self._trials.can_try):
            others = [other for other in self.left if other is not edit]
            if not others or edit.op is EditOp.DELETE:
                continue
            if not self._trials.can_try(edit):
                self._put_off(edit, others)
                continue
            if not self._trials.affordable((edit,), what=NOT_AFFORDED, guarded=False):
                return None
            self._try(edit, others)
        if self._pending is not None:
            raise self._pending
        if len(self.left) == len(self._whole.edits):
            return self._whole
        if not self._trials.affordable(self.left, what=NOT_AFFORDED):
            return None
        return self._what_is_left()

    def _put_off(self, edit: Edit, others: list[Edit]) -> None:
        """Let a rule wait that no unseen task of tonight is about; it stays if it can't be left out."""
        part = self._trials.untried_part(edit, others, alpha=self._share)
        if part is not None:
            self.left = others
            self.waits.append(part)

    def _try(self, edit: Edit, others: list[Edit]) -> None:
        """Try one rule on top of the others; it stays if its part is proven, or if it can't be left out."""
        try:
            part = self._trials.run_part(edit, others, alpha=self._share)
        except CallPending as error:
            # Someone has to sit down for every round: the next rule is asked along with it, as if this one stayed.
            self._pending = self._pending or error
            return
        if part is None or part.verdict.decision is Decision.ACCEPT:
            return
        self.left = others
        if part.verdict.drifted:
            self.waits.append(begun_anew(part))
        elif _may_be_proven(part):
            self.waits.append(part)

    def _what_is_left(self) -> Judged:
        """Prove the rules that are left as one candidate, on fresh samples."""
        pruned = self._trials.run(CandidateKind.PRUNED, self.left, alpha=self._share)
        if pruned is None or pruned.verdict.decision is Decision.REJECT:
            return _none_stands(self._whole, self.waits)
        if pruned.verdict.drifted:
            self.waits.append(begun_anew(pruned))
        elif pruned.verdict.decision is Decision.UNDECIDED:
            self.waits.append(pruned)
        return pruned


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
    because = f"{whole.verdict.reason}, but {NOT_AFFORDED}; a night with calls enough for it would find out"
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
