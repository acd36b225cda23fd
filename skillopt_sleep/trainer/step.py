"""One step of a training, with its files: attempts, a draft by the engine, the gate."""

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.learn import Draft, Teaching, draft
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.records import (
    UNVERIFIED,
    Document,
    EditEffect,
    EditFate,
    Fared,
    Note,
    Past,
    Patch,
    Rollout,
    effect_of,
)
from skillopt_sleep.trainer.attempts import FinishedAttempt, Job
from skillopt_sleep.trainer.calls import MANY, check_scored
from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.gate import gate, screened
from skillopt_sleep.trainer.parts import Parts, State, scores
from skillopt_sleep.trainer.run import attempt_row
from skillopt_sleep.trainer.summary import TAKEN, Action, Gated, StepRecord

UNJUDGED = "it gained on train; val is asked at the end"
_WITHOUT_MERGED = frozenset({Action.SKIP_NO_ANSWER, Action.SKIP_NO_PATCHES})


class StepPosition(NamedTuple):
    """The position of a step: its number, the epoch, and how many the schedule is over."""

    step: int
    epoch: int
    total: int

    @property
    def folder(self) -> str:
        """The folder of the step's files."""
        return f"steps/step_{self.step:04d}"


class Stepped(NamedTuple):
    """The state afterwards, the step's record, and what later steps of the epoch should know."""

    state: State
    record: StepRecord
    past: Past


def train_jobs(parts: Parts, document: Document, batches: Sequence[Sequence[Item]], epoch: int) -> tuple[Job, ...]:
    """Return the attempts of a step, batch by batch: an item is attempted afresh in every epoch."""
    jobs: tuple[Job, ...] = ()
    for batch in batches:
        jobs += parts.jobs(document, batch, sample=epoch, stage="train")
    return jobs


def run_step(
    parts: Parts, state: State, batches: Sequence[Sequence[Item]], *, place: StepPosition, past: Past
) -> Stepped:
    """Attempt the batches under the current skill, learn from them, and let the gate decide on the candidate."""
    document = state.current.document
    jobs = train_jobs(parts, document, batches, place.epoch)
    made = parts.attempts.make(jobs, label="rollout")
    parts.attempts.forget(jobs)
    rows = [attempt_row(job, attempted) for job, attempted in zip(jobs, made, strict=True)]
    parts.folder.write(f"{place.folder}/rollouts.json", rows)
    if len(made) >= MANY:
        check_scored(made, parts.folder, what="train items")
    train = scores(made, parts.tasks, parts.rule)
    drafted, nothing = Draft(candidate=document), Action.SKIP_UNSCORED
    if train.n:
        try:
            drafted, nothing = _drafted(parts, document, _in_batches(made, batches), place=place, past=past)
        finally:
            parts.folder.write_replies(place.folder, parts.counting.take_replies())
    fates, budget = drafted.fates, drafted.budget
    parts.folder.write(f"{place.folder}/patches.json", drafted.patches)
    parts.folder.write(f"{place.folder}/merged.json", drafted.merged)
    edit_budget = budget.edits if budget else None
    selected = {"edit_budget": edit_budget, "edits": tuple(fate.edit for fate in fates)}
    parts.folder.write(f"{place.folder}/selected.json", selected)
    parts.folder.write(f"{place.folder}/edits.json", fates)
    after, gated, tried_edits = _decided(parts, state, drafted, nothing, place=place)
    record = StepRecord(
        step=place.step,
        epoch=place.epoch,
        calls=parts.calls(),
        train=train,
        merged=len(drafted.merged.edits),
        edit_budget=edit_budget,
        because=budget.because if budget else "",
        edits=fates,
        chars=len(after.current.document.text),
        gated=gated,
        current=after.current.version,
        best=after.best.version,
        notes=_why_unscored(made) + drafted.notes,
    )
    parts.folder.write(f"{place.folder}/step.json", record)
    fared = _fared(made, f"step {place.step}")
    return Stepped(after, record, replace(past, tried=(*tried_edits, *past.tried), fared=(*fared, *past.fared)))


def _in_batches(made: Sequence[FinishedAttempt], batches: Sequence[Sequence[Item]]) -> list[tuple[Rollout, ...]]:
    """Return the attempts, cut as the batches of their items are."""
    tried: list[tuple[Rollout, ...]] = []
    start = 0
    for batch in batches:
        end = start + len(batch)
        tried.append(tuple(attempted.rollout for attempted in made[start:end]))
        start = end
    return tried


def _drafted(
    parts: Parts, document: Document, batches: Sequence[Sequence[Rollout]], *, place: StepPosition, past: Past
) -> tuple[Draft, Action | None]:
    """Draft a candidate from the attempts of each batch, in an order by the seed, or say why there is none."""
    seed = parts.config.train.seed + place.step
    shuffled = [_shuffled(batch, seed + 1000 * number) for number, batch in enumerate(batches)]
    tasks = {rollout.task: parts.tasks[rollout.task] for rollout in chain.from_iterable(shuffled)}
    drafted = draft(
        Teaching(shuffled, tasks, partial(measure, rule=parts.rule)),
        optimizer=parts.optimizer.about(document).knowing(past),
        rules=parts.rules(document),
        limit=parts.limit(place.step, place.total),
        refuse=parts.refusal(document),
    )
    nothing = _nothing(drafted)
    if nothing in _WITHOUT_MERGED:
        drafted = replace(drafted, merged=Patch(), budget=None)
    if nothing is None:
        drafted = screened(parts, document, drafted)
    return drafted, nothing


def _shuffled(batch: Sequence[Rollout], seed: int) -> tuple[Rollout, ...]:
    """Return the scored attempts, failures first, each kind shuffled by the seed (SkillOpt's minibatches)."""
    failed: list[Rollout] = []
    done: list[Rollout] = []
    for rollout in batch:
        if rollout.score is None:
            continue
        if rollout.score.hard < 1:
            failed.append(rollout)
        else:
            done.append(rollout)
    random.Random(seed).shuffle(failed)  # noqa: S311 - an order, not a secret
    random.Random(seed + 1).shuffle(done)  # noqa: S311 - an order, not a secret
    return (*failed, *done)


def _nothing(drafted: Draft) -> Action | None:
    """Return why the step has no candidate to try, or None if there are edits."""
    unanswered = bool(drafted.notes) and not drafted.patches
    without_edits = drafted.budget is not None and not drafted.merged.edits
    if unanswered and (without_edits or not drafted.fates):
        return Action.SKIP_NO_ANSWER
    if without_edits:
        return Action.SKIP_NO_PATCHES
    if drafted.budget is not None and drafted.budget.edits == 0:
        return Action.SKIP_NO_BUDGET
    if not drafted.fates:
        return Action.SKIP_NO_REWRITE
    return None


def _decided(
    parts: Parts, state: State, drafted: Draft, nothing: Action | None, *, place: StepPosition
) -> tuple[State, Gated, tuple[EditEffect, ...]]:
    """Let the gate decide; without a candidate the state stays as it is."""
    if nothing is not None:
        return state, Gated(action=nothing), ()
    changed, fates = drafted.candidate, drafted.fates
    if changed.text == state.current.document.text:
        reasons = dict.fromkeys(f"{fate.fate}: {fate.because}" for fate in fates)
        action = Action.SKIP_NO_CHANGE
        if any(fate.fate is EditFate.LEFT_OUT for fate in fates):
            action = Action.SKIP_NO_GAIN
        return state, Gated(action=action, reason="; ".join(reasons)), ()
    parts.folder.write(f"{place.folder}/candidate.md", changed.text)
    if parts.config.of_preset.at_end:
        after = state.moved(changed, step=place.step, origin="step", val=None)
        parts.keep(changed, after.versions)
        return after, Gated(action=Action.UNJUDGED, reason=UNJUDGED, error_rate=UNVERIFIED), ()
    after, gated, trial = gate(parts, state, changed, step=place.step, origin="step")
    parts.folder.write(f"{place.folder}/trial.json", trial)
    if gated.action in TAKEN:
        parts.keep(changed, after.versions)
    effect = effect_of(trial.interval, min_effect=parts.rule.min_effect)
    tried: list[EditEffect] = []
    for fate in fates:
        if fate.fate is EditFate.APPLIED:
            known = EditEffect(
                night=f"step {place.step}",
                edit=fate.edit,
                effect=effect,
                n=trial.n,
                before=trial.before,
                after=trial.after,
            )
            tried.append(known)
    return after, gated, tuple(tried)


def _fared(made: Sequence[FinishedAttempt], step: str) -> tuple[Fared, ...]:
    """Sum up how the attempts went; failures are counted by the part of their reason before the first colon."""
    scored = 0
    failed: list[str] = []
    for attempted in made:
        score = attempted.rollout.score
        if score is None:
            continue
        scored += 1
        if score.hard < 1:
            failed.append(score.why.partition(":")[0].strip() or "nobody said why")
    if not scored:
        return ()
    reasons = tuple(Counter(failed).most_common())
    return (Fared(night=step, made=scored, failed=len(failed), reasons=reasons),)


def _why_unscored(made: Sequence[FinishedAttempt]) -> tuple[Note, ...]:
    reasons = Counter(attempted.rollout.note for attempted in made if attempted.rollout.score is None)
    notes: list[Note] = []
    for reason, count in reasons.most_common():
        summary = f"{count} of {len(made)} not scored: {reason}"
        notes.append(Note(stage="rollout", summary=summary))
    return tuple(notes)
