"""The configuration of a training: every key with its default and what it means."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from skillopt_sleep.errors import ConfigError
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
PoolName = Literal["threads", "ray"]
Share = Annotated[float, Meta(ge=0, le=1)]

EVERY_KEY = ".skillopt-sleep.example/training.toml in the repository, every key at its default"


class TrainSection(Section, frozen=True, kw_only=True):
    """How long and how wide: `accumulation` batches make one step, all attempted under the same skill.

    `items` are so many of train, the first ones; 0 is all. What follows changes no result: `folder` is where the run
    is written, beside the configuration's file; `pool` is threads or ray (`address` of a cluster, "" a local one)
    with so many `workers`.
    """

    epochs: Count = 4
    items: Amount = 0
    batch_size: Count = 40
    accumulation: Count = 1
    seed: int = 42
    folder: str = "run"
    workers: Count = 8
    pool: PoolName = "threads"
    address: str = ""


class GradientSection(Section, frozen=True, kw_only=True):
    """How attempts become patches: so many a call (`minibatch`), so many patches a merge (`merge_batch`).

    `reflection` looks at failures a minibatch a call, each by itself (shallow) or for what causes them all (deep).
    `skill_aware` notes lapses (the skill says it, and it was overlooked) in an appendix instead of editing the skill,
    from failures or both (`appendix_source`); past `consolidate_after` notes they are made fewer (0: no). `workers`
    is how many calls of the optimizer are made at once, 0 as many as train.workers; it changes no result.
    """

    minibatch: Count = 8
    merge_batch: Annotated[int, Meta(ge=2)] = 8
    failure_only: bool = False
    reflection: ReflectMode = "minibatch"
    skill_aware: bool = False
    appendix_source: Literal["both", "failure_only"] = "both"
    consolidate_after: Amount = 0
    workers: Amount = 0


class OptimizerSection(Section, frozen=True, kw_only=True):
    """How patches become a candidate: `edit_budget` edits a step at most, falling to `min_edit_budget`.

    `schedule` autonomous lets the optimizer choose between the two, none applies all. `mode` patch applies edits,
    rewrite works them into the text, full_rewrite writes the text anew. `slow_update` compares `slow_samples` train
    items under the last epoch's skill and this one's, from epoch 2 on, and writes guidance: tried on val where
    `slow_gated`, else put in unmeasured; `slow_pairs` says which items it is shown. `meta_skill` keeps the
    optimizer's own notes from epoch to epoch. No skill grows past `max_chars`.
    """

    edit_budget: Count = 4
    min_edit_budget: Amount = 2
    schedule: Schedule = "cosine"
    mode: UpdateMode = "patch"
    slow_update: bool = True
    slow_samples: Count = 20
    slow_gated: bool = False
    slow_pairs: SlowPairs = "mixed"
    meta_skill: bool = True
    max_chars: Count = 24_000


class EvaluationSection(Section, frozen=True, kw_only=True):
    """How a candidate is judged on val, and what is tested at the end; 0 items is all of the split.

    `gate` strict is SkillOpt's rule: the greater mean of one pass wins, its error rate is unknown. sequential is the
    evidence gate: `rounds` passes at most, and a useless candidate is accepted in at most `alpha` of the runs.
    greedy takes every candidate; the best by val is kept apart all the same.
    """

    gate: RuleName = "strict"
    metric: Metric = Metric.HARD
    mixed_weight: Share = 0.5
    rounds: Count = 5
    alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    min_effect: Share = 0.0
    non_regression: bool = False
    val_items: Amount = 0
    test_items: Amount = 0
    test: bool = True


class LimitsSection(Section, frozen=True, kw_only=True):
    """What the run may spend at most, all its lives together (minutes: this one); 0 is no limit."""

    calls: Amount = 0
    tokens: Amount = 0
    usd: Dollars = 0.0
    minutes: Amount = 0


class TrainerConfig(Section, frozen=True, kw_only=True):
    """A whole training: `skill` is a file to start from, `env` the environment's name and its own options.

    `backend` and `target` choose the models where the command line runs it; without them the user's own settings do.
    Paths are relative to this file.
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

    def __post_init__(self) -> None:
        if self.optimizer.min_edit_budget > self.optimizer.edit_budget:
            raise ValueError("optimizer.min_edit_budget is above optimizer.edit_budget")
        if self.gradient.skill_aware and self.optimizer.mode != "patch":
            raise ValueError("gradient.skill_aware works with optimizer.mode patch only")
        plain = EvaluationSection()
        for key in ("rounds", "alpha", "min_effect", "non_regression"):
            if self.evaluation.gate != "sequential" and getattr(self.evaluation, key) != getattr(plain, key):
                raise ValueError(f"evaluation.{key} works with evaluation.gate sequential only")

    def rule(self, *, trials: int) -> GateRule:
        """The gate's rule for each of so many trials, which share the run's error rate."""
        own = self.evaluation
        return GateRule(
            name=own.gate,
            metric=own.metric,
            mixed_weight=own.mixed_weight,
            rounds=own.rounds if own.gate == "sequential" else 1,
            alpha=own.alpha / max(1, trials),
            min_effect=own.min_effect,
            non_regression=own.non_regression,
        )


def load_config(path: Path) -> TrainerConfig:
    """The configuration in a TOML file; ConfigError names the file, the key and the nearest known one.

    A key by the name that SkillOpt or skillrl has for it is told what it is called here.
    """
    raw = read_toml(path)
    config = checked(raw, TrainerConfig, where=str(path), remedies=REMEDIES, see=EVERY_KEY)
    if not isinstance(config.env.get("name"), str):
        raise ConfigError(f"{path}: no environment is named", remedy='add [env] with name = "…"')
    return config
