"""Merge patches into one, as a tree: lessons from failures first, then those from successes."""

from collections.abc import Sequence

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.kit.likeness import nearest
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.learning.asking import Optimizer, Question, WrittenEdit
from skillopt_sleep.records import Edit, EditSource, Note, Patch, Purpose, tasks_of

SAME_EDIT = 95.0


class MergedEdit(WrittenEdit, frozen=True):
    """An edit as the optimizer merges it, with the numbers of the proposals that asked for it."""

    proposals: tuple[int, ...] = ()


class AggregateReply(msgspec.Struct, frozen=True):
    """What the optimizer answers."""

    edits: tuple[MergedEdit, ...]


class Aggregate(msgspec.Struct, frozen=True, kw_only=True):
    """The merged patch, and the calls that failed."""

    patch: Patch = Patch()
    notes: tuple[Note, ...] = ()


def aggregate(patches: Sequence[Patch], *, optimizer: Optimizer, merge_batch: int) -> Aggregate:
    """Merge the patches from failures and those from successes, `merge_batch` at a time as a tree, then the two.

    Failures go first (SkillOpt). Near-equal edits become one without a call, and a single patch needs no call. If a
    merge fails, its patches are joined in their order, which is noted.
    """
    failures: list[Patch] = []
    successes: list[Patch] = []
    for patch in patches:
        if patch.edits:
            if patch.source is EditSource.FAILURE:
                failures.append(patch)
            else:
                successes.append(patch)
    tree = _Tree(optimizer, merge_batch)
    merged = [patch for patch in tree.roots((failures, successes)) if patch.edits]
    (root,) = tree.roots([merged]) or [Patch()]
    return Aggregate(patch=root, notes=tuple(tree.notes))


class _Tree:
    """Merges levels of patches until one is left of each."""

    def __init__(self, optimizer: Optimizer, merge_batch: int) -> None:
        self._optimizer, self._merge_batch = optimizer, merge_batch
        self.notes: list[Note] = []

    def roots(self, levels: Sequence[Sequence[Patch]]) -> list[Patch]:
        """Merge each level until one patch is left of it; the merges of a round run side by side."""
        while any(len(level) > 1 for level in levels):
            levels = self._round(levels)
        return [_without_doubles(level[0]) for level in levels if level]

    def _round(self, levels: Sequence[Sequence[Patch]]) -> list[list[Patch]]:
        groups: list[tuple[int, Sequence[Patch]]] = []
        for place, level in enumerate(levels):
            for start in range(0, len(level), self._merge_batch):
                group = level[start : start + self._merge_batch]
                groups.append((place, group))
        merged = self._optimizer.map(lambda group: _merge(group[1], self._optimizer), groups, label="aggregate")
        after: list[list[Patch]] = [[] for _ in levels]
        for (place, _), (patch, note) in zip(groups, merged, strict=True):
            after[place].append(patch)
            if note is not None:
                self.notes.append(note)
        return after


def _merge(group: Sequence[Patch], optimizer: Optimizer) -> tuple[Patch, Note | None]:
    joined = _without_doubles(Patch(edits=_edits(group), source=group[0].source))
    if len(group) == 1 or len(joined.edits) <= 1:
        return joined, None
    shown: list[str] = []
    for number, patch in enumerate(group, start=1):
        lines = [f"({e.source}, {e.support} attempts) {e.op} {e.target!r}: {e.content}" for e in patch.edits]
        edits = fence("\n".join(lines))
        shown.append(f"## Proposal {number}\n{edits}")
    reply = optimizer.ask(Question(Purpose.AGGREGATE, AggregateReply, {"patches": "\n\n".join(shown)}))
    if isinstance(reply, Note):
        return joined, reply
    return Patch(edits=tuple(_edit(edit, group) for edit in reply.edits), source=group[0].source), None


def _edit(merged: MergedEdit, group: Sequence[Patch]) -> Edit:
    """Return the edit with the tasks of those that it was merged from: from failures if one of them is.

    They are those that say nearly the same, else those nearest in words, else all of the proposals it names.
    """
    edit = merged.edit()
    named = [group[number - 1] for number in merged.proposals if 0 < number <= len(group)]
    edits = _edits(named or group)
    alike = [other for other in edits if _is_same(edit, other)]
    near = nearest(edit.content, [other.content for other in edits])
    origins = alike or [edits[place] for place in near] or _edits(named)
    tasks = tasks_of(origins)
    sources = [origin.source for origin in origins or _edits(group)]
    source = EditSource.FAILURE if EditSource.FAILURE in sources else sources[0]
    return msgspec.structs.replace(edit, source=source, support=max(1, len(tasks)), tasks=tasks)


def _edits(patches: Sequence[Patch]) -> tuple[Edit, ...]:
    edits: tuple[Edit, ...] = ()
    for patch in patches:
        edits += patch.edits
    return edits


def _without_doubles(patch: Patch) -> Patch:
    """Join near-equal edits into one, at the place of the first, with the support of all."""
    kept: list[Edit] = []
    for edit in patch.edits:
        twin = next((place for place, other in enumerate(kept) if _is_same(edit, other)), None)
        if twin is None:
            kept.append(edit)
        else:
            tasks = tasks_of((kept[twin], edit))
            kept[twin] = msgspec.structs.replace(kept[twin], tasks=tasks, support=max(len(tasks), kept[twin].support))
    return msgspec.structs.replace(patch, edits=tuple(kept))


def _is_same(one: Edit, other: Edit) -> bool:
    same_place = (one.op, one.target) == (other.op, other.target)
    return same_place and fuzz.token_sort_ratio(one.content.lower(), other.content.lower()) >= SAME_EDIT
