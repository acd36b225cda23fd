import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from skillopt_sleep.cli.train_plan import plan_lines
from skillopt_sleep.trainer.extension import Extension
from skillopt_sleep.trainer.plan import plan
from tests.command import Home
from tests.trainer.toy import Scripted, Toy, a_config

MADE = plan(a_config(), Toy(), optimizer=Scripted(), target=Scripted())


def test_a_plan_of_a_new_training_says_nothing_of_another() -> None:
    assert "goes on" not in "\n".join(plan_lines(MADE))


def test_a_plan_of_more_epochs_says_what_they_take() -> None:
    extends = Extension(folder="run", before=2, epochs=4, answers=402)
    assert "from 2 to 4 epochs" in plan_lines(replace(MADE, extends=extends, added=1_390))[-2]


@pytest.mark.slow
def test_what_a_fork_finds_is_said_before_it_begins(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    toml = tmp_path / "toy.toml"
    text = '[backend]\nname = "simulated"\n[env]\nname = "multiple_choice"\n[train]\nfolder = "one"\n'
    toml.write_text(text, encoding="utf-8")

    def planned(config: str) -> str:
        done = home.command("train", str(tmp_path / config), "--plan")
        assert done.code == 0, done.err
        return " ".join(done.out.split())

    assert "are not paid for again" not in planned("toy.toml")
    assert home.command("train", str(toml)).code == 0
    assert home.command("runs", "fork", str(tmp_path / "one"), "two").code == 0
    assert re.search(
        r"Calls that ask the same as one of the \d+ answers in \S+two are not paid for again\.", planned("two.toml")
    )
    shares = home.command("runs", "fork", str(tmp_path / "one"), "three", "--set", "train.shared=answers.db")
    assert shares.code == 0
    assert "answers in answers.db are not paid for again. Of val, that is only the initial" in planned("three.toml")


def test_one_call_is_a_call() -> None:
    one = replace(MADE.stages[0], calls=1)
    shown = "\n".join(plan_lines(replace(MADE, stages=(one,))))
    assert re.search(r" 1 call +about", shown)
