"""Resume undecided trials from earlier nights when new unseen tasks exist."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.errors import BudgetExhausted
from skillopt_sleep.learning.attempts import CrewAttempts, block
from skillopt_sleep.learning.drift import begun_anew, has_changed, steady
from skillopt_sleep.learning.exercise import about, exercise, with_lessons
from skillopt_sleep.learning.harm import bystanders, first_calls
from skillopt_sleep.learning.prune import exercising
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
    Waiting,
    lessons_of,
    tasks_of,
)

MOST_ROUNDS = 40  # after which a candidate that could still be proven is let go


class Resumed(NamedTuple):
    """The candidates whose trials were resumed, those that wait on as they are, notes on others, and the rollouts."""

    tried: tuple[Waiting, ...] = ()
    rest: tuple[Waiting, ...] = ()
    notes: tuple[Note, ...] = ()
    rollouts: tuple[Rollout, ...] = ()

    @property
    def proven(self) -> tuple[Waiting, ...]:
        """The candidates that are proven now."""
        return tuple(wait for wait in self.tried if wait.tested.verdict.decision is Decision.ACCEPT)

    @property
    def undecided(self) -> tuple[Waiting, ...]:
        """The candidates that are still undecided."""
        return tuple(wait for wait in self.tried if wait.tested.verdict.decision is Decision.UNDECIDED)

    def resting(self, wait: Waiting) -> "Resumed":
        """Return this with a candidate that waits on as it is."""
        return self._replace(rest=(*self.rest, wait))

    def noted(self, note: Note) -> "Resumed":
        """Return this with a note."""
        return self._replace(notes=(*self.notes, note))


def resume(
    document: Document,
    waiting: Sequence[Waiting],
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    refused: Sequence[Edit] = (),
    known: Sequence[Task] = (),
    others: Sequence[Task] = (),
) -> Resumed:
    """Give each candidate another night's rounds on tonight's val tasks, with its original share of the error rate.

    A removal is tried on the `known` tasks that exercise the rule, tonight's and earlier nights'. A candidate is
    stale if our part of its document or the crew changed, or after MOST_ROUNDS; text around our part may change, and
    both arms have it from then on. If another version of the model answers, its trial begins anew. It waits if val
    has no task of its lessons and, unless it is a removal or has won its bet, if val has none that its trial hasn't
    seen: the same few tasks again would prove nothing about tomorrow's. What is proven must not harm the lessons of
    `others`, and isn't lost if the budget ends on another candidate.
    """
    tonight = _Tonight(document, val, crew, rule, refused, known, others)
    found = Resumed()
    for wait in waiting:
        found = tonight.resume(wait, found)
    return found


class _Tonight(NamedTuple):
    """Everything a night needs to resume the trials of one document's candidates."""

    document: Document
    val: Sequence[Task]
    crew: Crew
    rule: GateRule
    refused: Sequence[Edit]
    known: Sequence[Task]
    others: Sequence[Task]

    def resume(self, waited: Waiting, found: Resumed) -> Resumed:
        """Return what was found so far with this candidate."""
        document = self.document
        wait = _with_lessons(waited, [*self.known, *self.val])
        changed = candidate(document, wait.tested.edits)
        because = _why_stale(wait, document, self.crew, self.refused)
        if not because and changed is None:
            because = "it can't be applied any more"
        if because or changed is None:
            return found.noted(replace(self._note(wait, because), expected=True))
        asked = _tasks(wait, self.val, self.known)
        if not _has_more(wait.tested, asked):
            return found.resting(waited)
        try:
            return self._try(wait, changed, asked, found)
        except BudgetExhausted as error:
            if not found.proven:
                raise
            because = f"it waits on: {error.message}"
            return found.resting(waited).noted(self._note(wait, because, remedy=error.remedy))

    def _try(self, wait: Waiting, changed: Document, asked: Sequence[Task], found: Resumed) -> Resumed:
        """Go on with the candidate's trial on these tasks, if the night's calls reach."""
        standing_by = bystanders(wait.tested.edits, asked, self.others)
        most = first_calls(standing_by)
        if not wait.tested.trial.guard.cut_short:
            most += 2 * self.rule.rounds * len(asked)
        if self.crew.meter.left() < most:
            because = f"it waits on: its trial takes up to {most} calls"
            return found.resting(wait).noted(self._note(wait, because, remedy="raise budget.calls"))
        earlier = _resumable(wait, self.document)
        trial, verdict, made = run_trial(
            self.document,
            changed,
            asked,
            attempts=CrewAttempts(self.crew),
            rule=self.rule,
            earlier=earlier,
            bystanders=standing_by,
        )
        found = found._replace(rollouts=found.rollouts + made)
        since = len(earlier.pairs)
        if _is_of_another_model(earlier, trial, made):
            models = f"{', '.join(earlier.models)} answered until now, and {', '.join(trial.models)} tonight"
            found = found.noted(self._note(wait, f"its trial begins anew: {models}"))
            wait, since = replace(wait, tested=begun_anew(wait.tested)), 0
            if trial.first == earlier.first:
                # Only its guard was left, which says nothing of the bet.
                return found.resting(wait)
        verdict = steady(verdict, trial.pairs[since:], made)
        if verdict.decision is Decision.ABSTAIN:
            return found.resting(wait).noted(self._note(wait, verdict.reason))
        tested = replace(wait.tested, trial=trial, verdict=verdict)
        went = replace(wait, base=self.document.sha, body=self.document.body_sha, tested=tested)
        return found._replace(tried=(*found.tried, went))

    def _note(self, wait: Waiting, because: str, *, remedy: str = "") -> Note:
        summary = f"{self.document.id}: the change of {wait.night}: {because}"
        return Note(stage="trial", summary=summary, remedy=remedy)


def together(
    document: Document,
    proven: Sequence[Waiting],
    val: Sequence[Task],
    *,
    crew: Crew,
    rule: GateRule,
    known: Sequence[Task],
    others: Sequence[Task] = (),
) -> tuple[Judged | None, tuple[Rollout, ...], tuple[Note, ...]]:
    """Try the proven candidates as one change, on fresh rounds; None if they are one, or it can't be proven.

    Each would otherwise make the others stale, as it changes their document. Of two for one lesson the first counts;
    neither a removal nor what has to be taken apart first is joined.
    """
    parts = _of_different_lessons(proven)
    edits: list[Edit] = []
    for wait in parts:
        edits += wait.tested.edits
    changed = candidate(document, edits)
    if len(parts) <= 1 or changed is None:
        return None, (), ()
    asked = exercise(edits, known, val)
    standing_by = bystanders(edits, asked, others)
    most = 2 * rule.rounds * len(asked) + first_calls(standing_by)
    if crew.meter.left() < most:
        summary = f"{document.id}: one proven change waits for another night: trying both takes up to {most} calls"
        return None, (), (Note(stage="trial", summary=summary, remedy="raise budget.calls"),)
    shares = [wait.tested.trial.alpha or rule.alpha for wait in parts]
    try:
        trial, verdict, made = run_trial(
            document,
            changed,
            asked,
            attempts=CrewAttempts(crew),
            rule=replace(rule, alpha=min(shares)),
            first=block(CandidateKind.BUNDLE, document.text, changed.text),
            lessons=[edit.lessons for edit in edits],
            bystanders=standing_by,
        )
    except BudgetExhausted as error:
        summary = f"{document.id}: one proven change waits for another night: {error.message}"
        return None, (), (Note(stage="trial", summary=summary, remedy=error.remedy),)
    if steady(verdict, trial.pairs, made).decision is not Decision.ACCEPT:
        return None, made, _not_guarded(document, trial, verdict)
    return Judged(kind=CandidateKind.BUNDLE, edits=tuple(edits), trial=trial, verdict=verdict), made, ()


def _not_guarded(document: Document, trial: Trial, verdict: Verdict) -> tuple[Note, ...]:
    """Return a note on proven changes whose guard as one change was cut short."""
    if not trial.guard.cut_short:
        return ()
    summary = f"{document.id}: one proven change waits for another night: both together are {verdict.reason}"
    return (Note(stage="trial", summary=summary, remedy="raise budget.calls"),)


def _of_different_lessons(proven: Sequence[Waiting]) -> list[Waiting]:
    """Return the candidates that teach something none before them does."""
    taught: set[str] = set()
    parts: list[Waiting] = []
    for wait in proven:
        lessons = set(lessons_of(wait.tested.edits))
        alone = len(wait.tested.edits) == 1 and wait.tested.kind is not CandidateKind.REMOVAL
        if not alone or not lessons or lessons & taught:
            continue
        taught |= lessons
        parts.append(wait)
    return parts


def twin_of(document: Document, edits: Sequence[Edit], waiting: Sequence[Waiting]) -> Waiting | None:
    """Return the waiting candidate that has the very text these edits make."""
    changed = candidate(document, edits)
    if changed is None:
        return None
    for wait in waiting:
        if candidate(document, wait.tested.edits) == changed:
            return wait
    return None


def _with_lessons(wait: Waiting, known: Sequence[Task]) -> Waiting:
    """Return the candidate with the lessons of its edits and pairs, which a candidate of an older version lacks."""
    edits = with_lessons(wait.tested.edits, known)
    if wait.tested.trial.lessons or not any(edit.lessons for edit in edits):
        return wait
    lessons = {task.id: task.lesson for task in known}
    pairs = [replace(pair, lesson=lessons.get(pair.task, "")) for pair in wait.tested.trial.pairs]
    trial = replace(wait.tested.trial, lessons=tuple(edit.lessons for edit in edits), pairs=tuple(pairs))
    return replace(wait, tested=replace(wait.tested, edits=edits, trial=trial))


def _tasks(wait: Waiting, val: Sequence[Task], known: Sequence[Task]) -> Sequence[Task]:
    """Return the val tasks that this candidate is about."""
    edits = wait.tested.edits
    if wait.tested.kind is CandidateKind.REMOVAL:
        return exercising(tasks_of(edits), known)
    return about(edits, known, val)


def _has_more(tested: Judged, tasks: Sequence[Task]) -> bool:
    """Return whether these tasks tell more: one of them isn't in the trial yet, or more draws of them are wanted.

    A removal is tried on all the newest tasks of its rule's lessons; what is proven as a whole has yet to be taken
    apart, and what has won its bet has yet to be guarded.
    """
    won = tested.verdict.decision is Decision.ACCEPT or tested.trial.guard.cut_short
    if tested.kind is CandidateKind.REMOVAL or won:
        return bool(tasks)
    seen = {pair.task for pair in tested.trial.pairs}
    return any(task.id not in seen for task in tasks)


def _resumable(wait: Waiting, document: Document) -> Trial:
    """Return the candidate's trial, in which a change of the text around ours ends a round."""
    trial = wait.tested.trial
    if wait.base == document.sha or not trial.rounds:
        return trial
    return replace(trial, text_changed=(*trial.text_changed, trial.rounds))


def _is_of_another_model(earlier: Trial, trial: Trial, made: Sequence[Rollout]) -> bool:
    """Tell whether tonight's model differs from the trial's, so that the trial has to start over."""
    return trial.first != earlier.first or (trial.rounds == earlier.rounds and has_changed(earlier, made))


def _why_stale(wait: Waiting, document: Document, crew: Crew, refused: Sequence[Edit]) -> str:
    """Say why the candidate's trial isn't resumed, or return ""."""
    refused_keys = {edit.key for edit in refused}
    if any(edit.key in refused_keys for edit in wait.tested.edits):
        return "you have rejected it since"
    if wait.base != document.sha and wait.body != document.body_sha:
        what = "our part of its document" if wait.body else "its document"
        return f"{what} changed, so its trial ended"
    if wait.crew != (now := crew.identity()):
        earlier, tonight = (" and ".join(dict.fromkeys(names.split("; "))) for names in (wait.crew, now))
        return f"its trial ended: it was run by {earlier}; tonight {tonight} answers"
    if wait.tested.trial.rounds >= MOST_ROUNDS:
        return f"it was still undecided after {wait.tested.trial.rounds} rounds, so it was dropped"
    return ""
