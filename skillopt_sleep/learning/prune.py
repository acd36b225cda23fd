"""Choose a standing rule whose removal is worth a trial.

Only a rule that we wrote is ever taken away: a line of an adopted edit that still stands in the body as it was
adopted. The removal is tried on the unseen tasks of the lessons the rule was learned from; others say nothing about
it.
"""

from collections.abc import Collection, Sequence

import msgspec
from rapidfuzz import fuzz

from skillopt_sleep.proposals.rules import items, standing
from skillopt_sleep.records import Document, Edit, EditOp, EditSource, Effect, Past, Split, Standing, Task

# Words in another order can say the opposite, so near-equal rules are worth a trial, not more.
SAME_RULE = 90.0
MOST_TASKS = 8  # on which one removal is tried
# A useless rule of five whose tasks pass at .9 is proven superfluous within 60 nights in 8 of 10 months, one worth 10
# points is in fewer than 2 of 100. Sooner finds more of both, later fewer (28 nights: 7 of 10, and 1 of 100).
RETRY = 20  # nights after which a removal that wasn't proven is tried again
DAY_CHARS = len("2026-01-31")
SESSIONS = 2  # that the unseen tasks come from, at least: fewer could never prove it


class Pruning(msgspec.Struct, frozen=True, kw_only=True):
    """The edit that takes a rule away, and the unseen tasks that would tell what it is worth."""

    edit: Edit
    val: tuple[Task, ...]


def prune(document: Document, past: Past, tasks: Sequence[Task], *, least: int = 0) -> Pruning | None:
    """Return the removal to try, or None: of a rule that another line says too, else of the longest rule.

    A rule that was adopted fewer than `least` nights ago isn't tried. A removal that did harm before, that a person
    refused or that waits for them isn't tried again; one that wasn't proven is after RETRY nights, when those that
    were never tried had their turn.
    """
    decided = _decided(past) | _young(past, least)
    tried = _last_tries(past)
    rules = _standing(past.adopted)
    candidates = [rule for rule in rules if rule.strip() not in decided]
    candidates = [rule for rule in candidates if tried.get(rule.strip(), RETRY) >= RETRY]
    twice = {rule for rule in candidates if _is_said_twice(rule, document)}
    for rule in sorted(candidates, key=lambda rule: (rule.strip() in tried, rule not in twice, -len(rule))):
        target = standing(document.body, rule)
        val = exercising(rules[rule], tasks)
        if not target or len({task.session for task in val}) < SESSIONS:
            continue
        why = "it may not be needed any more"
        if rule in twice:
            why = "another line says it too"
        edit = Edit(
            op=EditOp.DELETE,
            target=target,
            reason=f"{why}; {len(target)} characters less",
            support=len(rules[rule]),
            tasks=rules[rule],
            lessons=tuple(dict.fromkeys(task.lesson for task in val if task.lesson)),
        )
        return Pruning(edit=edit, val=val)
    return None


def _decided(past: Past) -> set[str]:
    """Return the rules whose removal was refused, waits for the person, or did harm."""
    edits = [*past.refused]
    edits += [proposed.edit for proposed in past.proposed if proposed.standing is Standing.WAITS]
    edits += [tried.edit for tried in past.tried if tried.effect is Effect.HARMFUL]
    return {edit.target.strip() for edit in edits if edit.op is EditOp.DELETE}


def _young(past: Past, least: int) -> set[str]:
    """Return the rules that were adopted fewer than so many nights ago; nights of that same day don't count."""
    young: set[str] = set()
    for proposed in past.proposed:
        since = proposed.since[:DAY_CHARS]
        nights = [night for night in past.nights if night[:DAY_CHARS] > since]
        if proposed.standing is Standing.LIVE and len(nights) < least:
            young.update(rule.strip() for rule in items(proposed.edit.content))
    return young


def _last_tries(past: Past) -> dict[str, int]:
    """Return the rules whose removal was tried, each with how many nights ago that was."""
    tries: dict[str, int] = {}
    for tried in past.tried:
        if tried.edit.op is EditOp.DELETE:
            tries.setdefault(tried.edit.target.strip(), past.ago(tried.night))
    return tries


def exercising(taught: Collection[str], tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return the newest val tasks of each lesson a rule was learned from; none if one lesson has no val task.

    `taught` are the ids of the tasks that it was learned from; those that are no longer known don't count.
    """
    lessons: dict[str, list[Task]] = {}
    for task in tasks:
        if task.id in taught:
            lessons[task.lesson] = []
    for task in tasks:
        if task.split is Split.VAL and task.lesson in lessons:
            lessons[task.lesson].append(task)
    if not all(lessons.values()):
        return ()
    each = max(1, MOST_TASKS // max(1, len(lessons)))
    newest: list[Task] = []
    for val in lessons.values():
        newest += sorted(val, key=lambda task: (task.at, task.id))[-each:]
    return tuple(newest)


def _standing(adopted: Sequence[Edit]) -> dict[str, tuple[str, ...]]:
    """Return the rules that were ever adopted, each with the tasks it was learned from."""
    rules: dict[str, tuple[str, ...]] = {}
    for edit in adopted:
        if edit.source is EditSource.SLOW:
            continue  # what a protected block says is the slow update's alone
        for rule in items(edit.content):
            rules[rule] = tuple(dict.fromkeys((*rules.get(rule, ()), *edit.tasks)))
    return rules


def _is_said_twice(rule: str, document: Document) -> bool:
    """Return whether another line of the file says nearly the same; that line may be the person's own."""
    lines = document.text.splitlines()
    if rule not in lines:
        return False
    lines.remove(rule)
    return any(fuzz.token_sort_ratio(rule.lower(), line.lower()) >= SAME_RULE for line in lines)
