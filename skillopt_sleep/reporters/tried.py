"""Say how every trial of a step went: what was tried, what the gate said, and on what numbers."""

from typing import NamedTuple

from skillopt_sleep.records import (
    CUT_SHORT,
    OUTCOMES,
    CandidateKind,
    Decision,
    Judged,
    NightReport,
    Solved,
    StepOutcome,
    Told,
    Trial,
    decided_by,
    solved,
)
from skillopt_sleep.reporters.escaping import Quoted, change
from skillopt_sleep.reporters.gains import both_arms, with_interval
from skillopt_sleep.reporters.verdicts import in_a_word, verdict_words

_KINDS = {
    CandidateKind.RULE: "one rule",
    CandidateKind.PATCH: "all together",
    CandidateKind.GUIDANCE: "guidance",
    CandidateKind.REMOVAL: "removal",
}


class Row(NamedTuple):
    """One trial in words."""

    change: str
    verdict: str
    solved: str
    numbers: str
    interval: str


def said_above(report: NightReport, night: Told) -> str:
    """Return the reason that the head of a report gives for how the night ended; "" if it gives none."""
    is_given = not night.waits or report.verdict in CUT_SHORT or not report.proposals
    return report.because if is_given else ""


def says_nothing_more(outcome: StepOutcome, head: str) -> bool:
    """Return whether nothing was tried on a document, and the head of the report says why."""
    tried = outcome.tried
    shown = outcome.trial.n or tried.tested or tried.effects or tried.edits or tried.retested or tried.undecided
    return bool(head) and outcome.because.rstrip(".") in head and not shown


def has_more_trials(outcome: StepOutcome) -> bool:
    """Return whether the step made other trials than the one that its verdict is about."""
    return any(tested.trial != outcome.trial for tested in outcome.tried.tested)


def every_trial(outcome: StepOutcome, quoted: Quoted | None = None) -> list[Row]:
    """Return a row for each trial of the step, in their order; rules are `quoted` for Markdown, or in another way."""
    rows: list[Row] = []
    for tested in outcome.tried.tested:
        trial = tested.trial
        rows.append(Row(_tried(tested, quoted), _verdict(tested), arms(trial), numbers(trial), interval(trial)))
    return rows


def _verdict(tested: Judged) -> str:
    """Return the verdict on a trial; nobody expects one that asks whether a rule is still needed to gain."""
    if tested.kind is CandidateKind.REMOVAL and tested.trial.n:
        return in_a_word(tested.verdict, tested.trial)
    return verdict_words(tested.verdict, tested.trial)


def without_the_rule(counts: Solved | None, grades: tuple[float, float], *, stays: bool) -> str:
    """Say what attempts solved with a rule and without it, or their grades, and whether the rule `stays`."""
    if counts is None:
        said = f"tried without it: grade {grades[0]:.2f} with it, {grades[1]:.2f} without"
    else:
        with_it = f"{counts.before} of {counts.n} as you asked with it"
        said = f"tried without it: {with_it}, {counts.after} of {counts.n} without"
    return f"{said}; it stays" if stays else said


def verdict(outcome: StepOutcome) -> str:
    """Return the gate's verdict, or the outcome of the step if there was no trial, in words."""
    if outcome.verdict.decision is Decision.ABSTAIN:
        return OUTCOMES[outcome.outcome]
    return verdict_words(outcome.verdict, outcome.trial)


def in_short(outcome: StepOutcome) -> str:
    """Return the verdict with the counts it rests on; why is told with the edits, if there are any."""
    said = verdict(outcome)
    if outcome.tried.effects:
        said = said.partition(":")[0]
    return _with_counts(said, outcome.trial)


def arms(trial: Trial) -> str:
    """Return how many attempts solved their request without the change and with it, or the grades."""
    counts = solved(trial.own)
    if counts is None:
        return numbers(trial)
    return both_arms(counts)


def numbers(trial: Trial) -> str:
    """Return the means of a trial with their n."""
    if trial.before is None or trial.after is None:
        return "not tried"
    return f"{trial.before:.2f} → {trial.after:.2f} ({trial.counted})"


def interval(trial: Trial) -> str:
    """Return the gain of a trial with its interval."""
    if trial.before is None or trial.after is None or trial.interval is None:
        return "–"
    return with_interval(trial.after - trial.before, trial.interval)


def remarks(trial: Trial) -> str:
    """Say which attempts of a trial counted otherwise than by their grade."""
    said: list[str] = []
    if trial.repeated:
        pairs = "1 pair" if trial.repeated == 1 else f"{trial.repeated} pairs"
        said.append(f"both versions repeated earlier answers in {pairs}, which count no second time")
    lost = len(trial.lost_attempts)
    if lost:
        attempts = "1 attempt with the change failed by itself"
        if lost > 1:
            attempts = f"{lost} attempts with the change failed by themselves"
        said.append(f"{attempts}, which counts against it")
    return "".join(f"; {words}" for words in said)


def _with_counts(verdict: str, trial: Trial) -> str:
    """Return a verdict with the counts or grades it rests on, if anything was tried."""
    if trial.before is None or trial.after is None:
        return verdict
    counts = solved(trial.own)
    by = f", graded by {decided_by(trial.judges)}" if trial.judges else ""
    return f"{verdict}, {numbers(trial)}{by}" if counts is None else f"{verdict}, solved {both_arms(counts)}{by}"


def _tried(tested: Judged, quoted: Quoted | None) -> str:
    """Return which edits were tried, by the first of them."""
    if not tested.edits:
        return "nothing"
    first = change(tested.edits[0], quoted)
    if len(tested.edits) == 1:
        if tested.kind is not CandidateKind.GUIDANCE:
            return first
        return f"{_KINDS[tested.kind]}: {first}"
    return f"{_KINDS[tested.kind]}, {len(tested.edits)} edits: {first} …"


def text_only(report: NightReport) -> StepOutcome | None:
    """Return the first document that was tried without tools; None if some were tried with tools."""
    if any(outcome.trial.n and not outcome.tasks.text_only for outcome in report.documents):
        return None
    return next((outcome for outcome in report.documents if outcome.tasks.text_only), None)
