"""What a dataset is to the trainer: items by split, and one attempt at one of them. A new one is one file."""

import difflib
import inspect
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Protocol

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Record, Split

GROUP = "skillopt_sleep.envs"


class Item(Record, frozen=True, kw_only=True):
    """One thing to attempt: `text` is what the optimizer is shown of it, `kind` its task type, `data` the env's own.

    `data` holds plain values only: it is a part of the dataset's digest, and travels to workers.
    """

    id: str
    text: str
    kind: str = ""
    data: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class Result(Record, frozen=True, kw_only=True):
    """How one attempt went: `hard` and `soft` in [0, 1], and `why` it fell short, in words for the optimizer.

    `turns` is what happened on the way, one text each. A `failure` says why there is no grade: it is never a score.
    """

    hard: float = 0.0
    soft: float = 0.0
    response: str = ""
    why: str = ""
    turns: tuple[str, ...] = ()
    failure: str = ""


class Env(Protocol):
    """A dataset with its scorer; safe to be used by several threads at once, and picklable for workers elsewhere.

    A class that inherits from it has no initial skill and no task types, unless it says so.
    """

    @property
    def name(self) -> str:
        """As it is shown."""
        ...

    def items(self, split: Split) -> Sequence[Item]:
        """The items of a split, always in the same order; ids are unique over all splits."""
        ...

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One attempt at the item by the target under the skill; the same for the same item, skill and sample.

        Another item in the same words, or another sample, asks anew by itself; where one attempt asks the same twice,
        its prompts' samples tell them apart. What goes wrong with a call or with the item is raised (ItemError) or
        told as a failure; a NightError ends the training.
        """
        ...

    def initial_skill(self) -> str:
        """The text that training starts from where the user names none; may be empty."""
        return ""

    def task_types(self) -> Sequence[str]:
        """The kinds of its items, as results are broken down by."""
        return ()


def find_env(name: str, options: Mapping[str, Any]) -> Env:
    """The environment that is registered under this name, made with these options.

    Raises ConfigError naming the nearest where the name or an option isn't known.
    """
    known = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in known:
        hint = _nearest(name, known) or "install the package that registers it, or pass the object to Trainer"
        raise ConfigError(f"no environment is called {name!r}", remedy=hint)
    factory: Any = known[name].load()
    takes = inspect.signature(factory).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in takes.values())
    for option in options:
        if option not in takes and not open_ended:
            raise ConfigError(f"environment {name} has no option {option!r}", remedy=_nearest(option, takes))
    missing = [p.name for p in takes.values() if p.default is p.empty and p.name not in options and not open_ended]
    if missing:
        raise ConfigError(f"environment {name} needs: {', '.join(missing)}", remedy="say it in [env]")
    return factory(**options)


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(sorted(known))}" if known else ""
