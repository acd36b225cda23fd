"""The end of a training: the final skill measured, the best named, both tested beside the initial one."""

import math
from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from skillopt_sleep.learning.gate import UNKNOWN, UNVERIFIED
from skillopt_sleep.records import Document
from skillopt_sleep.trainer.attempts import Cost
from skillopt_sleep.trainer.gate import better
from skillopt_sleep.trainer.parts import Held, Parts, State
from skillopt_sleep.trainer.summary import History, Summary, Tested


def final(
    parts: Parts, state: State, initial: Held, history: History, *, env: str, models: Mapping[str, str]
) -> Summary:
    """The summary; the final skill becomes the best where the gate's rule takes it for better.

    Test scores are of the very texts that the summary names, and the same text is tested once.
    """
    current, test = state.current.document, parts.config.evaluation.test
    jobs = parts.val_jobs(current) + (parts.test_jobs(current) if test else ())
    if test and parts.attempts.known(parts.val_jobs(current)):
        jobs += parts.test_jobs(state.best.document)
    parts.attempts.make(jobs, label="final")
    promoted = current.sha != state.best.document.sha and better(parts, current, state.best.document)
    best = state.current if promoted else state.best
    tested = {
        role: _tested(parts, held) for role, held in (("initial", initial), ("best", best), ("final", state.current))
    }
    costs = parts.spent.costs()
    return Summary(
        env=env,
        models=dict(models),
        epochs=parts.config.train.epochs,
        steps=len(history.steps),
        initial=tested["initial"],
        best=tested["best"],
        final=tested["final"],
        actions=dict(Counter(step.gated.action.value for step in history.steps)),
        gate=f"{parts.rule.name}, {parts.rule.metric}",
        error_rate=_error_rate(parts),
        promoted=promoted,
        costs=costs,
        total=_total(costs),
        notes=tuple(note for told in (*history.steps, *history.epochs) for note in told.notes),
        best_skill=best.document.text,
    )


def _tested(parts: Parts, held: Held) -> Tested:
    document: Document = held.document
    val = parts.measured(parts.val_jobs(document), label="final")
    test = parts.measured(parts.test_jobs(document), label="final") if parts.config.evaluation.test else None
    return Tested(
        standing=replace(held.standing, val=val.metric),
        file=f"skills/skill_v{held.standing.version:04d}.md",
        chars=len(document.text),
        val=val,
        test=test,
    )


def _error_rate(parts: Parts) -> str:
    own = parts.config.evaluation
    if own.gate == "sequential":
        return f"a useless candidate passes in at most {100 * own.alpha:.3g} % of runs"
    return UNKNOWN if own.gate == "strict" else UNVERIFIED


def _total(costs: Mapping[str, Cost]) -> Cost:
    """All stages together."""
    dollars = [cost.usd for cost in costs.values() if cost.usd is not None]
    return Cost(
        calls=sum(cost.calls for cost in costs.values()),
        input_tokens=sum(cost.input_tokens for cost in costs.values()),
        output_tokens=sum(cost.output_tokens for cost in costs.values()),
        cached_tokens=sum(cost.cached_tokens for cost in costs.values()),
        unnamed=sum(cost.unnamed for cost in costs.values()),
        usd=math.fsum(dollars) if len(dollars) == len(costs) else None,
    )
