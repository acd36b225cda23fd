"""ALFWorld's text games, one command per turn."""

import hashlib
import importlib
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.records import Split
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.dataset import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv
from skillopt_sleep.trainer.envs.reading import Splits

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


class View(NamedTuple):
    """The text that is visible after a step, and the possible commands."""

    text: str
    over: bool = False
    won: bool = False
    commands: tuple[str, ...] = ()


class Game(Protocol):
    """One game, played by commands."""

    def reset(self) -> View:
        """Start the game."""
        ...

    def step(self, command: str) -> View:
        """Run the command."""
        ...

    def close(self) -> None:
        """Free what the game holds."""
        ...


class AlfGame:
    """One of ALFWorld's games; several can be played at the same time."""

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

    def reset(self) -> View:
        """Start the game."""
        with _engine:
            seen, infos = self._game.reset()
        return View(seen[0].strip(), commands=_commands(infos))

    def step(self, command: str) -> View:
        """Run the command."""
        with _engine:
            seen, _, dones, infos = self._game.step([command])
        return View(seen[0].strip(), bool(dones[0]), bool(infos["won"][0]), _commands(infos))

    def close(self) -> None:
        """Free the engine's memory."""
        with _engine:
            self._game.close()


def _commands(infos: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(sorted(map(str, infos["admissible_commands"][0])))


FORM = """\
You act in a world of words, one command a turn. Think first if you need to; then give the command alone between
<action> and </action>."""
# ALFWorld's folder names; the test games are in rooms that training never saw.
FOLDERS = {Split.TRAIN: "train", Split.VAL: "valid_seen", Split.TEST: "valid_unseen"}

_ACTION = re.compile(r"<action>(.*?)(?:</action>|\Z)", re.DOTALL | re.IGNORECASE)


class TextWorlds(DataEnv, frozen=True, kw_only=True, dict=True):
    """ALFWorld's games, each to be won within `steps` commands; `path` is the folder that it downloads them to.

    With `show_commands` the target is told the possible commands.
    """

    name: ClassVar[str] = "text_worlds"

    steps: AtLeastOne = 50
    show_commands: bool = True

    @property
    def calls_each(self) -> int:
        """Return the most calls of one attempt: one for each step."""
        return self.steps

    def assigned(self, split: Split) -> tuple[Item, ...]:
        """Return the games of a split."""
        return self._games[split]

    @cached_property
    def _games(self) -> Splits:
        """Return the games by split; raise ConfigError if the folder has none."""
        inside = sorted(path for path in self.place.iterdir() if path.is_dir()) if self.place.is_dir() else []
        for folder in (self.place, *inside):  # $ALFWORLD_DATA holds json_2.1.1, and that the splits
            by_folder = {split: self._below(folder / name) for split, name in FOLDERS.items()}
            if any(by_folder.values()):
                return by_folder
        games = self._below(self.place)
        if not games:
            raise ConfigError(f"{self.place} holds no game of ALFWorld", remedy="set env.path to $ALFWORLD_DATA")
        return self.divided(games)

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Play one game; hard and soft are 1 if it is won."""
        game = AlfGame(str(self.place / item.data["gamefile"]), steps=self.steps)
        return self.played(game, skill, target, sample=sample)

    def played(self, game: Game, skill: str, target: Backend, *, sample: int) -> Result:
        """Play a game to its end, and close it."""
        try:
            view = game.reset()
            first = view.text
            turns: list[str] = []
            idle = 0
            while not view.over and len(turns) < self.steps:
                reply = ask(target, self._request(first, turns, view), skill=skill, form=FORM, sample=sample)
                command = command_of(reply)
                view = game.step(command)
                idle += view.text.startswith("Nothing happens")
                turns.append(f"> {command}\n{view.text}")
        finally:
            game.close()
        why = ""
        if not view.won:
            why = f"the task was not done after {len(turns)} steps; {idle} of its commands did nothing"
        return Result(hard=float(view.won), soft=float(view.won), why=why, turns=(first, *turns))

    def _request(self, first: str, turns: Sequence[str], view: View) -> str:
        parts = [first, *turns, f"{self.steps - len(turns)} steps are left."]
        if view.commands and self.show_commands:
            parts.append("You may: " + ", ".join(view.commands))
        return "\n\n".join(parts)

    def _below(self, folder: Path) -> tuple[Item, ...]:
        """Return the games below a folder as items."""
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
