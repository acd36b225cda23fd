"""The optimizer of the second simulated world of trainers: what it makes of the attempts that it is shown."""

import random
from collections.abc import Sequence
from typing import NamedTuple

from bench.peers_edits import Edit
from bench.peers_fresh_data import HARMFUL, RULES, TOPICS, USELESS, Data, case, data, spoilers, strengths

COVERED = 0.6  # a custom whose rule is at least so strong isn't blamed any more
SIMPLIFIES = 0.04
DELETES = 0.4
HEEDS = 0.6  # how often it leaves what it is told was tried in vain
BY_HEART = "- The shelf of case {number} is {shelf}."


class Shown(NamedTuple):
    """One attempt as the optimizer sees it: which case, and what it would be right to answer."""

    id: str
    kind: str
    number: str
    shelf: str


class Writer(NamedTuple):
    """One call of the optimizer: the seed, the skill's rules, what is said to have been tried in vain, and its luck."""

    seed: int
    known: tuple[str, ...]
    tried: tuple[str, ...]
    chance: random.Random

    @property
    def its(self) -> Data:
        """Return the seed's data set."""
        return data(self.seed)

    def from_failures(self, failed: Sequence[Shown], most: int) -> list[Edit]:
        """Return at most one edit for each cause that is seen, the most frequent first."""
        groups: dict[str, list[Shown]] = {}
        for one in self.chance.sample(sorted(failed), len(failed)):
            groups.setdefault(self._cause(one), []).append(one)
        found: dict[tuple[str, str], Edit] = {}
        for cause, group in sorted(groups.items(), key=lambda pair: -len(pair[1])):
            edit = self._edit(cause, group)
            if edit is not None:
                edit = edit._replace(items=self._named(group, failed))
                found.setdefault((edit.target, edit.content), edit)
        return list(found.values())[:most]

    def from_successes(self, done: Sequence[Shown]) -> list[Edit]:
        """Return at most one edit, which is seldom of use."""
        needs = [topic for one in sorted(done) for topic in case(self.seed, one.id, one.kind).needs]
        draw = self.chance.random()
        if draw < 0.55:
            edit = self._new(USELESS)
        elif draw < 0.7:
            edit = self._new(HARMFUL)
        elif draw < 0.85 and needs:
            edit = self._new(wordings(self.chance.choice(needs)))
        else:
            edit = None
        if edit is None:
            return []
        return [edit._replace(items=self._named([self.chance.choice(sorted(done))], done))]

    def _cause(self, one: Shown) -> str:
        """Return what is blamed for a failure: a custom without a rule, what spoils the case, or nothing."""
        needs = case(self.seed, one.id, one.kind).needs
        strong = strengths(self.its, self.known)
        causes = [topic for topic in needs if strong.get(topic, 0.0) < COVERED]
        for cause in spoilers(self.its, self.known, needs, one.kind):
            causes += [rule for rule in self.known if cause in (rule, RULES.get(rule))]
        return self.chance.choice(causes) if causes else ""

    def _edit(self, cause: str, group: Sequence[Shown]) -> Edit | None:
        """Write an edit, and another one if the first is known to have been tried in vain."""
        edit = self._written(cause, group)
        if edit is not None and edit.content in self.tried and self.chance.random() < HEEDS:
            edit = self._written(cause, group)
        return edit

    def _written(self, cause: str, group: Sequence[Shown]) -> Edit | None:
        if self.known and self.chance.random() < SIMPLIFIES:
            return Edit("", op="delete", target=self.chance.choice(self.known))
        if cause in self.known and self.chance.random() < DELETES:
            return Edit("", op="delete", target=cause)
        if cause in TOPICS and self.chance.random() < self.its.able:
            return self._mending(cause)
        return self._missed(group)

    def _mending(self, topic: str) -> Edit | None:
        """Write the custom's rule in one of its wordings, in place of the one that is there."""
        there = [rule for rule in self.known if RULES.get(rule) == topic]
        edit = self._new(wordings(topic))
        if edit is not None and there:
            return edit._replace(op="replace", target=there[0])
        return edit

    def _missed(self, group: Sequence[Shown]) -> Edit | None:
        """Write what doesn't mend the cause: another custom's rule, one case's answer, harm, a repetition, a phrase."""
        draw = self.chance.random()
        if draw < 0.14:
            return self._new(wordings(self.chance.choice(sorted(TOPICS))))
        if draw < 0.28:
            one = self.chance.choice(group)
            return self._new([BY_HEART.format(number=one.number, shelf=one.shelf)])
        if draw < 0.45:
            return self._new(HARMFUL)
        covered = sorted({RULES[rule] for rule in self.known if rule in RULES})
        if draw < 0.58 and covered:
            return self._new(wordings(self.chance.choice(covered)))
        return self._new(USELESS)

    def _new(self, pool: Sequence[str]) -> Edit | None:
        unknown = [rule for rule in pool if rule not in self.known]
        return Edit(self.chance.choice(unknown)) if unknown else None

    def _named(self, group: Sequence[Shown], everything: Sequence[Shown]) -> tuple[str, ...]:
        """Return the attempts it says that it learned from: mostly the right ones, else all, or none."""
        draw = self.chance.random()
        if draw < 0.7:
            return tuple(one.id for one in group)
        return tuple(one.id for one in everything) if draw < 0.9 else ()


def wordings(topic: str) -> list[str]:
    """Return the rules that say what a custom asks for."""
    return [rule for rule, about in RULES.items() if about == topic]
