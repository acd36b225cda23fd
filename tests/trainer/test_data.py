from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from skillopt_sleep.errors import ConfigError, blamed
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Item
from skillopt_sleep.trainer.data import as_document, as_task, read_items, remarks, repeated, used_splits
from tests.trainer.toy import Toy, a_config


def test_as_many_items_are_read_as_are_asked_for_in_their_order() -> None:
    items = read_items(Toy(), a_config(evaluation={"val_items": 3, "test_items": 2}))
    assert [item.id for item in items[Split.VAL]] == ["val-0", "val-1", "val-2"]
    assert (len(items[Split.TRAIN]), len(items[Split.TEST])) == (16, 2)
    assert read_items(Toy(), a_config(evaluation={"test": False}))[Split.TEST] == ()
    first = read_items(Toy(), a_config(evaluation={"val_items": 2}))[Split.VAL]
    assert [item.id for item in first] == ["val-0", "val-1"]


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_an_empty_split_is_refused_before_anything_is_spent(split: str) -> None:
    with pytest.raises(ConfigError, match=f"has no {split} items"):
        read_items(Toy(sizes={split: 0}), a_config())


class _Odd(Toy, frozen=True):
    """The toy with other val items."""

    odd: Callable[[], Any] = list

    def items(self, split: Split) -> Any:
        return self.odd() if split is Split.VAL else super().items(split)


def _with(**fields: Any) -> list[Item]:
    odd: dict[str, Any] = {"id": "odd", "text": "odd", **fields}
    return [Item(id="fine", text="fine"), Item(**odd)]


def _deep() -> list[Any]:
    deep: list[Any] = []
    deep.append(deep)
    return deep


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (lambda: None, "val: items returned nothing"),
        (lambda: "items", "val: items returned a str"),
        (lambda: {"id": "x"}, "val: items returned a dict"),
        (lambda: [{"id": "x"}], "item 1 of 1 is a dict, not an Item"),
        (lambda: _with(id=7), "item 2 of 2 has the id 7"),
        (lambda: _with(id=" "), "item 2 of 2 has an empty id"),
        (lambda: _with(text="\n"), r"'odd'\) has an empty text"),
        (lambda: _with(text=None), "item 2 of 2 has the text None"),
        (lambda: _with(data={"a": [{"b": Path("x")}]}), r"'odd'\) holds what can't be saved as JSON: .*PosixPath"),
        (lambda: _with(data={"a": {1, 2}}), "holds what can't be saved as JSON: .*set"),
        (lambda: _with(data={"a": _deep()}), "holds what can't be saved as JSON: Circular"),
        (lambda: _with(text="\ud83d"), "holds what can't be saved as JSON: .*surrogates"),
    ],
)
def test_an_invalid_item_is_named_before_anything_is_spent(odd: Callable[[], Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        read_items(_Odd(odd=odd), a_config())
    assert "environment toy, val" in refused.value.message
    assert refused.value.remedy


def test_a_duplicate_item_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"the item 'odd' more than once \(val\)"):
        read_items(_Odd(odd=lambda: _with() + _with(id="odd")[1:]), a_config())


def test_an_error_of_an_environment_is_blamed_on_it_by_name() -> None:
    with pytest.raises(KeyError) as raised:
        read_items(_Odd(odd=lambda: {}["gold"]), a_config())
    assert (
        blamed(raised.value) == f"environment toy, val: items (test_data.py, line {raised.traceback[0].lineno + 1})"
    )


def test_an_initial_skill_that_is_no_text_is_refused() -> None:
    class Without(Toy, frozen=True):
        def initial_skill(self) -> Any:
            return None

    with pytest.raises(ConfigError, match="initial_skill returned nothing"):
        read_items(Without(), a_config())


class _Saying(Toy, frozen=True):
    """The toy with a remark on each split that was read."""

    read: list[str] = msgspec.field(default_factory=list[str])

    @property
    def remarks(self) -> Sequence[str]:
        return self.read

    def items(self, split: Split) -> Any:
        self.read.append(split.value)
        return super().items(split)


def test_what_an_environment_says_of_its_data_is_asked_for_after_reading_it() -> None:
    assert remarks(Toy(), Split) == ()
    assert remarks(_Saying(), used_splits(a_config(evaluation={"test": False}))) == ("train", "val")
    assert remarks(_Saying(), used_splits(a_config())) == ("train", "val", "test")


def test_an_item_of_another_split_under_another_id_is_counted() -> None:
    train = [Item(id="a", text="2 + 2", data={"answer": 4}), Item(id="b", text="3 + 3", data={"answer": 6})]
    same, other = Item(id="c", text="2 + 2", data={"answer": 4}), Item(id="d", text="2 + 2", data={"answer": 5})

    assert repeated({Split.TRAIN: train, Split.VAL: [other], Split.TEST: []}) == ()
    assert repeated({Split.TRAIN: train, Split.VAL: [same, other], Split.TEST: [same]}) == (
        "1 of the 2 val items are train items too, under another id",
        "1 of the 1 test items are train items too, under another id",
    )


@given(st.text())
def test_a_skill_is_the_document_to_the_byte(skill: str) -> None:
    assert as_document(skill).text == skill
    assert msgspec.structs.replace(as_document(skill), body="- Rule.").text.endswith("- Rule.\n") == (
        not skill or skill.endswith("\n")
    )


def test_every_item_counts_as_a_session_of_its_own() -> None:
    task = as_task(Item(id="i", text="do", kind="k"), Split.TRAIN, source="toy")
    assert (task.id, task.session, task.lesson, task.project, task.split) == ("i", "i", "k", "", Split.TRAIN)
