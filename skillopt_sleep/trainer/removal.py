"""Take out learned rules that show nothing, in fresh attempts at the train items that each was learned from."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.statistics import gain_interval, noise
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.proposals.rules import find_rule
from skillopt_sleep.records import Document, Edit, EditFate, EditOp, EditSource, Split, mean_of
from skillopt_sleep.trainer.parts import PairedTrial, Parts, ScoredSkill, State, attempt_pairs
from skillopt_sleep.trainer.summary import History, Rules, RuleWorth, StepRecord

PAIRS = 8  # of attempts without a rule and with it, at most
AT_ONCE = 2  # pairs, before a rule is let be whose effect is clear


class RuleVersions(NamedTuple):
    """A rule, with the skill without it and with it; None if it can't be taken out."""

    rule: RuleWorth
    without: Document | None
    with_it: Document | None


_Pairs = dict[str, list[tuple[float, float]]]  # by rule: the metric of one attempt without it, and of one with it


def remove_useless_rules(parts: Parts, state: State, initial: ScoredSkill, history: History) -> tuple[State, Rules]:
    """Take the rules that show nothing out of the current skill; return what is known of each learned rule, too."""
    document = state.current.document
    rules = learned_rules(history.steps, document, initial.document)
    if not rules:
        return state, Rules()
    pairs, useless = _measured(parts, document, rules)
    shorter = _without(document, useless)
    is_shorter = shorter is not None and shorter.text != document.text
    if shorter is not None and is_shorter:
        state = state.moved(shorter, step=state.current.version.step, origin="removal", val=None)
        parts.keep(shorter, state.versions)
    worth = [_worth(rule, pairs[rule.rule], removed=is_shorter and rule in useless) for rule in rules]
    return state, Rules(skill=document.sha, rules=tuple(worth))


def most_attempts(edits: int) -> int:
    """Return the most attempts that so many learned rules take."""
    return 2 * 2 * PAIRS * edits


def _measured(parts: Parts, document: Document, rules: Sequence[RuleWorth]) -> tuple[_Pairs, Sequence[RuleWorth]]:
    """Measure each rule with all the others in place, and if that shows nothing, once more; return the useless ones.

    One rule may hide what another is worth. So those that show nothing are tried again, each by itself in the skill
    without all of them.
    """
    pairs = _attempted(parts, [RuleVersions(rule, _without(document, [rule]), document) for rule in rules])
    doubtful = _without_gain(rules, pairs)
    rest = _without(document, doubtful)
    if len(doubtful) <= 1 or rest is None:
        return pairs, doubtful
    versions: list[RuleVersions] = []
    for rule in doubtful:
        with_it = _without(document, [other for other in doubtful if other is not rule])
        versions.append(RuleVersions(rule, rest, with_it))
    again = _attempted(parts, versions)
    return pairs | again, _without_gain(doubtful, again)


def _without_gain(rules: Sequence[RuleWorth], pairs: _Pairs) -> list[RuleWorth]:
    """Return the rules that were measured, and gained nothing."""
    return [rule for rule in rules if pairs[rule.rule] and math.fsum(_gains(pairs[rule.rule])) <= 0]


def _without(document: Document, rules: Sequence[RuleWorth]) -> Document | None:
    """Return the document without these rules, None if one of them can't be taken out."""
    return candidate(document, [taking_out(document, rule) for rule in rules])


def _attempted(parts: Parts, versions: Sequence[RuleVersions]) -> _Pairs:
    """Attempt each rule's own train items without it and with it, until it is clear what the rule does."""
    train = {item.id for item in parts.items[Split.TRAIN]}
    pairs: _Pairs = {tried.rule.rule: [] for tried in versions}
    for start in range(0, PAIRS, AT_ONCE):
        asked: list[str] = []
        trials: list[PairedTrial] = []
        for rule, without, with_it in versions:
            gains = _gains(pairs[rule.rule])
            own = [parts.tasks[item] for item in rule.items if item in train]
            if own and without and with_it and abs(math.fsum(gains)) <= noise(gains):
                asked.append(rule.rule)
                trials.append(PairedTrial(own, with_it, without, range(start, start + AT_ONCE)))
        for text, found in zip(asked, attempt_pairs(parts, trials, stage="removal"), strict=True):
            pairs[text] += [(without, with_it) for with_it, without in found]
    return pairs


def _gains(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """Return how much better each attempt with the rule was."""
    return [with_it - without for without, with_it in pairs]


def _worth(rule: RuleWorth, pairs: Sequence[tuple[float, float]], *, removed: bool) -> RuleWorth:
    return replace(
        rule,
        n=len(pairs),
        without=mean_of([without for without, _ in pairs]),
        with_it=mean_of([with_it for _, with_it in pairs]),
        interval=gain_interval(_gains(pairs)),
        removed=removed,
    )


def learned_rules(steps: Sequence[StepRecord], document: Document, initial: Document) -> tuple[RuleWorth, ...]:
    """Return the rules that steps added and that still stand in the document as they were added, oldest first.

    A rule that the initial skill held is its author's, and guidance in a protected block is the slow update's.
    """
    found: dict[str, RuleWorth] = {}
    for step in steps:
        for applied in step.edits:
            edit, text = applied.edit, applied.edit.content
            if applied.fate is not EditFate.APPLIED or edit.source is EditSource.SLOW or not text:
                continue
            if find_rule(initial.body, text) or not find_rule(document.body, text):
                continue
            earlier = found.get(text, RuleWorth(rule=text, step=step.step, items=()))
            found[text] = replace(earlier, items=tuple(dict.fromkeys((*earlier.items, *edit.tasks))))
    return tuple(found.values())


def taking_out(document: Document, rule: RuleWorth) -> Edit:
    """Return the edit that takes a rule out, with the line break it leaves where its words alone occur before it."""
    first = document.body.find(rule.rule)
    target = rule.rule
    if f"\n{document.body}\n".find(f"\n{rule.rule}\n") != first:
        target = find_rule(document.body, rule.rule)
    return Edit(op=EditOp.DELETE, target=target, reason="no gain was seen", tasks=rule.items)
