"""Where this program keeps what is its own."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
import platformdirs

PREFIX = "SKILLOPT_SLEEP_"


class Paths(msgspec.Struct, frozen=True, kw_only=True):
    """Where this program keeps what is its own."""

    config: Path
    data: Path

    @property
    def config_file(self) -> Path:
        """The user's configuration."""
        return self.config / "config.toml"

    @property
    def preferences(self) -> Path:
        """The user's house rules."""
        return self.config / "preferences.md"

    @property
    def database(self) -> Path:
        """Index, bank, nights, calls, ledger."""
        return self.data / "sleep.db"

    @property
    def nights(self) -> Path:
        """One folder per night."""
        return self.data / "nights"

    @property
    def projects(self) -> Path:
        """What projects said of themselves when they could last be seen."""
        return self.data / "projects"

    @property
    def handoff(self) -> Path:
        """Prompts that wait for whoever answers by files, and their answers."""
        return self.data / "handoff"

    @property
    def replays(self) -> Path:
        """Where agents are started, each in a folder that goes with it."""
        return self.data / "replays"

    @property
    def state(self) -> Path:
        """What the daemon and its commands tell one another."""
        return self.data / "state"

    @property
    def logs(self) -> Path:
        """What happened, and what went wrong."""
        return self.state / "logs"

    @property
    def log(self) -> Path:
        """What happened, line by line; older lines are beside it."""
        return self.logs / "skillopt-sleep.jsonl"

    @property
    def spool(self) -> Path:
        """What the agents' hooks note of sessions; hooks/ writes there without asking here."""
        return self.state / "spool"

    @property
    def adoptions(self) -> Path:
        """What undo needs."""
        return self.data / "adoptions"


def find_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """Everything under SKILLOPT_SLEEP_HOME if it is set, else where the platform keeps such things."""
    home = environ.get(PREFIX + "HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(config=root, data=root / "data")
    dirs = platformdirs.PlatformDirs("skillopt-sleep", appauthor=False)
    return Paths(config=dirs.user_config_path, data=dirs.user_data_path)
