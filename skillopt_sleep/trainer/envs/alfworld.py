"""Find ALFWorld's games and play them with ALFWorld's engine, an optional extra."""

import hashlib
import importlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.extras import command_for

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
