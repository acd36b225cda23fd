"""Report what `install` left on this machine, and the command that starts its service by hand."""

import shlex
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.proposals.paths import LIVE_BYTES
from skillopt_sleep.settings import Paths

_HOOKS = frozenset({Kind.HOOKS_JSON, Kind.HOOKS_TOML})


class Installed(NamedTuple):
    """The service's own files, the command that starts it ("" without a service), and the files with our hooks.

    `missing` are files that the manifest lists and that aren't there, as after an interrupted install.
    """

    service: tuple[str, ...] = ()
    start: str = ""
    hooks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def installed(paths: Paths) -> Installed:
    """Look up what is installed; raises SleepError if another version wrote the manifest."""
    manifest = Ledger(paths.state / "install").read()
    if manifest is None:
        return Installed()
    service: list[str] = []
    hooks: list[str] = []
    missing: list[str] = []
    start = ""
    for item in manifest.items:
        if not _exists(item):
            missing.append(item.path)
        elif item.kind in _HOOKS:
            hooks.append(item.path)
        else:
            service.append(item.path)
            start = _start_command(item) or start
    return Installed(tuple(service), start, tuple(hooks), tuple(missing))


def _exists(item: Item) -> bool:
    """Return whether an item of the manifest is on the disk; a crontab isn't checked."""
    if item.kind is Kind.CRON:
        return True
    try:
        data = read_plain(Path(item.path), most=LIVE_BYTES)
        if item.kind not in _HOOKS:
            return True
        from skillopt_sleep.daemon.service.agent_hooks import has_any  # status starts sooner without

        return has_any(item.kind, data)
    except (OSError, ValueError):
        return False


def _start_command(item: Item) -> str:
    """Return the command that starts the daemon described by this file, or ""."""
    if item.kind is Kind.CRON:
        return "cron does it within ten minutes"
    file = Path(item.path)
    if file.suffix == ".service":
        by_hand = "if you have no user systemd: skillopt-sleep daemon"
        return f"systemctl --user daemon-reload && systemctl --user enable --now {file.name} ({by_hand})"
    if file.suffix == ".plist":
        return f"launchctl bootstrap gui/$(id -u) {shlex.quote(item.path)}"
    return ""
