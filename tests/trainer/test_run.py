import os
import stat
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError, NightLocked
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.run import Manifest, differences, manifest, open_run, read_manifest
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer


def a_manifest(**fields: Any) -> Manifest:
    config = fields.pop("config", a_config())
    items = {split: Toy().items(split) for split in Split}
    made = manifest(config, env="toy", items=items, initial_skill="# S", prompts={}, models={"target": "m"})
    return replace(made, **fields)


def test_what_changes_the_result_is_a_difference_and_what_does_not_is_none() -> None:
    free = a_config(
        train={"epochs": 5, "workers": 3, "folder": "there"}, gradient={"workers": 2}, limits={"calls": 9}
    )
    assert differences(a_manifest(), a_manifest(config=free)) == ()
    changed = a_config(train={"epochs": 1}, optimizer={"edit_budget": 3})
    assert differences(a_manifest(), a_manifest(config=changed)) == (
        "config.optimizer.edit_budget: 1 → 3",
        "config.train.epochs: 2 → 1",
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"env": Toy(sizes={"val": 7})}, "dataset.val"),
        ({"model": "another"}, "models.target: scripted → another"),
        ({"initial_skill": "# Other\n"}, "initial_skill"),
        ({"prompt_overrides": {"select": "Choose {{budget}} of {{edits}}"}}, "prompts.select: nothing"),
        ({"config": a_config(train={"seed": 8})}, "config.train.seed: 7 → 8"),
    ],
)
def test_going_on_with_something_else_is_refused_and_named(tmp_path: Path, changed: Any, said: str) -> None:
    a_trainer(tmp_path).train()
    model = Scripted()
    model.name = changed.pop("model", model.name)
    with pytest.raises(ConfigError) as refused:
        a_trainer(tmp_path, model, **changed).train(resume=True)
    assert said in refused.value.message
    assert model.prompts == []


def test_a_missing_or_damaged_run_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run to go on with"):
        a_trainer(tmp_path / "none").train(resume=True)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"config\.json"):
        read_manifest(tmp_path)
    with pytest.raises(ConfigError, match=r"config\.json"):
        a_trainer(tmp_path).train(resume=True)


def test_a_damaged_history_is_written_anew(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    whole = (tmp_path / "history.json").read_bytes()
    (tmp_path / "history.json").write_bytes(whole[:100])
    (tmp_path / "steps" / "step_0009").mkdir()
    a_trainer(tmp_path).train(resume=True)
    assert (tmp_path / "history.json").read_bytes() == whole
    assert not (tmp_path / "steps" / "step_0009").exists()


def test_a_run_may_be_moved(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path / "here").train()
    (tmp_path / "here").rename(tmp_path / "there")
    again = Scripted()
    assert a_trainer(tmp_path / "there", again).train(resume=True) == summary
    assert again.prompts == []


def test_two_trainings_never_work_in_one_folder(tmp_path: Path) -> None:
    with (
        open_run(tmp_path, a_manifest(), resume=False, clock=utc_now),
        pytest.raises(NightLocked, match="another training"),
        open_run(tmp_path, a_manifest(), resume=True, clock=utc_now),
    ):
        pass


def test_nothing_secret_is_written_and_only_the_owner_reads_it(tmp_path: Path) -> None:
    key = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2
    config = a_config(env={"name": "toy", "token": key}, backend={"api_key_env": "MY_KEY"})
    a_trainer(tmp_path, config=config).train()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
            if os.name == "posix":
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert "MY_KEY" in (tmp_path / "config.json").read_text()
