"""Run the trials of one document's candidates; each draws both arms from samples of its own."""

from collections.abc import Sequence

from msgspec.structs import replace

from skillopt_sleep.learning.attempts import CrewAttempts, block
from skillopt_sleep.learning.drift import begun_anew, steady
from skillopt_sleep.learning.exercise import about, exercise
from skillopt_sleep.learning.harm import bystanders, first_calls
from skillopt_sleep.learning.trial import run_trial
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

TYPICAL_ROUNDS = 4  # after which most trials have a verdict


class Trials:
    """Runs the trials of one document's candidates, and collects their results."""

    def __init__(
        self,
        document: Document,
        val: Sequence[Task],
        crew: Crew,
        rule: GateRule,
        most: int,
        *,
        others: Sequence[Task] = (),
    ) -> None:
        self.document = document
        self.attempts = CrewAttempts(crew)
        self._val = val
        self._others = others
        self._crew = crew
        self.rule = rule
        self._most = most
        self.tested: list[Judged] = []
        self.rollouts: list[Rollout] = []
        self.notes: list[Note] = []

    def note(self, problem: str, remedy: str = "") -> None:
        """Note what could not be tried, once."""
        note = Note(stage="search", summary=f"{self.document.id}: {problem}", remedy=remedy)
        if note not in self.notes:
            self.notes.append(note)

    def candidate(self, edits: Sequence[Edit]) -> Document | None:
        """Return the document with these edits, or None if one of them can't be applied."""
        return candidate(self.document, edits, most=self._most)

    def run(self, kind: CandidateKind, edits: Sequence[Edit], *, alpha: float) -> Judged | None:
        """Test these edits with this share of the error rate; None if they can't be applied alone.

        If they win, tasks of the other lessons are asked whether they got worse.
        """
        asked = self._asked(edits)
        others = bystanders(edits, asked, self._others)
        return self._run(kind, edits, self.document, self.candidate(edits), asked, alpha=alpha, others=others)

    def run_part(self, edit: Edit, others: Sequence[Edit], *, alpha: float) -> Judged | None:
        """Test one edit on top of the others, on the tasks of its own lessons; None if it can't be left out."""
        before = self.candidate(others)
        if before is None:
            return None
        after = self.candidate(self._in_order([*others, edit]))
        return self._run(CandidateKind.PART, (edit,), before, after, self._asked((edit,)), alpha=alpha)

    def can_try(self, edit: Edit) -> bool:
        """Return whether val has a task of the edit's own lessons; tasks of others show nothing of it."""
        return not edit.lessons or bool(about((edit,), (), self._val))

    def untried_part(self, edit: Edit, others: Sequence[Edit], *, alpha: float) -> Judged | None:
        """Return one edit on top of the others as a later night may try it; None if it can't be left out."""
        before = self.candidate(others)
        after = self.candidate(self._in_order([*others, edit]))
        if before is None or after is None:
            return None
        self.note("a rule of a proven change has no unseen task tonight, so it waits for another night")
        trial = Trial(
            lessons=(edit.lessons,),
            first=block(CandidateKind.PART, before.text, after.text),
            alpha=alpha,
            together=self.rule.together,
            min_effect=self.rule.min_effect,
        )
        verdict = Verdict(decision=Decision.UNDECIDED, reason="it has no unseen task of its own yet")
        return begun_anew(Judged(kind=CandidateKind.PART, edits=(edit,), trial=trial, verdict=verdict))

    def affordable(self, edits: Sequence[Edit], *, what: str, guarded: bool = True) -> bool:
        """Return whether the night's limit leaves enough calls for one more trial of the usual length.

        A `guarded` one also asks about other lessons.
        """
        asked = self._asked(edits)
        most = 2 * min(self.rule.rounds, TYPICAL_ROUNDS) * len(asked)
        if guarded:
            most += first_calls(bystanders(edits, asked, self._others))
        if self.attempts.left() >= most:
            return True
        self.note(f"{what}: that takes about {most} calls", remedy="raise budget.calls")
        return False

    def _run(
        self,
        kind: CandidateKind,
        edits: Sequence[Edit],
        before: Document,
        after: Document | None,
        asked: Sequence[Task],
        *,
        alpha: float,
        others: Sequence[Task] = (),
    ) -> Judged | None:
        if after is None:
            return None
        trial, verdict, made = run_trial(
            before,
            after,
            asked,
            attempts=self.attempts,
            rule=replace(self.rule, alpha=alpha),
            first=block(kind, before.text, after.text),
            lessons=[edit.lessons for edit in edits],
            bystanders=others,
        )
        self.rollouts += made
        verdict = steady(verdict, trial.pairs, made)
        tested = Judged(kind=kind, edits=tuple(edits), trial=trial, verdict=verdict)
        self.tested.append(tested)
        return tested

    def _asked(self, edits: Sequence[Edit]) -> tuple[Task, ...]:
        """Return the val tasks that these edits are tried on."""
        return exercise(edits, (), self._val)

    def _in_order(self, edits: Sequence[Edit]) -> list[Edit]:
        """Return the edits in the order in which they were first tried."""
        first = self.tested[0].edits
        return sorted(edits, key=lambda edit: first.index(edit) if edit in first else len(first))
