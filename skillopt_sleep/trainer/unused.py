"""Name what was set in a configuration but changes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from skillopt_sleep.records import Metric, Split
from skillopt_sleep.settings import BackendSettings, RoleSettings
from skillopt_sleep.trainer.config import TrainerConfig, TrainSection
from skillopt_sleep.trainer.env import Item

_ONLY_FOR_EDITS = (
    "gradient.reflection",
    "gradient.failure_only",
    "gradient.merge_batch",
    "gradient.skill_aware",
    "optimizer.edit_budget",
    "optimizer.min_edit_budget",
    "optimizer.schedule",
    "optimizer.edit_chars",
)


def unused(config: TrainerConfig, items: Mapping[Split, Sequence[Item]]) -> Iterator[str]:
    """Yield, in words, which keys change nothing without another one, and which ask for more items than there are."""
    defaults = TrainerConfig()
    for key, other in _needing(config):
        section, _, name = key.partition(".")
        if getattr(getattr(config, section), name) != getattr(getattr(defaults, section), name):
            yield f"{key} changes nothing without {other}"
    own = config.optimizer
    if own.min_edit_budget == 0 and own.schedule in {"linear", "cosine"} and own.mode != "full_rewrite":
        yield "optimizer.min_edit_budget is 0, so steps that get no edit are paid for and learn nothing"
    wanted = {
        "train.items": (config.train.items, Split.TRAIN),
        "evaluation.val_items": (config.evaluation.val_items, Split.VAL),
        "evaluation.test_items": (config.evaluation.test_items if config.evaluation.test else 0, Split.TEST),
    }
    for key, (most, split) in wanted.items():
        if most > len(items[split]):
            yield f"{key} is {most:,}, but {split} has only {len(items[split]):,}"


def _needing(config: TrainerConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys that have no effect under this configuration, each with what would give it one."""
    if config.evaluation.metric is not Metric.MIXED:
        yield "evaluation.mixed_weight", 'evaluation.metric = "mixed"'
    if not config.evaluation.test:
        yield "evaluation.test_items", "evaluation.test"
    if config.evaluation.each_trial_afresh:
        yield "evaluation.confirm", "gate strict or greedy with evaluation.redraw doubt or never"
    if not config.gradient.skill_aware:
        yield "gradient.appendix_source", "gradient.skill_aware"
        yield "gradient.consolidate_after", "gradient.skill_aware"
    yield from _of_looking_back(config)
    yield from _of_edits(config)
    if config.optimizer.schedule in {"constant", "none"} and config.optimizer.edit_budget > 1:
        yield "optimizer.min_edit_budget", "another optimizer.schedule"
    is_endless = config.optimizer.schedule in {"constant", "none", "autonomous"} and config.judged == "step"
    if is_endless and config.evaluation.gate != "sequential":
        yield "optimizer.horizon", "another optimizer.schedule or gate sequential"
    names = {config.backend.name, config.target.name}  # an empty key of a target is taken from the backend
    if config.backend.name != "" and not names & {"auto", "claude", "codex"}:
        yield "backend.program", "backend.name claude or codex"
    if "azure" not in names:
        yield "backend.api_version", "backend.name azure"
    if config.train.pool != "ray":
        yield "train.address", 'train.pool = "ray"'


def _of_edits(config: TrainerConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys of edits, if each step writes the whole text anew."""
    if config.optimizer.mode != "full_rewrite":
        return
    for key in _ONLY_FOR_EDITS:
        yield key, "another optimizer.mode"


def _of_looking_back(config: TrainerConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys of what compares an epoch with the one before, if nothing is compared.

    Guidance is written from epoch 2 on; notes are for the epoch that comes next.
    """
    epochs, own = config.train.epochs, config.optimizer
    if not (own.slow_update and epochs > 1):
        yield "optimizer.slow_gated", "optimizer.slow_update and 2 epochs"
        if not (own.meta_skill and epochs > 2):  # noqa: PLR2004 - the second epoch is the first that looks back
            yield "optimizer.slow_samples", "optimizer.slow_update and 2 epochs, or meta_skill and 3"
            yield "optimizer.slow_pairs", "optimizer.slow_update and 2 epochs, or meta_skill and 3"


def unread(config: TrainerConfig, folder: Path) -> Iterator[str]:
    """Yield which keys aren't looked at in Python, as Trainer is given the environment, the models and a folder."""
    if config.train.folder not in {TrainSection().folder, str(folder)}:
        yield "the folder is the one that Trainer is given, so train.folder isn't looked at"
    if config.env:
        yield "the environment is the one that Trainer is given, so env isn't looked at"
    named: list[str] = []
    if config.backend != BackendSettings():
        named.append("backend")
    if config.target != RoleSettings():
        named.append("target")
    if named:
        are = "aren't" if len(named) > 1 else "isn't"
        yield f"the models are those that Trainer is given, so {' and '.join(named)} {are} looked at"
