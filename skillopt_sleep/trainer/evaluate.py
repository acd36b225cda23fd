"""One skill on one split, with the calls of a run's folder: what was asked in training isn't paid again."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.asked import asked, meter
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Job, Spent
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.data import read_split
from skillopt_sleep.trainer.env import Env
from skillopt_sleep.trainer.parts import VAL_SAMPLE, scores
from skillopt_sleep.trainer.run import alone
from skillopt_sleep.trainer.summary import Scores
from skillopt_sleep.trainer.tasks import as_document, as_task

_LIMITS = (
    "raise [limits] (0 is none), which hold for all that is asked in the training's folder: what was paid for is kept"
)


def evaluate(
    config: TrainerConfig,
    env: Env,
    skill: str,
    split: Split,
    *,
    target: Backend,
    pool: Pool,
    folder: Path,
    clock: Callable[[], datetime] = utc_now,
) -> Scores:
    """The scores of the skill on the whole split, or as much of val and test as the configuration says.

    Raises ConfigError where the split is empty or an item of it is none, BackendUnavailable where nothing of it could
    be scored, NightLocked where a training works in the folder.
    """
    most = {Split.VAL: config.evaluation.val_items, Split.TEST: config.evaluation.test_items}
    items = read_split(env, split, most=most.get(split, 0))
    if not items:
        raise ConfigError(f"environment {env.name} has no {split} items", remedy="name another split")
    with alone(folder), closing(CallStore(folder / "calls.db", clock)) as store:
        counter = meter(config.limits, store.ledger, clock)
        attempts = Attempts(
            Attempt(env, asked(target, calls=store.calls, failures=store.failures, meter=counter)), pool, Spent()
        )
        document = as_document(skill)
        jobs = [Job(item, document.text, document.sha, VAL_SAMPLE, "eval") for item in items]
        try:
            made = attempts.make(jobs, label="eval")
        except BudgetExhausted as error:
            raise BudgetExhausted(error.message, remedy=_LIMITS) from error
    found = scores(made, {item.id: as_task(item, split, source=env.name) for item in items}, config.rule(trials=1))
    if not found.n:
        why = made[0].rollout.note
        raise BackendUnavailable(
            f"none of {len(items)} items could be scored: {why}", remedy="mend that, and score it again"
        )
    return found
