"""Train a skill on a dataset: epochs of steps, and their result."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.learning.asking import Optimizer
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.protocols.work import Pool
from skillopt_sleep.records import Note, Spend, Split, Task
from skillopt_sleep.trainer.attempts import Attempt, Attempts, Counting
from skillopt_sleep.trainer.calls import calls_left, check_priced, meter, name_of, wrap_model
from skillopt_sleep.trainer.checks import check_arguments, checked_config, ignored
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.costs import StageCosts
from skillopt_sleep.trainer.data import as_document, as_task, read_items, remarks, repeated, used_splits
from skillopt_sleep.trainer.env import Env, Item
from skillopt_sleep.trainer.epochs import ENDINGS, OnStep, TrainingProgress, go_on, steps_in_all
from skillopt_sleep.trainer.final import final
from skillopt_sleep.trainer.loading import make_pool, no_progress, own_sources, read_skill
from skillopt_sleep.trainer.manifest import Manifest, manifest
from skillopt_sleep.trainer.models import Named, as_model, for_workers
from skillopt_sleep.trainer.parts import Parts
from skillopt_sleep.trainer.plan import notices
from skillopt_sleep.trainer.run import SUMMARY, AnswerFiles, RunFolder, check_resumable, open_run
from skillopt_sleep.trainer.summary import LiveProgress, Summary
from skillopt_sleep.trainer.wording import about, check_overrides, left_out, wording


class Trainer:
    """Trains a skill on a dataset: `Trainer(model="openai/gpt-5.4-mini", env=Dataset(path="shop.csv")).train()`.

    A model is a name, a function of a prompt's text (also async), or an object with complete(prompt). `model` has
    both roles, unless another `optimizer` or `target` is given.

    `initial_skill` takes precedence over the configuration's, and that over the environment's own; `prompt_overrides`
    are the optimizer's prompts by name. `pool` and `optimizer_pool` make the calls in parallel; by default the
    configuration decides. `on_step` gets the record of every step as it ends, also of those that a resumed run goes
    through again; if it returns True, the training ends with that step. `wired` says that `env` and the models are
    those that the configuration names, and that its notices are told elsewhere. Raises ConfigError if an argument or
    a key can't be used.
    """

    def __init__(
        self,
        config: TrainerConfig | None = None,
        env: Env | None = None,
        *,
        model: Named | None = None,
        optimizer: Named | None = None,
        target: Named | None = None,
        pool: Pool | None = None,
        optimizer_pool: Pool | None = None,
        initial_skill: str | None = None,
        prompt_overrides: Mapping[str, str] | None = None,
        folder: Path | str | None = None,
        on_step: OnStep | None = None,
        wired: bool = False,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        config = checked_config(TrainerConfig() if config is None else config)
        if env is None:
            raise ConfigError("no environment is given", remedy='pass one, as in env=Dataset(path="shop.csv")')
        models = self._of_roles(model, optimizer, target)
        pools = {"pool": pool, "optimizer_pool": optimizer_pool}
        check_arguments(env, pools=pools, skill=initial_skill, on_step=on_step)
        check_overrides(prompt_overrides or {})
        if config.train.pool == "ray" and pool is None:
            models["target"] = for_workers(models["target"], target or model or optimizer)
        if initial_skill is None and config.skill:
            initial_skill = read_skill(Path(config.skill))
        if initial_skill is None:
            initial_skill = env.initial_skill()
        self._config = config
        self._env = env
        self._skill = initial_skill
        self._models = models
        self._pool = pool or make_pool(config, no_progress)
        self._optimizer_pool = optimizer_pool or self._pool
        self._overrides = dict(prompt_overrides or {})
        self._folder = Path(folder or config.train.folder)
        self._on_step = on_step or go_on
        self._wired = wired
        self._clock = clock
        self._live: LiveProgress | None = None
        self._looking = Lock()  # held while what was spent is read, so that its file isn't closed meanwhile
        self._spend: Callable[[], Spend] = Spend
        self.ended_by: BaseException | None = None

    @staticmethod
    def _of_roles(model: Named | None, optimizer: Named | None, target: Named | None) -> dict[str, Backend]:
        """Return the model of each role."""
        chosen = {"optimizer": optimizer or model or target, "target": target or model or optimizer}
        for role, named in chosen.items():
            if named is None:
                raise ConfigError(f"no {role} is given", remedy='pass model="openai/…", or another one')
        return {role: as_model(named, role=role) for role, named in chosen.items()}

    def train(self) -> Summary:
        """Train, or go on with the run in the folder, with the same result as if it had never stopped.

        A limit, an outage or Ctrl-C ends the training with what it has: the summary says so (`stopped`), and training
        again goes on. What should be known before anything is spent is a Python warning. Raises ConfigError if the
        folder holds another run, and a NightError if the training ends before the initial skill is scored.
        """
        check_priced(self._models, self._config.limits)
        if not self._wired:
            for line in self._notices():
                warnings.warn(line, stacklevel=2)
        items = read_items(self._env, self._config)
        with open_run(self._folder, self._manifest(items), clock=self._clock) as folder:
            try:
                return self._run(folder, items)
            finally:
                with self._looking:
                    self._live = None

    def check(self, *, folder: bool) -> None:
        """Raise ConfigError if a limit in dollars can't be kept, or if the `folder`, if asked, holds another run."""
        check_priced(self._models, self._config.limits)
        if folder:
            check_resumable(self._folder, self._manifest(read_items(self._env, self._config)))

    def progress(self) -> LiveProgress | None:
        """Return how far the training is while `train` runs in another thread, None before it began and after."""
        with self._looking:
            return self._live and replace(self._live, spend=self._spend())

    def _stepped(self, step: int) -> None:
        """Note that a step has ended. The first one holds the baseline, and tells nothing of how long others take."""
        if self._live is None:
            return
        live, now, spend = self._live, self._clock(), self._spend()
        each = now - live.since if step > 1 and spend.calls > live.spend.calls else live.each
        self._live = replace(live, step=step, since=now, spend=spend, each=each)

    def _manifest(self, items: Mapping[Split, Sequence[Item]]) -> Manifest:
        """Return what a run of this trainer is started with."""
        return manifest(
            self._config,
            env=self._env.name,
            items=items,
            initial_skill=self._skill,
            prompts=self._overrides,
            models=self._model_names(),
            code=own_sources(type(self._env), getattr(self._env, "own_score", None)),
        )

    def _notices(self) -> Iterator[str]:
        """Yield what should be known of the training before anything is spent on it."""
        for text in ignored(self._config):
            yield f"Config: {text}."
        for text in left_out(self._overrides):
            yield f"Prompts: {text}."
        yield from notices(
            self._config,
            self._env,
            **self._models,
            initial_skill=self._skill,
            folder=self._folder,
        )

    def _run(
        self,
        folder: RunFolder,
        items: Mapping[Split, Sequence[Item]],
    ) -> Summary:
        config, store, calls = self._config, folder.store, folder.calls
        counter = meter(config.limits, store.ledger, self._clock)
        models = self._models
        optimizer = wrap_model(models["optimizer"], calls=calls, failures=store.failures, meter=counter)
        target = wrap_model(models["target"], calls=calls, failures=store.failures, meter=counter)
        costs = StageCosts()
        counting = Counting(optimizer)
        document = as_document(self._skill)
        attempt = Attempt(self._env, target)
        parts = Parts(
            config=config,
            items=items,
            tasks=self._tasks(items),
            attempts=Attempts(attempt, self._pool, costs, tell=AnswerFiles(folder).tell),
            optimizer=Optimizer(
                backend=counting,
                pool=self._optimizer_pool,
                document=document,
                words=wording(
                    self._overrides,
                    task=about(self._env, config.evaluation.metric),
                    allow_urls=config.optimizer.allow_urls,
                ),
            ),
            counting=counting,
            folder=folder,
            initial=document.sha,
            costs=costs,
            rule=config.rule(),
        )
        planned = steps_in_all(config, len(items[Split.TRAIN]))
        now, self._spend = self._clock(), counter.spend
        self._live = LiveProgress(
            folder=self._folder.name,
            started=now,
            since=now,
            steps=planned,
            spend=counter.spend(),
            most_calls=config.limits.calls,
            ends=now + timedelta(minutes=config.limits.minutes) if config.limits.minutes else None,
        )
        left = calls_left(counter, lambda: calls.used)
        course = TrainingProgress(parts, document, stepped=self._stepped, left=left, on_step=self._on_step)
        course.run()
        summary = self._summary(parts, course, planned)
        folder.write(SUMMARY, summary)
        self.ended_by = course.ended_by
        return summary

    def _summary(self, parts: Parts, course: TrainingProgress, planned: int) -> Summary:
        """Summarize the training; what ends it while its best skill is tested leaves that out."""
        for purpose, cost in parts.counting.answered:
            parts.costs.add(purpose, (cost,))
        names = self._model_names()
        try:
            summary = final(parts, course, env=self._env.name, models=names, planned=planned)
        except ENDINGS as error:
            course.end(error)
            summary = final(parts, course, env=self._env.name, models=names, planned=planned)
        texts = (*remarks(self._env, used_splits(self._config)), *repeated(parts.items))
        known = tuple(Note(stage="data", summary=text, expected=True) for text in texts)
        return replace(summary, notes=(*summary.notes, *known))

    def _tasks(self, items: Mapping[Split, Sequence[Item]]) -> dict[str, Task]:
        """Return the items of all splits as tasks of the engine."""
        tasks: dict[str, Task] = {}
        for split in Split:
            for item in items[split]:
                tasks[item.id] = as_task(item, split, source=self._env.name)
        return tasks

    def _model_names(self) -> dict[str, str]:
        return {role: name_of(model) for role, model in self._models.items()}
