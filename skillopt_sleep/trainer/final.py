"""End a training: measure the final skill, choose the best, and test both against the initial one."""

import math
from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from skillopt_sleep.kit.stats import wilson
from skillopt_sleep.records import UNKNOWN, UNVERIFIED, Document, Note, Split
from skillopt_sleep.trainer.attempts import Cost, Job
from skillopt_sleep.trainer.gate import judge
from skillopt_sleep.trainer.luck import luck_of
from skillopt_sleep.trainer.parts import CONFIRMING, VAL_SAMPLE, Held, Parts, State
from skillopt_sleep.trainer.power import warned
from skillopt_sleep.trainer.removal import remove
from skillopt_sleep.trainer.run import END, HISTORY
from skillopt_sleep.trainer.summary import EndRecord, History, Reported, Rules, Scores, Summary, Tested

LEVEL = 0.9  # of the interval of the best skill's quality


def final(
    parts: Parts,
    state: State,
    initial: Held,
    history: History,
    *,
    env: str,
    models: Mapping[str, str],
    learned: Rules,
) -> Summary:
    """Summarize the training; the final skill becomes the best one if the gate's rule finds it better.

    `learned` is what is known of the rules, unless the best skill is only now tried without those that show nothing.
    The test scores belong to exactly the texts the summary names, and equal texts are tested once.
    """
    current = state.current.document
    is_best = current.sha == state.best.document.sha
    jobs: tuple[Job, ...] = ()
    if not is_best:
        jobs = parts.val_jobs(current)
    elif not parts.config.optimizer.removal or parts.config.judged != "step":
        jobs = parts.val_jobs(current, _confirming(parts, state, initial))
    if parts.config.evaluation.test and not parts.config.optimizer.removal:
        jobs += parts.test_jobs(current)
        if parts.attempts.known(parts.val_jobs(current)):
            jobs += parts.test_jobs(state.best.document)
    parts.attempts.make(jobs, label="final")
    promoted = False
    if not is_best and parts.config.judged == "step":
        state, history = _judged(parts, state, history)
        promoted = current.sha == state.best.document.sha
    if parts.config.judged == "step":
        state, learned = remove(parts, state, initial, history)
    best = state.best
    tested_best = _tested(parts, best, first=_confirming(parts, state, initial))
    tested_initial, tested_final = (
        _of(held, tested_best) if held.document.sha == best.document.sha else _tested(parts, held)
        for held in (initial, state.current)
    )
    costs = parts.spent.costs()
    notes: list[Note] = [*warned(parts.config, steps=len(history.steps), val=len(parts.items[Split.VAL]))]
    for record in (*history.steps, *history.epochs):
        notes += record.notes
    return Summary(
        env=env,
        models=dict(models),
        epochs=parts.config.train.epochs,
        steps=len(history.steps),
        initial=tested_initial,
        best=tested_best,
        final=tested_final,
        actions=dict(Counter(step.gated.action.value for step in history.steps)),
        gate=f"{parts.rule.name}, {parts.rule.metric}",
        error_rate=_error_rate(parts),
        promoted=promoted,
        reported=reported(
            tested_best.val, luck=luck_of(parts, best, initial), tried=len(_others(state, initial)), level=LEVEL
        ),
        learned=learned,
        costs=costs,
        total=_total(costs),
        notes=tuple(notes),
        best_skill=best.document.text,
    )


def _judged(parts: Parts, state: State, history: History) -> tuple[State, History]:
    """Let val decide whether the final skill is better than the best; the history says so, and is written."""
    state, gated, trial = judge(parts, state, left=1, falls_back=False)
    parts.folder.write(END, trial)
    # Here the optimizer's calls are among those spent.
    history = replace(history, end=EndRecord(calls=parts.spent.calls, gated=gated))
    parts.folder.write(HISTORY, history)
    return state, history


def reported(val: Scores, *, luck: float, tried: int, level: float) -> Reported | None:
    """Return the mean on val without the luck of being chosen; the interval holds for all `tried` texts at once.

    Grades in [0, 1] vary most if they are all 0 or 1, so Wilson's interval for a share holds for their mean, too.
    Several answers to one item count as one, as they may be all alike.
    """
    if val.metric is None or not val.n:
        return None
    texts = max(1, tried)
    low, high = wilson(val.metric, val.size, level=1 - (1 - level) / texts)
    mean = max(low, val.metric - luck)
    return Reported(mean=mean, luck=val.metric - mean, interval=(low, high), n=val.size, tried=tried, level=level)


def _others(state: State, initial: Held) -> frozenset[str]:
    """Return the texts that val was asked about besides the initial one."""
    return state.tried - {initial.document.sha}


def _confirming(parts: Parts, state: State, initial: Held) -> int:
    """Return the first sample of the passes that report the best skill: if nothing was tried, that of the first."""
    return CONFIRMING if parts.config.evaluation.confirms and _others(state, initial) else VAL_SAMPLE


def _tested(parts: Parts, held: Held, *, first: int = VAL_SAMPLE) -> Tested:
    document: Document = held.document
    val = parts.measured(parts.val_jobs(document, first), label="final")
    test = None
    if parts.config.evaluation.test:
        test = parts.measured(parts.test_jobs(document), label="final")
    return _of(held, Tested(standing=held.standing, file="", chars=len(document.text), val=val, test=test))


def _of(held: Held, scored: Tested) -> Tested:
    """Return the scores of a text as those of this skill: equal texts have one number."""
    standing = replace(held.standing, val=scored.val.metric)
    return replace(scored, standing=standing, file=f"skills/skill_v{held.standing.version:04d}.md")


def _error_rate(parts: Parts) -> str:
    evaluation = parts.config.evaluation
    if evaluation.gate == "sequential":
        rate = f"{100 * evaluation.alpha:.3g} %"
        return f"a candidate that does nothing is accepted in at most {rate} of runs, by these scores on val"
    if evaluation.gate == "strict":
        return UNKNOWN
    return UNVERIFIED


def _total(costs: Mapping[str, Cost]) -> Cost:
    """Sum up the cost of all stages; the dollars are None if those of any stage are."""
    calls = input_tokens = output_tokens = cached_tokens = unnamed = 0
    dollars: list[float] = []
    for cost in costs.values():
        calls += cost.calls
        input_tokens += cost.input_tokens
        output_tokens += cost.output_tokens
        cached_tokens += cost.cached_tokens
        unnamed += cost.unnamed
        if cost.usd is not None:
            dollars.append(cost.usd)
    return Cost(
        calls=calls,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached_tokens,
        unnamed=unnamed,
        usd=math.fsum(dollars) if len(dollars) == len(costs) else None,
    )
