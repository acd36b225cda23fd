"""Train a skill on your own dataset, with SkillOpt's training loop as a library: Trainer, TrainerConfig, Env."""

from skillopt_sleep.errors import CallFailed, ConfigError, FailureKind, ItemError, NightError, SleepError
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Completion, Message, Prompt, Purpose, Split, Usage
from skillopt_sleep.settings import BackendSettings, RoleSettings
from skillopt_sleep.trainer.config import (
    EvaluationSection,
    GradientSection,
    LimitsSection,
    OptimizerSection,
    TrainerConfig,
    TrainSection,
    load_config,
)
from skillopt_sleep.trainer.env import Env, Item, Result, find_env
from skillopt_sleep.trainer.envs.dataset import Dataset
from skillopt_sleep.trainer.evaluate import evaluate
from skillopt_sleep.trainer.loop import Trainer
from skillopt_sleep.trainer.models import ask
from skillopt_sleep.trainer.summary import History, LiveProgress, Scores, StepRecord, Summary

__all__ = [
    "Backend",
    "BackendSettings",
    "CallFailed",
    "Completion",
    "ConfigError",
    "Dataset",
    "Env",
    "EvaluationSection",
    "FailureKind",
    "GradientSection",
    "History",
    "Item",
    "ItemError",
    "LimitsSection",
    "LiveProgress",
    "Message",
    "NightError",
    "OptimizerSection",
    "Prompt",
    "Purpose",
    "Result",
    "RoleSettings",
    "Scores",
    "SleepError",
    "Split",
    "StepRecord",
    "Summary",
    "TrainSection",
    "Trainer",
    "TrainerConfig",
    "Usage",
    "ask",
    "evaluate",
    "find_env",
    "load_config",
]
