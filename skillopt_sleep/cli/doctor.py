"""skillopt-sleep doctor: what is wrong and how to mend it, then what is right."""

import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import say, say_json
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.settings import Paths, find_paths

if TYPE_CHECKING:
    from skillopt_sleep.doctor.findings import Finding

NARROW, WIDE = 80, 120
LABEL = 10
COMMAND = re.compile(r"\b(?:chmod|mkdir|ln) -?\w")


def doctor(
    *,
    project: Annotated[str, typer.Option(help="Whose agents' view to look at; the current folder's.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Look at programs, logins, limits and folders, and say what to mend; nothing is changed, no model is asked.

    An API is asked with your key whether it has the model (GET /v1/models/NAME); nothing else is asked.
    """
    from skillopt_sleep.doctor.checks import look
    from skillopt_sleep.doctor.findings import exit_code, problems

    folder = Path(project).expanduser().absolute() if project else Path.cwd()
    if not folder.is_dir():
        raise ConfigError(f"--project {project}: there is no such folder", remedy="name a project's folder")
    paths = find_paths()
    found = (*look(paths, folder=folder, home=Path.home(), environ=os.environ), _by_itself(paths))
    if as_json:
        wrong = problems(found)
        rest = [finding for finding in found if finding not in wrong]
        answer = {"schema_version": 1, "problems": len(wrong), "findings": [*wrong, *rest]}
        say_json(answer)
    else:
        width = min(WIDE, max(NARROW, shutil.get_terminal_size((100, 24)).columns))
        for line in shown(found, width):
            say(line)
    if code := exit_code(found):
        raise typer.Exit(code)


def _by_itself(paths: Paths) -> "Finding":
    """Whether nights run by themselves; that none are to is a choice, not a problem."""
    from skillopt_sleep.cli.daemon_shown import installed_says
    from skillopt_sleep.daemon.installed import installed
    from skillopt_sleep.doctor.findings import Topic, fine, of_error, problem

    try:
        found, (says, remedy) = installed(paths), installed_says(paths)
        is_wanted = bool(found.service or found.missing)
        return (problem if is_wanted and remedy else fine)(Topic.DAEMON, says, remedy)
    except (SleepError, OSError) as error:
        return of_error(Topic.DAEMON, error)


def shown(findings: "tuple[Finding, ...]", width: int) -> Iterator[str]:
    """The findings as lines: problems first, each with its remedy, then the rest by topic."""
    from skillopt_sleep.doctor.findings import State, Topic, problems

    wrong = problems(findings)
    yield f"{len(wrong)} {'problem' if len(wrong) == 1 else 'problems'}" if wrong else "No problems."
    for finding in wrong:
        yield ""
        yield from _wrapped(finding.says, width, first=f"✗ {finding.topic:{LABEL}}")
        yield from _wrapped(finding.remedy, width, first=f"{'':{LABEL}}  → ")
    order = list(Topic)
    rest = sorted((f for f in findings if f not in wrong), key=lambda finding: order.index(finding.topic))
    for topic, own in groupby(rest, key=lambda finding: finding.topic):
        yield ""
        for number, finding in enumerate(own):
            mark = "?" if finding.state is State.UNKNOWN else " "
            yield from _wrapped(finding.says, width, first=f"{mark} {'' if number else topic:{LABEL}}")
            if finding.remedy:
                yield from _wrapped(finding.remedy, width, first=f"{'':{LABEL}}  → ")


def _wrapped(text: str, width: int, *, first: str) -> list[str]:
    from skillopt_sleep.kit.markdown import one_line

    line = one_line(text, limit=4_000)
    # A path or a command that is broken in two can't be copied.
    return textwrap.wrap(
        line,
        len(first) + len(line) if COMMAND.search(line) else width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
