"""What `install` left on this machine, told from what it wrote down, and how its service is started by hand."""

import shlex
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.daemon.service.manifest import Item, Kind, Ledger
from skillopt_sleep.kit.files import read_plain
from skillopt_sleep.proposals.paths import LIVE_BYTES
from skillopt_sleep.settings import Paths

_HOOKS = frozenset({Kind.HOOKS_JSON, Kind.HOOKS_TOML})


class Installed(NamedTuple):
    """The service's own files, how it is started ("" where there is none), and the files with our hooks.

    `missing` was to be written and isn't there, as after an install that was cut short.
    """

    service: tuple[str, ...] = ()
    start: str = ""
    hooks: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def installed(paths: Paths) -> Installed:
    """What is installed; SleepError where another version wrote it down."""
    manifest = Ledger(paths.state / "install").read()
    items = manifest.items if manifest else ()
    there = [item for item in items if _is_there(item)]
    service = [item for item in there if item.kind not in _HOOKS]
    return Installed(
        tuple(item.path for item in service),
        next((start for item in reversed(service) if (start := _start(item))), ""),
        tuple(item.path for item in there if item.kind in _HOOKS),
        tuple(item.path for item in items if item not in there),
    )


def _is_there(item: Item) -> bool:
    """Whether what was written down is on the disk; a crontab is not looked at."""
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


def _start(item: Item) -> str:
    """What begins the daemon that this file tells of."""
    if item.kind is Kind.CRON:
        return "cron does it within ten minutes"
    file = Path(item.path)
    if file.suffix == ".service":
        by_hand = "without a systemd of yours: skillopt-sleep daemon"
        return f"systemctl --user daemon-reload && systemctl --user enable --now {file.name} ({by_hand})"
    if file.suffix == ".plist":
        return f"launchctl bootstrap gui/$(id -u) {shlex.quote(item.path)}"
    if file.suffix == ".xml":
        from skillopt_sleep.daemon.service.task_scheduler import TASK  # status starts sooner without

        return f"schtasks /Run /TN {TASK}"
    return ""
