"""Search among a step's candidates: the bundle; if it wins, leave-one-outs; if it loses, its halves.

What a night may accept by mistake is shared beforehand: the bundle's null hypothesis has most of the share, its
halves the rest; once the bundle is accepted its share passes on to the shorter candidates (Bretz et al., "A graphical
approach to sequentially rejective multiple test procedures", Statistics in Medicine 28, 2009). The hypotheses are
fixed before val is seen and the union bound needs no independence, so they share the baseline's rollouts; the one
candidate that the leave-one-outs themselves suggest is tested on fresh ones.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.kit.stats import mean
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.credit import credit
from skillopt_sleep.learning.gate import lacking
from skillopt_sleep.learning.trial import count_made, run_trial
from skillopt_sleep.learning.update import update
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    Fate,
    GateRule,
    Judged,
    Note,
    Rollout,
    StepOutcome,
    Task,
    Trial,
    Waiting,
)

BUNDLE_SHARE = 0.6
SHORTER = frozenset({CandidateKind.WITHOUT, CandidateKind.PRUNED})
WORTH = 0.05  # what an edit must contribute to keep its place


class Search(NamedTuple):
    """The best of the edits tried together, all candidates made of them, their rollouts, and what could not be tried.

    `apart` are the candidates of lessons that one session alone tests.
    """

    best: Judged
    tested: tuple[Judged, ...]
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()
    apart: tuple[Judged, ...] = ()

    @property
    def headline(self) -> Judged:
        """The candidate to report: what is accepted, else what is early, else the best of the edits together."""
        if self.best.verdict.decision is not Decision.ACCEPT:
            for tested in self.apart:
                if tested.verdict.early:
                    return tested
        return self.best


def candidate(document: Document, edits: Sequence[Edit], *, most: int = sys.maxsize) -> Document | None:
    """Return the document with these edits, or None if one of them can't be applied.

    An edit that makes the body longer than `most` characters can't be applied.
    """
    changed, fates = update(document, edits, refuse=lambda _: "", most=most)
    if any(fate.fate is not Fate.APPLIED for fate in fates):
        return None
    return changed


def add_trial(outcome: StepOutcome, tested: Judged, *, night: str, crew: Crew) -> StepOutcome:
    """Add a candidate's trial to the outcome; later nights resume it if it is undecided."""
    tried = outcome.tried
    undecided = tried.undecided
    if tested.verdict.decision is Decision.UNDECIDED:
        undecided = (*undecided, waiting(outcome.document, tested, night=night, crew=crew))
    tried = replace(
        tried,
        tested=(*tried.tested, tested),
        effects=tried.effects + credit(tested, (tested,)),
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
    most: int = sys.maxsize,
) -> Search:
    """Try the edits together, then parts of them; `rule.alpha` is the share of everything tried here.

    Only the sequential rule shares an error rate, so only under it more than the bundle is tried. An accepted bundle
    isn't lost when the budget ends while it is pruned. No candidate is longer than `most` characters.
    """
    trials = Trials(document, val, crew, rule, most)
    several = len(edits) > 1 and rule.name == "sequential"
    share = rule.alpha
    if several:
        share = rule.alpha * BUNDLE_SHARE
    bundle = trials.run(CandidateKind.BUNDLE, edits, alpha=share)
    if bundle is None:
        raise ValueError("a bundle is made of edits that were applied")
    best = bundle
    if several and bundle.verdict.decision is Decision.ACCEPT:
        best = _pruned(bundle, trials)
    elif several and bundle.verdict.decision is Decision.REJECT:
        best = _better_half(bundle, trials, (rule.alpha - share) / 2)
    elif several:
        best = _without_lacking(bundle, trials, rule)
    return trials.found(best)


def shorten(
    document: Document,
    proven: Judged,
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    made: Sequence[Rollout],
) -> Search:
    """Prune a candidate that was proven on a later night than its first; `made` are tonight's rollouts so far."""
    trials = Trials(document, val, crew, rule, sys.maxsize)
    trials.drawn |= baselines(made, document)
    trials.tested.append(proven)
    best = proven
    if len(proven.edits) > 1 and rule.name == "sequential":
        best = _pruned(proven, trials)
    return trials.found(best)


def _pruned(bundle: Judged, trials: "Trials") -> Judged:
    """Drop the edits that contribute nothing: shorter is better, if that is proven too."""
    try:
        return _shorter(bundle, trials)
    except BudgetExhausted as error:
        trials.note(f"not pruned: {error.message}")
        return bundle


def _shorter(bundle: Judged, trials: "Trials") -> Judged:
    """Return the best candidate with fewer edits that is proven too, or the bundle."""
    each = (bundle.trial.alpha or 0.0) / (len(bundle.edits) + 1)
    shorter: list[Judged] = []
    dropped: list[Edit] = []
    for edit, without in _leave_one_outs(bundle, trials, each):
        if _is_as_good(without, bundle):
            dropped.append(edit)
            shorter.append(without)
    if not shorter:
        return bundle
    kept = [edit for edit in bundle.edits if edit not in dropped]
    if len(shorter) > 1 and kept and trials.affordable(bundle):
        pruned = trials.run(CandidateKind.PRUNED, kept, alpha=each, afresh=True)
        if pruned is not None and _is_as_good(pruned, bundle):
            return pruned
    return max(shorter, key=lambda tested: tested.trial.after or 0.0)


def _without_lacking(bundle: Judged, trials: "Trials", rule: GateRule) -> Judged:
    """Return the edits that helped in two sessions of their own, if the bundle is proven but for the others."""
    share = bundle.trial.alpha or rule.alpha
    if bundle.trial.statistic is None or bundle.trial.statistic < 1 / share:
        return bundle
    lacks = lacking(bundle.trial, rule)
    kept = [edit for place, edit in enumerate(bundle.edits) if place not in lacks]
    if not lacks or not kept or not trials.affordable(bundle):
        return bundle
    try:
        # The bundle is better as a whole, so its share passes on; what was chosen by its results is drawn afresh.
        pruned = trials.run(CandidateKind.PRUNED, kept, alpha=share, afresh=True)
    except BudgetExhausted as error:
        trials.note(f"its proven part wasn't tried by itself: {error.message}")
        return bundle
    if pruned is None or pruned.verdict.decision is not Decision.ACCEPT:
        return bundle
    return pruned


def _leave_one_outs(bundle: Judged, trials: "Trials", each: float) -> Iterator[tuple[Edit, Judged]]:
    """Try the bundle without each of its edits, as far as the budget goes; yield the edit and the candidate."""
    for left_out in bundle.edits:
        if not trials.affordable(bundle):
            return
        others = [edit for edit in bundle.edits if edit is not left_out]
        without = trials.run(CandidateKind.WITHOUT, others, alpha=each)
        if without is not None:
            yield left_out, without


def _better_half(bundle: Judged, trials: "Trials", each: float) -> Judged:
    """Return the half that was accepted or may still be; the bundle if there is none."""
    middle = (len(bundle.edits) + 1) // 2
    halves: list[Judged] = []
    for part in (bundle.edits[:middle], bundle.edits[middle:]):
        if not trials.affordable(bundle):
            break
        try:
            half = trials.run(CandidateKind.HALF, part, alpha=each)
        except BudgetExhausted as error:
            if not any(tested.verdict.decision is Decision.ACCEPT for tested in halves):
                raise
            trials.note(f"its other half wasn't tried: {error.message}")
            break
        if half is not None:
            halves.append(half)
    hopeful = [half for half in halves if half.verdict.decision in {Decision.ACCEPT, Decision.UNDECIDED}]
    return max(hopeful, key=_rank, default=bundle)


def _rank(tested: Judged) -> tuple[bool, float]:
    return tested.verdict.decision is Decision.ACCEPT, tested.trial.gain or 0.0


def _is_as_good(shorter: Judged, bundle: Judged) -> bool:
    """Return whether a shorter candidate is proven, and about as good as the whole on the tasks both attempted."""
    if shorter.verdict.decision is not Decision.ACCEPT:
        return False
    brief, whole = _by_task(shorter.trial), _by_task(bundle.trial)
    lost = mean([whole[task] - brief[task] for task in whole if task in brief])
    return lost is not None and lost <= WORTH


def _by_task(trial: Trial) -> dict[str, float]:
    """Return the candidate's mean on each task."""
    grades = defaultdict[str, list[float]](list)
    for pair in trial.pairs:
        grades[pair.task].append(pair.after)
    return {task: mean(values) or 0.0 for task, values in grades.items()}


def baselines(rollouts: Sequence[Rollout], document: Document) -> set[tuple[str, int]]:
    """Return the tasks, with their samples, that were attempted under the document as it is."""
    drawn: set[tuple[str, int]] = set()
    for attempt in rollouts:
        if attempt.document_sha == document.sha and count_made((attempt,)):
            drawn.add((attempt.task, attempt.sample))
    return drawn


class Trials:
    """Runs the trials of one document's candidates, and collects their results."""

    def __init__(self, document: Document, val: Sequence[Task], crew: Crew, rule: GateRule, most: int) -> None:
        self._document = document
        self._val = val
        self._crew = crew
        self._rule = rule
        self._most = most
        self.tested: list[Judged] = []
        self.rollouts: list[Rollout] = []
        self.drawn: set[tuple[str, int]] = set()
        self._notes: list[Note] = []

    def note(self, problem: str, remedy: str = "") -> None:
        """Note what could not be tried, once."""
        note = Note(stage="search", summary=f"{self._document.id}: {problem}", remedy=remedy)
        if note not in self._notes:
            self._notes.append(note)

    def found(self, best: Judged) -> Search:
        """Return the search so far, with the candidate to report."""
        return Search(best, tuple(self.tested), tuple(self.rollouts), tuple(self._notes))

    def run(self, kind: CandidateKind, edits: Sequence[Edit], *, alpha: float, afresh: bool = False) -> Judged | None:
        """Test these edits with this share of the error rate; None if they can't be applied alone."""
        changed = candidate(self._document, edits, most=self._most)
        if changed is None or (kind in SHORTER and not self._is_shorter(changed)):
            return None
        first = 0
        if afresh:
            first = max(tested.trial.rounds for tested in self.tested)
        trial, verdict, made = run_trial(
            self._document,
            changed,
            self._val,
            attempts=CrewAttempts(self._crew),
            rule=replace(self._rule, alpha=alpha),
            first=first,
            lessons=[edit.lessons for edit in edits],
        )
        self.rollouts += made
        # What an earlier trial of tonight drew of the baseline already costs nothing more.
        drawn = baselines(made, self._document)
        trial = replace(trial, calls=trial.calls - len(drawn & self.drawn))
        self.drawn |= drawn
        tested = Judged(kind=kind, edits=tuple(edits), trial=trial, verdict=verdict)
        self.tested.append(tested)
        return tested

    def _is_shorter(self, changed: Document) -> bool:
        """Return whether the text is shorter than the whole; leaving out a removal makes it longer."""
        whole = candidate(self._document, self.tested[0].edits)
        return whole is not None and len(changed.body) < len(whole.body)

    def affordable(self, bundle: Judged) -> bool:
        """Return whether the night's limit leaves enough calls for one more trial of full length."""
        most = len(self._val) * self._rule.rounds * 2
        if self._crew.meter.left() >= most:
            return True
        what = "a shorter change wasn't"
        if bundle.verdict.decision is Decision.REJECT:
            what = "its halves weren't"
        self.note(f"{what} tried: that takes up to {most} calls", remedy="raise budget.calls")
        return False
