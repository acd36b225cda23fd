"""Run the epochs of a training: steps over shuffled batches, a look back after each, and the last trials on val."""

import math
import random
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import cast

from msgspec.structs import replace

from skillopt_sleep.backends.metered import UNLIMITED
from skillopt_sleep.errors import BackendUnavailable, BudgetExhausted, ConfigError, SleepError
from skillopt_sleep.kit.redact import redact
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import Document, EditFate, Past, Split
from skillopt_sleep.trainer.calls import LIMITED, MANY, check_answers, check_scored
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.env import Item, blaming, kind_of
from skillopt_sleep.trainer.gate import judge
from skillopt_sleep.trainer.parts import Parts, ScoredSkill, State, scores
from skillopt_sleep.trainer.removal import PAIRS, remove_useless_rules
from skillopt_sleep.trainer.run import BEST, CURRENT, HISTORY
from skillopt_sleep.trainer.slow import look_back
from skillopt_sleep.trainer.step import StepPosition, run_step, train_jobs
from skillopt_sleep.trainer.summary import EndRecord, History, Rules, SkillVersion, StepRecord

Batches = Sequence[Sequence[Item]]
OnStep = Callable[[StepRecord], bool | None]
ENDINGS = (BudgetExhausted, BackendUnavailable, KeyboardInterrupt)
FIRST_ROUNDS = 2  # of a trial at the end, of both skills, for which calls are kept
FIRST_SHARE = 2 / 3  # of alpha, for the final skill; the rest is for an earlier one


def go_on(_record: StepRecord) -> bool:
    """End the training with no step."""
    return False


def steps_per_epoch(config: TrainerConfig, items: int) -> int:
    """Return how many steps one pass over the train items makes."""
    return math.ceil(items / (config.train.batch_size * config.train.accumulation))


def steps_in_all(config: TrainerConfig, items: int) -> int:
    """Return how many steps all passes make, if nothing ends the training early."""
    return config.epochs * steps_per_epoch(config, items)


def batches(config: TrainerConfig, items: Sequence[Item], epoch: int) -> list[Batches]:
    """Return an epoch's steps, each with its batches: every item once, in an order that depends on seed and epoch."""
    order = list(items)
    random.Random(config.train.seed + 1000 * epoch).shuffle(order)  # noqa: S311 - an order, not a secret
    size, together = config.train.batch_size, config.train.accumulation
    cut = [order[i : i + size] for i in range(0, len(order), size)]
    return [cut[i : i + together] for i in range(0, len(cut), together)]


class TrainingProgress:
    """The progress of a training: its `state`, `history` and `learned` rules; `initial` is the skill it began with.

    The initial skill is measured along with the first batch. `stepped` and `on_step` are told of every step. So many
    calls are `left`: no step is begun that would leave too few for val at the end. Raises BackendUnavailable if val
    can't be scored: an outage is not a score.
    """

    def __init__(
        self,
        parts: Parts,
        document: Document,
        *,
        stepped: Callable[[int], None] = lambda _step: None,
        left: Callable[[], int] = lambda: UNLIMITED,
        on_step: OnStep = go_on,
    ) -> None:
        self._parts = parts
        self._stepped = stepped
        self._left = left
        self._on_step = on_step
        self.stopped = ""
        self.ended_by: BaseException | None = None
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
        self.initial = ScoredSkill(document=document, version=SkillVersion(sha=document.sha, val=baseline.metric))
        self.state = State(current=self.initial, best=self.initial)
        self.history = History(baseline=baseline, calls=parts.calls())
        self._ends: dict[int, ScoredSkill] = {}
        parts.keep(document, 0)
        self._tell()

    def run(self) -> None:
        """Run all epochs, and let val decide on what they end with; a limit, an outage or Ctrl-C ends them early.

        An outage in the first step, or of an optimizer that never answered, is raised: nothing was learned.
        """
        try:
            self._run()
            self._finish()
        except ENDINGS as error:
            has_learned = self.history.steps and self._parts.counting.answered
            if isinstance(error, BackendUnavailable) and not has_learned:
                raise
            self.end(error)

    def end(self, error: BaseException) -> None:
        """Note what ended the training: from now on nothing more is attempted."""
        self.stopped = redact(error.message) if isinstance(error, SleepError) else "it was stopped"
        self.ended_by = error
        self._parts.attempts.is_over = True

    def _run(self) -> None:
        """Run the epochs, each closed by a look back."""
        before, notebook = self.initial.document, ""
        for epoch in range(1, self._parts.config.epochs + 1):
            past = self._steps(epoch, notebook)
            after = self.state.current
            if self.stopped:
                break
            if epoch > 1 and self._parts.config.of_preset.look_back:
                step = len(self.history.steps)
                back = look_back(
                    self._parts.asking(f"epoch {epoch}"), self.state, before, epoch=epoch, step=step, past=past
                )
                self.state, notebook = back.state, back.notebook
                self.history = replace(self.history, epochs=(*self.history.epochs, back.record))
                self._tell()
            before = after.document
            self._ends[epoch] = after
        check_answers(self._parts.counting, self._parts.folder, least=1)

    def _finish(self) -> None:
        """Let val decide whether the final skill is better than the best, with evidence also on an earlier one."""
        if not self._parts.config.of_preset.at_end:
            self._judge(self.state.current, alpha=1.0)
            return
        if self._left() >= self._needed():
            self.state, self.learned = remove_useless_rules(self._parts, self.state, self.initial, self.history)
        self._judge(self.state.current, alpha=FIRST_SHARE)
        earlier = self._earlier()
        if earlier is not None and self.state.best.version.sha == self.initial.version.sha:
            self._judge(earlier, alpha=1 - FIRST_SHARE)

    def _judge(self, skill: ScoredSkill, *, alpha: float) -> None:
        """Ask val whether this skill is better than the best so far."""
        if skill.version.sha == self.state.best.version.sha:
            return
        parts, final = self._parts, self.state.current
        after, gated, trial = judge(parts, replace(self.state, current=skill), alpha=alpha)
        if skill is not final:
            after = replace(after, current=final)
        self.state = after
        ended = EndRecord(calls=parts.calls(), gated=gated)
        self.history = replace(self.history, end=(*self.history.end, ended))
        parts.folder.write(f"end/trial_{len(self.history.end)}.json", trial)
        self._tell()

    def _earlier(self) -> ScoredSkill | None:
        """Return the skill of an earlier epoch's end with which the train items of the next one went best."""
        best: tuple[float, ScoredSkill] | None = None
        for epoch, skill in self._ends.items():
            grades = [step.train.metric for step in self.history.steps if step.epoch == epoch + 1]
            known = [grade for grade in grades if grade is not None]
            is_other = skill.version.sha not in {self.initial.version.sha, self.state.current.version.sha}
            if known and is_other and (best is None or fmean(known) > best[0]):
                best = fmean(known), skill
        return best[1] if best else None

    def _steps(self, epoch: int, notebook: str) -> Past:
        """Run one epoch's steps; what was tried, and how it did, is remembered until the epoch ends."""
        parts = self._parts
        steps = batches(parts.config, parts.items[Split.TRAIN], epoch)
        total = parts.config.epochs * len(steps)
        past = Past(notes=notebook)
        for batch in steps:
            place = StepPosition(step=len(self.history.steps) + 1, epoch=epoch, total=total)
            # The first step's items were attempted along with the baseline.
            before = parts.calls() if self.history.steps else parts.calls() - sum(map(len, batch))
            done = run_step(parts.asking(f"step {place.step}"), self.state, batch, place=place, past=past)
            self.state, past = done.state, done.past
            self.history = replace(self.history, steps=(*self.history.steps, done.record))
            self._tell()
            self._stepped(place.step)
            check_answers(parts.counting, parts.folder, least=MANY)
            self.stopped = self._told_to_stop(done.record) or self._out_of_patience(done.record)
            if not self.stopped:
                self._keep_for_val(taken=parts.calls() - before)
            if self.stopped:
                break
        return past

    def _keep_for_val(self, *, taken: int) -> None:
        """End the training if another step that takes so many calls would leave too few for val at the end."""
        left = self._left()
        is_last = len(self.history.steps) == steps_in_all(self._parts.config, len(self._parts.items[Split.TRAIN]))
        if taken > 0 and not is_last and left < taken + self._needed():
            which = "val and test" if self._parts.config.evaluation.test else "val"
            are = "is" if left == 1 else "are"
            error = BudgetExhausted(
                f"only {counted(left, 'call')} of [limits] {are} left, kept for {which} at the end", remedy=LIMITED
            )
            self.stopped, self.ended_by = error.message, error

    def _needed(self) -> int:
        """Return about how many calls are needed after the last step: for val, test, and to measure rules."""
        parts = self._parts
        val, test = len(parts.items[Split.VAL]), len(parts.items[Split.TEST])
        if not parts.config.of_preset.at_end:
            return val + test * len({self.state.best.version.sha, self.state.current.version.sha})
        applied = [edit for step in self.history.steps for edit in step.edits if edit.fate is EditFate.APPLIED]
        return (2 * FIRST_ROUNDS + 1) * val + 2 * test + 2 * PAIRS * len(applied)

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

    def _out_of_patience(self, record: StepRecord) -> str:
        patience = self._parts.config.train.patience
        waited = record.step - self.state.best.version.step
        if patience and waited >= patience:
            return f"no new best in {counted(waited, 'step')} (train.patience)"
        return ""

    def _tell(self) -> None:
        folder = self._parts.folder
        folder.write(HISTORY, self.history)
        folder.write(BEST, self.state.best.document.text)
        folder.write(CURRENT, self.state.current.document.text)
