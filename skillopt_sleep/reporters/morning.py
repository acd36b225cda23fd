"""Write what a person reads of a night: report.md, and report.html."""

from datetime import datetime
from pathlib import Path

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.pages.blocks import Block, Heading, Sentence
from skillopt_sleep.pages.render import self_contained
from skillopt_sleep.pages.text import markdown
from skillopt_sleep.records import PAGE, NightReport
from skillopt_sleep.reporters.night import Night, blocks


class MorningReporter:
    """Write the report as Markdown that reads well as plain text."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.md and return its path."""
        path = folder / "report.md"
        write_atomic(path, text(Night(report, folder=folder)).encode())
        return path


class PageReporter:
    """Write the report as a page that needs no script, loads nothing and prints well."""

    def write(self, report: NightReport, folder: Path) -> Path:
        """Write report.html and return its path."""
        path = folder / PAGE
        write_atomic(path, page(Night(report, folder=folder)).encode())
        return path


def text(night: Night, *, verbose: bool = False) -> str:
    """Return the report as Markdown; what stands behind its first screen only if it is `verbose`."""
    return markdown(shown(night, verbose=verbose), verbose=verbose)


def shown(night: Night, *, verbose: bool = False) -> list[Block]:
    """Return the report as blocks, with how to see the rest unless it is `verbose`."""
    page = [Heading(night.title, 1), *blocks(night)]
    if not verbose:
        page.append(Sentence(f"More: `skillopt-sleep report {night.report.night} --verbose`, or `--open` as a page."))
    return page


def page(night: Night, *, at: datetime | None = None) -> str:
    """Return the report as a page of its own, true `at` a moment, by default the night's end."""
    values = {
        "night": night.report.night,
        "day": f"{night.report.started.astimezone():%A, %-d %B %Y}",
        "title": night.title,
        "ended": night.summary.ended,
        "blocks": blocks(night),
        "as_of": f"{(at or night.report.ended).astimezone():%A, %-d %B %Y, %H:%M}",
    }
    return self_contained("skillopt_sleep.pages", "report.html.j2", values, style="report.css")
