import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from skillopt_sleep.errors import CallFailed, ConfigError, FailureKind, blamed
from skillopt_sleep.records import Purpose, Split
from skillopt_sleep.trainer.env import Result
from skillopt_sleep.trainer.envs.text_worlds import TextWorlds, command_of
from tests.fakes import Answer, FakeBackend, in_turn

PLAN = ["go to desk 1", "take book 1 from desk 1", "go to sofa 1", "move book 1 to sofa 1"]


class Corridor:
    """Another kind of world, which lists no commands: two steps win it."""

    closed: ClassVar[list[str]] = []

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.name, self.steps = row["goal"], 0

    def reset(self) -> tuple[Sequence[str], Mapping[str, Sequence[Any]]]:
        return ["A corridor."], {"won": [False]}

    def step(
        self, commands: Sequence[str]
    ) -> tuple[Sequence[str], Sequence[float], Sequence[bool], Mapping[str, Sequence[Any]]]:
        self.steps += commands[0] == "on"
        return ["You walk."], [0.0], [self.steps == 2], {"won": [self.steps == 2]}

    def close(self) -> None:
        self.closed.append(self.name)


def _played(*replies: Answer, env: TextWorlds | None = None) -> tuple[Result, list[str]]:
    env = env or TextWorlds()
    target = FakeBackend({Purpose.ROLLOUT: in_turn(*replies)})
    result = env.rollout_one(env.items(Split.TRAIN)[0], "Look first.", target, sample=0)
    return result, [prompt.text for prompt in target.prompts]


def _corridor(path: Path, **options: Any) -> TextWorlds:
    Corridor.closed.clear()
    for name in ("train", "val"):
        (path / f"{name}.json").write_text(
            json.dumps([{"id": name, "goal": "the end", "kind": "walk"}]), encoding="utf-8"
        )
    return TextWorlds(path=str(path), world=f"{Corridor.__module__}:Corridor", **options)


@pytest.mark.parametrize(
    ("reply", "command"),
    [
        ("I go.\n<action>go to desk 1</action>", "go to desk 1"),
        ("<action>look</action> or rather <ACTION> go to\ndesk 1 </ACTION>", "go to desk 1"),
        ("<action>look", "look"),
        ("I think.\n> look\n\n", "look"),
        ("", ""),
    ],
)
def test_the_last_action_or_else_the_last_line_is_the_command(reply: str, command: str) -> None:
    assert command_of(reply) == command


def test_any_world_with_this_interface_can_be_played(tmp_path: Path) -> None:
    result, prompts = _played("<action>on</action>", env=_corridor(tmp_path))
    assert (result.hard, len(prompts)) == (1, 2)
    assert Corridor.closed == ["the end"]


def test_a_world_is_closed_after_an_outage_too(tmp_path: Path) -> None:
    with pytest.raises(CallFailed):
        _played("<action>on</action>", CallFailed(FailureKind.OVERLOADED, "too busy"), env=_corridor(tmp_path))
    assert Corridor.closed == ["the end"]


def _broken_at_the_start(_row: Mapping[str, Any]) -> Corridor:
    raise KeyError("goal")


class _Silent(Corridor):
    def reset(self) -> Any:
        return None


class _Wordless(Corridor):
    def step(self, commands: Sequence[str]) -> Any:
        return [None], [0.0], [False], {"won": [False]}


class _Unwon(Corridor):
    def step(self, commands: Sequence[str]) -> Any:
        return ["You walk."], [0.0], [False], {}


class _Falling(Corridor):
    def step(self, commands: Sequence[str]) -> Any:
        raise ValueError("the floor is gone")


@pytest.mark.parametrize("world", [_broken_at_the_start, _Silent, _Wordless, _Unwon, _Falling])
def test_an_error_of_a_world_is_blamed_on_the_world(tmp_path: Path, world: Any) -> None:
    env = TextWorlds(path=_corridor(tmp_path).path, world=f"{__name__}:{world.__name__}")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - what it is is the world's affair
        _played("<action>on</action>", env=env)
    assert blamed(caught.value) == f"env.world {env.world}, item 'train'"


def test_an_error_outside_of_a_world_is_not_blamed_on_it(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError) as caught:
        _played(RuntimeError("a bug"), env=_corridor(tmp_path))
    assert blamed(caught.value) == ""


@pytest.mark.parametrize("name", ["nowhere:World", "json:World", "json"])
def test_a_world_that_cannot_be_imported_is_named(tmp_path: Path, name: str) -> None:
    env = _corridor(tmp_path)
    with pytest.raises(ConfigError, match=r"env\.world"):
        _played("on", env=TextWorlds(path=env.path, world=name))
