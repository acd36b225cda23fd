"""ALFWorld's text games, one command per turn."""

import hashlib
import importlib
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for
from skillopt_sleep.protocols.models import Backend
from skillopt_sleep.trainer.env import Item, Result
from skillopt_sleep.trainer.envs.dataset import ask
from skillopt_sleep.trainer.envs.datasets import AtLeastOne, DataEnv

TRIAL_FILE = "traj_data.json"
# The engine can't express these in text.
_NOT_PLAYABLE = ("movable", "Sliced")
# All games share one parser, which isn't safe for threads. The lock costs little: the model takes most of the time.
_engine = threading.RLock()


class View(NamedTuple):
    """The text that is visible after a step, and the possible commands."""

    text: str
    over: bool = False
    won: bool = False
    commands: tuple[str, ...] = ()


class Game:
    """One of ALFWorld's games, played by commands; several can be played at the same time."""

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
_ACTION = re.compile(r"<action>(.*?)(?:</action>|\Z)", re.DOTALL | re.IGNORECASE)


class TextWorlds(DataEnv, frozen=True, kw_only=True, dict=True):
    """ALFWorld's games, each to be won within `steps` commands; `path` is the folder that it downloads them to.

    With `show_commands` the target is told the possible commands. Test is `valid_unseen`: rooms that training never
    saw.
    """

    name: ClassVar[str] = "text_worlds"
    suffixes: ClassVar[frozenset[str]] = frozenset({".tw-pddl"})
    wanted: ClassVar[str] = "set env.path to $ALFWORLD_DATA, which holds ALFWorld's games"

    steps: AtLeastOne = 50
    show_commands: bool = True

    @property
    def calls_each(self) -> int:
        """Return the most calls of one attempt: one for each step."""
        return self.steps

    @property
    def beside(self) -> Collection[str]:
        """Return the names of the other files of a game."""
        return (TRIAL_FILE, "initial_state.pddl")

    def read(self, path: Path) -> Sequence[Item]:
        """Read one game, or nothing if it can't be played; raise ConfigError if its files can't be read."""
        place = path.relative_to(self.place)
        name = place.parent.as_posix()
        if any(word in name for word in _NOT_PLAYABLE):
            return ()
        try:
            kind: str = msgspec.json.decode((path.parent / TRIAL_FILE).read_bytes())["task_type"]
            data = path.read_bytes()
            is_solvable = msgspec.json.decode(data).get("solvable", False)
        except (OSError, msgspec.DecodeError, LookupError, TypeError, AttributeError) as error:
            raise ConfigError(f"{path.parent}: {error}", remedy="download the games again") from error
        digest = hashlib.blake2b(data, digest_size=8).hexdigest()
        played = {"gamefile": place.as_posix(), "digest": digest}
        return (Item(id=name, text=f"{kind}: {name}", kind=kind, data=played),) if is_solvable else ()

    def rollout_one(self, item: Item, skill: str, target: Backend, *, sample: int) -> Result:
        """Play one game; hard and soft are 1 if it is won."""
        game = Game(str(self.place / item.data["gamefile"]), steps=self.steps)
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


def command_of(reply: str) -> str:
    """Return the content of the last <action> tag, closed or not; without a tag, the last non-empty line.

    The command is put on one line.
    """
    tagged: list[str] = _ACTION.findall(reply)
    lines = [line for line in reply.splitlines() if line.strip()]
    command = (tagged or lines or [""])[-1]
    return " ".join(command.split()).lstrip("> ")
