"""An environment is one file, named by its path; a wrong file or class is one clear line."""

from pathlib import Path

import pytest

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import find_env

ENV = """
from neighbour import WORD
from skillopt_sleep.trainer import Env, Item, Result


class Dates(Env):
    name = "dates"

    def __init__(self, count: int = 1) -> None:
        self.count = count

    def items(self, split):
        return [Item(id=f"{split}-{n}", text=WORD) for n in range(self.count)]

    def rollout_one(self, item, skill, target, *, sample):
        return Result(hard=1.0)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "neighbour.py").write_text("WORD = 'word'\n", encoding="utf-8")
    (tmp_path / "dates_env.py").write_text(ENV, encoding="utf-8")
    (tmp_path / "broken_env.py").write_text("x = 1\nraise RuntimeError('no data here')\n", encoding="utf-8")
    (tmp_path / "torn_env.py").write_text("def x(:\n", encoding="utf-8")
    return tmp_path


def test_an_environment_of_a_file_takes_options_and_imports_its_neighbours(folder: Path) -> None:
    env = find_env("dates_env.py:Dates", {"count": 3}, folder=folder)
    assert [item.text for item in env.items(Split.VAL)] == ["word"] * 3
    assert env.initial_skill() == ""


@pytest.mark.parametrize(
    ("name", "said", "remedy"),
    [
        ("none_env.py:Dates", "there is no file", "relative to the configuration"),
        ("dates_env.py", "not its class", 'name = "dates_env.py:Dates"'),
        ("dates_env.py:Date", "has no Date", "did you mean 'Dates'?"),
        ("dates_env.py:WORD", "WORD in", "name the class"),
        ("broken_env.py:X", "RuntimeError: no data here (line 2)", "fix the file"),
        ("torn_env.py:X", "SyntaxError", "fix the file"),
        ("dates", "no environment is called 'dates'", 'name = "my_env.py:MyEnv"'),
    ],
)
def test_a_wrong_file_or_class_is_one_clear_line(folder: Path, name: str, said: str, remedy: str) -> None:
    with pytest.raises(ConfigError) as refused:
        find_env(name, {}, folder=folder)
    assert said in refused.value.message
    assert remedy in refused.value.remedy
    assert "\n" not in refused.value.message


def test_an_unknown_option_of_such_an_environment_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match="has no option 'cuont'"):
        find_env("dates_env.py:Dates", {"cuont": 3}, folder=folder)


def test_everything_a_user_needs_is_exported() -> None:
    from skillopt_sleep import trainer

    assert all(hasattr(trainer, name) for name in trainer.__all__)
    assert {"ask", "evaluate", "TrainSection", "EvaluationSection", "Prompt", "Split"} <= set(trainer.__all__)
    assert (Path(trainer.__file__).parents[1] / "py.typed").is_file()
