"""One step of a training, with its files: attempts, a draft by the engine, the gate, the appendix."""

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.learn import Draft, Lessons, Teaching, draft
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.records import (
    UNVERIFIED,
    Document,
    Fared,
    Fate,
    Note,
    Past,
    PastEdit,
    Patch,
    Rollout,
    effect_of,
)
from skillopt_sleep.trainer.attempts import Attempted, Job
from skillopt_sleep.trainer.env import Item
from skillopt_sleep.trainer.gate import gate
from skillopt_sleep.trainer.lapses import consolidated, new_notes, notes_of, with_notes, within
from skillopt_sleep.trainer.outage import MANY, check_scored
from skillopt_sleep.trainer.parts import Parts, State, scores
from skillopt_sleep.trainer.screen import screened
from skillopt_sleep.trainer.summary import TAKEN, Action, Gated, StepRecord
from skillopt_sleep.trainer.told import row

UNJUDGED = "it gained on train; val is asked later (evaluation.judge)"
_WITHOUT_MERGED = frozenset({Action.SKIP_NO_ANSWER, Action.SKIP_NO_PATCHES})


class Place(NamedTuple):
    """The position of a step: its number, the epoch, its number in the epoch, and how many the schedule is over."""

    step: int
    epoch: int
    in_epoch: int
    total: int

    @property
    def folder(self) -> str:
        """The folder of the step's files."""
        return f"steps/step_{self.step:04d}"


class Learned(NamedTuple):
    """The draft of a step; without a candidate to try, `nothing` says why."""

    draft: Draft
    nothing: Action | None

    @property
    def edit_budget(self) -> int | None:
        """How many edits could be applied; None if there was no budget."""
        budget = self.draft.lessons.budget
        if budget is None:
            return None
        return budget.edits

    @property
    def budget_reason(self) -> str:
        """Why the optimizer chose this budget, if it did."""
        budget = self.draft.lessons.budget
        if budget is None:
            return ""
        return budget.because


class Stepped(NamedTuple):
    """The state afterwards, the step's record, and what later steps of the epoch should know."""

    state: State
    record: StepRecord
    past: Past


def train_jobs(parts: Parts, document: Document, batches: Sequence[Sequence[Item]], epoch: int) -> tuple[Job, ...]:
    """Return the attempts of a step, batch by batch: an item is attempted afresh in every epoch."""
    samples = parts.config.train.samples
    first = samples * (epoch - 1) + 1
    jobs: tuple[Job, ...] = ()
    for batch in batches:
        for sample in range(first, first + samples):
            jobs += parts.jobs(document, batch, sample=sample, stage="train")
    return jobs


def run_step(parts: Parts, state: State, batches: Sequence[Sequence[Item]], *, place: Place, past: Past) -> Stepped:
    """Attempt the batches under the current skill, learn from them, and let the gate decide on the candidate."""
    document = state.current.document
    jobs = train_jobs(parts, document, batches, place.epoch)
    made = parts.attempts.make(jobs, label="rollout")
    parts.attempts.forget(jobs)
    rows = [row(job, attempted) for job, attempted in zip(jobs, made, strict=True)]
    parts.folder.write(f"{place.folder}/rollouts.json", rows)
    if len(made) >= MANY:
        check_scored(made, parts.folder, what="train items")
    train = scores(made, parts.tasks, parts.rule)
    learned = Learned(Draft(lessons=Lessons(), candidate=document), Action.SKIP_UNSCORED)
    if train.n:
        samples = parts.config.train.samples
        learned = _learned(parts, document, _in_batches(made, batches, samples), place=place, past=past)
    lessons, changed, fates = learned.draft.lessons, learned.draft.candidate, learned.draft.fates
    parts.folder.write(f"{place.folder}/patches.json", lessons.patches)
    parts.folder.write(f"{place.folder}/merged.json", lessons.merged)
    selected = {"edit_budget": learned.edit_budget, "edits": tuple(fate.edit for fate in fates)}
    parts.folder.write(f"{place.folder}/selected.json", selected)
    parts.folder.write(f"{place.folder}/edits.json", fates)
    after, gated, tried_edits = _decided(parts, state, learned, place=place)
    after, noted, notes = _with_appendix(parts, after, place)
    record = StepRecord(
        step=place.step,
        epoch=place.epoch,
        step_in_epoch=place.in_epoch,
        batches=len(batches),
        base=state.current.standing.version,
        calls=parts.calls(),
        train=train,
        patches=len(lessons.patches),
        merged=len(lessons.merged.edits),
        edit_budget=learned.edit_budget,
        because=learned.budget_reason,
        edits=fates,
        candidate=changed.sha if gated.rule else "",
        chars=len(after.current.document.text),
        gated=gated,
        appendix=noted,
        current=after.current.standing,
        best=after.best.standing,
        notes=_why_unscored(made) + learned.draft.notes + notes,
    )
    parts.folder.write(f"{place.folder}/step.json", record)
    fared = _fared(made, f"step {place.step}")
    return Stepped(after, record, replace(past, tried=(*tried_edits, *past.tried), fared=(*fared, *past.fared)))


def _in_batches(
    made: Sequence[Attempted], batches: Sequence[Sequence[Item]], samples: int
) -> list[tuple[Rollout, ...]]:
    """Return the attempts, so many of each item, cut as the batches of their items are."""
    tried: list[tuple[Rollout, ...]] = []
    start = 0
    for batch in batches:
        end = start + samples * len(batch)
        tried.append(tuple(attempted.rollout for attempted in made[start:end]))
        start = end
    return tried


def _learned(
    parts: Parts, document: Document, batches: Sequence[Sequence[Rollout]], *, place: Place, past: Past
) -> Learned:
    """Draft a candidate from the attempts of each batch, in an order that depends on the seed."""
    seed = parts.config.train.seed + place.step
    shuffled = [_shuffled(batch, seed + 1000 * number) for number, batch in enumerate(batches)]
    tasks = {rollout.task: parts.tasks[rollout.task] for rollout in chain.from_iterable(shuffled)}
    drafted = draft(
        Teaching(shuffled, tasks, partial(measure, rule=parts.rule)),
        optimizer=parts.optimizer.about(document).knowing(past),
        rules=parts.rules(document),
        limit=parts.limit(place.step, place.total),
        refuse=parts.refusal(document),
        timed=parts.spent.timed,
    )
    nothing = _nothing(drafted)
    if nothing in _WITHOUT_MERGED:
        drafted = replace(drafted, lessons=replace(drafted.lessons, merged=Patch(), budget=None))
    if nothing is None:
        drafted = screened(parts, document, drafted)
    return Learned(drafted, nothing)


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
    lessons = drafted.lessons
    unanswered = bool(lessons.notes) and not lessons.patches
    without_edits = lessons.budget is not None and not lessons.merged.edits
    if unanswered and (without_edits or not drafted.fates):
        return Action.SKIP_NO_ANSWER
    if without_edits:
        return Action.SKIP_NO_PATCHES
    if lessons.budget is not None and lessons.budget.edits == 0:
        return Action.SKIP_NO_BUDGET
    if not drafted.fates:
        return Action.SKIP_NO_REWRITE
    return None


def _decided(
    parts: Parts, state: State, learned: Learned, *, place: Place
) -> tuple[State, Gated, tuple[PastEdit, ...]]:
    """Let the gate decide; without a candidate the state stays as it is."""
    if learned.nothing is not None:
        return state, Gated(action=learned.nothing), ()
    changed, fates = learned.draft.candidate, learned.draft.fates
    if changed.text == state.current.document.text:
        reasons = dict.fromkeys(f"{fate.fate}: {fate.because}" for fate in fates)
        action = Action.SKIP_NO_CHANGE
        if any(fate.fate is Fate.LEFT_OUT for fate in fates):
            action = Action.SKIP_NO_GAIN
        return state, Gated(action=action, reason="; ".join(reasons)), ()
    parts.folder.write(f"{place.folder}/candidate.md", changed.text)
    if parts.config.judged != "step":
        after = state.moved(changed, step=place.step, origin="step", val=None)
        parts.keep(changed, after.versions)
        return after, Gated(action=Action.UNJUDGED, reason=UNJUDGED, error_rate=UNVERIFIED), ()
    epochs = parts.config.horizon - place.epoch + 1
    left = parts.config.trials_left(epochs=epochs, steps=place.total - place.step + 1)
    after, gated, trial = gate(parts, state, changed, step=place.step, origin="step", left=left)
    parts.folder.write(f"{place.folder}/trial.json", trial)
    if gated.action in TAKEN:
        parts.keep(changed, after.versions)
    effect = effect_of(trial.interval, min_effect=parts.rule.min_effect)
    gain = None
    if trial.before is not None and trial.after is not None:
        gain = trial.after - trial.before
    tried: list[PastEdit] = []
    for fate in fates:
        if fate.fate is Fate.APPLIED:
            past_edit = PastEdit(night=f"step {place.step}", edit=fate.edit, effect=effect, n=trial.n, gain=gain)
            tried.append(past_edit)
    return after, gated, tuple(tried)


def _with_appendix(parts: Parts, state: State, place: Place) -> tuple[State, tuple[str, ...], tuple[Note, ...]]:
    """Put this step's notes on lapses into the current skill's appendix; the skill is then unmeasured."""
    if parts.lapses is None:
        return state, (), ()
    current = state.current.document
    urls = parts.config.optimizer.allow_urls
    fresh = new_notes(current, parts.lapses.taken(), allow_urls=urls)
    if not fresh:
        return state, (), ()
    changed = with_notes(current, (*notes_of(current), *fresh))
    notes: tuple[Note, ...] = ()
    most = parts.config.gradient.consolidate_after
    if most and len(notes_of(changed)) > most:
        shorter = consolidated(changed, optimizer=parts.optimizer, allow_urls=urls)
        if isinstance(shorter, Note):
            notes = (shorter,)
        else:
            changed = shorter
    changed, left_out = within(changed, current, most=parts.config.optimizer.max_chars)
    notes += left_out
    if changed.text == current.text:
        return state, (), notes
    fresh = tuple(note for note in notes_of(changed) if note not in notes_of(current))
    after = state.moved(changed, step=place.step, origin="appendix", val=None)
    parts.keep(changed, after.versions)
    return after, fresh, notes


def _fared(made: Sequence[Attempted], step: str) -> tuple[Fared, ...]:
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


def _why_unscored(made: Sequence[Attempted]) -> tuple[Note, ...]:
    reasons = Counter(attempted.rollout.note for attempted in made if attempted.rollout.score is None)
    notes: list[Note] = []
    for reason, count in reasons.most_common():
        summary = f"{count} of {len(made)} not scored: {reason}"
        notes.append(Note(stage="rollout", summary=summary))
    return tuple(notes)
