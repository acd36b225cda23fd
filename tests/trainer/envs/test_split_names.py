from pathlib import Path

import pytest

from skillopt_sleep.records import Split
from skillopt_sleep.trainer.envs.reading import is_hidden, split_of, splits_in, visible


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train", Split.TRAIN),
        ("gsm8k_train-00000", Split.TRAIN),
        ("dev-v1.1", Split.VAL),
        ("valid_seen", Split.VAL),
        ("valid_unseen", Split.TEST),
        ("Test", Split.TEST),
        ("restrained", None),
        ("latest", None),
        ("questions", None),
    ],
)
def test_a_name_tells_its_split_by_whole_words(name: str, split: Split | None) -> None:
    assert split_of(name) is split


def test_a_name_may_hold_two_splits() -> None:
    assert set(splits_in("train_and_dev")) == {Split.TRAIN, Split.VAL}


def test_what_is_hidden_is_not_visible(tmp_path: Path) -> None:
    for name in (".DS_Store", "a.json"):
        (tmp_path / name).touch()
    assert visible(tmp_path) == [tmp_path / "a.json"]
    assert is_hidden(Path(".cache/a.json"))
