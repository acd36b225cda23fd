"""Notify the user after a night that nobody watched: its outcome, counts and page, nothing of its content."""

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import ItemError, SleepError
from skillopt_sleep.kit.log import tell
from skillopt_sleep.kit.process import run
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import CUT_SHORT, OUTCOMES, PAGE, NightReport
from skillopt_sleep.settings import NotifySettings

SECONDS = 10.0
# If none of these is set, there may still be a session bus: services are started with it alone.
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
# Title and body are passed as arguments, never as part of the script.
_SCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run")


class Notification(NamedTuple):
    """A notification as it is shown or sent."""

    title: str
    body: str


def notify(
    report: NightReport,
    settings: NotifySettings,
    *,
    waiting: int,
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> None:
    """Notify everyone the settings name; log a failed delivery as a warning instead of raising it.

    So many proposals, of this and of earlier nights, are `waiting` for the person.
    """
    is_news = bool(report.proposals) or report.verdict in CUT_SHORT
    if settings.when == "never" or (settings.when == "news" and not is_news):
        return
    message = message_of(report, waiting=waiting)

    def show_on_desktop() -> bool:
        page = Path(report.run.folder, PAGE)
        link = f"\n{page.as_uri()}" if report.run.folder and page.is_file() else ""
        return show(message.title, f"{message.body}{link}", environ=environ, platform=platform)

    def send_to_urls() -> bool:
        from skillopt_sleep.notify.urls import send

        return bool(settings.urls) and send(message.title, message.body, urls=settings.urls, environ=environ)

    for channel, deliver in (("desktop", show_on_desktop), ("urls", send_to_urls)):
        try:
            if deliver():
                tell("notified", night=report.night, by=channel)
        except (SleepError, OSError) as error:
            remedy = error.remedy if isinstance(error, SleepError) else ""
            because, night = str(error), report.night
            tell("not notified", level=logging.WARNING, night=night, by=channel, because=because, remedy=remedy)


def message_of(report: NightReport, *, waiting: int) -> Notification:
    """Summarize the night as its outcome and counts, without any name of a project, file or proposal."""
    counts = [f"{counted(waiting, 'proposal')} waiting"] if waiting else []
    counts.append(counted(report.found.sessions.used, "session"))
    counts.append(counted(len(report.documents), "document"))
    counts.append(counted(report.spend.calls, "call"))
    return Notification(
        title=f"skillopt-sleep: {OUTCOMES[report.verdict]}",
        body=f"Night {report.night}: {', '.join(counts)}. See: skillopt-sleep report --open",
    )


def show(title: str, body: str, *, environ: Mapping[str, str], platform: str) -> bool:
    """Show a notification on the desktop; return False if there is none.

    Raises ItemError or OSError if the program fails.
    """
    argv = command(title, body, environ=environ, platform=platform)
    if not argv:
        return False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = run(argv, stdin=b"", cwd=Path(folder), environ=environ, timeout=SECONDS)
    if not process.stopped and not process.status:
        return True
    reason = process.stderr.decode(errors="replace").strip() or f"exit status {process.status}"
    if process.stopped == "timed_out":
        reason = f"no answer within {SECONDS:.0f} seconds"
    raise ItemError(
        f"{Path(argv[0]).name} failed: {reason}",
        remedy="fix it, or turn notifications off: skillopt-sleep config set notify.when never",
    )


def command(title: str, body: str, *, environ: Mapping[str, str], platform: str) -> list[str]:
    """Return the command line that shows a notification (notify-send or osascript), empty if there is no desktop."""
    name = "osascript" if platform == "darwin" else "notify-send"
    program = shutil.which(name, path=environ.get("PATH", ""))
    if program and platform == "darwin":
        script = [part for line in _SCRIPT for part in ("-e", line)]
        return [program, *script, title, body]
    runtime = environ.get("XDG_RUNTIME_DIR")
    has_screen = any(environ.get(screen) for screen in _SCREENS) or (runtime and Path(runtime, "bus").exists())
    return [program, "--app-name=skillopt-sleep", "--", title, body] if program and has_screen else []
