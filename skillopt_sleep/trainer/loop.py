"""Train a skill on a dataset: epochs of steps, and their result."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import Backend, Calls, Pool
from skillopt_sleep.records import Document, Split, Task
from skillopt_sleep.trainer.asked import asked, check_priced, meter, name_of
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Counting, Spent
from skillopt_sleep.trainer.checked import check_parts, check_told, checked_config
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.course import Course, OnStep, go_on, steps_in_all
from skillopt_sleep.trainer.data import read_items, remarks, repeated, used_splits
from skillopt_sleep.trainer.ending import spending
from skillopt_sleep.trainer.env import Env, Item
from skillopt_sleep.trainer.final import final
from skillopt_sleep.trainer.given import make_pool, read_skill, untold
from skillopt_sleep.trainer.lapses import Lapses
from skillopt_sleep.trainer.manifest import Manifest, manifest
from skillopt_sleep.trainer.notices import notices
from skillopt_sleep.trainer.parts import Parts
from skillopt_sleep.trainer.replayed import other_result, result_before
from skillopt_sleep.trainer.run import BEST, SUMMARY, RunFolder, check_resumable, open_run
from skillopt_sleep.trainer.sharing import NOTHING_SHARED, Sharing, shared_calls, sharing
from skillopt_sleep.trainer.source import sources
from skillopt_sleep.trainer.summary import Summary
from skillopt_sleep.trainer.tasks import as_document, as_task
from skillopt_sleep.trainer.told import Answers, Replies
from skillopt_sleep.trainer.underway import Underway, Watch
from skillopt_sleep.trainer.unused import unread
from skillopt_sleep.trainer.wording import check_overrides, left_out, wording


class Trainer:
    """Trains a skill on a dataset; `target` is the optimizer's model by default.

    `initial_skill` takes precedence over the configuration's, and that over the environment's own; `prompt_overrides`
    are the optimizer's prompts by name. `pool` and `optimizer_pool` make the calls in parallel; by default the
    configuration decides. `on_step` gets the record of every step as it ends, also of those that a resumed run goes
    through again; if it returns True, the training ends with that step. `wired` says that `env` and the models are
    those that the configuration names, and that its notices are told elsewhere. Raises ConfigError if an argument or
    a key can't be used.
    """

    def __init__(
        self,
        config: TrainerConfig,
        env: Env,
        *,
        optimizer: Backend,
        target: Backend | None = None,
        pool: Pool | None = None,
        optimizer_pool: Pool | None = None,
        initial_skill: str | None = None,
        prompt_overrides: Mapping[str, str] | None = None,
        folder: Path | str | None = None,
        on_step: OnStep | None = None,
        wired: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        config = checked_config(config)
        models = {"optimizer": optimizer, "target": target or optimizer}
        check_parts(env, models, {"pool": pool, "optimizer_pool": optimizer_pool}, initial_skill)
        check_overrides(prompt_overrides or {})
        check_told(on_step)
        if initial_skill is None and config.skill:
            initial_skill = read_skill(Path(config.skill))
        if initial_skill is None:
            initial_skill = env.initial_skill()
        self._config = config
        self._env = env
        self._skill = initial_skill
        self._models = models
        self._pool = pool or make_pool(config, untold)
        self._optimizer_pool = optimizer_pool or self._pool
        if optimizer_pool is None and config.gradient.workers:
            self._optimizer_pool = ThreadPool(config.gradient.workers, untold)
        self._overrides = dict(prompt_overrides or {})
        self._folder = Path(folder or config.train.folder)
        self._on_step = on_step or go_on
        self._wired = wired
        self._clock = clock
        self._watch: Watch | None = None

    def train(self, *, resume: bool = False) -> Summary:
        """Train, or with `resume` continue the run in the folder, with the same result as if it had never stopped.

        What should be known before anything is spent, such as the price of more epochs, is a Python warning.
        Raises ConfigError if the folder holds another run, and a NightError if the models can't be used or a limit is
        reached: paid results are kept.
        """
        check_priced(self._models, self._config.limits)
        if not self._wired:
            for line in self._notices(resume=resume):
                warnings.warn(line, stacklevel=2)
        items = read_items(self._env, self._config)
        started_with = self._manifest(items)
        before = result_before(self._folder, started_with) if resume else None
        with open_run(self._folder, started_with, resume=resume, clock=self._clock) as folder:
            replies = Replies(folder)
            shared = self._config.train.shared
            try:
                with (
                    # In this order, so that a run that has written what it spent has made the shared file.
                    shared_calls(folder.path, shared, folder.store.calls, self._clock) as calls,
                    spending(folder) as spent,
                ):
                    return self._run(folder, calls, items, spent, replies, before=before)
            finally:
                self._watch = None
                replies.write()

    def check_resumable(self) -> None:
        """Raise ConfigError if `train` with `resume` would refuse to go on with what is in the folder."""
        check_resumable(self._folder, self._manifest(read_items(self._env, self._config)))

    def underway(self) -> Underway | None:
        """Return how far the training is while `train` runs in another thread, None before it began and after."""
        watch = self._watch
        return watch.now() if watch else None

    def _manifest(self, items: Mapping[Split, Sequence[Item]]) -> Manifest:
        """Return what a run of this trainer is started with."""
        return manifest(
            self._config,
            env=self._env.name,
            items=items,
            initial_skill=self._skill,
            prompts=self._overrides,
            models=self._model_names(),
            code=sources(self._env, self._models),
        )

    def _notices(self, *, resume: bool) -> Iterator[str]:
        """Yield what should be known of the training before anything is spent on it."""
        for text in unread(self._config, self._folder):
            yield f"Config: {text}."
        for text in left_out(self._overrides):
            yield f"Prompts: {text}."
        yield from notices(
            self._config,
            self._env,
            **self._models,
            initial_skill=self._skill,
            folder=self._folder,
            resume=resume,
        )

    def _run(
        self,
        folder: RunFolder,
        calls: Calls,
        items: Mapping[Split, Sequence[Item]],
        spent: Spent,
        replies: Replies,
        *,
        before: Summary | None,
    ) -> Summary:
        config, store = self._config, folder.store
        counter = meter(config.limits, store.ledger, self._clock)
        models = self._models
        optimizer = asked(models["optimizer"], calls=calls, failures=store.failures, meter=counter)
        target = asked(models["target"], calls=calls, failures=store.failures, meter=counter)
        counting = Counting(optimizer, tell=replies.tell)
        lapses = None
        if config.gradient.skill_aware:
            lapses = Lapses()
        document = as_document(self._skill)
        attempt = Attempt(self._env, target, config.gradient.shown_chars, self._own(folder, items, document))
        parts = Parts(
            config=config,
            items=items,
            tasks=self._tasks(items),
            attempts=Attempts(attempt, self._pool, spent, tell=Answers(folder).tell),
            optimizer=Optimizer(
                backend=counting,
                pool=self._optimizer_pool,
                document=document,
                words=wording(
                    self._overrides,
                    allow_urls=config.optimizer.allow_urls,
                    edit_chars=config.optimizer.edit_chars,
                ),
                shown_chars=config.gradient.shown_chars,
                reflecting=lapses.question if lapses else None,
                on_successes=config.gradient.appendix_source == "both",
            ),
            counting=counting,
            lapses=lapses,
            folder=folder,
            spent=spent,
            rule=config.rule(),
        )
        watch = Watch(
            self._folder.name,
            steps=steps_in_all(config, len(items[Split.TRAIN])),
            limits=config.limits,
            spent=counter.spend,
            clock=self._clock,
        )
        self._watch = watch
        course = Course(parts, document, watch=watch, on_step=self._on_step)
        course.run()
        for purpose, taken in counting.taken:
            spent.add(purpose, (taken,))
        names = self._model_names()
        summary = final(
            parts,
            course.state,
            course.initial,
            course.history,
            env=self._env.name,
            models=names,
            learned=course.learned,
        )
        said = (*remarks(self._env, used_splits(config)), *repeated(items))
        summary = replace(summary, stopped=course.stopped, remarks=said)
        summary = replace(summary, notes=(*summary.notes, *other_result(before, summary)))
        folder.write(BEST, summary.best_skill)
        folder.write(SUMMARY, summary)
        return summary

    def _own(self, folder: RunFolder, items: Mapping[Split, Sequence[Item]], initial: Document) -> Sharing:
        """Return which attempts no other training may see."""
        if not self._config.train.shared:
            return NOTHING_SHARED
        passes = self._config.evaluation.samples
        return sharing(folder.path, items[Split.VAL], initial=initial.sha, passes=passes)

    def _tasks(self, items: Mapping[Split, Sequence[Item]]) -> dict[str, Task]:
        """Return the items of all splits as tasks of the engine."""
        tasks: dict[str, Task] = {}
        for split in Split:
            for item in items[split]:
                tasks[item.id] = as_task(item, split, source=self._env.name)
        return tasks

    def _model_names(self) -> dict[str, str]:
        return {role: name_of(model) for role, model in self._models.items()}
