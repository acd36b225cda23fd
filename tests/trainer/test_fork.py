"""A fork of a training pays only for what differs, and is refused where it would mean something else."""

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.trainer import load_config
from skillopt_sleep.trainer.env import Env, find_env
from skillopt_sleep.trainer.fork import fork
from tests.trainer import toy
from tests.trainer.toy import TOY_ENV, Scripted, a_config, a_trainer


def _trained(home: Path) -> int:
    model = Scripted()
    config = a_config(train={"folder": "one"}, env=TOY_ENV)
    a_trainer(home / "one", model, config=config, env=_toy()).train()
    return len(model.prompts)


def _toy() -> Env:
    return find_env(str(TOY_ENV["name"]), {"words": TOY_ENV["words"]})


def test_a_fork_pays_for_what_differs_only(tmp_path: Path) -> None:
    paid = _trained(tmp_path)
    same = fork(tmp_path / "one", "two", [], clock=utc_now)
    model = Scripted()
    again = a_trainer(same.folder, model, config=load_config(same.config)).train()
    assert (model.prompts, same.answers, same.changed) == ([], paid, ())
    assert again.best_skill == (tmp_path / "one" / "best_skill.md").read_text(encoding="utf-8")
    other = fork(tmp_path / "one", "three", ["evaluation.gate=greedy", "evaluation.test=false"], clock=utc_now)
    config = load_config(other.config)
    assert (config.evaluation.gate, config.evaluation.test, config.train.folder) == ("greedy", False, "three")
    model = Scripted()
    a_trainer(other.folder, model, config=config).train()
    assert len(model.prompts) < paid / 2
    spent = json.loads((other.folder / "spend.json").read_bytes())["paid"]
    assert sum(spent["purposes"].values()) == len(model.prompts)


def test_the_answers_of_a_copied_file_are_not_billed_again(tmp_path: Path) -> None:
    _trained(tmp_path)
    (tmp_path / "two").mkdir()
    shutil.copy(tmp_path / "one" / "calls.db", tmp_path / "two")
    model = Scripted()
    config = a_config(train={"folder": "two"}, env=TOY_ENV, limits={"calls": 1})
    a_trainer(tmp_path / "two", model, config=config).train()
    spent = json.loads((tmp_path / "two" / "spend.json").read_bytes())["paid"]
    assert (model.prompts, spent["purposes"], spent["dollars"]) == ([], {}, 0.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (["evaluation.gat=greedy"], "evaluation.gat"),
        (["evaluation.gate=gredy"], "evaluation.gate"),
        (["evaluation.gate"], "changes nothing"),
        (["skill.x=1"], "no key skill.x"),
        (["optimizer.edit_budget=0"], "optimizer.edit_budget"),
        (["env.wrods=[]"], "no option 'wrods'"),
        (["env.name=toyy"], "no environment is called 'toyy'"),
        (["train.folder=three"], "not by train.folder"),
        (["train.epochs=2", "train.epochs = 3"], "train.epochs is set twice"),
    ],
)
def test_an_impossible_change_is_refused_before_anything_is_written(
    tmp_path: Path, changes: list[str], said: str
) -> None:
    _trained(tmp_path)
    with pytest.raises(ConfigError) as refused:
        fork(tmp_path / "one", "two", changes, clock=utc_now)
    assert said in refused.value.message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]


@pytest.mark.parametrize("new", ["../two", "sweep/two", "two/"])
def test_a_fork_stands_beside_its_run(tmp_path: Path, new: str) -> None:
    _trained(tmp_path)
    with pytest.raises(ConfigError, match="stands beside"):
        fork(tmp_path / "one", new, [], clock=utc_now)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]


def test_a_run_of_python_a_moved_one_and_a_taken_name_are_refused(tmp_path: Path) -> None:
    _trained(tmp_path)
    with pytest.raises(ConfigError, match="there already"):
        fork(tmp_path / "one", "one", [], clock=utc_now)
    (tmp_path / "one").rename(tmp_path / "moved")
    with pytest.raises(ConfigError, match="was moved"):
        fork(tmp_path / "moved", "two", [], clock=utc_now)
    a_trainer(tmp_path / "python").train()
    with pytest.raises(ConfigError, match="started in Python"):
        fork(tmp_path / "python", "two", [], clock=utc_now)


def test_a_fork_that_shares_its_answers_finds_them_and_asks_val_anew(tmp_path: Path) -> None:
    paid = _trained(tmp_path)
    made = fork(tmp_path / "one", "two", ["train.shared=answers.db"], clock=utc_now)
    assert (made.answers, made.shares) == (paid, True)
    model = Scripted()
    again = a_trainer(made.folder, model, config=load_config(made.config)).train()
    assert again.best_skill == (tmp_path / "one" / "best_skill.md").read_text(encoding="utf-8")
    assert model.prompts
    assert all("REQUEST:\nval" in prompt.text for prompt in model.prompts)


@pytest.mark.parametrize("before", ["", "answers.db"])
@pytest.mark.parametrize("now", ["", "answers.db", "other.db"])
def test_a_fork_of_a_run_in_a_folder_stands_beside_it_and_has_its_answers(
    tmp_path: Path, before: str, now: str
) -> None:
    model = Scripted()
    config = a_config(train={"folder": "sweep/one", "shared": before}, env=TOY_ENV)
    a_trainer(tmp_path / "sweep" / "one", model, config=config, env=_toy()).train()
    made = fork(tmp_path / "sweep" / "one", "two", [f"train.shared={now}"], clock=utc_now)
    assert (made.folder, made.config) == (tmp_path / "sweep" / "two", tmp_path / "two.toml")
    assert made.answers == len(model.prompts)
    forked = load_config(made.config)
    assert forked.train.folder == "sweep/two"
    again = Scripted()
    a_trainer(made.folder, again, config=forked).train()
    asked = [prompt.text for prompt in again.prompts]
    assert len(asked) < len(model.prompts) / 2
    assert all("REQUEST:\nval" in text for text in asked)
    assert bool(asked) == bool(before or now)


def test_what_changed_since_the_run_began_is_said_of_its_fork(tmp_path: Path) -> None:
    (tmp_path / "skill.md").write_text("# Skill\n", encoding="utf-8")
    env = tmp_path / "env.py"
    env.write_text(Path(toy.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    config = a_config(train={"folder": "one"}, env={"name": f"{env}:Toy"})
    config = replace(config, skill="skill.md")
    of_file = find_env(f"{env}:Toy", {})
    a_trainer(tmp_path / "one", config=config, env=of_file, initial_skill="# Skill\n").train()
    assert fork(tmp_path / "one", "two", [], clock=utc_now).changed == ()
    (tmp_path / "skill.md").write_text("# Another\n", encoding="utf-8")
    env.write_text(env.read_text(encoding="utf-8").replace("request {n}", "question {n}"), encoding="utf-8")
    three = fork(tmp_path / "one", "three", [], clock=utc_now)
    items = tuple(f"the {split} items" for split in ("train", "val", "test"))
    assert three.changed == (*items, "the initial skill", "the environment's code")
    (tmp_path / "skill.md").unlink()
    other = fork(tmp_path / "one", "other", [f'env.name="{toy.__file__}:Toy"', 'skill=""'], clock=utc_now)
    assert "the initial skill" in other.changed
    env.write_text(env.read_text(encoding="utf-8").replace("range(count)", "range(0)"), encoding="utf-8")
    with pytest.raises(ConfigError, match="has no train items"):
        fork(tmp_path / "one", "four", [], clock=utc_now)
    env.unlink()
    gone = fork(tmp_path / "one", "five", [f'env.name="{toy.__file__}:Toy"', 'skill=""'], clock=utc_now)
    assert "its data, which can't be read any more" in gone.changed


def test_a_fork_whose_answers_are_gone_is_refused(tmp_path: Path) -> None:
    _trained(tmp_path)
    (tmp_path / "one" / "calls.db").unlink()
    with pytest.raises(ConfigError, match="is gone, which holds the answers of"):
        fork(tmp_path / "one", "two", [], clock=utc_now)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]
