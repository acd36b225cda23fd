"""The one file that `install` writes: a systemd unit or a launchd property list, recognised by its first lines."""

import os
import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.files import readable, remove_empty, write_atomic
from skillopt_sleep.settings import Paths

UNIT = "skillopt-sleep.service"
LABEL = "io.github.skillopt-sleep"

_MOST = 64 * 1024
_WRITTEN = "skillopt-sleep: written by `skillopt-sleep install` for "
# The first line of a property list is that of any XML.
_OURS = re.compile(rb"\A(?:<\?xml [^\n]*\n)?(?:# |<!-- )" + re.escape(_WRITTEN.encode()) + rb"(\S+)")


def service_path(platform: str, home: Path, environ: Mapping[str, str]) -> Path | None:
    """Return where this platform looks for a user's services, or None if it has neither systemd nor launchd."""
    if platform == "darwin":
        return home / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    if platform != "linux":
        return None
    config = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not config.is_absolute():
        config = home / ".config"
    return config / "systemd" / "user" / UNIT


def first_line(paths: Paths) -> str:
    """Return the text that marks a file as ours; it names the folder of the settings that the service is for."""
    # XML allows no two hyphens in a comment.
    return _WRITTEN + quote(os.fsencode(paths.config)).replace("--", "%2D%2D")


def owner(path: Path) -> str | None:
    """Return the folder of the settings that a service is for, or None if the file isn't there or isn't ours."""
    match = _OURS.match(readable(path, most=_MOST))
    return os.fsdecode(unquote_to_bytes(match[1])) if match else None


def installed(paths: Paths, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file of the service for these settings, or None if none is installed."""
    path = service_path(sys.platform, Path(environ.get("HOME") or Path.home()), environ)
    if path and owner(path) == str(paths.config):
        return path
    return None


def start_by_hand(path: Path) -> str:
    """Return the command that starts an installed service."""
    if path.name == UNIT:
        return f"systemctl --user daemon-reload && systemctl --user enable --now {UNIT}"
    return f"launchctl bootstrap gui/$(id -u) {shlex.quote(str(path))}"


def refuse_foreign(path: Path) -> None:
    """Raise SleepError if there is a file that isn't ours."""
    if owner(path) is None and (path.exists() or path.is_symlink()):
        raise SleepError(
            f"{path} wasn't written by skillopt-sleep, so it is left as it is",
            remedy="rename or delete it, then run the command again",
        )


def write(path: Path, data: bytes) -> None:
    """Write the file in one step; raises SleepError if there is one that isn't ours."""
    refuse_foreign(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_half_written(path)
    write_atomic(path, data)


def remove(path: Path) -> None:
    """Remove the file if it is ours, what a killed install left beside it, and empty folders of systemd's."""
    _remove_half_written(path)
    if owner(path) is not None:
        path.unlink()
    if path.name != UNIT:
        return
    wanted = path.parent / "default.target.wants" / UNIT
    if wanted.is_symlink():  # systemctl removes it, unless the user's systemd isn't running
        wanted.unlink()
    remove_empty([str(folder) for folder in (path.parent.parent, path.parent, wanted.parent)])


def half_written(path: Path) -> tuple[Path, ...]:
    """Return the files that killed installs left beside this one."""
    found = path.parent.glob(f".{path.name}.{8 * '[0-9a-f]'}")
    return tuple(file for file in found if file.is_file() and not file.is_symlink())


def _remove_half_written(path: Path) -> None:
    for file in half_written(path):
        file.unlink()
