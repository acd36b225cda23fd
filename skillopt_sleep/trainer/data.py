"""The items of an environment, checked before anything is spent on them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.env import Env, Item


def read_items(env: Env, config: TrainerConfig) -> Mapping[Split, Sequence[Item]]:
    """The items by split, as many as the configuration asks for, in the environment's order.

    Raises ConfigError where train, val or a test that is wanted is empty, or an id is there twice: what is learned
    from must never be what is tested on.
    """
    own = config.evaluation
    most = {Split.TRAIN: config.train.items, Split.VAL: own.val_items, Split.TEST: own.test_items}
    items = {split: tuple(env.items(split))[: most[split] or None] for split in Split}
    items[Split.TEST] = items[Split.TEST] if own.test else ()
    wanted = (Split.TRAIN, Split.VAL, *([Split.TEST] if own.test else []))
    for split in wanted:
        if not items[split]:
            remedy = "set evaluation.test = false" if split is Split.TEST else "give it items, or another split"
            raise ConfigError(f"environment {env.name} has no {split} items", remedy=remedy)
    places = Counter(item.id for some in items.values() for item in some)
    doubled = [name for name, count in places.items() if count > 1]
    if doubled:
        where = [split.value for split, some in items.items() if any(item.id == doubled[0] for item in some)]
        raise ConfigError(
            f"environment {env.name} has the item {doubled[0]!r} more than once ({', '.join(where)})",
            remedy="what is learned from must not be tested on: give every item an id and one split",
        )
    return items
