from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer.runs import find, read, variants
from tests.trainer.toy import a_config, a_trainer


def test_trainings_are_found_up_to_three_folders_deep_and_not_inside_one_another(tmp_path: Path) -> None:
    for place in ("a", "a/inner", "b/c/d", "b/c/d2/e/f"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "config.json").touch()
        (tmp_path / place / "calls.db").touch()
    assert list(find(tmp_path)) == [tmp_path / "a", tmp_path / "b" / "c" / "d"]
    assert list(find(tmp_path / "a")) == [tmp_path / "a"]


def test_a_training_whose_answers_are_gone_is_found_and_a_foreign_configuration_is_not(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one", config=a_config(train={"epochs": 1})).train()
    (tmp_path / "one" / "calls.db").unlink()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "config.json").touch()
    assert list(find(tmp_path)) == [tmp_path / "one"]


def test_a_training_is_read_with_its_gate_seed_and_what_it_paid(tmp_path: Path) -> None:
    a_trainer(tmp_path, config=a_config(train={"epochs": 1})).train()
    run = read(tmp_path)
    assert run.state() == "finished"
    row = run.row()
    assert row["paid"]["calls"] == row["summary"].total.calls
    (tmp_path / "calls.db").unlink()
    assert read(tmp_path).row()["paid"] is None


def test_why_a_training_can_not_be_read_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no run"):
        read(tmp_path)
    (tmp_path / "config.json").mkdir()
    with pytest.raises(ConfigError, match=r"config\.json: Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("changes", "said", "remedy"),
    [
        (["optimizer.edit_budget"], "--set optimizer.edit_budget names no value", "train.epochs=3,5"),
        (["train.epochs=1", "train.epochs=2"], "--set train.epochs is given twice", "write train.epochs=one,other"),
    ],
)
def test_a_change_without_a_value_and_one_given_twice_are_told_apart(
    changes: list[str], said: str, remedy: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        variants({}, changes, 1)
    assert refused.value.message == said
    assert remedy in refused.value.remedy
