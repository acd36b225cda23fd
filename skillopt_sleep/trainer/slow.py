"""End an epoch: compare its skill with the one before on train, and write guidance and the optimizer's notes."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.slow_update import compare, meta_skill, slow_update
from skillopt_sleep.learning.update import update
from skillopt_sleep.records import UNVERIFIED, Compared, Document, Earlier, Edit, Note, Past, Split
from skillopt_sleep.trainer.parts import Parts, State
from skillopt_sleep.trainer.summary import Action, EpochRecord, Gated

SLOW_SAMPLE = 1_000_000  # and the epoch: other attempts than those that were learned from
SLOW_ITEMS = 20

Question = Callable[[], Edit | str | Note | None]


class LookedBack(NamedTuple):
    """The state afterwards, the epoch's record, and the optimizer's own notes as they are now."""

    state: State
    record: EpochRecord
    notebook: str


def look_back(parts: Parts, state: State, previous: Document, *, epoch: int, step: int, past: Past) -> LookedBack:
    """Compare this epoch's skill with the one before on train, and write guidance and notes from what changed.

    Notes are for later epochs, so none are asked for after the last one.
    """
    current = state.current.document
    compared = _compared(parts, previous, current, epoch)
    folder = f"epochs/epoch_{epoch:02d}"
    parts.folder.write(f"{folder}/compared.json", compared)
    tasks = {one.task: parts.tasks[one.task] for one in compared}
    optimizer = parts.optimizer.about(current).knowing(past)

    snapshot = Earlier(night=f"epoch {epoch - 1}", body=previous.body, nights=1)
    questions: list[Question] = []
    if compared:
        questions.append(partial(slow_update, compared, tasks, snapshot, optimizer=optimizer))
    if compared and epoch < parts.config.epochs:
        questions.append(partial(meta_skill, compared, tasks, optimizer=optimizer))
    guidance: Edit | None = None
    notebook = past.notes
    failed: list[Note] = []
    for answer in optimizer.pool.together(_call, questions):
        if isinstance(answer, Edit):
            guidance = answer
        elif isinstance(answer, str):
            notebook = answer
        elif answer is not None:
            failed.append(answer)
    parts.folder.write_replies(folder, parts.counting.take_replies())
    record = EpochRecord(
        epoch=epoch,
        calls=parts.calls(),
        compared=dict(Counter(one.change.value for one in compared)),
        current=state.current.version,
        best=state.best.version,
        notebook=notebook,
        notes=tuple(failed),
    )
    if guidance is not None:
        state, record = _guided(parts, state, guidance, record, step=step, folder=folder)
    parts.folder.write(f"{folder}/epoch.json", record)
    return LookedBack(state, record, notebook)


def _guided(
    parts: Parts, state: State, edit: Edit, record: EpochRecord, *, step: int, folder: str
) -> tuple[State, EpochRecord]:
    """Put the guidance into the protected block, unmeasured, which the record states."""
    changed, fates = update(
        state.current.document,
        [edit],
        refuse=parts.refusal(state.current.document),
        most=parts.most(state.current.document),
    )
    record = replace(record, edits=fates)
    if changed.text == state.current.document.text:
        return state, record
    parts.folder.write(f"{folder}/candidate.md", changed.text)
    state = state.moved(changed, step=step, origin="slow_update", val=None)
    reason = "put in without a trial; what it scores on val isn't known yet"
    gated = Gated(action=Action.FORCE_ACCEPT, reason=reason, error_rate=UNVERIFIED)
    parts.keep(changed, state.versions)
    return state, replace(record, gated=gated, current=state.current.version, best=state.best.version)


def _compared(parts: Parts, previous: Document, current: Document, epoch: int) -> tuple[Compared, ...]:
    """Attempt some train items under both skills, and compare."""
    items = list(parts.items[Split.TRAIN])
    random.Random(parts.config.train.seed + 2000 * epoch).shuffle(items)  # noqa: S311 - a draw, not a secret
    some = items[:SLOW_ITEMS]
    sample = SLOW_SAMPLE + epoch
    before = parts.jobs(previous, some, sample=sample, stage="slow")
    jobs = (*before, *parts.jobs(current, some, sample=sample, stage="slow"))
    made = [attempted.rollout for attempted in parts.attempts.make(jobs, label="slow rollout")]
    parts.attempts.forget(jobs)
    return compare(made[: len(some)], made[len(some) :])


def _call(question: Question) -> Edit | str | Note | None:
    return question()
