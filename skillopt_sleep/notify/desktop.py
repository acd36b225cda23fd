"""Show a desktop notification with the platform's own program: notify-send or osascript."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from skillopt_sleep.errors import ItemError
from skillopt_sleep.kit.process import run

SECONDS = 10.0
# If none of these is set, there may still be a session bus (see _has_screen): services are started with it alone.
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
# Title and body are passed as arguments, never as part of the script.
_SCRIPT = (
    "on run argv",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "end run",
)


def show(title: str, body: str, *, environ: Mapping[str, str], platform: str) -> bool:
    """Show a notification; return False if there is no desktop. Raises ItemError or OSError if the program fails."""
    argv = command(title, body, environ=environ, platform=platform)
    if not argv:
        return False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = run(argv, stdin=b"", cwd=Path(folder), environ=environ, timeout=SECONDS)
    if not process.stopped and not process.status:
        return True
    if process.stopped == "timed_out":
        reason = f"no answer within {SECONDS:.0f} seconds"
    else:
        reason = process.stderr.decode(errors="replace").strip() or f"exit status {process.status}"
    raise ItemError(
        f"{Path(argv[0]).name} failed: {reason}",
        remedy="fix it, or turn desktop notifications off with notify.desktop = false",
    )


def command(title: str, body: str, *, environ: Mapping[str, str], platform: str) -> list[str]:
    """Return the command line that shows the notification, or an empty list if there is no desktop."""
    name = "osascript" if platform == "darwin" else "notify-send"
    program = shutil.which(name, path=environ.get("PATH", ""))
    if not program:
        return []
    if platform == "darwin":
        argv = [program]
        for line in _SCRIPT:
            argv += ["-e", line]
        return [*argv, title, body]
    if not _has_screen(environ):
        return []
    return [program, "--app-name=skillopt-sleep", "--", title, body]


def _has_screen(environ: Mapping[str, str]) -> bool:
    if any(environ.get(name) for name in _SCREENS):
        return True
    runtime = environ.get("XDG_RUNTIME_DIR")
    return bool(runtime) and Path(runtime, "bus").exists()
