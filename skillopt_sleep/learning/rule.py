"""A rule, and its one trial: alone, on the unseen tasks of its own lessons, against the text without it."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from skillopt_sleep.learning.attempts import CrewAttempts, block
from skillopt_sleep.learning.gate import (
    EARLY,
    SESSIONS,
    has_won,
    more_pairs,
    sessions_gained,
    sessions_needed,
    what_would_decide,
)
from skillopt_sleep.learning.statistics import STAKES, rounds_to_win, start
from skillopt_sleep.learning.trial import USUAL_GAIN, anew, begin_trial, has_changed, run_trial
from skillopt_sleep.learning.update import candidate
from skillopt_sleep.protocols.crew import Crew
from skillopt_sleep.records import (
    CandidateKind,
    Decision,
    Document,
    Edit,
    EditEffect,
    Effect,
    GateRule,
    Judged,
    Note,
    Rollout,
    Split,
    Task,
    Verdict,
    WaitingCandidate,
    effect_of,
    lessons_of,
    solved,
    tasks_of,
)

MOST_TASKS = 8  # on which one removal is tried
MOST_ROUNDS = 40  # in all nights, after which a rule is let go
PASSES = 2  # how often a rule may have the gate's rounds without a new request: the second time with calls left over
NOT_TRIED = Verdict(decision=Decision.UNDECIDED, reason="not tried yet")


class CandidateRule(NamedTuple):
    """A change to try by itself: its edits, and the unseen tasks of their lessons.

    `wait` has the trial of earlier nights that goes on, `proposal` the one whose words the person replaced by these.
    """

    kind: CandidateKind
    edits: tuple[Edit, ...]
    val: tuple[Task, ...]
    wait: WaitingCandidate | None = None
    proposal: str = ""

    @property
    def key(self) -> str:
        """What tells the rule from the others of its document."""
        return "\0".join("\0".join(edit.key) for edit in self.edits)

    @property
    def lessons(self) -> tuple[str, ...]:
        """The lessons that it is for."""
        return lessons_of(self.edits)

    @property
    def sessions(self) -> int:
        """The number of sessions that test it."""
        return len({task.session for task in self.val})

    @property
    def has_won(self) -> bool:
        """Whether it won on an earlier night, and only its guard is left."""
        return self.wait is not None and self.wait.tested.verdict.decision is Decision.ACCEPT

    def untried(self, *, share: float) -> Judged:
        """Return the rule as one that was not tried yet, with the share of the error rate it was born with."""
        if self.wait is not None:
            return self.wait.tested
        trial = begin_trial(GateRule(alpha=share), lessons=self.lessons)
        return Judged(kind=self.kind, edits=self.edits, trial=trial, verdict=NOT_TRIED)


def waiting_rule(wait: WaitingCandidate) -> CandidateRule:
    """Return a rule that waits, without tasks to try it on."""
    return CandidateRule(wait.tested.kind, wait.tested.edits, (), wait)


class TriedRule(NamedTuple):
    """A rule after tonight, whether it was begun, its attempts and what was noted."""

    rule: CandidateRule
    tested: Judged
    begun: bool = True
    rollouts: tuple[Rollout, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def won(self) -> bool:
        """Whether it may be proposed if it does no harm: proven, or early."""
        return self.tested.verdict.decision is Decision.ACCEPT or self.tested.verdict.early


def try_rule(
    base: Document,
    rule: CandidateRule,
    *,
    crew: Crew,
    gate: GateRule,
    share: float,
    most: int,
    hurried: bool = False,
    so_far: TriedRule | None = None,
) -> TriedRule:
    """Try the rule alone on top of the base; a trial that goes on keeps its share.

    If others wait (`hurried`), it is put off once these rounds look too few; it may go on from there (`so_far`). One
    that won on an earlier night asks nothing. A void trial measured nothing, so its rule begins anew.
    """
    earlier = so_far.tested if so_far is not None else rule.untried(share=share)
    changed = candidate(base, rule.edits, most=most)
    if changed is None:
        because = "it doesn't fit beside what was proven tonight"
        begun = so_far is not None
        return TriedRule(rule, earlier, begun=begun, notes=(_note(base, rule, because),))
    if rule.has_won:
        return TriedRule(rule, earlier)
    trial = earlier.trial if earlier.trial.rounds else None
    gate = replace(gate, alpha=earlier.trial.alpha or share)
    tried, verdict, made = run_trial(
        base,
        changed,
        rule.val,
        attempts=CrewAttempts(crew),
        rule=gate,
        earlier=trial,
        first=block(rule.kind, base.text, changed.text),
        lessons=() if rule.kind is CandidateKind.GUIDANCE else rule.lessons,
        by_hand=crew.by_hand,
        hurried=hurried,
    )
    notes: list[Note] = []
    if trial is not None and has_changed(trial, made):
        models = f"{', '.join(trial.models)} answered until now, and {', '.join(tried.models)} tonight"
        notes.append(_note(base, rule, f"its trial begins anew: {models}"))
    if verdict.decision is Decision.ABSTAIN:
        notes.append(_note(base, rule, f"it counts as not tried: {verdict.reason}"))
    tested = Judged(kind=rule.kind, edits=rule.edits, trial=tried, verdict=verdict)
    if so_far is not None:
        made = (*so_far.rollouts, *made)
        notes = [*so_far.notes, *notes]
    return TriedRule(rule, tested, rollouts=made, notes=tuple(notes))


def _note(document: Document, rule: CandidateRule, because: str) -> Note:
    since = f"the change of {rule.wait.night}" if rule.wait is not None else "a rule"
    return Note(stage="trial", summary=f"{document.id}: {since}: {because}")


def waiting(document: Document, tested: Judged, *, night: str, crew: Crew) -> WaitingCandidate:
    """Return the rule as later nights go on with it; of a void trial nothing is kept."""
    if tested.verdict.decision is Decision.ABSTAIN:
        trial = anew(tested.trial, first=tested.trial.first)
        tested = replace(tested, trial=trial, verdict=NOT_TRIED)
    return WaitingCandidate(night=night, path=document.path, crew=crew.identity(), tested=tested)


def going_on(
    document: Document,
    waits: Iterable[WaitingCandidate],
    val: Sequence[Task],
    *,
    known: Sequence[Task],
    crew: Crew,
    refused: Collection[tuple[str, str]],
    rounds: int,
) -> tuple[list[CandidateRule], list[WaitingCandidate], list[Note]]:
    """Return the rules whose trials go on tonight, those that wait as they are, and a note on each that is let go.

    One goes on if val has a task of its lessons that its trial hasn't seen: the same few tasks again would prove
    nothing about tomorrow's; or if only its guard is left, or if a night's limit ended its trial before its `rounds`.
    A removal goes on with the newest of the `known` tasks that its rule is for. Text around it may change: both
    versions have the new one. If others attempt and grade than until now, its trial begins anew.
    """
    rules: list[CandidateRule] = []
    rest: list[WaitingCandidate] = []
    notes: list[Note] = []
    for wait in waits:
        tested = wait.tested
        changed = candidate(document, tested.edits)
        because = ""
        if any(edit.key in refused for edit in tested.edits):
            because = "you have rejected it since"
        elif changed is None or changed.text == document.text:
            because = "its document changed, so it doesn't apply any more"
        elif tested.trial.rounds >= MOST_ROUNDS and tested.verdict.decision is not Decision.ACCEPT:
            because = f"it was still undecided after {tested.trial.rounds} rounds, so it was dropped"
        if because:
            summary = f"{document.id}: the change of {wait.night}: {because}"
            notes.append(Note(stage="trial", summary=summary, expected=True))
            continue
        if wait.crew != crew.identity():
            summary = (
                f"{document.id}: the change of {wait.night}: its trial begins anew, as {crew.identity()} answers now"
            )
            notes.append(Note(stage="trial", summary=summary, expected=True))
            trial = anew(tested.trial, first=tested.trial.first)
            tested = replace(tested, trial=trial, verdict=NOT_TRIED)
            wait = replace(wait, crew=crew.identity(), tested=tested)  # noqa: PLW2901 - it goes on as this
        asked = about(tested.edits, val)
        if tested.kind is CandidateKind.REMOVAL:
            asked = exercising(tasks_of(tested.edits), known)
        seen = {pair.task for pair in tested.trial.pairs}
        rule = waiting_rule(wait)._replace(val=asked)
        is_removal = rule.kind is CandidateKind.REMOVAL and bool(asked)
        is_unseen = any(task.id not in seen for task in asked)
        if rule.has_won or is_removal or is_unseen or (bool(asked) and is_cut_short(tested, rounds)):
            rules.append(rule)
        else:
            rest.append(wait)
    return rules, rest, notes


def is_cut_short(tested: Judged, rounds: int) -> bool:
    """Tell whether an undecided rule may go on without a new request, as calls were too few for all its rounds.

    It has the gate's `rounds` twice; once if a single session tests it.
    """
    verdict, trial = tested.verdict, tested.trial
    is_narrow = sessions_gained(trial)[1] < SESSIONS
    most = rounds if is_narrow else PASSES * rounds
    return verdict.decision is Decision.UNDECIDED and not verdict.early and trial.rounds < most


def about(edits: Iterable[Edit], val: Sequence[Task]) -> tuple[Task, ...]:
    """Return the val tasks of the lessons that the edits were learned from; all of val if those aren't known."""
    lessons = lessons_of(edits)
    return tuple(task for task in val if not lessons or task.lesson in lessons)


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


def effect(tested: Judged, *, rule: GateRule) -> EditEffect:
    """Return what its trial says of a rule: harm, or no use, only if the interval of its gain says so."""
    trial, verdict = tested.trial, tested.verdict
    shown = effect_of(trial.interval, min_effect=rule.min_effect)
    if verdict.decision is Decision.ACCEPT:
        shown = Effect.NEUTRAL if tested.kind is CandidateKind.REMOVAL else Effect.HELPED
    elif verdict.decision is Decision.ABSTAIN or shown is Effect.HELPED:
        shown = Effect.UNDECIDED
    return EditEffect(
        edit=tested.edits[0],
        effect=shown,
        because=_because(tested, rule),
        n=trial.n,
        before=trial.before,
        after=trial.after,
        interval=trial.interval,
        solved=solved(trial.own),
        calls=trial.calls,
    )


def _because(tested: Judged, rule: GateRule) -> str:
    """Say what the numbers of a trial don't: what an undecided rule waits for, why another wasn't taken."""
    trial, verdict = tested.trial, tested.verdict
    if verdict.decision is Decision.ABSTAIN or (verdict.decision is Decision.REJECT and "but" in verdict.reason):
        return verdict.reason
    if verdict.decision is not Decision.UNDECIDED:
        return ""
    if verdict.early:
        return f"early: {EARLY}"
    if not trial.rounds:
        return verdict.reason
    helped, n = sessions_gained(trial)
    if n < SESSIONS:
        return "an unseen task of another session can prove it"
    if has_won(trial, rule):
        if helped >= sessions_needed(trial):
            return verdict.reason
        return f"it helped in {helped} of {n} sessions; a gain in another would prove it"
    more = more_pairs(trial, rule)
    return what_would_decide(trial, more) if more else "not proven yet"


def usual_rounds(sessions: int, *, share: float) -> int:
    """Return after how many rounds on so many sessions a rule that helps usually is proven."""
    return rounds_to_win(start(STAKES), bets=max(1, sessions), alpha=share, gain=USUAL_GAIN) or 1
