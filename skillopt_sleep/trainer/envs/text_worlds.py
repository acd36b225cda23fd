"""Tasks in a world of words, a command a turn: ALFWorld's games, a small household of our own, or any such world."""

import pkgutil
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.protocols import Backend
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item, Result, blaming
from skillopt_sleep.trainer.envs.alfworld import AlfGame, games_below
from skillopt_sleep.trainer.envs.asking import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv, Items, by_ratio, items_of, row_id
from skillopt_sleep.trainer.envs.household import NOTHING, Game, Household
from skillopt_sleep.trainer.envs.rows import Row, optional

FORM = """\
You act in a world of words, one command a turn. Think first if you need to; then give the command alone between
<action> and </action>."""
# As ALFWorld names its folders: the games of rooms that train never saw are the test.
FOLDERS = {Split.TRAIN: "train", Split.VAL: "valid_seen", Split.TEST: "valid_unseen"}

_ACTION = re.compile(r"<action>(.*?)(?:</action>|\Z)", re.DOTALL | re.IGNORECASE)


class World(Protocol):
    """One game in the interface of ALFWorld, in batches of one.

    `infos` says whether it is `won` and, if the world tells, which commands are `admissible_commands`.
    """

    def reset(self) -> tuple[Sequence[str], Mapping[str, Sequence[Any]]]:
        """What there is to see and to do, and the infos."""
        ...

    def step(
        self, commands: Sequence[str], /
    ) -> tuple[Sequence[str], Sequence[float], Sequence[bool], Mapping[str, Sequence[Any]]]:
        """What the command did, the score, whether the game is over, and the infos."""
        ...

    def close(self) -> None:
        """Let go of what the world holds."""
        ...


class View(NamedTuple):
    """What is to be seen after a step, and what may be done then, where the world tells."""

    text: str
    over: bool
    won: bool
    commands: tuple[str, ...] = ()


class CheckedWorld:
    """A world whose answers are what they have to be; what isn't, or fails, is said of whom it is."""

    def __init__(self, world: World, whose: object, where: str) -> None:
        self._world, self._whose, self._where = world, whose, where

    def reset(self) -> View:
        """The beginning."""
        with blaming(self._whose, self._where):
            seen, infos = self._world.reset()
            return View(seen[0].strip(), over=False, won=False, commands=_commands(infos))

    def step(self, command: str) -> View:
        """What the command did."""
        with blaming(self._whose, self._where):
            seen, _, dones, infos = self._world.step([command])
            return View(seen[0].strip(), bool(dones[0]), bool(infos["won"][0]), _commands(infos))

    def close(self) -> None:
        """Let go of what the world holds."""
        with blaming(self._whose, self._where):
            self._world.close()


class TextWorlds(DataEnv, frozen=True, kw_only=True, dict=True):
    """Games to win within so many `steps`; `path` is ALFWorld's folder of games or files with games of our household.

    `show_commands` tells the target what may be done next. `world` ("package.module:function") makes a World of the
    row of a file, for a world of one's own.
    """

    name: ClassVar[str] = "text_worlds"

    steps: AtLeastOne = 50
    show_commands: bool = True
    world: str = ""

    def assigned(self) -> Items:
        """ALFWorld's games where the folder has any, else the games written in files."""
        folders = {split: self.place / name for split, name in FOLDERS.items()}
        found = {split: self._alfworld(folder) for split, folder in folders.items() if folder.is_dir()}
        if any(found.values()):
            return {split: found.get(split, ()) for split in Split}
        whole = self._alfworld(self.place) if self.place.is_dir() else ()
        return by_ratio(whole, self.ratio, seed=self.split_seed) if whole else super().assigned()

    def read(self, path: Path) -> Sequence[Item]:
        """The games of one file."""
        return items_of(path, lambda number, row: self._item(row, row_id(path, number)))

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """One game; hard and soft are 1 where it is won."""
        world = self._open(item)
        try:
            return self._play(world, skill, target, sample=sample)
        finally:
            world.close()

    def _play(self, world: "CheckedWorld", skill: str, target: Backend, *, sample: int) -> Result:
        view = world.reset()
        first, turns, idle = view.text, list[str](), 0
        while not view.over and len(turns) < self.steps:
            reply = ask(target, self._request(first, turns, view), skill=skill, form=FORM, sample=sample)
            command = command_of(reply)
            view = world.step(command)
            idle += view.text.startswith(NOTHING.rstrip("."))
            turns.append(f"> {command}\n{view.text}")
        why = (
            "" if view.won else f"the task was not done after {len(turns)} steps; {idle} of its commands did nothing"
        )
        return Result(hard=float(view.won), soft=float(view.won), why=why, turns=(first, *turns))

    def _request(self, first: str, turns: Sequence[str], view: "View") -> str:
        may = ["You may: " + ", ".join(view.commands)] if view.commands and self.show_commands else []
        return "\n\n".join([first, *turns, f"{self.steps - len(turns)} steps are left.", *may])

    def _open(self, item: Item) -> "CheckedWorld":
        if "gamefile" in item.data:
            return CheckedWorld(AlfGame(str(self.place / item.data["gamefile"]), steps=self.steps), self, "")
        if not self.world:
            return CheckedWorld(Household(msgspec.convert(item.data["row"], Game)), self, "")
        make, where = _own(self.world), f"env.world {self.world}, item {item.id!r}"
        with blaming(make, where):
            return CheckedWorld(make(item.data["row"]), make, where)

    def _item(self, row: Row, otherwise: str) -> Item:
        name = optional(row, "id") or otherwise
        bare = {key: value for key, value in row.items() if key != "id"}
        if self.world:
            return Item(
                id=name, text=optional(row, "goal", "task") or name, kind=optional(row, "kind"), data={"row": bare}
            )
        game = msgspec.convert(bare, Game)
        return Item(id=name, text=f"Your task is to: {game.goal}.", kind=game.kind, data={"row": bare})

    def _alfworld(self, folder: Path) -> tuple[Item, ...]:
        items: list[Item] = []
        for game in games_below(folder):
            place = game.path.relative_to(self.place)
            name = place.parent.as_posix()
            data = {"gamefile": place.as_posix(), "digest": game.digest}
            items.append(Item(id=name, text=f"{game.kind}: {name}", kind=game.kind, data=data))
        return tuple(items)


def command_of(reply: str) -> str:
    """The last <action>, closed or not, else the last line that isn't empty; on one line."""
    found = _ACTION.findall(reply)
    lines = [line for line in reply.splitlines() if line.strip()]
    return " ".join(str(found[-1] if found else lines[-1] if lines else "").split()).lstrip("> ")


def _commands(infos: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    found = infos.get("admissible_commands")
    return tuple(sorted(map(str, found[0]))) if found else ()


def _own(name: str) -> Callable[[Row], World]:
    try:
        found: Any = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"env.world: {error}", remedy="write package.module:function") from error
    if not callable(found):
        raise ConfigError(f"env.world: {name} makes no world", remedy="write package.module:function")
    return cast("Callable[[Row], World]", found)
