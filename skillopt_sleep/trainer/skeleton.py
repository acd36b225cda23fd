"""Write an environment to start from, and the configuration that trains on it; both run as they are."""

import os
import re
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.toml import to_toml
from skillopt_sleep.trainer.config import TrainerConfig, TrainSection

_ENV = '''"""Dates for a form, which the model is not told the format of. Put your own data in their place."""

from collections.abc import Sequence
from datetime import date, timedelta

from skillopt_sleep.trainer import Backend, Env, Item, Result, Split, ask


class {name}(Env):
    name = "{stem}"

    def items(self, split: Split) -> Sequence[Item]:
        first = date(2026, 1, 1) + timedelta(days=100 * list(Split).index(split))
        days = [first + timedelta(days=n) for n in range(12)]
        return [Item(id=f"{{day}}", text=f"Write {{day:%d %B %Y}} for the form.") for day in days]

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        answer = ask(target, f"{{item.text}} Answer with the date alone.", system=skill, sample=sample).strip()
        right = float(answer == item.id)
        return Result(hard=right, soft=right, response=answer, why="" if right else "the form wants the year first")
'''
_TOML = """\
# skillopt-sleep train {file} --backend simulated         shows that it runs, without a model and without cost
# skillopt-sleep train {file} --backend simulated --plan  says how many calls it makes
# For a real model, put its name in the place of "simulated": claude, codex, openai … With --plan nothing is sent.
# Every key follows; one that you leave out has its default.

"""


def write_skeleton(path: Path) -> Path:
    """Write an environment to this file, its configuration beside it, and return the latter's path.

    Raises ConfigError if one of them is there already.
    """
    if path.suffix != ".py":
        path = path.with_name(f"{path.name}.py")
    if not path.stem.isidentifier():
        raise ConfigError(
            f"{path.name} can't be the name of an environment's file",
            remedy="one such as my_env.py: letters, digits and _",
        )
    config = path.with_suffix(".toml")
    for file in (path, config):
        if os.path.lexists(file):
            raise ConfigError(f"{file} is there already", remedy="name another file, or remove it")
    name = "".join(word.capitalize() for word in re.split("_+", path.stem))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, _ENV.format(name=name, stem=path.stem).encode())
    train = TrainSection(epochs=2, batch_size=4, folder=f"{path.stem}-run")
    every_key = to_toml(TrainerConfig(train=train, env={"name": f"{path.name}:{name}"}))
    write_atomic(config, (_TOML.format(file=config.name) + every_key).encode())
    return config
