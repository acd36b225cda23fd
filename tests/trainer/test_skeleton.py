"""What `train --init` writes runs as it is."""

import re
import tomllib
from pathlib import Path

import pytest
from msgspec import to_builtins

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.trainer import TrainerConfig, find_env, load_config
from skillopt_sleep.trainer.skeleton import write_skeleton
from tests.command import Home


@pytest.mark.slow
def test_what_init_writes_is_trained_on_at_once_and_never_written_over(tmp_path: Path) -> None:
    home, file = Home(tmp_path / "home"), tmp_path / "my_form.py"
    done = home.command("train", "--init", str(file))
    assert done.code == 0, done.err
    assert home.command("train", "--init", str(file)).code == 2
    trained = home.command("train", str(tmp_path / "my_form.toml"), "--backend", "simulated")
    assert trained.code == 0, trained.err
    assert (tmp_path / "my_form-run" / "best_skill.md").exists()
    assert home.command("train", "start").code == 2


@pytest.mark.parametrize("more", [["toy.toml"], ["--plan"], ["--set", "train.seed=3"], ["--backend", "simulated"]])
def test_init_does_nothing_but_write_and_says_so(tmp_path: Path, more: list[str]) -> None:
    refused = Home(tmp_path / "home").command("train", "--init", str(tmp_path / "my_form.py"), *more)
    assert refused.code == 2
    assert "--init only writes" in refused.err
    assert not (tmp_path / "my_form.py").exists()


@pytest.mark.slow
def test_every_command_in_what_init_writes_works_as_it_is_written(tmp_path: Path) -> None:
    home, written = Home(tmp_path / "home"), write_skeleton(tmp_path / "my_form.py")
    lines = re.findall(r"^# skillopt-sleep (.+?)(?:  .*)?$", written.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == 2
    said: list[str] = []
    for line in lines:
        words = [str(tmp_path / word) if word == written.name else word for word in line.split()]
        done = home.command(*words)
        assert done.code == 0, done.err
        said.append(done.out)
    assert "At most" in said[-1]


def test_the_skeletons_class_is_named_after_its_file(tmp_path: Path) -> None:
    written = write_skeleton(tmp_path / "my_form.py")
    config = load_config(written)
    assert config.env["name"] == "my_form.py:MyForm"
    assert find_env(config.env["name"], {}, folder=tmp_path).name == "my_form"
    with pytest.raises(ConfigError, match="can't be the name"):
        write_skeleton(tmp_path / "my-form.py")


def test_a_name_without_an_ending_gets_one_and_its_configuration_has_every_key(tmp_path: Path) -> None:
    written = write_skeleton(tmp_path / "demo")
    assert (tmp_path / "demo.py").exists()
    text = written.read_text(encoding="utf-8")
    assert set(to_builtins(TrainerConfig())["evaluation"]) <= set(tomllib.loads(text)["evaluation"])
    assert ".skillopt-sleep.example" not in text
