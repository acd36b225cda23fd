import pytest

from skillopt_sleep.records import Split
from skillopt_sleep.trainer.envs.reading import split_of


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train", Split.TRAIN),
        ("gsm8k_train-00000", Split.TRAIN),
        ("dev-v1.1", Split.VAL),
        ("valid_seen", Split.VAL),
        ("valid_unseen", Split.TEST),
        ("Test", Split.TEST),
        ("train_and_dev", None),
        ("restrained", None),
        ("latest", None),
        ("questions", None),
    ],
)
def test_a_name_tells_its_split_by_whole_words(name: str, split: Split | None) -> None:
    assert split_of(name) is split
