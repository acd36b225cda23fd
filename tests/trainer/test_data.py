import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.data import read_items
from tests.trainer.toy import Toy, a_config


def test_as_many_items_are_read_as_are_asked_for_in_their_order() -> None:
    items = read_items(Toy(), a_config(evaluation={"val_items": 3, "test_items": 2}))
    assert [item.id for item in items[Split.VAL]] == ["val-0", "val-1", "val-2"]
    assert (len(items[Split.TRAIN]), len(items[Split.TEST])) == (16, 2)
    assert read_items(Toy(), a_config(evaluation={"test": False}))[Split.TEST] == ()
    first = read_items(Toy(), a_config(train={"items": 2}))[Split.TRAIN]
    assert [item.id for item in first] == ["train-0", "train-1"]


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_an_empty_split_is_refused_before_anything_is_spent(split: str) -> None:
    with pytest.raises(ConfigError, match=f"has no {split} items"):
        read_items(Toy(sizes={split: 0}), a_config())
