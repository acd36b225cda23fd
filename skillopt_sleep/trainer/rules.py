"""Find the rules that a training wrote into a skill: what each edit added, and which train items it is from."""

from collections.abc import Sequence

from skillopt_sleep.proposals.rules import standing
from skillopt_sleep.records import Document, Edit, EditOp, EditSource, Fate, Record
from skillopt_sleep.trainer.summary import StepRecord


class Rule(Record, frozen=True, kw_only=True):
    """What one edit added, word for word, the step it came from, and the train items it was learned from."""

    text: str
    step: int
    tasks: tuple[str, ...]


def learned_rules(steps: Sequence[StepRecord], document: Document, initial: Document) -> tuple[Rule, ...]:
    """Return the rules that steps added and that still stand in the document as they were added, oldest first.

    A rule that the initial skill held is its author's, and guidance in a protected block is the slow update's.
    """
    found: dict[str, Rule] = {}
    for step in steps:
        for applied in step.edits:
            edit, text = applied.edit, applied.edit.content
            if applied.fate is not Fate.APPLIED or edit.source is EditSource.SLOW or not text:
                continue
            if standing(initial.body, text) or not standing(document.body, text):
                continue
            earlier = found.get(text, Rule(text=text, step=step.step, tasks=()))
            tasks = tuple(dict.fromkeys((*earlier.tasks, *edit.tasks)))
            found[text] = Rule(text=text, step=earlier.step, tasks=tasks)
    return tuple(found.values())


def taking_out(document: Document, rule: Rule) -> Edit:
    """Return the edit that takes a rule out, with the line break it leaves where its words alone occur before it."""
    first = document.body.find(rule.text)
    target = rule.text
    if f"\n{document.body}\n".find(f"\n{rule.text}\n") != first:
        target = standing(document.body, rule.text)
    return Edit(op=EditOp.DELETE, target=target, reason="no gain was seen", tasks=rule.tasks)
