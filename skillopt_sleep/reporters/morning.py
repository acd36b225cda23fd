"""Write what a person reads of a night: report.md, report.html, and what was done in sealed copies as attempts.md."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from skillopt_sleep.kit.files import write_atomic
from skillopt_sleep.kit.markdown import fence
from skillopt_sleep.kit.words import counted
from skillopt_sleep.pages.blocks import Block, Heading, Sentence
from skillopt_sleep.pages.render import self_contained
from skillopt_sleep.pages.text import code, markdown, show
from skillopt_sleep.records import PAGE, NightReport
from skillopt_sleep.reporters.attempts import Attempted, AttemptedTasks, attempted_tasks
from skillopt_sleep.reporters.night import Night, blocks
from skillopt_sleep.reporters.words import USES


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


ATTEMPTS = "attempts.md"
_HEAD = """# What the agent did in sealed copies, night of {night}

Each request below was done once more in a throw-away copy of its repository: without the change, and with the one
that was tried on it last. Of several attempts the last one stands here; all are in `rollouts.jsonl`.
"""


class AttemptsReporter:
    """Write both attempts at each request that was tried in a sealed copy; no file if none was."""

    def write(self, report: NightReport, folder: Path) -> Path | None:
        """Write attempts.md and return its path, or None if there is nothing to tell."""
        path = folder / ATTEMPTS
        documents = attempted_tasks(report.documents, folder)
        lines = [line for name, tasks in documents.items() for line in _of_document(name, tasks)]
        if not lines:
            return None
        write_atomic(path, "\n".join([_HEAD.format(night=report.night), *lines]).encode())
        return path


def _of_document(name: str, tasks: AttemptedTasks) -> Iterator[str]:
    sealed = [task for task in tasks.listed if any(one and one.acted for one in (task.before, task.after))]
    if sealed:
        yield f"## {code(name)}\n"
    for task in sealed:
        side = f", {USES[task.side]}" if task.side else ""
        yield f"### «{show(task.request)}» ({code(task.task)}{side})\n"
        yield from _attempt("Without the change", task.before)
        yield from _attempt("With the change", task.after)
    if sealed and tasks.left_out:
        yield f"{tasks.left_out} more requests are in `rollouts.jsonl` alone.\n"


def _attempt(title: str, attempt: Attempted | None) -> Iterator[str]:
    """Yield whether an attempt was as the person asked, and all that is kept of what was done in it."""
    if attempt is None:
        yield f"{title}: not tried\n"
        return
    parts = [_grade(attempt)]
    if attempt.acted:
        parts.append(counted(attempt.acted.turns, "turn"))
    if attempt.made > 1:
        parts.append(f"{attempt.made} attempts, {attempt.unscored} of them not graded")
    yield f"{title}: {'; '.join(parts)}\n"
    if attempt.acted:
        yield f"{fence(chr(10).join(attempt.acted.in_full()))}\n"


def _grade(attempt: Attempted) -> str:
    if attempt.hard is None:
        return f"not graded: {show(attempt.problem, 200)}" if attempt.problem else "not graded"
    if attempt.hard == 1:
        return "as you asked"
    return f"not as you asked: {show(attempt.why, 200)}" if attempt.why else "not as you asked"
