"""Know where this program keeps its files."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
import platformdirs

PREFIX = "SKILLOPT_SLEEP_"


class Paths(msgspec.Struct, frozen=True, kw_only=True):
    """The folders this program keeps its files in, and the files by name."""

    config: Path
    data: Path

    @property
    def config_file(self) -> Path:
        """Return the user's configuration file."""
        return self.config / "config.toml"

    @property
    def preferences(self) -> Path:
        """Return the file with the user's house rules."""
        return self.config / "preferences.md"

    @property
    def database(self) -> Path:
        """Return the database: session index, bank, nights, model calls and spending."""
        return self.data / "sleep.db"

    @property
    def nights(self) -> Path:
        """Return the folder with one folder per night."""
        return self.data / "nights"

    @property
    def projects(self) -> Path:
        """Return the folder with copies of the projects' own settings, for when a project can't be seen."""
        return self.data / "projects"

    @property
    def handoff(self) -> Path:
        """Return the folder with the prompts of the handoff backend, and their answers."""
        return self.data / "handoff"

    @property
    def replays(self) -> Path:
        """Return the folder in which agents are started, each in a temporary folder."""
        return self.data / "replays"

    @property
    def state(self) -> Path:
        """Return the folder in which the daemon and the commands exchange state."""
        return self.data / "state"

    @property
    def logs(self) -> Path:
        """Return the folder with the logs."""
        return self.state / "logs"

    @property
    def log(self) -> Path:
        """Return the current log file; older ones are beside it."""
        return self.logs / "skillopt-sleep.jsonl"

    @property
    def spool(self) -> Path:
        """Return the folder the agents' hooks write to; the scripts in hooks/ know it themselves."""
        return self.state / "spool"

    @property
    def adoptions(self) -> Path:
        """Return the folder with what undo needs."""
        return self.data / "adoptions"


def find_paths(environ: Mapping[str, str] = os.environ) -> Paths:
    """Return the paths: all under SKILLOPT_SLEEP_HOME if it is set, else in the platform's usual folders."""
    home = environ.get(PREFIX + "HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Paths(config=root, data=root / "data")
    dirs = platformdirs.PlatformDirs("skillopt-sleep", appauthor=False)
    return Paths(config=dirs.user_config_path, data=dirs.user_data_path)
