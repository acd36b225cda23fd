from pathlib import Path
from typing import Any

import pytest

from skillopt_sleep.errors import ConfigError, ItemError, blamed
from skillopt_sleep.records import Split
from skillopt_sleep.trainer import Env, Item, Result, find_env
from skillopt_sleep.trainer.data import as_document
from skillopt_sleep.trainer.env import blaming, checked_result
from skillopt_sleep.trainer.envs.dataset import Dataset
from tests.trainer.toy import Toy

ITEM = Item(id="one", text="one")
_MINE = """
from typing import ClassVar

from skillopt_sleep.trainer import Env


class Mine(Env):
    name = "mine"
    path_options: ClassVar = frozenset({"gold"})

    def __init__(self, gold: str = "", times: int = 1, share: float = 0.5) -> None:
        if times < 0:
            raise ValueError("times is negative")
        self.gold, self.times = gold, times

    def items(self, split):
        return []

    def rollout_one(self, item, skill, target, *, sample):
        return None


class Bare:
    name = "bare"


class Broken(Mine):
    def __init__(self) -> None:
        {}["gold"]
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package with a working environment and several broken ones."""
    (tmp_path / "users_own_envs.py").write_text(_MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


class Least(Env):
    """The least that an environment has to define."""

    @property
    def name(self) -> str:
        return "least"

    def items(self, split: Split) -> list[Item]:
        return []

    def rollout_one(self, item: Item, skill: str, target: object, *, sample: int) -> Result:
        return Result()


def test_an_environment_must_define_items_and_rollout_one_only() -> None:
    env: Env = Least()
    assert env.initial_skill() == ""


def test_an_unknown_environment_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as refused:
        find_env("multiple_choise", {})
    assert "dataset" in refused.value.remedy


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(ConfigError, match="has no option 'pathh'"):
        find_env("dataset", {"pathh": "x"})


def test_the_path_options_of_an_environment_are_relative_to_the_folder(mine: Path) -> None:
    env: Any = find_env("users_own_envs:Mine", {"gold": "here.json", "times": 2, "share": 1}, folder=mine)
    assert (env.gold, env.times) == (str(mine / "here.json"), 2)
    assert find_env("users_own_envs:Mine", {}, folder=mine).__dict__["gold"] == ""


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        (
            "users_own_envs:Mine",
            {"times": "2"},
            "env.times of environment users_own_envs:Mine can't be '2': Expected `int`, got `str`",
        ),
        ("users_own_envs:Mine", {"gold": 3}, "env.gold"),
        (
            "users_own_envs:Mine",
            {"times": -1},
            "environment users_own_envs:Mine can't be created with these options: times is negative",
        ),
        ("users_own_envs:Gone", {}, "environment users_own_envs:Gone can't be loaded: module"),
        ("no_such_module_here:X", {}, "can't be loaded: No module named"),
        ("users_own_envs:__doc__", {}, "can't be loaded: None is not a callable object"),
        (
            "users_own_envs:Bare",
            {},
            "environment users_own_envs:Bare has no items and no rollout_one and no initial_skill",
        ),
    ],
)
def test_an_environment_that_cannot_be_created_is_named(
    mine: Path, name: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        find_env(name, options, folder=mine)
    assert said in refused.value.message
    assert refused.value.remedy


def test_an_error_while_an_environment_is_created_is_blamed_on_it(mine: Path) -> None:
    with pytest.raises(KeyError) as raised:
        find_env("users_own_envs:Broken", {}, folder=mine)
    assert blamed(raised.value) == "environment users_own_envs:Broken, as it was created (users_own_envs.py, line 29)"


def test_a_grade_may_be_any_number_and_turns_any_list() -> None:
    given: Any = Result(hard=True, soft=1, turns=["a"])  # pyright: ignore[reportArgumentType]
    checked = checked_result(given, env=Toy(), item=ITEM)
    assert checked == Result(hard=1.0, soft=1.0, turns=("a",))
    assert type(checked.hard) is float


@pytest.mark.parametrize("given", [0.5, None])
def test_what_is_no_result_is_named_with_environment_and_item(given: object) -> None:
    with pytest.raises(ConfigError, match="environment toy, item 'one': rollout_one"):
        checked_result(given, env=Toy(), item=ITEM)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hard", "1"),
        ("soft", None),
        ("response", None),
        ("response", b"x"),
        ("why", 1),
        ("turns", (1,)),
        ("turns", (b"x",)),
        ("turns", "abc"),
    ],
)
def test_an_invalid_result_is_named_with_environment_and_item(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match="environment toy, item 'one': rollout_one"):
        checked_result(Result(**{name: value}), env=Toy(), item=ITEM)


def _lost(key: str) -> str:
    return {}[key]


def test_only_what_an_environment_does_itself_is_blamed_on_it() -> None:
    with pytest.raises(KeyError) as theirs, blaming(Toy(), "toy"):
        _lost("gold")
    with pytest.raises(TypeError) as called, blaming(Toy(), "toy"):
        Toy().items()  # pyright: ignore[reportCallIssue]
    assert [blamed(one.value) for one in (theirs, called)] == ["toy", "toy"]
    unsaid: Any = None
    with pytest.raises(AttributeError) as asked_of_us, blaming(Toy(), "toy"):
        _asks_us(unsaid)
    with pytest.raises(KeyError) as bundled, blaming(Dataset(), "dataset"):
        _lost("gold")
    with pytest.raises(ItemError) as told, blaming(Toy(), "toy"):
        raise ItemError("it is told in words")
    assert [blamed(one.value) for one in (asked_of_us, bundled, told)] == ["", "", ""]


def _asks_us(skill: str) -> None:
    as_document(skill)


def test_half_a_character_in_a_result_is_replaced_as_in_a_models_text() -> None:
    given = Result(response="a\ud800", why="b\ud83d", turns=("c\udfff",), failure="\ud800")
    assert checked_result(given, env=Toy(), item=ITEM) == Result(response="a?", why="b?", turns=("c?",), failure="?")
