"""What a configuration names and nobody passes: the pool, and the skill to start from."""

from collections.abc import Callable
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import Pool
from skillopt_sleep.trainer.config import TrainerConfig

Progress = Callable[[str, int, int], None]


def make_pool(config: TrainerConfig, progress: Progress) -> Pool:
    """The pool that the configuration names; Ray is imported where it is asked for."""
    if config.train.pool == "ray":
        from skillopt_sleep.pools.ray import RayPool

        return RayPool(config.train.workers, progress, address=config.train.address)
    return ThreadPool(config.train.workers, progress)


def read_skill(path: Path) -> str:
    """The text of a skill's file; ConfigError where it can't be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        said = f"the skill {path}: {error.strerror or error}"
        raise ConfigError(said, remedy="name a file that can be read") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"the skill {path}: {error}", remedy="a skill is a UTF-8 text file") from error


def untold(_label: str, _done: int, _total: int) -> None:
    """Progress that nobody watches."""
