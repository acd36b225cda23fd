"""Say how every trial of a step went: what was tried, what the gate said, and on what numbers.

What a person decides has other words (`status.py`): adopted, rejected, put off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import WIDTH, counted
from skillopt_sleep.pages.blocks import Block, Cell, Item, Items, Sentence, Table
from skillopt_sleep.pages.chart import dot
from skillopt_sleep.records import (
    OUTCOMES,
    CandidateKind,
    Decision,
    Edit,
    EditEffect,
    EditOp,
    Effect,
    Judged,
    NightReport,
    Solved,
    Split,
    StepOutcome,
    Task,
    Trial,
    Verdict,
    decided_by,
    effect_of,
    in_words,
    solved,
    unknown_rate,
)
from skillopt_sleep.reporters.gains import both_arms, in_grades, sentence

MOST_TRIALS = 4  # of a night
MOST_FELL = 3
CHANGE_CHARS = 60
RULE_CHARS = 300
_TARGET_CHARS = 100
WORDS = {
    Decision.ACCEPT: "proven",
    Decision.REJECT: "not proven",
    Decision.UNDECIDED: "undecided",
    Decision.ABSTAIN: "not decided",
}
SEEMED = "seemed better"  # by a rule whose error rate nobody knows
UNTESTED = "taken untested"
WORSE = "made it worse"
OTHERS_WORSE = "made other requests worse"


def change(edit: Edit, *, limit: int = RULE_CHARS) -> str:
    """Say what an edit changes, each rule in quotes on one line of at most `limit` characters."""
    content, target = quoted(edit.content, limit), quoted(edit.target, min(limit, _TARGET_CHARS))
    match edit.op:
        case EditOp.APPEND:
            return f"add {content}"
        case EditOp.INSERT_AFTER:
            return f"add {content} after {target}"
        case EditOp.REPLACE:
            return f"replace {target} with {content}"
        case EditOp.DELETE:
            return f"remove {target}"


def quoted(text: str, limit: int = RULE_CHARS) -> str:
    """Return a rule in quotes, without the dash of its list."""
    return f"«{one_line(text.strip().removeprefix('- '), limit=limit)}»"


def in_a_word(verdict: Verdict, trial: Trial) -> str:
    """Return a verdict in a word or two, without what is known beside it."""
    if verdict.decision is Decision.ACCEPT:
        return _accepted(verdict, trial)
    return WORDS[verdict.decision]


def verdict_words(verdict: Verdict, trial: Trial) -> str:
    """Return a verdict in words, and what is known of a change that wasn't proven."""
    word = in_a_word(verdict, trial)
    if trial.before is None or trial.after is None:
        return word
    if verdict.decision is Decision.UNDECIDED:
        return f"{word} ({trial.counted})"
    if verdict.decision is Decision.REJECT:
        return _rejected(word, verdict, trial, gain=trial.after - trial.before)
    return word


def _accepted(verdict: Verdict, trial: Trial) -> str:
    if trial.before is None:
        return UNTESTED
    if unknown_rate(verdict.error_rate):
        return SEEMED
    return WORDS[Decision.ACCEPT]


def _rejected(word: str, verdict: Verdict, trial: Trial, *, gain: float) -> str:
    if verdict.harmed:
        return OTHERS_WORSE
    effect = effect_of(trial.interval)
    if effect is Effect.HARMFUL:
        return WORSE
    if effect is Effect.HELPED:
        return word
    shown = in_words(effect, n=trial.n, gain=gain)
    return shown if word in shown else f"{word}: {shown}"


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
    """Return the verdict with the counts or grades it rests on; why is told with the edits, if there are any."""
    trial, said = outcome.trial, verdict(outcome)
    if trial.before is None:
        return said
    by = f", graded by {decided_by(trial.judges)}" if trial.judges else ""
    solve = "solved " if solved(trial.own) else ""
    return f"{said.partition(':')[0]}, {solve}{arms(trial)}{by}"


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


def trials(report: NightReport) -> Iterator[Block]:
    """Yield every trial of a night in a table, then by document what fell without one, and what waits."""
    tried = [(outcome.document.id, judged) for outcome in report.documents for judged in outcome.tried.tested]
    if tried:
        rows = tuple(_row(name, judged) for name, judged in tried[:MOST_TRIALS])
        yield Table(("document", "change", "verdict", "without → with", "gain (90 % interval)"), rows)
    if tried[MOST_TRIALS:]:
        yield Sentence(f"{counted(len(tried[MOST_TRIALS:]), 'more trial')} in report.json.", "soft")
    fell = [item for outcome in report.documents for item in _fell(outcome, report)]
    if fell:
        yield Items(tuple(fell[:MOST_FELL]))
    if fell[MOST_FELL:]:
        yield Sentence(f"{counted(len(fell[MOST_FELL:]), 'more edit')} in diagnostics.json.", "soft")


def _row(name: str, judged: Judged) -> tuple[Cell, ...]:
    trial = judged.trial
    what = change(judged.edits[0], limit=CHANGE_CHARS) if judged.edits else "nothing"
    if judged.edits[1:]:
        what = f"{what} and {counted(len(judged.edits) - 1, 'more edit')}"
    if trial.before is None or trial.after is None:
        return name, what, _verdict(judged), arms(trial), "–"
    return name, what, _verdict(judged), arms(trial), dot(trial.before, trial.after, trial.interval, trial.counted)


def _fell(outcome: StepOutcome, report: NightReport) -> Iterator[Item]:
    """Yield why a document was left as it is, and what became of its edits beside their trials."""
    name = f"`{outcome.document.id}`"
    kept_back = in_grades(outcome.kept_back)
    if kept_back:
        yield Item(f"{name}: on requests that were kept back, which never decide anything: {kept_back}")
    if outcome.because.rstrip(".") not in report.because and not outcome.tried.tested:
        yield Item(f"{name}: {outcome.because}")
    for applied in outcome.tried.edits:
        if applied.fate.value != "applied":
            why = applied.because or applied.fate.value.replace("_", " ")
            yield Item(f"{name}: {change(applied.edit, limit=CHANGE_CHARS)}: {why}")
    for effect in outcome.tried.effects:
        if effect.because or effect.edit.op is EditOp.DELETE:
            yield Item(f"{name}: {change(effect.edit, limit=CHANGE_CHARS)}: {_effect(effect)}")
    for again in outcome.tried.retested:
        yield Item(sentence(again.said))
    for wait in outcome.tried.undecided:
        if wait.night != report.night:
            waits = "; ".join(change(edit, limit=CHANGE_CHARS) for edit in wait.tested.edits)
            yield Item(f"{name}: undecided since the night of {wait.night}: {waits}")


def _effect(effect: EditEffect) -> str:
    """Say why an edit fell; of a removal, what was solved with the rule and without it."""
    if effect.edit.op is EditOp.DELETE and effect.before is not None and effect.after is not None:
        stays = effect.effect is not Effect.NEUTRAL
        return without_the_rule(effect.solved, (effect.before, effect.after), stays=stays)
    return effect.because


def text_only(report: NightReport) -> StepOutcome | None:
    """Return the first document that was tried without tools; None if some were tried with tools."""
    if any(outcome.trial.n and not outcome.tasks.text_only for outcome in report.documents):
        return None
    return next((outcome for outcome in report.documents if outcome.tasks.text_only), None)


def not_used(task: Task) -> str:
    """Say that no night has used a task yet, and what it may wait for."""
    if task.setting.needs_repository:
        return "No night has used it yet: it needs the repository, and waits for a replay that has it."
    return "No night has used it yet."


def uses_in(task: Task, reports: Iterable[NightReport]) -> Iterator[str]:
    """Yield what each of these nights used the task for."""
    for report in reports:
        for step in report.documents:
            for use in uses(task, step):
                yield f"{report.night}, {step.document.id}: {use}"


def uses(task: Task, step: StepOutcome) -> Iterator[str]:
    """Yield what the work on a document used the task for."""
    uses = [*_as_test(task, step), *_as_lesson(task, step)]
    yield from uses
    if not uses and task.id in step.later.scores:
        yield f"was asked without a change: {step.later.scores[task.id]:.2f}"
    if task.split is Split.TEST and step.kept_back.n and task.session in step.sessions.ids:
        yield "was a test of an accepted change"


def _as_test(task: Task, step: StepOutcome) -> Iterator[str]:
    """Yield the scores of the task in the trial of a change, equal ones once."""
    scores = Counter[tuple[float, float]]()
    for pair in step.trial.pairs:
        if pair.task == task.id:
            scores[pair.before, pair.after] += 1
    for (before, after), times in scores.items():
        often = f", {times} times" if times > 1 else ""
        yield f"tested a change, {before:.2f} → {after:.2f}{often}"


def _as_lesson(task: Task, step: StepOutcome) -> Iterator[str]:
    """Yield the edits that were written because of the task."""
    for applied in step.tried.edits:
        if task.id in applied.edit.tasks:
            words = one_line(applied.edit.content or applied.edit.target, limit=WIDTH - 6)
            yield f"led to an edit ({applied.fate}, {in_a_word(step.verdict, step.trial)})\n      {words}"
