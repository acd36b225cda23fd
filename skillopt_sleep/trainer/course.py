"""A training under way: epochs of steps over shuffled batches, each epoch closed by a look back."""

import math
import random
from collections.abc import Callable, Sequence
from typing import cast

from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Document, Past, Split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.ending import write_spending
from skillopt_sleep.trainer.env import Item, blaming, kind_of
from skillopt_sleep.trainer.gate import judge
from skillopt_sleep.trainer.outage import MANY, check_answers, check_scored
from skillopt_sleep.trainer.pareto import starting
from skillopt_sleep.trainer.parts import Held, Parts, State, scores
from skillopt_sleep.trainer.removal import lighten
from skillopt_sleep.trainer.run import HISTORY
from skillopt_sleep.trainer.slow import look_back
from skillopt_sleep.trainer.step import Place, run_step, train_jobs
from skillopt_sleep.trainer.summary import EpochRecord, History, Rules, Standing, StepRecord
from skillopt_sleep.trainer.underway import Watch

Batches = Sequence[Sequence[Item]]
OnStep = Callable[[StepRecord], bool | None]


def go_on(_record: StepRecord) -> bool:
    """End the training with no step."""
    return False


def steps_per_epoch(config: TrainerConfig, items: int) -> int:
    """Return how many steps one pass over the train items makes."""
    return math.ceil(items / (config.train.batch_size * config.train.accumulation))


def steps_in_all(config: TrainerConfig, items: int) -> int:
    """Return how many steps all passes make, if nothing ends the training early."""
    return config.train.epochs * steps_per_epoch(config, items)


def batches(config: TrainerConfig, items: Sequence[Item], epoch: int) -> list[Batches]:
    """Return an epoch's steps, each with its batches: every item once, in an order that depends on seed and epoch."""
    order = list(items)
    random.Random(config.train.seed + 1000 * epoch).shuffle(order)  # noqa: S311 - an order, not a secret
    size, together = config.train.batch_size, config.train.accumulation
    cut = [order[i : i + size] for i in range(0, len(order), size)]
    return [cut[i : i + together] for i in range(0, len(cut), together)]


class Course:
    """The progress of a training: its `state`, `history` and `learned` rules; `initial` is the skill it began with.

    The initial skill is measured along with the first batch. `watch` and `on_step` are told of every step. Raises
    BackendUnavailable if val can't be scored, or if the optimizer never answers: an outage is not a score.
    """

    def __init__(self, parts: Parts, document: Document, *, watch: Watch, on_step: OnStep = go_on) -> None:
        self._parts = parts
        self._watch = watch
        self._on_step = on_step
        self.stopped = ""
        self.learned = Rules()
        config = parts.config
        jobs = parts.val_jobs(document)
        if config.evaluation.test:
            jobs += parts.test_jobs(document)
        first = batches(config, parts.items[Split.TRAIN], 1)[0]
        # None of these waits for another.
        parts.attempts.make((*jobs, *train_jobs(parts, document, first, 1)), label="baseline")
        made = parts.attempts.make(parts.val_jobs(document), label="baseline")
        check_scored(made, parts.folder, what="val items under the initial skill")
        baseline = scores(made, parts.tasks, parts.rule)
        self.initial = Held(document=document, standing=Standing(sha=document.sha, val=baseline.metric))
        self.state = State(
            current=self.initial, best=self.initial, alpha=config.evaluation.alpha, pool=(self.initial,)
        )
        self.history = History(baseline=baseline, calls=parts.calls())
        parts.keep(document, 0)
        write_spending(parts.folder, parts.spent)

    def run(self) -> None:
        """Run all epochs."""
        before, notebook = self.initial.document, ""
        for epoch in range(1, self._parts.config.train.epochs + 1):
            past = self._steps(epoch, notebook)
            after = self.state.current.document
            if self.stopped:
                self._end(epoch)
                break
            if epoch > 1:
                step = len(self.history.steps)
                back = look_back(
                    self._parts.asking(f"epoch {epoch}"), self.state, before, epoch=epoch, step=step, past=past
                )
                self.state, notebook = back.state, back.notebook
                self.history = replace(self.history, epochs=(*self.history.epochs, back.record))
                self._tell()
            if self._is_judged(epoch):
                if epoch in self._parts.config.ends:
                    self.state, self.learned = lighten(self._parts, self.state, self.initial, self.history)
                self._judge(epoch, left=self._parts.config.horizon - epoch + 1)
                self._tell()
                if epoch < self._parts.config.train.epochs:
                    self.stopped = self._why_stop(self.history.steps[-1])
                if self.stopped:
                    break
            before = after
        check_answers(self._parts.counting, self._parts.folder, least=1)

    def _is_judged(self, epoch: int) -> bool:
        """Return whether val is asked at the end of this epoch."""
        config = self._parts.config
        return config.judged == "epoch" or (config.judged == "end" and epoch in config.ends)

    def _end(self, epoch: int) -> None:
        """Ask val about what was learned since it was last asked, as a training that ends early asks it no more."""
        if self._parts.config.judged == "step":
            return
        self.state, self.learned = lighten(self._parts, self.state, self.initial, self.history)
        self._judge(epoch, left=1)
        self._tell()

    def _judge(self, epoch: int, *, left: int) -> None:
        """Ask val whether the epoch's skill is better than the best so far; `left` epochs follow, with this one."""
        parts, best = self._parts, self.state.best.standing
        records = self.history.epochs
        if not records or records[-1].epoch != epoch:
            records = (*records, EpochRecord(epoch=epoch, current=self.state.current.standing, best=best))
        if self.state.current.standing.sha != best.sha:
            trials = parts.config.trials_left(epochs=left, steps=1)
            self.state, gated, trial = judge(parts, self.state, left=trials)
            parts.folder.write(f"epochs/epoch_{epoch:02d}/judged.json", trial)
            standings = {"current": self.state.current.standing, "best": self.state.best.standing}
            records = (*records[:-1], replace(records[-1], judged=gated, **standings))
        records = (*records[:-1], replace(records[-1], calls=parts.calls()))
        self.history = replace(self.history, epochs=records)

    def _steps(self, epoch: int, notebook: str) -> Past:
        """Run one epoch's steps; what was tried, and how it did, is remembered until the epoch ends."""
        parts = self._parts
        steps = batches(parts.config, parts.items[Split.TRAIN], epoch)
        total = parts.config.horizon * len(steps)
        past = Past(notes=notebook)
        for number, batch in enumerate(steps, start=1):
            place = Place(step=len(self.history.steps) + 1, epoch=epoch, in_epoch=number, total=total)
            state = starting(parts, self.state, place.step)
            done = run_step(parts.asking(f"step {place.step}"), state, batch, place=place, past=past)
            self.state, past = done.state, done.past
            self.history = replace(self.history, steps=(*self.history.steps, done.record))
            self._tell()
            self._watch.stepped(place.step)
            check_answers(parts.counting, parts.folder, least=MANY)
            self.stopped = self._told_to_stop(done.record)
            if not self.stopped and parts.config.judged == "step":
                self.stopped = self._why_stop(done.record)
            if self.stopped:
                break
        return past

    def _told_to_stop(self, record: StepRecord) -> str:
        """Tell on_step of this step, and return whether that ends the training: why, or ""."""
        with blaming(self._on_step, "on_step"):
            answer = cast("object", self._on_step(record))
        if str(getattr(answer, "dtype", "")) == "bool":
            answer = bool(answer)  # numpy's True and False are of its own
        if answer is not None and not isinstance(answer, bool):
            raise ConfigError(
                f"on_step returned {kind_of(answer)}, not True or False",
                remedy="return True to end the training with this step, else False or nothing",
            )
        return "on_step ended it" if answer else ""

    def _why_stop(self, record: StepRecord) -> str:
        """Return why the training ends with this step, of which val has just been asked, or ""."""
        train, best = self._parts.config.train, self.state.best.standing
        if train.target and best.val is not None and best.val >= train.target:
            return f"the best scores {best.val:.3f} on val, and train.target is {train.target:g}"
        if train.patience and record.step - best.step >= train.patience:
            return f"no new best in {counted(record.step - best.step, 'step')} (train.patience)"
        return ""

    def _tell(self) -> None:
        self._parts.folder.write(HISTORY, self.history)
        write_spending(self._parts.folder, self._parts.spent)
