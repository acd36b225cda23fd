"""Define the configuration of a training: every key with its default and its meaning."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.prompts.attempts import RESPONSE_CHARS
from skillopt_sleep.proposals.guard import LIMIT
from skillopt_sleep.records import GateRule, Metric, ReflectMode, RuleName, UpdateMode
from skillopt_sleep.settings import (
    Amount,
    BackendSettings,
    Count,
    Dollars,
    RoleSettings,
    Section,
    checked,
    read_toml,
)
from skillopt_sleep.trainer.names import REMEDIES

Schedule = Literal["constant", "linear", "cosine", "autonomous", "none"]
SlowPairs = Literal["mixed", "changed", "unchanged"]
Search = Literal["current", "pareto"]
Redraw = Literal["never", "doubt", "always"]
Judge = Literal["auto", "step", "epoch", "end"]
FileName = Annotated[str, Meta(pattern=r"^(?!\.\.?$)[^/\\]*$")]
PoolName = Literal["threads", "ray"]
Share = Annotated[float, Meta(ge=0, le=1)]

EVERY_KEY = "what `skillopt-sleep train --init NEW` writes, which has every key"


class TrainSection(Section, frozen=True, kw_only=True):
    """How long and how broadly to train; `accumulation` batches, all attempted with the same skill, make one step.

    It ends early after `patience` steps without a new best, or when the best scores `target` on val (0: neither), as
    soon as val was asked.
    Each item of a batch is attempted `samples` times; where attempts differ, reflection sees the better one beside
    the worse one. Only the first `items` of train are used, 0 for all. These keys change no result: `folder` is where
    the run is written, and attempts are made by so many `workers` on the `pool` "threads" or "ray" (the cluster at
    `address`, "" to start a local one). `shared` names a file beside that folder, in which the trainings that name it
    keep their answers: what one paid for costs the others nothing. Val answers that can have chosen a skill stay with
    their own run ("": nothing is shared).
    """

    epochs: Count = 4
    items: Amount = 0
    samples: Count = 1
    batch_size: Count = 40
    accumulation: Count = 1
    seed: int = 42
    patience: Amount = 0
    target: Share = 0.0
    folder: str = "run"
    shared: FileName = ""
    workers: Count = 8
    pool: PoolName = "threads"
    address: str = ""


class GradientSection(Section, frozen=True, kw_only=True):
    """How attempts become patches: `minibatch` attempts per reflection call, `merge_batch` patches per merge.

    `reflection` looks at failures a minibatch at a time, one at a time (shallow), or for their common causes (deep).
    With `skill_aware`, lapses (the skill says it, but the model overlooked it) become notes in an appendix instead of
    edits, from failures only or both (`appendix_source`); more than `consolidate_after` notes are condensed (0:
    never). Of an attempt the optimizer is shown `shown_chars` characters, the middle of a longer one left out.
    `workers` is how many optimizer calls run at once, 0 for train.workers; it changes no result.
    """

    minibatch: Count = 8
    merge_batch: Annotated[int, Meta(ge=2)] = 8
    failure_only: bool = False
    reflection: ReflectMode = "minibatch"
    skill_aware: bool = False
    appendix_source: Literal["both", "failure_only"] = "both"
    consolidate_after: Amount = 0
    shown_chars: Annotated[int, Meta(ge=200)] = RESPONSE_CHARS
    workers: Amount = 0


class OptimizerSection(Section, frozen=True, kw_only=True):
    """How patches become a candidate: at most `edit_budget` edits per step, falling to `min_edit_budget`.

    With `schedule` autonomous the optimizer chooses a number between the two, with none all edits are applied. `mode`
    patch applies edits, rewrite works them into the text, full_rewrite writes a new text. From epoch 2 on,
    `slow_update` compares `slow_samples` train items under the last epoch's skill and this one's, and writes
    guidance: gated on val if `slow_gated`, otherwise inserted unmeasured. `slow_pairs` selects the items it is shown.
    `meta_skill` keeps the optimizer's own notes between epochs. No skill may exceed `max_chars`, and no edit
    of mode patch `edit_chars`. Rules may hold links and addresses only with `allow_urls`.

    `horizon` is how many epochs the schedule and the gate's error rate are laid over, 0 for train.epochs; later ones
    keep the last edit budget. To add epochs to a run and keep what was done, set it to the epochs that the run had.

    Before val is asked, each edit is tried by itself in at least `screen` pairs of attempts on the train items it was
    learned from, and left out if it gains nothing there (0: everything goes to val, as in SkillOpt). With `search`
    current a step starts from the skill that was accepted last (SkillOpt), with pareto from any that ever was: those
    that are among the best on some val items take turns (GEPA). With `removal`, each learned rule is measured at the
    end, without it and with it, and the gate tries the skill without those that show nothing on train.
    """

    edit_budget: Count = 4
    min_edit_budget: Amount = 2
    schedule: Schedule = "cosine"
    horizon: Amount = 0
    mode: UpdateMode = "patch"
    slow_update: bool = True
    slow_samples: Count = 20
    slow_gated: bool = False
    slow_pairs: SlowPairs = "mixed"
    meta_skill: bool = True
    screen: Amount = 2
    search: Search = "current"
    removal: bool = False
    max_chars: Count = 24_000
    edit_chars: Count = LIMIT
    allow_urls: bool = False


class EvaluationSection(Section, frozen=True, kw_only=True):
    """How a candidate is judged on val, and what is tested at the end; 0 items means the whole split.

    `gate` strict is SkillOpt's rule: the higher mean of one pass wins, with unknown error rate. sequential is the
    evidence gate: at most `rounds` passes, and a candidate that does nothing is accepted in at most `alpha` of the
    runs. greedy accepts every candidate; the best on val is still recorded.

    `judge` step asks val about each step's candidate; epoch and end keep what gained on train, and ask once an epoch,
    or at the end only, whether the skill is better than the best so far; auto is end with gate
    sequential where `optimizer.screen` is on and `slow_gated` off, else step.
    The metric mixed is (1 - mixed_weight) of hard and mixed_weight of soft.
    strict compares means of `samples` passes. If a candidate loses by no more than noise, `redraw` doubt draws the
    current skill's passes afresh and compares again; always does so for every trial; never keeps the passes it was
    accepted with (SkillOpt). A candidate that is behind by more than noise on the first `part` of val is rejected
    there (0: never). With `confirm` the best skill's val is reported from passes that selected nothing, as it is in
    any case where each trial has passes of its own: with gate sequential, and with `redraw` always.
    """

    gate: RuleName = "strict"
    metric: Metric = Metric.HARD
    judge: Judge = "auto"
    samples: Count = 1
    redraw: Redraw = "doubt"
    part: Share = 0.5
    confirm: bool = True
    mixed_weight: Share = 0.5
    rounds: Count = 5
    alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    min_effect: Share = 0.0
    non_regression: bool = False
    val_items: Amount = 0
    test_items: Amount = 0
    test: bool = True

    @property
    def confirms(self) -> bool:
        """Return whether the best skill is reported from passes that selected nothing."""
        return self.confirm or self.each_trial_afresh

    @property
    def each_trial_afresh(self) -> bool:
        """Return whether each trial has passes of its own, so that no skill keeps those it was accepted with."""
        return self.gate == "sequential" or self.redraw == "always"


class LimitsSection(Section, frozen=True, kw_only=True):
    """The limits of a run, counted over all resumes (minutes: since the last one); 0 means no limit."""

    calls: Amount = 0
    tokens: Amount = 0
    usd: Dollars = 0.0
    minutes: Amount = 0


class TrainerConfig(Section, frozen=True, kw_only=True):
    """A whole training: `skill` is the file to start from, `env` names the environment and holds its options.

    On the command line `backend` and `target` choose the models; if absent, the user's own settings do. Paths are
    relative to this file.
    """

    skill: str = ""
    train: TrainSection = TrainSection()
    gradient: GradientSection = GradientSection()
    optimizer: OptimizerSection = OptimizerSection()
    evaluation: EvaluationSection = EvaluationSection()
    limits: LimitsSection = LimitsSection()
    backend: BackendSettings = BackendSettings()
    target: RoleSettings = RoleSettings()
    env: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])

    def impossible(self) -> str:
        """Return which values can't be combined, or ""."""
        if self.optimizer.min_edit_budget > self.optimizer.edit_budget:
            return "optimizer.min_edit_budget is above optimizer.edit_budget"
        if self.optimizer.horizon > self.train.epochs:
            return "optimizer.horizon is above train.epochs"
        if self.gradient.skill_aware and self.optimizer.mode != "patch":
            return "gradient.skill_aware works with optimizer.mode patch only"
        if self.judged != "step" and self.optimizer.slow_gated:
            return "optimizer.slow_gated works with evaluation.judge step only"
        if self.judged != "step" and not self.optimizer.screen:
            return f"evaluation.judge {self.judged} needs optimizer.screen, which decides meanwhile"
        if self.optimizer.search == "pareto" and self.judged != "step":
            return "optimizer.search pareto works with evaluation.judge step only"
        if self.judged == "end" and (self.train.patience or self.train.target):
            key = "train.patience" if self.train.patience else "train.target"
            return f"{key} works with evaluation.judge step or epoch only: at the end nothing is left to save"
        return self._of_another_gate()

    def _of_another_gate(self) -> str:
        """Return which key only another gate has, or ""."""
        defaults = EvaluationSection()
        others = {"rounds": "sequential", "alpha": "sequential", "min_effect": "sequential"}
        others["non_regression"] = "sequential"
        if self.evaluation.gate == "sequential":
            others = {"samples": "strict and greedy", "redraw": "strict and greedy"}
        for key, gates in others.items():
            if getattr(self.evaluation, key) != getattr(defaults, key):
                return f"evaluation.{key} works with evaluation.gate {gates} only"
        return ""

    @property
    def judged(self) -> Judge:
        """Return when val is asked, with auto resolved."""
        evaluation = self.evaluation
        if evaluation.judge != "auto":
            return evaluation.judge
        if evaluation.gate == "sequential" and self.optimizer.screen and not self.optimizer.slow_gated:
            return "end"
        return "step"

    @property
    def horizon(self) -> int:
        """Return how many epochs the schedule and the gate's error rate are laid over."""
        return self.optimizer.horizon or self.train.epochs

    @property
    def ends(self) -> frozenset[int]:
        """Return the epochs that end a training: the last one, and that of the horizon, after which it once ended."""
        return frozenset({self.horizon, self.train.epochs})

    def trials_left(self, *, epochs: int, steps: int) -> int:
        """Return among how many trials the rest of alpha is shared; so many epochs and steps are left, with this one.

        If a text that wasn't measured may become current, the final skill has a trial of its own.
        """
        if self.judged == "end":
            return 1
        if self.judged == "epoch":
            return epochs
        own = self.optimizer
        # Every epoch but the first may end with guidance, which has a trial or is unmeasured.
        guided = min(epochs, self.horizon - 1) if own.slow_update else 0
        unmeasured = (guided > 0 and not own.slow_gated) or self.gradient.skill_aware
        return steps + (guided if own.slow_gated else 0) + int(unmeasured)

    def rule(self) -> GateRule:
        """Return the gate's rule, with all of the run's error rate."""
        evaluation = self.evaluation
        return GateRule(
            name=evaluation.gate,
            metric=evaluation.metric,
            mixed_weight=evaluation.mixed_weight,
            rounds=evaluation.rounds if evaluation.gate == "sequential" else evaluation.samples,
            alpha=evaluation.alpha,
            min_effect=evaluation.min_effect,
            non_regression=evaluation.non_regression,
        )


def load_config(path: Path | str) -> TrainerConfig:
    """Read a configuration from a TOML file; raise ConfigError naming the file, the key and the nearest known key.

    For a key of SkillOpt or skillrl, the error names its equivalent here.
    """
    raw = read_toml(Path(path))
    config = config_of(raw, where=str(path))
    if not isinstance(config.env.get("name"), str):
        raise ConfigError(f"{path} names no environment", remedy='add [env] with name = "…"')
    return config


def config_of(raw: dict[str, Any], *, where: str) -> TrainerConfig:
    """Return the configuration of these tables; raise ConfigError naming every mistake in them, and `where` it is."""
    config = checked(raw, TrainerConfig, where=where, remedies=REMEDIES, see=EVERY_KEY)
    impossible = config.impossible()
    if impossible:
        raise ConfigError(f"{where}: {impossible}", remedy=f"see: {EVERY_KEY}")
    return config
