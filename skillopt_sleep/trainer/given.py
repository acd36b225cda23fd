"""Create what a configuration only names: the pool, and the skill to start from."""

from collections.abc import Callable
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.pools.threads import ThreadPool
from skillopt_sleep.protocols import Pool
from skillopt_sleep.trainer.config import TrainerConfig

Progress = Callable[[str, int, int], None]


def make_pool(config: TrainerConfig, progress: Progress) -> Pool:
    """Create the pool that the configuration names; Ray is imported only if it is chosen."""
    if config.train.pool == "ray":
        from skillopt_sleep.pools.ray import RayPool

        return RayPool(config.train.workers, progress, address=config.train.address)
    return ThreadPool(config.train.workers, progress)


def read_skill(path: Path) -> str:
    """Read the text of a skill's file; raise ConfigError if it can't be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"can't read the skill {path}: {error.strerror or error}", remedy="name a file that can be read"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"can't read the skill {path}: {error}", remedy="save it as UTF-8 text") from error


def untold(_label: str, _done: int, _total: int) -> None:
    """Ignore progress, as nobody is watching."""
