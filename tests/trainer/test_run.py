import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import BackendUnavailable, CallFailed, ConfigError, FailureKind, ItemError, NightLocked
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.codec import from_json
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Prompt, Split
from skillopt_sleep.trainer import Item, Result, evaluate
from skillopt_sleep.trainer.manifest import Manifest, differences, hindrances, manifest
from skillopt_sleep.trainer.run import SPEND, Spending, open_run, read_manifest
from tests.fakes import SerialPool
from tests.trainer.toy import Scripted, Toy, a_config, a_trainer, bytes_of


def a_manifest(**fields: Any) -> Manifest:
    config = fields.pop("config", a_config())
    items = {split: Toy().items(split) for split in Split}
    made = manifest(config, env="toy", items=items, initial_skill="# S", prompts={}, models={"target": "m"}, code={})
    return replace(made, **fields)


def test_what_changes_the_result_is_a_difference_and_what_does_not_is_none() -> None:
    free = a_config(
        train={"epochs": 5, "workers": 3, "folder": "there"}, gradient={"workers": 2}, limits={"calls": 9}
    )
    assert hindrances(a_manifest(), a_manifest(config=free)) == ()
    assert "config.train.workers: 8 → 3" in differences(a_manifest(), a_manifest(config=free))
    asked = a_config(backend={"timeout": "600s", "api_key_env": "OTHER_KEY", "confirmed": True, "program": "/bin/x"})
    assert hindrances(a_manifest(), a_manifest(config=asked)) == ()
    changed = a_config(train={"epochs": 1}, optimizer={"edit_budget": 3})
    assert hindrances(a_manifest(), a_manifest(config=changed)) == (
        "config.optimizer.edit_budget: 1 → 3",
        "config.train.epochs: 2 → 1",
    )


def test_a_run_that_an_older_version_began_goes_on_with_the_keys_that_are_new_at_their_defaults() -> None:
    older = a_manifest()
    del older.config["optimizer"]["allow_urls"]
    assert hindrances(older, a_manifest()) == ()
    changed = a_config(optimizer={"allow_urls": True})
    assert hindrances(older, a_manifest(config=changed)) == ("config.optimizer.allow_urls: False → True",)


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
    with pytest.raises(ConfigError, match="no run to resume"):
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


@pytest.mark.parametrize("name", ["skills", "steps", "best_skill.md", "summary.json", "spend.json"])
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
    with pytest.raises(ConfigError, match="no run to resume"):
        a_trainer(tmp_path / "none").train(resume=True)
    assert not (tmp_path / "none").exists()


class Killed(BaseException):
    """Stands for a signal that ends the process at any point."""


@pytest.mark.parametrize("end", [CallFailed(FailureKind.LOGIN, "the key has expired"), Killed()])
def test_a_finished_run_that_is_not_extended_in_the_end_stays_as_it_was(tmp_path: Path, end: BaseException) -> None:
    a_trainer(tmp_path / "run").train()
    before = bytes_of(tmp_path / "run")
    longer = a_config(train={"epochs": 4})

    def stops(prompt: Prompt, number: int) -> None:
        if number > 3:
            raise end

    with pytest.raises((BackendUnavailable, Killed)):
        a_trainer(tmp_path / "run", Scripted(stops), config=longer).train(resume=True)
    assert bytes_of(tmp_path / "run") == before

    a_trainer(tmp_path / "run", config=longer).train(resume=True)
    a_trainer(tmp_path / "fresh", config=longer).train()
    assert bytes_of(tmp_path / "run") == bytes_of(tmp_path / "fresh")


DIES = """
import os, sys
from pathlib import Path
from tests.trainer.toy import a_config, a_trainer
left = int(sys.argv[2])
def hook(event, args):
    global left
    if event in {"os.rename", "os.remove", "os.rmdir"}:
        left -= 1
        if left < 0:
            os._exit(9)
sys.addaudithook(hook)
a_trainer(Path(sys.argv[1]), config=a_config(train={"epochs": 3})).train(resume=True)
"""


LEFT = (".config.json.", ".spend.json.")


@pytest.mark.slow
@pytest.mark.parametrize("moment", [*range(12), 20, 40])
def test_a_process_that_dies_while_it_extends_a_finished_run_loses_nothing_of_it(tmp_path: Path, moment: int) -> None:
    run = tmp_path / "run"
    a_trainer(run).train()
    before, started_with = bytes_of(run), read_manifest(run)
    extend = [sys.executable, "-c", DIES, str(run), str(moment)]
    assert subprocess.run(extend, check=False, cwd=Path(__file__).parents[2]).returncode == 9

    with pytest.raises(Killed), open_run(run, started_with, resume=True, clock=utc_now):
        raise Killed

    # What a write was killed in the middle of may lie beside.
    assert {name: data for name, data in bytes_of(run).items() if not name.startswith(LEFT)} == before


def test_the_seconds_of_all_lives_are_added_up(tmp_path: Path) -> None:
    def seconds() -> float:
        return sum(from_json((tmp_path / SPEND).read_bytes(), Spending).seconds.values())

    a_trainer(tmp_path, Scripted(delay=lambda prompt: 0.002)).train()
    first = seconds()
    a_trainer(tmp_path).train(resume=True)
    assert seconds() > first > 0


def test_a_run_whose_answers_are_gone_is_not_paid_for_again(tmp_path: Path) -> None:
    a_trainer(tmp_path / "one").train()
    (tmp_path / "one" / "calls.db").unlink()
    model = Scripted()
    with pytest.raises(ConfigError, match=r"calls\.db is gone") as refused:
        a_trainer(tmp_path / "one", model).train(resume=True)
    assert "put it back" in refused.value.remedy
    with pytest.raises(ConfigError, match=r"calls\.db is gone"):
        evaluate(a_config(), Toy(), "", Split.TEST, target=model, pool=SerialPool(), folder=tmp_path / "one")
    assert model.prompts == []
    assert not (tmp_path / "one" / "calls.db").exists()


@pytest.mark.parametrize(("before", "now"), [("", "new.db"), ("answers.db", ""), ("answers.db", "new.db")])
def test_where_the_answers_are_kept_can_not_be_changed_later(tmp_path: Path, before: str, now: str) -> None:
    folder = tmp_path / "one"
    a_trainer(folder, config=a_config(train={"shared": before})).train()
    config = a_config(train={"shared": now})
    with pytest.raises(ConfigError, match="keeps its answers in") as refused:
        a_trainer(folder, config=config).train(resume=True)
    assert (before or "its own calls.db") in refused.value.message
    assert "runs fork" in refused.value.remedy
    with pytest.raises(ConfigError, match="keeps its answers in"):
        evaluate(config, Toy(), "", Split.TEST, target=Scripted(), pool=SerialPool(), folder=folder)


def test_a_run_whose_shared_answers_are_gone_is_not_paid_for_again(tmp_path: Path) -> None:
    config = a_config(train={"shared": "answers.db"})
    a_trainer(tmp_path / "one", config=config).train()
    (tmp_path / "answers.db").unlink()
    model = Scripted()
    with pytest.raises(ConfigError, match=r"answers\.db is gone"):
        a_trainer(tmp_path / "one", model, config=config).train(resume=True)
    assert model.prompts == []
    a_trainer(tmp_path / "two", config=config).train()
