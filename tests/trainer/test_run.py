import os
import stat
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError, FailureKind, ItemError, NightLocked
from skillopt_sleep.example.model import SimulatedBackend
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Prompt, Split
from skillopt_sleep.trainer import Item, Result, find_env
from skillopt_sleep.trainer.manifest import Manifest, conflicts, manifest
from skillopt_sleep.trainer.run import open_run, read_manifest
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer, bytes_of


def a_manifest(**fields: Any) -> Manifest:
    config = fields.pop("config", a_config())
    items = {split: Toy().items(split) for split in Split}
    made = manifest(config, env="toy", items=items, initial_skill="# S", prompts={}, models={"target": "m"}, code={})
    return replace(made, **fields)


def test_what_changes_the_result_is_a_difference_and_what_does_not_is_none() -> None:
    free = a_config(train={"epochs": 5, "workers": 3, "folder": "there"}, limits={"calls": 9})
    assert conflicts(a_manifest(), a_manifest(config=free)) == ()
    asked = a_config(backend={"timeout": "600s", "api_key_env": "OTHER_KEY", "confirmed": True, "program": "/bin/x"})
    assert conflicts(a_manifest(), a_manifest(config=asked)) == ()
    changed = a_config(train={"epochs": 1}, optimizer={"edit_budget": 3})
    assert conflicts(a_manifest(), a_manifest(config=changed)) == (
        "optimizer.edit_budget: 1 → 3",
        "train.epochs: 2 → 1",
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"env": Toy(sizes={"val": 7})}, "dataset.val"),
        ({"model": "another"}, "models.target: scripted → another"),
        ({"initial_skill": "# Other\n"}, "initial_skill"),
        ({"prompt_overrides": {"select": "Choose {{budget}} of {{edits}}"}}, "prompts.select: nothing"),
        ({"config": a_config(train={"seed": 8})}, "train.seed: 7 → 8"),
    ],
)
def test_going_on_with_something_else_is_refused_and_named(tmp_path: Path, changed: Any, said: str) -> None:
    a_trainer(tmp_path).train()
    model = Scripted()
    model.name = changed.pop("model", model.name)
    with pytest.raises(ConfigError) as refused:
        a_trainer(tmp_path, model, **changed).train()
    assert said in refused.value.message
    assert model.prompts == []


@pytest.mark.parametrize("answered", [0, 3])
def test_a_folder_in_which_nothing_was_scored_may_hold_another_run(tmp_path: Path, answered: int) -> None:
    def unreachable(_prompt: Prompt, number: int) -> None:
        if number > answered:
            raise CallFailed(FailureKind.UNREACHABLE, "nobody there")

    with pytest.raises(BackendUnavailable):
        a_trainer(tmp_path, Scripted(unreachable)).train()
    assert (tmp_path / "config.json").exists()
    assert a_trainer(tmp_path, config=a_config(train={"seed": 8})).train().steps


CODED = """
from tests.trainer.toy import Toy

class Mine(Toy, frozen=True):
    pass

def score(answer, row):
    return 0.5
"""


@pytest.mark.parametrize("named", ["my.py:Mine", "dataset"])
def test_going_on_with_other_code_of_ones_own_is_refused_and_keeps_the_result(tmp_path: Path, named: str) -> None:
    file, run = tmp_path / "my.py", tmp_path / "run"
    file.write_text(CODED, encoding="utf-8")
    model: Any = SimulatedBackend()
    options = {"score": "my.py:score"} if named == "dataset" else {}
    a_trainer(run, model, env=find_env(named, options, folder=tmp_path)).train()
    before = bytes_of(run)
    file.write_text(CODED.replace("0.5", "1.5"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"something else: code\.my\.py: "):
        a_trainer(run, model, env=find_env(named, options, folder=tmp_path)).train()
    assert bytes_of(run) == before


def test_a_missing_or_damaged_run_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"config\.json"):
        read_manifest(tmp_path)
    with pytest.raises(ConfigError, match=r"config\.json"):
        a_trainer(tmp_path).train()


def test_a_damaged_history_is_written_anew(tmp_path: Path) -> None:
    a_trainer(tmp_path).train()
    whole = (tmp_path / "history.json").read_bytes()
    (tmp_path / "history.json").write_bytes(whole[:100])
    (tmp_path / "steps" / "step_0009").mkdir()
    a_trainer(tmp_path).train()
    assert (tmp_path / "history.json").read_bytes() == whole
    assert not (tmp_path / "steps" / "step_0009").exists()


def test_a_run_may_be_moved(tmp_path: Path) -> None:
    summary = a_trainer(tmp_path / "here").train()
    (tmp_path / "here").rename(tmp_path / "there")
    again = Scripted()
    assert a_trainer(tmp_path / "there", again).train() == summary
    assert again.prompts == []


def test_two_trainings_never_work_in_one_folder(tmp_path: Path) -> None:
    with (
        open_run(tmp_path, a_manifest(), clock=utc_now),
        pytest.raises(NightLocked, match="another training"),
        open_run(tmp_path, a_manifest(), clock=utc_now),
    ):
        pass


def test_nothing_secret_is_written_and_only_the_owner_reads_it(tmp_path: Path) -> None:
    key = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2
    named = ("hunter2-plain", "nested-plain", "listed-plain", "header-plain")
    env = {
        "name": "toy",
        "token": key,
        "auth": named[0],
        "headers": {"x-api-key": named[1], "Authorization": named[3]},
        "many": [{"apikey": named[2]}],
        "monkey": "kept",
    }
    config = a_config(env=env, backend={"api_key_env": "MY_KEY"})

    class Failing(Toy, frozen=True):
        def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
            if item.id == "train-3":
                raise ItemError(f"{key} was refused")
            return super().rollout_one(item, skill, target, sample=sample)

    a_trainer(tmp_path, config=config, env=Failing()).train()
    for path in tmp_path.rglob("*"):
        if path.is_file():
            for secret in (key, *named):
                assert secret.encode() not in path.read_bytes(), path
            if os.name == "posix":
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    assert "MY_KEY" in (tmp_path / "config.json").read_text()
    assert '"monkey": "kept"' in (tmp_path / "config.json").read_text()


@pytest.mark.parametrize("name", ["skills", "steps", "best_skill.md", "summary.json"])
def test_what_is_not_of_a_run_is_never_written_over(tmp_path: Path, name: str) -> None:
    mine = tmp_path / name / "mine.md" if "." not in name else tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("precious")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ConfigError, match=f"holds no run, but {name}") as refused:
        a_trainer(tmp_path).train()
    assert "train.folder" in refused.value.remedy
    assert mine.read_text() == "precious"
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_with_other_files_may_hold_a_run_and_a_refused_one_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    a_trainer(tmp_path).train()
    assert (tmp_path / "notes.txt").read_text() == "mine"
    with pytest.raises(ConfigError, match="no test items"):
        a_trainer(tmp_path / "none", env=Toy(sizes={"test": 0})).train()
    assert not (tmp_path / "none").exists()


def test_a_run_whose_shared_answers_are_gone_is_not_paid_for_again(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one").train()
    (tmp_path / "answers.db").unlink()
    model = Scripted()
    with pytest.raises(ConfigError, match=r"answers\.db is gone"):
        a_trainer(tmp_path / "one", model).train()
    assert model.prompts == []
    a_trainer(tmp_path / "two").train()
