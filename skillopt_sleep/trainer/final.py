"""End a training: measure the final skill, choose the best, and test both against the initial one."""

import math
from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from skillopt_sleep.records import UNKNOWN, UNVERIFIED, Document, Note
from skillopt_sleep.trainer.attempts import Cost
from skillopt_sleep.trainer.gate import better
from skillopt_sleep.trainer.parts import Held, Parts, State
from skillopt_sleep.trainer.summary import History, Summary, Tested


def final(
    parts: Parts, state: State, initial: Held, history: History, *, env: str, models: Mapping[str, str]
) -> Summary:
    """Summarize the training; the final skill becomes the best one if the gate's rule finds it better.

    The test scores belong to exactly the texts the summary names, and equal texts are tested once.
    """
    current = state.current.document
    jobs = parts.val_jobs(current)
    if parts.config.evaluation.test:
        jobs += parts.test_jobs(current)
        if parts.attempts.known(parts.val_jobs(current)):
            jobs += parts.test_jobs(state.best.document)
    parts.attempts.make(jobs, label="final")
    promoted = current.sha != state.best.document.sha and better(parts, current, state.best.document)
    best = state.current if promoted else state.best
    tested_initial = _tested(parts, initial)
    tested_best = _tested(parts, best)
    tested_final = _tested(parts, state.current)
    costs = parts.spent.costs()
    notes: list[Note] = []
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
        costs=costs,
        total=_total(costs),
        notes=tuple(notes),
        best_skill=best.document.text,
    )


def _tested(parts: Parts, held: Held) -> Tested:
    document: Document = held.document
    val = parts.measured(parts.val_jobs(document), label="final")
    test = None
    if parts.config.evaluation.test:
        test = parts.measured(parts.test_jobs(document), label="final")
    return Tested(
        standing=replace(held.standing, val=val.metric),
        file=f"skills/skill_v{held.standing.version:04d}.md",
        chars=len(document.text),
        val=val,
        test=test,
    )


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
