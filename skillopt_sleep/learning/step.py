"""Settle what a step tried on one document: guard what won, try it a second time, and let the rest wait."""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, CallPending
from skillopt_sleep.kit.words import counted
from skillopt_sleep.learning.attempts import OptionalAttempts, OptionalPool, not_scored
from skillopt_sleep.learning.begin import DocumentStep, evidence_of, postponed
from skillopt_sleep.learning.confirm import FRESH, TEST, ask_once, passes_padded
from skillopt_sleep.learning.gate import of_tonight
from skillopt_sleep.learning.guard import Guarded, guard
from skillopt_sleep.learning.rule import TriedRule, effect, waiting
from skillopt_sleep.learning.trial import has_changed, pooled
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Early,
    EditEffect,
    Judged,
    Note,
    Outcome,
    Retested,
    StepOutcome,
    Task,
    Trial,
    Verdict,
    WaitingCandidate,
    in_words,
    lessons_of,
    tasks_of,
)

MOST_WAITING = 12  # rules of a document: each costs every night that brings it a task
LONGER = "its answers are longer, and the judge takes wrong answers for right when they are as long"


def settle(step: DocumentStep, outcome: StepOutcome, tried: Sequence[TriedRule]) -> StepOutcome:
    """Return the outcome with these rules: those that won and did no harm are proposed, every other one waits.

    A removal that won beside something new waits for another night.
    """
    if any(one.begun for one in tried):
        step.log("trials", [one.tested for one in tried if one.begun])
    for one in tried:
        outcome = outcome.noted(*one.notes, *not_scored(one.rollouts))
        is_void = one.tested.verdict.decision is Decision.ABSTAIN
        if is_void and any(attempt.failed for attempt in one.rollouts):
            outcome = replace(outcome, sessions=replace(outcome.sessions, unfinished=True))
    made = [attempt for one in tried for attempt in one.rollouts]
    if made:
        text_only = all(attempt.trajectory.text_only for attempt in made)
        outcome = replace(outcome, tasks=replace(outcome.tasks, text_only=text_only))
    tried = [_unless_longer(one, step) for one in tried]
    won = [one.tested for one in tried if one.won]
    winners = [one for one in won if one.kind is not CandidateKind.REMOVAL] or won
    try:
        guarded = guard(
            step.document,
            winners,
            step.begun.others,
            attempts=OptionalAttempts(step.crew),
            rule=step.plan.gate,
            failing=step.failing,
        )
    except CallPending:
        _asked_again(outcome, winners, step)  # whoever answers by hand is asked both at once
        raise
    if guarded.rollouts:
        step.log("rollouts", guarded.rollouts)
    tested = [_guarded(one, guarded) for one in tried]
    proven = [one for one in tested if one.tested.verdict.decision is Decision.ACCEPT]
    proven = [one for one in proven if one.rule.kind is not CandidateKind.REMOVAL] or proven
    accepted = [one.tested for one in proven]
    before = outcome.tried
    outcome = replace(
        outcome,
        guard=guarded.guard if winners else outcome.guard,
        tried=replace(
            before,
            tested=(*before.tested, *(one.tested for one in tested if one.begun)),
            effects=(*before.effects, *_effects(step, tested, guarded)),
            early=(*before.early, *_early(step, tested)),
        ),
    )
    outcome = _capped(outcome, [*before.undecided, *_waiting(step, tested, accepted, guarded)])
    outcome = _retested(outcome, tested)
    if proven:
        return _accepted(outcome, proven, step)
    return _undecided(outcome, [one for one in tested if one.begun and one.rule.kind is not CandidateKind.REMOVAL])


def _unless_longer(tried: TriedRule, step: DocumentStep) -> TriedRule:
    """Return the rule, undecided if its answers are longer and the judge passes wrong ones that are as long."""
    if not tried.won:
        return tried
    because = LONGER
    pool = OptionalPool(step.crew.pool)
    try:
        if not passes_padded(tried.rule.val, tried.rollouts, judge=step.crew.judge, pool=pool):
            return tried
    except (BudgetExhausted, BackendUnavailable) as error:
        because = f"{error.message} before the judge was asked about answers as long as its own"
    verdict = tried.tested.verdict
    because = f"{verdict.reason}, but {because}"
    verdict = replace(verdict, decision=Decision.UNDECIDED, reason=because, early=False)
    return tried._replace(tested=replace(tried.tested, verdict=verdict))


def _guarded(tried: TriedRule, guarded: Guarded) -> TriedRule:
    """Return the rule with what the guard makes of it."""
    tested = tried.tested
    if not tried.won:
        return tried
    harms = next((harms for one, harms in guarded.harmful if one is tested), ())
    verdict = tested.verdict
    if tried.rule.has_won and has_changed(tested.trial, guarded.rollouts):
        because = f"its trial begins anew: other models than {', '.join(tested.trial.models)} answer tonight"
        verdict = replace(verdict, decision=Decision.ABSTAIN, reason=because)
    elif harms:
        named = "; ".join(f"«{harm.wording}» ({harm.before:.2f} → {harm.after:.2f}, n={harm.n})" for harm in harms)
        which = "another lesson" if len(harms) == 1 else f"{len(harms)} other lessons"
        if any(harm.together for harm in harms):
            which = "other lessons taken together"
        verdict = replace(
            verdict,
            decision=Decision.REJECT,
            reason=f"{verdict.reason}, but it made {which} worse: {named}",
            early=False,
            harmed=harms,
        )
    elif guarded.end is not None or guarded.left_open:
        problem = f"an outage kept {counted(len(guarded.left_open), 'other lesson')} from being tried"
        if guarded.end is not None:
            problem = f"{guarded.end.message} before other lessons were asked"
        because = f"{verdict.reason}, but {problem}, so nobody knows its harm"
        verdict = replace(verdict, decision=Decision.UNDECIDED, reason=because, early=False)
    return tried._replace(tested=replace(tested, verdict=verdict))


def _waiting(
    step: DocumentStep, tested: Sequence[TriedRule], accepted: Sequence[Judged], guarded: Guarded
) -> list[WaitingCandidate]:
    """Return every rule that isn't proposed as later nights go on with it; one that won waits for its guard alone.

    Of guidance and removals that were rejected another one is tried.
    """
    is_cut = guarded.end is not None or bool(guarded.left_open)
    proven = [one for one in guarded.kept if one.verdict.decision is Decision.ACCEPT]
    waits: list[WaitingCandidate] = []
    for one in tested:
        kept, kind = one.tested, one.rule.kind
        is_over = kept.verdict.decision is Decision.REJECT and kind is not CandidateKind.RULE
        if kind is CandidateKind.PATCH:
            is_over = step.plan.gate.name != "sequential"
        if kept in accepted or is_over:
            continue
        if is_cut and any(other.edits == kept.edits for other in proven):
            kept = replace(kept, verdict=replace(kept.verdict, decision=Decision.ACCEPT))
        night = one.rule.wait.night if one.rule.wait else step.night
        waits.append(waiting(step.document, kept, night=night, crew=step.crew))
    return waits


def _capped(outcome: StepOutcome, waits: Sequence[WaitingCandidate]) -> StepOutcome:
    """Return the outcome with the rules that wait; of too many the rejected ones go first, then the oldest."""
    order = sorted(waits, key=lambda wait: wait.tested.verdict.decision is not Decision.REJECT)
    left_out = order[: max(0, len(order) - MOST_WAITING)]
    notes: list[Note] = []
    for wait in left_out:
        summary = f"{outcome.document.id}: the change of {wait.night} was dropped for newer ones"
        notes.append(Note(stage="trial", summary=summary))
    kept = tuple(wait for wait in waits if wait not in left_out)
    return replace(outcome, tried=replace(outcome.tried, undecided=kept)).noted(*notes)


def _effects(step: DocumentStep, tested: Sequence[TriedRule], guarded: Guarded) -> list[EditEffect]:
    """Return the effect of each rule that was tried."""
    effects: list[EditEffect] = []
    for one in tested:
        if one.tested.trial.rounds and one.tested.edits:
            harms = next((harms for other, harms in guarded.harmful if other.edits == one.tested.edits), ())
            shown = effect(one.tested, rule=step.plan.gate)
            effects.append(replace(shown, night=step.night, harmed=len(harms)))
    return effects


def _early(step: DocumentStep, tested: Sequence[TriedRule]) -> list[Early]:
    """Return the rules that are proven on the one session that tests them, ready to be proposed."""
    early: list[Early] = []
    for one in tested:
        changed = candidate(step.document, one.tested.edits)
        if one.begun and one.tested.verdict.early and changed is not None:
            names = tasks_of(one.tested.edits)
            evidence, deeds = evidence_of([task for task in step.begun.known if task.id in names])
            early.append(Early(candidate=changed, tested=one.tested, evidence=evidence, deeds=deeds))
    return early


def _retested(outcome: StepOutcome, tested: Sequence[TriedRule]) -> StepOutcome:
    """Return the outcome with what was found of the person's own wordings; one that wasn't decided waits."""
    retested: list[Retested] = []
    for one in tested:
        if not one.rule.proposal:
            continue
        found = next((each for each in outcome.tried.effects if each.edit in one.tested.edits), None)
        if found is None or one.tested.verdict.decision is Decision.ABSTAIN:
            outcome = outcome.noted(postponed(one.rule.proposal, "its trial decided nothing tonight"))
            continue
        said = in_words(found.effect, n=found.n, gain=found.gain)
        said = f"your wording {one.rule.proposal} was tested again: {said}"
        retested.append(
            Retested(proposal=one.rule.proposal, said=f"{said}; {found.because}" if found.because else said)
        )
    return replace(outcome, tried=replace(outcome.tried, retested=(*outcome.tried.retested, *retested)))


def _accepted(outcome: StepOutcome, proven: Sequence[TriedRule], step: DocumentStep) -> StepOutcome:
    """Return the outcome of a step with proven rules, with a fresh round and the requests that were kept back."""
    accepted = [one.tested for one in proven]
    edits = [edit for one in accepted for edit in one.edits]
    trial = pooled([one.trial for one in accepted])
    verdict = accepted[0].verdict
    if step.plan.gate.name == "sequential" and not trial.margin:
        verdict = replace(verdict, error_rate=of_tonight(trial, step.plan.gate.alpha))
    names = tasks_of(edits)
    evidence, deeds = evidence_of([task for task in step.begun.known if task.id in names])
    tried = outcome.tried
    if evidence or deeds:
        tried = replace(tried, evidence=evidence, deeds=deeds)
    outcome = replace(
        outcome,
        candidate=candidate(outcome.document, edits),
        trial=trial,
        verdict=verdict,
        tried=tried,
        outcome=Outcome.IMPROVED if trial.pairs else Outcome.UNVERIFIED,
        because="; ".join(dict.fromkeys(_reason(one) for one in proven)),
    )
    return _asked_again(outcome, accepted, step)


def _asked_again(outcome: StepOutcome, accepted: Sequence[Judged], step: DocumentStep) -> StepOutcome:
    """Try a second time what was proven, and on the tasks kept back; raise CallPending while an answer is missing."""
    edits = [edit for one in accepted for edit in one.edits]
    lessons = lessons_of(edits)
    changed = candidate(outcome.document, edits)
    if changed is None or not edits:
        return outcome
    pending: CallPending | None = None
    tried = {pair.task for one in accepted for pair in one.trial.own}
    val = [task for task in step.begun.val if task.id in tried]
    for sample, tasks in ((FRESH, val), (TEST, step.begun.test)):
        own: list[Task] = [task for task in tasks if not lessons or task.lesson in lessons]
        try:
            asked = ask_once(outcome.document, changed, own, crew=step.crew, rule=step.plan.gate, sample=sample)
        except CallPending as error:
            pending = error
            continue
        fresh = asked.round
        outcome = outcome.noted(*asked.notes, *not_scored(asked.rollouts))
        if sample == FRESH:
            outcome = replace(outcome, fresh=fresh)
        elif fresh.n:
            outcome = replace(outcome, kept_back=fresh)
    if pending is not None:
        raise pending
    return outcome


def _reason(tried: TriedRule) -> str:
    """Return the reason of a rule's verdict, with the night since which it has been tried."""
    reason = tried.tested.verdict.reason
    return reason if tried.rule.wait is None else f"{reason}; tried since the night of {tried.rule.wait.night}"


_ENDS = {
    Decision.UNDECIDED: Outcome.UNDECIDED,
    Decision.REJECT: Outcome.NO_CHANGE,
    Decision.ABSTAIN: Outcome.UNVERIFIED,
}


def _undecided(outcome: StepOutcome, tested: Sequence[TriedRule]) -> StepOutcome:
    """Return the outcome of a step without a proven rule: it is told by the one that came nearest."""
    tested = [one for one in tested if one.tested.verdict.decision in _ENDS]
    if not tested or outcome.verdict.decision is Decision.ACCEPT:
        return outcome
    nearest = min(tested, key=lambda one: _distance(one.tested.verdict, one.tested.trial))
    verdict = nearest.tested.verdict
    if outcome.trial.rounds and _distance(outcome.verdict, outcome.trial) <= _distance(verdict, nearest.tested.trial):
        return outcome
    end = _ENDS[verdict.decision]
    if end is Outcome.NO_CHANGE and nearest.tested.trial.before == nearest.tested.trial.after == 1:
        end = Outcome.NO_HEADROOM
    return replace(
        outcome,
        candidate=candidate(outcome.document, nearest.tested.edits),
        trial=nearest.tested.trial,
        verdict=verdict,
        outcome=end,
        because=_reason(nearest),
    )


def _distance(verdict: Verdict, trial: Trial) -> tuple[bool, int, float]:
    """Sort what waits: early candidates first, then undecided ones, then by the evidence."""
    return (not verdict.early, list(_ENDS).index(verdict.decision), -(trial.evidence or 0.0))
