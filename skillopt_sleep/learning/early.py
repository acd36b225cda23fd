"""Search lesson by lesson: what one session alone can test is tried apart, and can at best be early.

An edit would ride in on its neighbours if the sessions of all their lessons counted for it. So the edits whose
lessons have two unseen sessions are tried together, and the edits of each other lesson by themselves; all share one
error rate, and which edit belongs where is fixed before val is seen.
"""

import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted, CallPending
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.learning.attempts import CrewAttempts
from skillopt_sleep.learning.exercise import exercise
from skillopt_sleep.learning.gate import BREADTH, EARLY_ROUNDS
from skillopt_sleep.learning.screen import Screened, screen
from skillopt_sleep.learning.search import Search, search
from skillopt_sleep.learning.trials import Trials
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    GateRule,
    Judged,
    Note,
    Rollout,
    Task,
    Trial,
    Verdict,
)

EARLY_SHARE = 0.2  # of the error rate, for all that is tried apart, if something else is tried too
NO_TASK = "its lesson has no unseen task"


class Breadth(NamedTuple):
    """The edits that two unseen sessions of their lessons can prove, those of each other lesson, and the rest."""

    wide: tuple[Edit, ...] = ()
    narrow: tuple[tuple[Edit, ...], ...] = ()
    untestable: tuple[Edit, ...] = ()


def by_breadth(edits: Sequence[Edit], val: Sequence[Task]) -> Breadth:
    """Sort the edits by how many sessions of val are of their lessons, or of any if those aren't known."""
    wide: list[Edit] = []
    narrow = defaultdict[frozenset[str], list[Edit]](list)
    untestable: list[Edit] = []
    for edit in edits:
        sessions = {task.session for task in val if task.lesson in edit.lessons}
        if not edit.lessons or len(sessions) >= BREADTH:
            wide.append(edit)
        elif sessions:
            narrow[frozenset(edit.lessons)].append(edit)
        else:
            untestable.append(edit)
    return Breadth(tuple(wide), tuple(map(tuple, narrow.values())), tuple(untestable))


def search_by_lesson(
    document: Document,
    edits: Sequence[Edit],
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    train: Sequence[Task] = (),
    others: Sequence[Task] = (),
    most: int = sys.maxsize,
) -> Search:
    """Search among the edits that can be proven, and try those of each lesson with one unseen session apart.

    Only what helps on `train` is tried. `rule.alpha` is the share of everything tried here. What is proven must not
    harm the lessons of `others`. Whoever answers the calls by hand is asked all at once.
    """
    screened = Screened(tuple(edits))
    if rule.name == "sequential":
        screened = screen(document, edits, train, attempts=CrewAttempts(crew), rule=rule, most=most)
    edits = screened.edits
    breadth = _breadth(document, edits, val, rule=rule, most=most)
    spare = _spare(breadth, rule)
    apart = _Apart(document, val, crew, replace(rule, alpha=spare / max(1, len(breadth.narrow))), most, others=others)
    whole: Search | None = None
    pending: CallPending | None = None
    if breadth.wide:
        asked = exercise(breadth.wide, (), val)
        try:
            kept = replace(rule, alpha=rule.alpha - spare)
            whole = search(document, breadth.wide, asked, crew=crew, rule=kept, others=others, most=most)
        except CallPending as error:
            pending = error
    for group in breadth.narrow:
        try:
            apart.run(group, others=whole is not None)
        except CallPending as error:
            pending = pending or error
    if pending is not None:
        raise pending
    found = _found(whole, apart, breadth, edits, document)
    return found._replace(
        rollouts=screened.rollouts + found.rollouts,
        notes=screened.notes + found.notes,
        left_out=screened.left_out,
    )


def tried_together(
    document: Document, edits: Sequence[Edit], val: Sequence[Task], *, rule: GateRule, most: int
) -> tuple[Edit, ...]:
    """Return the edits that are tried as one change, which alone can be accepted tonight."""
    return _breadth(document, edits, val, rule=rule, most=most).wide


def _breadth(document: Document, edits: Sequence[Edit], val: Sequence[Task], *, rule: GateRule, most: int) -> Breadth:
    """Sort the edits by how they are tried; all as one if the rule has no error rate, or some need the others."""
    breadth = by_breadth(edits, val)
    if rule.name != "sequential" or candidate(document, breadth.wide, most=most) is None:
        return Breadth(wide=tuple(edits))
    return breadth


def _spare(breadth: Breadth, rule: GateRule) -> float:
    """Return the share of the error rate for what is tried apart."""
    if not breadth.narrow:
        return 0.0
    if not breadth.wide:
        return rule.alpha
    return rule.alpha * EARLY_SHARE


def _found(
    whole: Search | None, apart: "_Apart", breadth: Breadth, edits: Sequence[Edit], document: Document
) -> Search:
    """Return what both searches found."""
    notes = [*apart.notes]
    for edit in breadth.untestable:
        summary = f"{document.id}: «{one_line(edit.content or edit.target)}» wasn't tried: {NO_TASK}"
        notes.append(Note(stage="search", summary=summary, expected=True))
    made, tested = tuple(apart.rollouts), tuple(apart.tested)
    if whole is not None:
        notes[:0] = whole.notes
        return whole._replace(rollouts=whole.rollouts + made, notes=tuple(notes), apart=tested)
    best = Judged(
        kind=CandidateKind.BUNDLE,
        edits=tuple(edits),
        trial=Trial(),
        verdict=Verdict(decision=Decision.ABSTAIN, reason=f"no edit could be tried: {NO_TASK}"),
    )
    if tested:
        best = tested[0]
    return Search(best, (), made, tuple(notes), apart=tested)


class _Apart:
    """Tries the edits of one lesson at a time, and collects the results."""

    def __init__(
        self,
        document: Document,
        val: Sequence[Task],
        crew: Crew,
        rule: GateRule,
        most: int,
        *,
        others: Sequence[Task],
    ) -> None:
        self._document = document
        self._val = val
        self._crew = crew
        self._rule = rule
        self._most = most
        self._others = others
        self.tested: list[Judged] = []
        self.rollouts: list[Rollout] = []
        self.notes: list[Note] = []

    def run(self, edits: tuple[Edit, ...], *, others: bool) -> None:
        """Test these edits; what `others` proved or tried isn't lost if the budget ends."""
        if candidate(self._document, edits, most=self._most) is None:
            self._note("a rule seen in two sessions can't be applied without the others")
            return
        asked = exercise(edits, (), self._val)
        most = 2 * max(self._rule.rounds, EARLY_ROUNDS) * len(asked)
        first = not others and not self.tested
        if not first and self._crew.meter.left() < most:
            self._note(
                f"a rule seen in two sessions wasn't tried: that takes up to {most} calls", "raise budget.calls"
            )
            return
        trials = Trials(self._document, asked, self._crew, self._rule, self._most, others=self._others)
        try:
            trials.run(CandidateKind.BUNDLE, edits, alpha=self._rule.alpha)
        except BudgetExhausted as error:
            if first:
                raise
            self._note(f"a rule seen in two sessions wasn't tried to the end: {error.message}", error.remedy)
            return
        self.rollouts += trials.rollouts
        self.tested += trials.tested

    def _note(self, problem: str, remedy: str = "") -> None:
        self.notes.append(Note(stage="search", summary=f"{self._document.id}: {problem}", remedy=remedy))
