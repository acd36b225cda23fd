"""List every edit of a training with its fate: applied or dropped, and why."""

from collections.abc import Iterator
from pathlib import Path

from skillopt_sleep.records import Edit, EditOp, Fate, Patch, Record
from skillopt_sleep.trainer.plot.curves import in_order, name_of
from skillopt_sleep.trainer.run import read_kept
from skillopt_sleep.trainer.summary import ACTIONS, SKIPPED, TAKEN, Action, EpochRecord, History, StepRecord

_OPS = {
    EditOp.APPEND: "add",
    EditOp.INSERT_AFTER: "insert",
    EditOp.REPLACE: "replace",
    EditOp.DELETE: "delete",
}
_FATES = {
    Fate.APPLIED: "applied",
    Fate.UNMATCHED: "dropped",
    Fate.DUPLICATE: "dropped",
    Fate.REFUSED: "refused",
    Fate.LEFT_OUT: "dropped",
}


class EditRow(Record, frozen=True, kw_only=True):
    """An edit: when it was proposed, what it changes, its fate and why, and what the gate said of the candidate.

    `kept` says whether it came into a skill that was accepted.
    """

    what: str
    op: str
    content: str
    target: str
    fate: str
    why: str
    candidate: str
    kept: bool


def edit_rows(history: History, folder: Path, *, patches: bool) -> tuple[EditRow, ...]:
    """Return every edit in the order of the training.

    With `patches` the edits are applied as they are, so those that the selection dropped are listed too.
    """
    rows: list[EditRow] = []
    for record in in_order(history):
        rows += _tried(record)
        if patches and isinstance(record, StepRecord):
            rows += _unselected(record, folder)
    return tuple(rows)


def decision(action: Action) -> str:
    """Return an action in words, as said of one step or candidate."""
    words = ACTIONS[action]
    if action in SKIPPED:
        return f"a step {words}"
    if action is Action.ABSTAIN:
        return f"a candidate {words}"
    return words


def _tried(record: StepRecord | EpochRecord) -> Iterator[EditRow]:
    gated = record.gated
    for one in record.edits:
        is_applied = one.fate is Fate.APPLIED
        kept = is_applied and gated is not None and gated.action in TAKEN
        candidate = ""
        if is_applied and gated is not None:
            candidate = decision(gated.action)
        yield _row(record, one.edit, fate=_FATES[one.fate], why=one.because, candidate=candidate, kept=kept)


def _unselected(record: StepRecord, folder: Path) -> Iterator[EditRow]:
    """Yield the edits of a step that were over its budget."""
    merged = read_kept(folder / "steps" / f"step_{record.step:04d}" / "merged.json", Patch) or Patch()
    selected = {(one.edit.op, one.edit.key, one.edit.target) for one in record.edits}
    for edit in merged.edits:
        if (edit.op, edit.key, edit.target) not in selected:
            why = f"not selected: {record.merged} edits were proposed, and the budget was {record.edit_budget}"
            yield _row(record, edit, fate="dropped", why=why)


def _row(
    record: StepRecord | EpochRecord, edit: Edit, *, fate: str, why: str, candidate: str = "", kept: bool = False
) -> EditRow:
    return EditRow(
        what=name_of(record),
        op=_OPS[edit.op],
        content=edit.content,
        target=edit.target,
        fate=fate,
        why=why,
        candidate=candidate,
        kept=kept,
    )
