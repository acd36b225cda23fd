"""Take out learned rules that show nothing, in fresh attempts at the train items that each was learned from."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from skillopt_sleep.learning.attempts import block
from skillopt_sleep.learning.pairs import measure
from skillopt_sleep.learning.statistics import gain_interval, noise
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.proposals.rules import find_rule
from skillopt_sleep.records import Document, Edit, EditFate, EditOp, EditSource, Record, Split, mean_of
from skillopt_sleep.replay.rollout import Job as EngineJob
from skillopt_sleep.replay.text import CANDIDATE_SAMPLES
from skillopt_sleep.trainer.parts import Held, ItemAttempts, Parts, State
from skillopt_sleep.trainer.summary import History, Rules, RuleWorth, StepRecord

FILE = "rules.json"
PAIRS = 8  # of attempts without a rule and with it, at most
AT_ONCE = 2  # pairs, before a rule is let be whose effect is clear


class LearnedRule(Record, frozen=True, kw_only=True):
    """What one edit added, word for word, the step it came from, and the train items it was learned from."""

    text: str
    step: int
    tasks: tuple[str, ...]


_Versions = tuple[Document | None, Document | None]  # without a rule, and with it


class RulePair(NamedTuple):
    """The metric of one attempt without a rule and of one with it."""

    without: float
    with_it: float

    @property
    def gain(self) -> float:
        """Return how much better the attempt with the rule was."""
        return self.with_it - self.without


class Measured(NamedTuple):
    """Some rules of a skill, the pairs of each, and those of them that show nothing."""

    rules: Sequence[LearnedRule]
    pairs: Mapping[str, Sequence[RulePair]]
    useless: Sequence[LearnedRule]

    def worth(self, *, removed: bool) -> tuple[RuleWorth, ...]:
        """Return what is known of each rule; `removed` says whether the useless ones were taken out."""
        return tuple(_worth(rule, self.pairs[rule.text], removed and rule in self.useless) for rule in self.rules)


class Removal(NamedTuple):
    """The state afterwards, whose skill may be shorter, and what is known of its learned rules."""

    state: State
    learned: Rules


def lighten(parts: Parts, state: State, initial: Held, history: History) -> Removal:
    """Take the rules that show nothing out of the current skill, on which val is asked next."""
    document = state.current.document
    rules = learned_rules(history.steps, document, initial.document)
    if not rules:
        return Removal(state, Rules())
    found = measured(parts, document, rules)
    shorter = without(document, found.useless)
    is_shorter = shorter is not None and shorter.text != document.text
    if shorter is not None and is_shorter:
        state = state.moved(shorter, step=state.current.standing.step, origin="removal", val=None)
        parts.keep(shorter, state.versions)
    learned = Rules(skill=document.sha, rules=found.worth(removed=is_shorter))
    parts.folder.write(FILE, learned)
    return Removal(state, learned)


def most_attempts(edits: int) -> int:
    """Return the most attempts that so many learned rules take."""
    return 2 * 2 * PAIRS * edits


def measured(parts: Parts, document: Document, rules: Sequence[LearnedRule]) -> Measured:
    """Measure the rules of a skill: each with all the others in place, and if that shows nothing, once more.

    One rule may hide what another is worth. So those that show nothing are tried again, each by itself in the skill
    without all of them.
    """
    pairs = _pairs(parts, {rule: (without(document, [rule]), document) for rule in rules})
    doubtful = [rule for rule in rules if pairs[rule.text] and not _shows(pairs[rule.text])]
    rest = without(document, doubtful)
    if len(doubtful) <= 1 or rest is None:
        return Measured(rules, pairs, doubtful)
    versions: dict[LearnedRule, _Versions] = {}
    for rule in doubtful:
        versions[rule] = (rest, without(document, [other for other in doubtful if other is not rule]))
    again = _pairs(parts, versions)
    return Measured(rules, pairs | again, [rule for rule in doubtful if not _shows(again[rule.text])])


def without(document: Document, rules: Sequence[LearnedRule]) -> Document | None:
    """Return the document without these rules, None if one of them can't be taken out."""
    return candidate(document, [taking_out(document, rule) for rule in rules])


def _pairs(parts: Parts, versions: Mapping[LearnedRule, _Versions]) -> dict[str, list[RulePair]]:
    """Attempt each rule's own train items under both versions, until it is clear what the rule does."""
    attempts = ItemAttempts(parts, Split.TRAIN, "removal", label="removal")
    pairs: dict[str, list[RulePair]] = {rule.text: [] for rule in versions}
    for start in range(0, PAIRS, AT_ONCE):
        asked: list[str] = []
        jobs: list[EngineJob] = []
        for rule, both in versions.items():
            if not _is_clear(pairs[rule.text]):
                own = _jobs(parts, rule, both, range(start, start + AT_ONCE))
                asked += [rule.text] * (len(own) // 2)
                jobs += own
        made = attempts.make(jobs, label="removal")
        for text, old, new in zip(asked, made[::2], made[1::2], strict=True):
            if old.score is not None and new.score is not None:
                pairs[text].append(RulePair(measure(old.score, parts.rule), measure(new.score, parts.rule)))
    return pairs


def _jobs(parts: Parts, rule: LearnedRule, versions: _Versions, numbers: range) -> list[EngineJob]:
    """Return the attempts of these pairs, the rule's items in turn; none if its items aren't on train."""
    changed, document = versions
    train = {item.id for item in parts.items[Split.TRAIN]}
    own = [parts.tasks[task] for task in rule.tasks if task in train]
    if not own or changed is None or document is None:
        return []
    first = block("removal", document.text, document.text)
    jobs: list[EngineJob] = []
    for number in numbers:
        task, sample = own[number % len(own)], first + number // len(own)
        jobs += [(task, changed, CANDIDATE_SAMPLES + sample), (task, document, sample)]
    return jobs


def _shows(pairs: Sequence[RulePair]) -> bool:
    """Return whether anything was gained, which is what the screen asks of an edit."""
    return math.fsum(pair.gain for pair in pairs) > 0


def _is_clear(pairs: Sequence[RulePair]) -> bool:
    """Return whether more was gained or lost than by noise."""
    gains = [pair.gain for pair in pairs]
    return abs(math.fsum(gains)) > noise(gains)


def _worth(rule: LearnedRule, pairs: Sequence[RulePair], removed: bool) -> RuleWorth:  # noqa: FBT001 - private
    return RuleWorth(
        rule=rule.text,
        step=rule.step,
        items=rule.tasks,
        n=len(pairs),
        without=mean_of([pair.without for pair in pairs]),
        with_it=mean_of([pair.with_it for pair in pairs]),
        interval=gain_interval([pair.gain for pair in pairs]),
        removed=removed,
    )


def learned_rules(steps: Sequence[StepRecord], document: Document, initial: Document) -> tuple[LearnedRule, ...]:
    """Return the rules that steps added and that still stand in the document as they were added, oldest first.

    A rule that the initial skill held is its author's, and guidance in a protected block is the slow update's.
    """
    found: dict[str, LearnedRule] = {}
    for step in steps:
        for applied in step.edits:
            edit, text = applied.edit, applied.edit.content
            if applied.fate is not EditFate.APPLIED or edit.source is EditSource.SLOW or not text:
                continue
            if find_rule(initial.body, text) or not find_rule(document.body, text):
                continue
            earlier = found.get(text, LearnedRule(text=text, step=step.step, tasks=()))
            tasks = tuple(dict.fromkeys((*earlier.tasks, *edit.tasks)))
            found[text] = LearnedRule(text=text, step=earlier.step, tasks=tasks)
    return tuple(found.values())


def taking_out(document: Document, rule: LearnedRule) -> Edit:
    """Return the edit that takes a rule out, with the line break it leaves where its words alone occur before it."""
    first = document.body.find(rule.text)
    target = rule.text
    if f"\n{document.body}\n".find(f"\n{rule.text}\n") != first:
        target = find_rule(document.body, rule.text)
    return Edit(op=EditOp.DELETE, target=target, reason="no gain was seen", tasks=rule.tasks)
