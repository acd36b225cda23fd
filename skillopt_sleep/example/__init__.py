"""Create the example day: sessions of two agents in three projects, laid out as on a real disk."""

import re
import shutil
from datetime import datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path

from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.files import private_dir

MARKER = ".skillopt-sleep-example"
HOME = "/home/example"
LAST = "2026-01-09T17:30:00+00:00"

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def unfold(folder: Path, *, now: datetime) -> Path:
    """Create the example day in the folder, with its last session ending an hour before `now`; return the folder.

    A folder made by this function is replaced; for any other folder that isn't empty, ConfigError is raised.
    """
    if folder.exists() and any(folder.iterdir()):
        if not (folder / MARKER).exists():
            raise ConfigError(f"{folder} is not an example day, so it isn't replaced", remedy="move it away")
        shutil.rmtree(folder)
    private_dir(folder)
    (folder / MARKER).touch()
    shift = now - timedelta(hours=1) - datetime.fromisoformat(LAST)
    home = str(folder / "home")
    with as_file(files(__name__) / "day") as day:
        for source in sorted(day.rglob("*")):
            if not source.is_file():
                continue
            name = str(source.relative_to(day)).replace(_slug(HOME), _slug(home))
            target = folder / "home" / name.replace("dot-", ".")
            target.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text(encoding="utf-8").replace(HOME, home)
            target.write_text(_TIME.sub(lambda match: _moved(match[0], shift), text), encoding="utf-8")
    # An empty git repository, so that each is a project of its own wherever it is created.
    for project in (folder / "home" / "work").iterdir():
        for name in ("objects", "refs/heads"):
            (project / ".git" / name).mkdir(parents=True)
        (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return folder


def example_of(data: Path) -> Path | None:
    """Return the folder of the example day whose store this is; None for the person's own."""
    folder = data.parent
    return folder if (folder / MARKER).exists() else None


def _slug(path: str) -> str:
    """Return the path as Claude Code writes it into a folder's name."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def _moved(text: str, shift: timedelta) -> str:
    moment = datetime.fromisoformat(text) + shift
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
