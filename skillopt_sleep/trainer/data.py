"""The items of an environment, checked before anything is spent on them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.env import Env, Item, blaming, kind_of

_PLAIN = (str, int, float, bool, type(None))


def read_items(env: Env, config: TrainerConfig) -> Mapping[Split, Sequence[Item]]:
    """The items by split, as many as the configuration asks for, in the environment's order.

    Raises ConfigError where train, val or a test that is wanted is empty, an item isn't as it has to be, or an id is
    there twice: what is learned from must never be what is tested on.
    """
    with blaming(env, f"environment {env.name}, initial_skill"):
        skill: Any = env.initial_skill()
    if not isinstance(skill, str):
        said = f"environment {env.name}: initial_skill gave {kind_of(skill)}, not a text"
        raise ConfigError(said, remedy="mend the environment")
    own = config.evaluation
    most = {Split.TRAIN: config.train.items, Split.VAL: own.val_items, Split.TEST: own.test_items}
    wanted = [split for split in Split if own.test or split is not Split.TEST]
    items = {split: read_split(env, split, most=most[split]) if split in wanted else () for split in Split}
    for split in wanted:
        if not items[split]:
            remedy = "set evaluation.test = false" if split is Split.TEST else "give it items, or another split"
            raise ConfigError(f"environment {env.name} has no {split} items", remedy=remedy)
    _refuse_doubled(env, items)
    return items


def read_split(env: Env, split: Split, *, most: int) -> tuple[Item, ...]:
    """The first items of a split, 0 all; ConfigError names the environment, the split and the item that is none."""
    where = f"environment {env.name}, {split}"
    with blaming(env, f"{where}: items"):
        found: Any = env.items(split)
        listed = isinstance(found, Iterable) and not isinstance(found, str | Mapping)
        items = tuple(cast("Iterable[object]", found)) if listed else None
    if items is None:
        remedy = "return a list of Items, an empty one where the split has none"
        raise ConfigError(f"{where}: items gave {kind_of(cast('object', found))}, not a list", remedy=remedy)
    for number, item in enumerate(items[: most or None], start=1):
        if fault := _fault(item):
            raise ConfigError(f"{where}: item {number} of {len(items)} {fault}", remedy="mend it in the environment")
    kept = cast("tuple[Item, ...]", items[: most or None])
    _refuse_doubled(env, {split: kept})
    return kept


def _refuse_doubled(env: Env, items: Mapping[Split, Sequence[Item]]) -> None:
    places = Counter(item.id for some in items.values() for item in some)
    doubled = [name for name, count in places.items() if count > 1]
    if doubled:
        where = [split.value for split, some in items.items() if any(item.id == doubled[0] for item in some)]
        raise ConfigError(
            f"environment {env.name} has the item {doubled[0]!r} more than once ({', '.join(where)})",
            remedy="what is learned from must not be tested on: give every item an id and one split",
        )


def _fault(item: object) -> str:
    """What keeps an item from being one; "" where nothing does."""
    if not isinstance(item, Item):
        return f"is {kind_of(item)}, not an Item"
    for name in ("id", "text", "kind"):
        if not isinstance(getattr(item, name), str):
            return f"has the {name} {getattr(item, name)!r}, which is no text"
    if not item.id.strip():
        return "has an empty id"
    try:
        odd = _odd(item.data, "data")
        if not odd:
            to_json(item)
    except RecursionError:
        odd = "data, which is nested too deeply"
    except UnicodeEncodeError:
        odd = "half a surrogate pair (such as \\ud83d), which no model can be sent"
    except TypeError as error:
        odd = f"something that can't be kept: {error}"
    return f"({item.id!r}) holds {odd}" if odd else ""


def _odd(value: object, at: str) -> str:
    """The first that is no plain value, with where it is; "" where there is none."""
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        keys = (f"the key {key!r} in {at}, which is no text" for key in fields if not isinstance(key, str))
        return next(keys, "") or next(filter(None, (_odd(one, f"{at}[{key!r}]") for key, one in fields.items())), "")
    if isinstance(value, list | tuple):
        places = enumerate(cast("Sequence[object]", value))
        return next(filter(None, (_odd(one, f"{at}[{place}]") for place, one in places)), "")
    return "" if isinstance(value, _PLAIN) else f"{kind_of(value)} at {at}, which is no plain value"
