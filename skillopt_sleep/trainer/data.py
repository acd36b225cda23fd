"""Read and check an environment's items, and convert them and a skill to what the stages of a night work on."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.codec import to_json
from skillopt_sleep.records import Document, DocumentKind, Exact, Split, Task
from skillopt_sleep.trainer.config import TrainerConfig
from skillopt_sleep.trainer.env import Env, Item, blaming, kind_of

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # items have no time of their own


def read_items(env: Env, config: TrainerConfig) -> Mapping[Split, Sequence[Item]]:
    """Return the items by split, limited as the configuration says, in the environment's order.

    Raises ConfigError if a required split is empty, an item is invalid, or an id occurs twice: test items must not be
    training items too.
    """
    with blaming(env, f"environment {env.name}, initial_skill"):
        skill: Any = env.initial_skill()
    if not isinstance(skill, str):
        raise ConfigError(
            f"environment {env.name}: initial_skill returned {kind_of(skill)}, not a text",
            remedy="fix the environment",
        )
    items: dict[Split, Sequence[Item]] = {}
    for split, most in limits_of(config).items():
        if split is Split.TEST and not config.evaluation.test:
            items[split] = ()
            continue
        items[split] = read_split(env, split, most=most)
        if not items[split]:
            remedy = "add items to it"
            if split is Split.TEST:
                remedy += ", or set evaluation.test = false"
            raise ConfigError(f"environment {env.name} has no {split} items", remedy=remedy)
    _refuse_duplicates(env, items)
    return items


def limits_of(config: TrainerConfig) -> dict[Split, int]:
    """Return how many items of each split are used, 0 for all."""
    return {
        Split.TRAIN: 0,
        Split.VAL: config.evaluation.val_items,
        Split.TEST: config.evaluation.test_items,
    }


def remarks(env: Env, splits: Iterable[Split]) -> tuple[str, ...]:
    """Read these splits and return what the environment says of them, such as which columns it doesn't use."""
    if not hasattr(env, "remarks"):
        return ()
    for split in splits:
        env.items(split)
    texts: Sequence[str] = getattr(env, "remarks", ())
    return tuple(texts)


def repeated(items: Mapping[Split, Sequence[Item]]) -> tuple[str, ...]:
    """Return, in words, how many items of val and test are the same as a train item but for their id."""
    train = {_content(item) for item in items.get(Split.TRAIN, ())}
    texts: list[str] = []
    for split in (Split.VAL, Split.TEST):
        others = items.get(split, ())
        same = sum(_content(item) in train for item in others)
        if same:
            texts.append(f"{same} of the {len(others)} {split} items are train items too, under another id")
    return tuple(texts)


def _content(item: Item) -> bytes:
    return to_json((item.text, item.data))


def used_splits(config: TrainerConfig) -> tuple[Split, ...]:
    """Return the splits that a training reads."""
    return tuple(Split) if config.evaluation.test else (Split.TRAIN, Split.VAL)


def read_split(env: Env, split: Split, *, most: int) -> tuple[Item, ...]:
    """Return the first `most` items of a split, 0 for all; raise ConfigError naming the first invalid item."""
    where = f"environment {env.name}, {split}"
    items: tuple[object, ...] | None = None
    with blaming(env, f"{where}: items"):
        returned: Any = env.items(split)
        if isinstance(returned, Iterable) and not isinstance(returned, str | Mapping):
            items = tuple(cast("Iterable[object]", returned))
    if items is None:
        raise ConfigError(
            f"{where}: items returned {kind_of(cast('object', returned))}, not a list",
            remedy="return a list of Items, which may be empty",
        )
    selected = items[: most or None]
    for number, item in enumerate(selected, start=1):
        fault = _fault(item)
        if fault:
            raise ConfigError(f"{where}: item {number} of {len(items)} {fault}", remedy="fix it in the environment")
    checked = cast("tuple[Item, ...]", selected)
    _refuse_duplicates(env, {split: checked})
    return checked


def _refuse_duplicates(env: Env, items: Mapping[Split, Sequence[Item]]) -> None:
    places: dict[str, list[Split]] = {}
    for split, split_items in items.items():
        for item in split_items:
            places.setdefault(item.id, []).append(split)
    for name, splits in places.items():
        if len(splits) > 1:
            where = ", ".join(dict.fromkeys(split.value for split in splits))
            raise ConfigError(
                f"environment {env.name} has the item {name!r} more than once ({where})",
                remedy="give every item its own id and put it on one split: training items must not be tested on",
            )


def _fault(item: object) -> str:
    """Return what makes an item invalid, or ""."""
    if not isinstance(item, Item):
        return f"is {kind_of(item)}, not an Item"
    for name in ("id", "text", "kind"):
        if not isinstance(getattr(item, name), str):
            return f"has the {name} {getattr(item, name)!r}, which is not a text"
    if not item.id.strip():
        return "has an empty id"
    if not item.text.strip():
        return f"({item.id!r}) has an empty text, by which the optimizer would know it"
    try:
        json.dumps(item.data)
        to_json(item)
    except (TypeError, ValueError, RecursionError) as error:
        return f"({item.id!r}) holds what can't be saved as JSON: {error}"
    return ""


def as_task(item: Item, split: Split, *, source: str) -> Task:
    """Convert an item to a task; each item counts as a session of its own."""
    return Task(
        id=item.id,
        prompt=item.text,
        reference=Exact(answer=""),
        session=item.id,
        project="",
        source=source,
        at=_LONG_AGO,
        lesson=item.kind,
        split=split,
    )


def as_document(skill: str) -> Document:
    """Convert a skill to the document being trained."""
    body = skill.rstrip("\n")
    close = "" if skill else "\n"  # what is written into an empty skill ends as a file does
    trail = skill[len(body) :]
    return Document(id="skill", kind=DocumentKind.SKILL, path="", project="", body=body, close=close, trail=trail)
