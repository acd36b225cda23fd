"""Notify the user after a night that nobody watched: its outcome, counts and page, nothing of its content."""

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from skillopt_sleep.errors import SleepError
from skillopt_sleep.kit.log import tell
from skillopt_sleep.notify import desktop, urls
from skillopt_sleep.records import CUT_SHORT, OUTCOMES, PAGE, NightReport
from skillopt_sleep.settings import NotifySettings


class Message(NamedTuple):
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
    if settings.when == "never":
        return
    if settings.when == "news" and not is_news(report):
        return
    message = message_of(report, waiting=waiting)

    def show_on_desktop() -> bool:
        if not settings.desktop:
            return False
        body = f"{message.body}{_link(report)}"
        return desktop.show(message.title, body, environ=environ, platform=platform)

    def send_to_urls() -> bool:
        if not settings.urls:
            return False
        return urls.send(message.title, message.body, urls=settings.urls, environ=environ)

    for channel, deliver in (("desktop", show_on_desktop), ("urls", send_to_urls)):
        try:
            if deliver():
                tell("notified", night=report.night, by=channel)
        except (SleepError, OSError) as error:
            remedy = error.remedy if isinstance(error, SleepError) else ""
            tell(
                "not notified",
                level=logging.WARNING,
                night=report.night,
                by=channel,
                because=str(error),
                remedy=remedy,
            )


def is_news(report: NightReport) -> bool:
    """Return whether the user has something to do: review proposals, or look at a night that was cut short."""
    return bool(report.proposals) or report.verdict in CUT_SHORT


def message_of(report: NightReport, *, waiting: int) -> Message:
    """Summarize the night as its outcome and counts, without any name of a project, file or proposal."""
    counts: list[str] = []
    if waiting:
        counts.append(_counted(waiting, "proposal waits", "proposals wait"))
    counts.append(_counted(report.sessions.used, "session", "sessions"))
    counts.append(_counted(len(report.documents), "document", "documents"))
    counts.append(_counted(report.spend.calls, "call", "calls"))
    return Message(
        title=f"skillopt-sleep: {OUTCOMES[report.verdict]}",
        body=f"Night {report.night}: {', '.join(counts)}. See: skillopt-sleep report --open",
    )


def _link(report: NightReport) -> str:
    """Return a line with the address of the night's page on this machine, "" if there is none."""
    page = Path(report.folder, PAGE)
    return f"\n{page.as_uri()}" if report.folder and page.is_file() else ""


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count} {singular if count == 1 else plural}"
