"""Score one skill on one split, reusing the calls in a run's folder: those of the training aren't paid again."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.asked import asked, check_priced, meter
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Job, Spent
from skillopt_sleep.trainer.checked import check_parts, checked_config, checked_split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.data import limits_of, read_split
from skillopt_sleep.trainer.env import Env
from skillopt_sleep.trainer.parts import VAL_SAMPLE, scores
from skillopt_sleep.trainer.run import alone
from skillopt_sleep.trainer.sharing import shared_calls
from skillopt_sleep.trainer.summary import Scores
from skillopt_sleep.trainer.tasks import as_document, as_task

_LIMITS = "raise [limits] (0 = none), which hold for all calls in the training's folder; paid results are kept"


def evaluate(
    config: TrainerConfig,
    env: Env,
    skill: str,
    split: Split,
    *,
    target: Backend,
    pool: Pool,
    folder: Path | str,
    clock: Callable[[], datetime] = utc_now,
) -> Scores:
    """Score the skill on a split, which is limited as the configuration says.

    Raises ConfigError if the split is empty or an item is invalid, BackendUnavailable if no item could be scored,
    NightLocked if a training is running in the folder.
    """
    config = checked_config(config)
    split = checked_split(split)
    check_parts(env, {"target": target}, {"pool": pool}, skill)
    check_priced({"target": target}, config.limits)
    folder = Path(folder)
    items = read_split(env, split, most=limits_of(config)[split])
    if not items:
        raise ConfigError(
            f"environment {env.name} has no {split} items", remedy="choose another split, or add items to this one"
        )
    with (
        alone(folder),
        closing(CallStore(folder / "calls.db", clock)) as store,
        shared_calls(folder, config.train.shared, store.calls, clock) as calls,
    ):
        budget = meter(config.limits, store.ledger, clock)
        backend = asked(target, calls=calls, failures=store.failures, meter=budget)
        attempts = Attempts(Attempt(env, backend), pool, Spent())
        document = as_document(skill)
        jobs = [Job(item, document.text, document.sha, VAL_SAMPLE, "eval") for item in items]
        try:
            attempted = attempts.make(jobs, label="eval")
        except BudgetExhausted as error:
            raise BudgetExhausted(error.message, remedy=_LIMITS) from error
    tasks = {item.id: as_task(item, split, source=env.name) for item in items}
    result = scores(attempted, tasks, config.rule())
    if not result.n:
        reason = attempted[0].rollout.note
        raise BackendUnavailable(
            f"none of {len(items)} items could be scored: {reason}", remedy="fix that, and score again"
        )
    return result
