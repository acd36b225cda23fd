"""Define the configuration of a training: every key with its default and its meaning, and the three presets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import GateRule, Metric, Record, ReflectMode, RuleName, UpdateMode
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

PresetName = Literal["default", "skillopt", "evidence"]
Schedule = Literal["constant", "linear", "cosine", "autonomous", "none"]
PoolName = Literal["threads", "ray"]
Share = Annotated[float, Meta(ge=0, le=1)]

EVERY_KEY = "what `skillopt-sleep train --init NEW` writes, which has every key"


class Preset(Record, frozen=True, kw_only=True):
    """How a preset decides which edits and skills to keep, and when the training looks back.

    `gate` is the rule by which val decides, on every step's candidate or (`at_end`) once, on the skill that the
    training ends with. Before that, each edit is tried in `screen` pairs of attempts on the train items that it was
    learned from (0: not at all). With `redraw` a candidate that loses by no more than noise is compared with fresh
    answers of the current skill. A candidate that is behind by more than noise on the first `part` of val is rejected
    there. With `confirm` the best skill is reported from a pass over val that chose nothing. With `look_back` the
    optimizer writes guidance after each epoch but the first, which is put in unmeasured, and keeps notes of its own.
    With `removal`, learned rules that show nothing on train are taken out before val is asked.
    """

    epochs: int
    gate: RuleName = "strict"
    at_end: bool = False
    screen: int = 2
    redraw: bool = True
    part: float = 0.5
    confirm: bool = True
    look_back: bool = False
    removal: bool = False
    rounds: int = 1


PRESETS: Mapping[str, Preset] = {
    "default": Preset(epochs=5),
    "skillopt": Preset(epochs=4, screen=0, redraw=False, part=0.0, confirm=False, look_back=True),
    "evidence": Preset(epochs=5, gate="sequential", at_end=True, screen=4, removal=True, part=0.0, rounds=5),
}


class TrainSection(Section, frozen=True, kw_only=True):
    """How long and how broadly to train; `accumulation` batches, all attempted with the same skill, make one step.

    `epochs` 0 means as many as the preset has. It ends early after `patience` steps without a new best (0: never).
    These keys change no result: `folder` is where the run is written, and attempts are made by so many `workers` on
    the `pool` "threads" or "ray". `ray` may have the `address` of a cluster (without it a local one is started), the
    `num_cpus` and `resources` that an attempt takes, and its `runtime_env`.
    """

    epochs: Amount = 0
    batch_size: Count = 40
    accumulation: Count = 1
    seed: int = 42
    patience: Amount = 0
    folder: str = "run"
    workers: Count = 8
    pool: PoolName = "threads"
    ray: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class GradientSection(Section, frozen=True, kw_only=True):
    """How attempts become patches: `minibatch` attempts per reflection call, `merge_batch` patches per merge.

    `reflection` looks at failures a minibatch at a time, one at a time (shallow), or for their common causes (deep).
    """

    minibatch: Count = 8
    merge_batch: Annotated[int, Meta(ge=2)] = 8
    failure_only: bool = False
    reflection: ReflectMode = "minibatch"


class OptimizerSection(Section, frozen=True, kw_only=True):
    """How patches become a candidate: at most `edit_budget` edits per step, falling to `min_edit_budget`.

    With `schedule` autonomous the optimizer chooses a number between the two, with none all edits are applied. `mode`
    patch applies edits, rewrite works them into the text, full_rewrite writes a new text. No skill may exceed
    `max_chars`. Rules may hold links and addresses only with `allow_urls`.
    """

    edit_budget: Count = 4
    min_edit_budget: Amount = 2
    schedule: Schedule = "cosine"
    mode: UpdateMode = "patch"
    max_chars: Count = 24_000
    allow_urls: bool = False


class EvaluationSection(Section, frozen=True, kw_only=True):
    """How skills are scored; `val_items` and `test_items` are how many of the first items are used, 0 for all.

    The metric mixed is (1 - mixed_weight) of hard and mixed_weight of soft. With the preset evidence, a skill that
    does nothing is shipped in at most `alpha` of the runs.
    """

    metric: Metric = Metric.HARD
    mixed_weight: Share = 0.5
    alpha: Annotated[float, Meta(gt=0, le=0.5)] = 0.05
    val_items: Amount = 0
    test_items: Amount = 0
    test: bool = True


class LimitsSection(Section, frozen=True, kw_only=True):
    """The limits of a run, counted over all resumes (minutes: since the last one); 0 means no limit."""

    calls: Amount = 0
    tokens: Amount = 0
    usd: Dollars = 0.0
    minutes: Amount = 0


class TrainerConfig(Section, frozen=True, kw_only=True):
    """A whole training: `skill` is the file to start from, `env` names the environment and holds its options.

    `preset` default has the settings that did best in our trials; skillopt is SkillOpt's loop as published; evidence
    ships a skill only if val proves that it is better. On the command line `backend` and `target` choose the models;
    if absent, the user's own settings do. Paths are relative to this file.
    """

    preset: PresetName = "default"
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
        least, most = self.optimizer.min_edit_budget, self.optimizer.edit_budget
        if least > most:
            return f"optimizer.min_edit_budget is {least}, above optimizer.edit_budget: set it to {most} or less"
        if self.train.patience and self.of_preset.at_end:
            return f"train.patience does nothing with the preset {self.preset}, which asks val at the end only"
        return ""

    @property
    def of_preset(self) -> Preset:
        """Return how the preset decides."""
        return PRESETS[self.preset]

    @property
    def epochs(self) -> int:
        """Return how many passes over the train items are made."""
        return self.train.epochs or self.of_preset.epochs

    def rule(self) -> GateRule:
        """Return the gate's rule, with all of the run's error rate."""
        return GateRule(
            name=self.of_preset.gate,
            metric=self.evaluation.metric,
            mixed_weight=self.evaluation.mixed_weight,
            rounds=self.of_preset.rounds,
            alpha=self.evaluation.alpha,
            min_effect=0.0,
            non_regression=False,
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


def config_of(raw: dict[str, Any], *, where: str, kind: type[TrainerConfig] = TrainerConfig) -> TrainerConfig:
    """Return the configuration of these tables; raise ConfigError naming every mistake in them, and `where` it is."""
    config = checked(raw, kind, where=where, remedies=REMEDIES, see=EVERY_KEY)
    impossible = config.impossible()
    if impossible:
        raise ConfigError(f"{where}: {impossible}", remedy=f"see: {EVERY_KEY}")
    return config


# The keys of SkillOpt's research trainer and of skillrl 1.0.0, by what they are called here.
SKILLOPT_KEYS = {
    "num_epochs": "train.epochs",
    "batch_size": "train.batch_size",
    "accumulation": "train.accumulation",
    "seed": "train.seed",
    "out_root": "train.folder",
    "workers": "train.workers",
    "analyst_workers": "train.workers",
    "minibatch_size": "gradient.minibatch",
    "merge_batch_size": "gradient.merge_batch",
    "failure_only": "gradient.failure_only",
    "learning_rate": "optimizer.edit_budget",
    "edit_budget": "optimizer.edit_budget",
    "min_learning_rate": "optimizer.min_edit_budget",
    "min_edit_budget": "optimizer.min_edit_budget",
    "lr_scheduler": "optimizer.schedule",
    "lr_control_mode": "optimizer.schedule",
    "skill_update_mode": "optimizer.mode",
    "gate_metric": "evaluation.metric",
    "gate_mixed_weight": "evaluation.mixed_weight",
    "sel_env_num": "evaluation.val_items",
    "test_env_num": "evaluation.test_items",
    "eval_test": "evaluation.test",
    "skill_init": "skill",
    "optimizer_max_completion_tokens": "backend.max_output_tokens",
}
_BY_PRESET = 'the preset decides it: preset = "skillopt" has it as published'
_DENSITY = "it rewards commanding words, not results"
_FILE_NAMES = "the names of the environment's files say which split they are"
SKILLOPT_KEYS_LEFT_OUT = {
    "train_size": "leave items out of the environment's train split instead",
    "steps_per_epoch": "it follows from the items, train.batch_size and train.accumulation",
    "selection_split": _FILE_NAMES,
    "test_split": _FILE_NAMES,
    "save_every_step": "every step is always written",
    "verbose": "progress is shown on a terminal, and nowhere else",
    "max_analyst_rounds": "it never had an effect",
    "meta_learning_rate": "it never had an effect",
    "use_gate": "val decides on every candidate",
    "use_slow_update": _BY_PRESET,
    "use_meta_skill": _BY_PRESET,
    "slow_update_samples": _BY_PRESET,
    "slow_update_gate_with_selection": _BY_PRESET,
    "longitudinal_pair_policy": _BY_PRESET,
    "use_skill_aware_reflection": "what the model overlooked becomes an edit like any other",
    "skill_aware_appendix_source": "what the model overlooked becomes an edit like any other",
    "skill_aware_consolidate_threshold": "what the model overlooked becomes an edit like any other",
    "use_semantic_density": _DENSITY,
    "semantic_density_weight": _DENSITY,
    "semantic_density_leading_words": _DENSITY,
}
REMEDIES = {
    **{theirs: f"it is called '{ours}' here" for theirs, ours in SKILLOPT_KEYS.items()},
    "lr_scheduler": "it is called 'optimizer.schedule' here, and its autonomous (no limit of edits) 'none'",
    "lr_control_mode": "it is called 'optimizer.schedule' here: autonomous is the same, fixed is a schedule's name",
    **{theirs: f"leave it out: {why}" for theirs, why in SKILLOPT_KEYS_LEFT_OUT.items()},
}
