"""Which candidates a step tries: for now the bundle of all applied edits."""

from collections.abc import Sequence

from skillopt_sleep.protocols import Crew
from skillopt_sleep.records import Document, GateRule, Rollout, Task, Trial, Verdict
from skillopt_sleep.trial import run_trial


def search(
    document: Document, bundle: Document, val: Sequence[Task], *, crew: Crew, rule: GateRule
) -> tuple[Document, Trial, Verdict, tuple[Rollout, ...]]:
    """The candidate to report, with its trial and verdict."""
    trial, verdict, rollouts = run_trial(document, bundle, val, crew=crew, rule=rule)
    return bundle, trial, verdict, rollouts
