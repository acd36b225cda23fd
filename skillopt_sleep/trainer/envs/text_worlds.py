"""Text games, one command per turn: ALFWorld's games, or any similar world."""

import hashlib
import importlib
import pkgutil
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item, Result, blaming
from skillopt_sleep.trainer.envs.dataset import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv, convert_rows, row_id
from skillopt_sleep.trainer.envs.reading import Row, Splits, optional, read_rows

Infos = Mapping[str, Sequence[Any]]

GAME_FILE = "game.tw-pddl"
TRIAL_FILE = "traj_data.json"
# The engine can't express these in text.
_NOT_PLAYABLE = ("movable", "Sliced")
# All games share one parser, which isn't safe for threads. The lock costs little: the model takes most of the time.
_engine = threading.RLock()


class _Trial(msgspec.Struct):
    task_type: str


class _GameFile(msgspec.Struct):
    solvable: bool = False


class Playable(NamedTuple):
    """A game: its file, its kind, and a digest of its content."""

    path: Path
    kind: str
    digest: str


def games_below(folder: Path) -> Iterator[Playable]:
    """Find the playable games in a folder made by `alfworld-download`, in order of their paths.

    Raises ConfigError if a game's files can't be read.
    """
    for path in sorted(folder.rglob(GAME_FILE)):
        if any(word in str(path.relative_to(folder)) for word in _NOT_PLAYABLE):
            continue
        try:
            trial = msgspec.json.decode((path.parent / TRIAL_FILE).read_bytes(), type=_Trial)
            data = path.read_bytes()
            solvable = msgspec.json.decode(data, type=_GameFile).solvable
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigError(f"{path.parent}: {error}", remedy="download the games again") from error
        if solvable:
            yield Playable(path, trial.task_type, hashlib.blake2b(data, digest_size=8).hexdigest())


class AlfGame:
    """One game with ALFWorld's interface, in batches of one; several can be played at the same time."""

    def __init__(self, path: str, *, steps: int) -> None:
        """Open the game; raise ConfigError if the engine isn't installed."""
        try:
            engine: Any = importlib.import_module("textworld")
            gym: Any = importlib.import_module("textworld.gym")
            alfred: Any = importlib.import_module("alfworld.agents.environment.alfred_tw_env")
        except ImportError as error:
            raise ConfigError("ALFWorld is not installed", remedy=f"install it: {command_for('alfworld')}") from error
        with _engine:
            name = gym.register_games(
                [path],
                engine.EnvInfos(won=True, admissible_commands=True),
                batch_size=1,
                asynchronous=False,
                max_episode_steps=steps,
                wrappers=[alfred.AlfredDemangler(), alfred.AlfredInfos],
            )
            self._game: Any = gym.make(name)

    def reset(self) -> tuple[Sequence[str], Infos]:
        """Start the game; return the description of room and task, and the infos."""
        with _engine:
            return self._game.reset()

    def step(self, commands: Sequence[str]) -> tuple[Sequence[str], Sequence[float], Sequence[bool], Infos]:
        """Run the command; return what happened, the score, whether the game is over, and the infos."""
        with _engine:
            return self._game.step(commands)

    def close(self) -> None:
        """Free the engine's memory."""
        with _engine:
            self._game.close()


FORM = """\
You act in a world of words, one command a turn. Think first if you need to; then give the command alone between
<action> and </action>."""
# ALFWorld's folder names; the test games are in rooms that training never saw.
FOLDERS = {Split.TRAIN: "train", Split.VAL: "valid_seen", Split.TEST: "valid_unseen"}

_ACTION = re.compile(r"<action>(.*?)(?:</action>|\Z)", re.DOTALL | re.IGNORECASE)


class World(Protocol):
    """One game with ALFWorld's interface, in batches of one.

    The infos hold `won`, and `admissible_commands` if the world lists them.
    """

    def reset(self) -> tuple[Sequence[str], Mapping[str, Sequence[Any]]]:
        """Start the game; return its description and the infos."""
        ...

    def step(
        self, commands: Sequence[str], /
    ) -> tuple[Sequence[str], Sequence[float], Sequence[bool], Mapping[str, Sequence[Any]]]:
        """Run the command; return what happened, the score, whether the game is over, and the infos."""
        ...

    def close(self) -> None:
        """Free the world's resources."""
        ...


class View(NamedTuple):
    """The text that is visible after a step, and the possible commands if the world lists them."""

    text: str
    over: bool
    won: bool
    commands: tuple[str, ...] = ()


class CheckedWorld:
    """A world with checked answers; its errors are blamed on its owner."""

    def __init__(self, world: World, whose: object, where: str) -> None:
        self._world = world
        self._whose = whose
        self._where = where

    def reset(self) -> View:
        """Start the game."""
        with blaming(self._whose, self._where):
            seen, infos = self._world.reset()
            return View(seen[0].strip(), over=False, won=False, commands=_commands(infos))

    def step(self, command: str) -> View:
        """Run the command."""
        with blaming(self._whose, self._where):
            seen, _, dones, infos = self._world.step([command])
            return View(seen[0].strip(), bool(dones[0]), bool(infos["won"][0]), _commands(infos))

    def close(self) -> None:
        """Free the world's resources."""
        with blaming(self._whose, self._where):
            self._world.close()


class TextWorlds(DataEnv, frozen=True, kw_only=True, dict=True):
    """Games to win within `steps` commands; `path` is ALFWorld's folder of games, or files with those of your own.

    With `show_commands` the target is told the possible commands. For a world of your own, `world` names a function
    ("package.module:function") that makes a World from a row of the file.
    """

    name: ClassVar[str] = "text_worlds"

    steps: AtLeastOne = 50
    show_commands: bool = True
    world: str = ""

    @property
    def calls_each(self) -> int:
        """Return the most calls of one attempt: one for each step."""
        return self.steps

    def assigned(self, split: Split) -> tuple[Item, ...]:
        """Use ALFWorld's games if the folder has any, otherwise the games in its files."""
        return self._games[split] if self._games else super().assigned(split)

    @cached_property
    def _games(self) -> Splits:
        """Return ALFWorld's games by split; empty if the folder has none."""
        inside = sorted(path for path in self.place.iterdir() if path.is_dir()) if self.place.is_dir() else []
        for folder in (self.place, *inside):  # $ALFWORLD_DATA holds json_2.1.1, and that the splits
            by_folder = {split: self._alfworld(folder / name) for split, name in FOLDERS.items()}
            if any(by_folder.values()):
                return by_folder
        games = self._alfworld(self.place)
        return self.divided(games) if games else {}

    def read(self, path: Path) -> Sequence[Item]:
        """Read the games of one file."""
        return convert_rows(
            read_rows(path), lambda number, row: self._item(row, row_id(path, number)), where=str(path)
        )

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Play one game; hard and soft are 1 if it is won."""
        world = self._open(item)
        try:
            return self._play(world, skill, target, sample=sample)
        finally:
            world.close()

    def _play(self, world: "CheckedWorld", skill: str, target: Backend, *, sample: int) -> Result:
        view = world.reset()
        first = view.text
        turns: list[str] = []
        idle = 0
        while not view.over and len(turns) < self.steps:
            reply = ask(target, self._request(first, turns, view), skill=skill, form=FORM, sample=sample)
            command = command_of(reply)
            view = world.step(command)
            idle += view.text.startswith("Nothing happens")
            turns.append(f"> {command}\n{view.text}")
        why = ""
        if not view.won:
            why = f"the task was not done after {len(turns)} steps; {idle} of its commands did nothing"
        return Result(hard=float(view.won), soft=float(view.won), why=why, turns=(first, *turns))

    def _request(self, first: str, turns: Sequence[str], view: "View") -> str:
        parts = [first, *turns, f"{self.steps - len(turns)} steps are left."]
        if view.commands and self.show_commands:
            parts.append("You may: " + ", ".join(view.commands))
        return "\n\n".join(parts)

    def _open(self, item: Item) -> "CheckedWorld":
        if "gamefile" in item.data:
            return CheckedWorld(AlfGame(str(self.place / item.data["gamefile"]), steps=self.steps), self, "")
        make = _world_function(self.world)
        where = f"env.world {self.world}, item {item.id!r}"
        with blaming(make, where):
            return CheckedWorld(make(item.data["row"]), make, where)

    def _item(self, row: Row, otherwise: str) -> Item:
        name = optional(row, "id") or otherwise
        bare = {key: value for key, value in row.items() if key != "id"}
        if not self.world:
            raise ValueError("no world is named that it is a game of: set env.world")
        text = optional(row, "goal", "task") or name
        return Item(id=name, text=text, kind=optional(row, "kind"), data={"row": bare})

    def _alfworld(self, folder: Path) -> tuple[Item, ...]:
        if not folder.is_dir():
            return ()
        items: list[Item] = []
        for game in games_below(folder):
            place = game.path.relative_to(self.place)
            name = place.parent.as_posix()
            data = {"gamefile": place.as_posix(), "digest": game.digest}
            items.append(Item(id=name, text=f"{game.kind}: {name}", kind=game.kind, data=data))
        return tuple(items)


def command_of(reply: str) -> str:
    """Return the content of the last <action> tag, closed or not; without a tag, the last non-empty line.

    The command is put on one line.
    """
    tagged: list[str] = _ACTION.findall(reply)
    lines = [line for line in reply.splitlines() if line.strip()]
    command = ""
    if tagged:
        command = tagged[-1]
    elif lines:
        command = lines[-1]
    return " ".join(command.split()).lstrip("> ")


def _commands(infos: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    batch = infos.get("admissible_commands")
    if not batch:
        return ()
    return tuple(sorted(map(str, batch[0])))


def _world_function(name: str) -> Callable[[Row], World]:
    try:
        function: Any = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"env.world: {error}", remedy="write package.module:function") from error
    if not callable(function):
        raise ConfigError(f"env.world: {name} is not a function", remedy="write package.module:function")
    return cast("Callable[[Row], World]", function)
