"""Score one skill on one split; answers that a training beside it has had aren't paid for again."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import cast

from msgspec import structs

from skillopt_sleep.errors import BackendUnavailable, ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import SpendTally
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Job
from skillopt_sleep.trainer.calls import check_priced, meter, wrap_model
from skillopt_sleep.trainer.checks import check_arguments, checked_config
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.costs import StageCosts
from skillopt_sleep.trainer.data import as_document, as_task, limits_of, read_split
from skillopt_sleep.trainer.env import Env
from skillopt_sleep.trainer.loading import make_pool, no_progress
from skillopt_sleep.trainer.manifest import digest_of
from skillopt_sleep.trainer.models import Named, as_model
from skillopt_sleep.trainer.parts import VAL_SAMPLE, scores
from skillopt_sleep.trainer.run import CALLS, CONFIG, lock_folder, open_answers, read_manifest
from skillopt_sleep.trainer.summary import Scores


class Evaluation(Scores, frozen=True, kw_only=True):
    """A skill's scores on one split, and what was paid for them: what was answered before isn't paid again."""

    paid: SpendTally


def evaluate(
    config: TrainerConfig,
    env: Env,
    skill: str,
    split: Split,
    *,
    target: Named,
    pool: Pool | None = None,
    folder: Path | str = "run",
    wired: bool = False,
    clock: Callable[[], datetime] = utc_now,
) -> Evaluation:
    """Score the skill on a split, which is limited as the configuration says.

    Answers on val and train are drawn anew, as those of a training may have chosen the skill. That the items aren't
    those of the training in the folder is a Python warning, unless it is told elsewhere (`wired`). Raises ConfigError
    if the split is empty or an item is invalid, BackendUnavailable if no item could be scored, NightLocked if a
    training is running in the folder.
    """
    config = checked_config(config)
    try:
        split = Split(cast("str", split))
    except ValueError as error:
        raise ConfigError(f"there is no split {split!r}", remedy="one of: train, val, test") from error
    if cast("object", skill) is None:
        raise ConfigError("the skill is nothing (None), not a text", remedy='pass its text, "" for none')
    model = as_model(target, role="target")
    check_arguments(env, pools={"pool": pool}, skill=skill)
    check_priced({"target": model}, config.limits)
    folder = Path(folder)
    if not wired:
        for why in unlike_run(config, env, split, folder):
            warnings.warn(f"Data: {why}.", stacklevel=2)
    items = read_split(env, split, most=limits_of(config)[split])
    if not items:
        raise ConfigError(
            f"environment {env.name} has no {split} items", remedy="choose another split, or add items to this one"
        )
    document = as_document(skill)
    with (
        lock_folder(folder),
        closing(CallStore(folder / CALLS, clock)) as store,
        open_answers(folder, clock) as calls,
    ):
        begun = clock()
        budget = meter(config.limits, store.ledger, clock)
        backend = wrap_model(model, calls=calls, failures=store.failures, meter=budget)
        attempts = Attempts(Attempt(env, backend), pool or make_pool(config, no_progress), StageCosts())
        draw = "" if split is Split.TEST else "@eval"
        jobs = [Job(item, document.text, document.sha, VAL_SAMPLE, "eval", draw) for item in items]
        attempted = attempts.make(jobs, label="eval")
        paid = store.ledger.spent_since(begun)
    tasks = {item.id: as_task(item, split, source=env.name) for item in items}
    result = scores(attempted, tasks, config.rule())
    if not result.n:
        reason = attempted[0].rollout.note
        raise BackendUnavailable(
            f"none of {len(items)} items could be scored: {reason}", remedy="fix that, and score again"
        )
    return Evaluation(**structs.asdict(result), paid=paid)


def unlike_run(config: TrainerConfig, env: Env, split: Split, folder: Path) -> Iterator[str]:
    """Yield, in words, why scores of this split can't be compared to those of a run in the folder."""
    if not (folder / CONFIG).exists():
        return
    run = read_manifest(folder)
    own = digest_of(read_split(env, split, most=limits_of(config)[split]))
    if run.dataset.get(split.value) not in {None, digest_of(()), own}:
        yield f"the {split} items aren't those that the training in {folder} began with: scores can't be compared"
