"""Recognize an edit that was tried and rejected of late, although its words are a little different now.

A rejected edit in other words isn't a fresh hypothesis: to try it again on the same unseen tasks would give one guess
many chances. New unseen tasks of its lesson are a reason to try it once more.
"""

from collections.abc import Collection, Sequence

from rapidfuzz import fuzz

from skillopt_sleep.records import Edit, EditOp, Past, PastEdit, Task

SAME_WORDS = 90.0
NIGHTS = 30  # for which a rejected edit isn't tried again
ADDS = frozenset({EditOp.APPEND, EditOp.INSERT_AFTER})


def still_rejected(past: Past, val: Sequence[Task]) -> tuple[PastEdit, ...]:
    """Return the edits that a trial rejected of late, if val has no task of their lessons that the trial hadn't."""
    rejected: list[PastEdit] = []
    for tried in past.tried:
        if not tried.rejected_on or past.ago(tried.night) > NIGHTS:
            continue
        lessons = tried.edit.lessons
        asked = {task.id for task in val if not lessons or task.lesson in lessons}
        if asked <= set(tried.rejected_on):
            rejected.append(tried)
    return tuple(rejected)


def rejected_twin(edit: Edit, lessons: Collection[str], rejected: Sequence[PastEdit]) -> PastEdit | None:
    """Return the rejected edit for one of these lessons that does the same in nearly the same words."""
    for tried in rejected:
        known = tried.edit.lessons
        if known and lessons and set(known).isdisjoint(lessons):
            continue
        if _kind(tried.edit) == _kind(edit) and _is_alike(tried.edit, edit):
            return tried
    return None


def _kind(edit: Edit) -> EditOp:
    """Return what the edit does; where it adds a rule makes no other hypothesis of it."""
    return EditOp.APPEND if edit.op in ADDS else edit.op


def _is_alike(one: Edit, other: Edit) -> bool:
    words, others = _words(one), _words(other)
    return fuzz.token_sort_ratio(words, others) >= SAME_WORDS


def _words(edit: Edit) -> str:
    """Return what the edit says, or what it takes away."""
    text = edit.target if edit.op is EditOp.DELETE else edit.content
    return " ".join(text.lower().split())
