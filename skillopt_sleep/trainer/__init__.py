"""Train a skill on your own dataset, with SkillOpt's training loop as a library: Trainer, TrainerConfig, Env."""

from skillopt_sleep.trainer.config import TrainerConfig, load_config
from skillopt_sleep.trainer.env import Env, Item, Result, find_env
from skillopt_sleep.trainer.loop import Trainer
from skillopt_sleep.trainer.summary import Summary

__all__ = ["Env", "Item", "Result", "Summary", "Trainer", "TrainerConfig", "find_env", "load_config"]
