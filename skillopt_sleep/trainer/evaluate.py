"""Score one skill on one split, reusing the calls in a run's folder: those of the training aren't paid again."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, cast

from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols import Backend, Pool
from skillopt_sleep.records import Document, Split
from skillopt_sleep.stores.calls import CallStore
from skillopt_sleep.trainer.asked import asked, check_priced, meter
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Job, Spent
from skillopt_sleep.trainer.checked import check_parts, checked_config, checked_split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.data import limits_of, read_split
from skillopt_sleep.trainer.ending import paid_of, write_paid
from skillopt_sleep.trainer.env import Env, Item, kind_of
from skillopt_sleep.trainer.manifest import changed_code, digest_of
from skillopt_sleep.trainer.parts import CONFIRMING, VAL_SAMPLE, scores
from skillopt_sleep.trainer.run import (
    CALLS,
    CONFIG,
    SUMMARY,
    Paid,
    alone,
    check_answers_kept,
    read_kept,
    read_manifest,
)
from skillopt_sleep.trainer.sharing import NOTHING_SHARED, Sharing, shared_calls, sharing
from skillopt_sleep.trainer.source import source_of
from skillopt_sleep.trainer.summary import Scores, Summary
from skillopt_sleep.trainer.tasks import as_document, as_task
from skillopt_sleep.trainer.told import file_of

_LIMITS = "raise [limits] (0 = none), which hold for all calls in the training's folder; paid results are kept"


class Evaluation(NamedTuple):
    """A skill's scores on one split, and what was paid for them: what the folder had already isn't paid again."""

    scores: Scores
    paid: Paid


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
    """Score the skill on a split, which is limited as the configuration says; val is asked as often as it says, too.

    A skill that a run in the folder tried on val is scored by passes that didn't choose it, as the run's own report.

    Raises ConfigError if the split is empty or an item is invalid, BackendUnavailable if no item could be scored,
    NightLocked if a training is running in the folder.
    """
    found = evaluated(config, env, skill, split, target=target, pool=pool, folder=folder, clock=clock)
    for why in unlike_run(config, env, Split(split), Path(folder)):
        warnings.warn(f"Data: {why}.", stacklevel=2)
    return found.scores


def evaluated(
    config: TrainerConfig,
    env: Env,
    skill: str,
    split: Split,
    *,
    target: Backend,
    pool: Pool,
    folder: Path | str,
    clock: Callable[[], datetime] = utc_now,
) -> Evaluation:
    """Score the skill as `evaluate` does, and say what was paid for it."""
    config = checked_config(config)
    if not isinstance(cast("object", skill), str):
        raise ConfigError(f"the skill is {kind_of(skill)}, not a text", remedy='pass its text, "" for none')
    split = checked_split(split)
    check_parts(env, {"target": target}, {"pool": pool}, skill)
    check_priced({"target": target}, config.limits)
    folder = Path(folder)
    items = read_split(env, split, most=limits_of(config)[split])
    if not items:
        raise ConfigError(
            f"environment {env.name} has no {split} items", remedy="choose another split, or add items to this one"
        )
    has_run = (folder / CONFIG).exists()
    if has_run:
        check_answers_kept(folder, config.train.shared)
    with (
        alone(folder),
        closing(CallStore(folder / CALLS, clock)) as store,
        shared_calls(folder, config.train.shared, store.calls, clock) as calls,
    ):
        if not has_run:
            store.score_before_a_run()
        begun = clock()
        budget = meter(config.limits, store.ledger, clock)
        backend = asked(target, calls=calls, failures=store.failures, meter=budget)
        document = as_document(skill)
        attempt = Attempt(env, backend, sharing=_own(config, split, items, folder))
        attempts = Attempts(attempt, pool, Spent())
        jobs: list[Job] = []
        for sample in _samples(config, split, document, folder):
            jobs += [Job(item, document.text, document.sha, sample, "eval") for item in items]
        try:
            attempted = attempts.make(jobs, label="eval")
        except BudgetExhausted as error:
            raise BudgetExhausted(error.message, remedy=_LIMITS) from error
        finally:
            write_paid(folder, store.ledger.spent())
        paid = paid_of(store.ledger.spent_since(begun))
    tasks = {item.id: as_task(item, split, source=env.name) for item in items}
    result = scores(attempted, tasks, config.rule())
    if not result.n:
        reason = attempted[0].rollout.note
        raise BackendUnavailable(
            f"none of {len(items)} items could be scored: {reason}", remedy="fix that, and score again"
        )
    return Evaluation(result, paid)


def unlike_run(config: TrainerConfig, env: Env, split: Split, folder: Path) -> Iterator[str]:
    """Yield, in words, why scores of this split can't be compared to those of a run in the folder."""
    if not (folder / CONFIG).exists():
        return
    run = read_manifest(folder)
    own = digest_of(read_split(env, split, most=limits_of(config)[split]))
    if run.dataset.get(split.value) not in {None, digest_of(()), own}:
        yield f"the {split} items aren't those that the training in {folder} began with: scores can't be compared"
    source = source_of(env)
    if source is not None:
        for changed in changed_code(run, replace(run, code={"env": source})):
            yield f"{changed} since the training in {folder} began: scores can't be compared"


def _own(config: TrainerConfig, split: Split, items: Sequence[Item], folder: Path) -> Sharing:
    """Return which attempts the run in the folder keeps from other runs, if there is one: it may use them itself."""
    if split is not Split.VAL or not config.train.shared or not (folder / CONFIG).exists():
        return NOTHING_SHARED
    initial = read_manifest(folder).initial_skill
    return sharing(folder, items, initial=initial, passes=config.evaluation.samples)


def _samples(config: TrainerConfig, split: Split, document: Document, folder: Path) -> range:
    """Return the samples of the passes that score a skill: those by which the run in the folder reports it."""
    if split is not Split.VAL:
        return range(VAL_SAMPLE, VAL_SAMPLE + 1)
    first = VAL_SAMPLE
    was_asked = (folder / CONFIG).exists() and (folder / file_of(split.value, document.sha)).exists()
    if was_asked and config.evaluation.confirms and not _stayed_unasked(document, folder):
        first = CONFIRMING
    return range(first, first + config.evaluation.samples)


def _stayed_unasked(document: Document, folder: Path) -> bool:
    """Return whether this is the run's initial skill, whose first pass over val is the one that the run reports."""
    if document.sha != read_manifest(folder).initial_skill:
        return False
    summary = read_kept(folder / SUMMARY, Summary)
    if summary is None or summary.reported is None:
        return True
    return summary.best.standing.sha != document.sha or not summary.reported.tried
