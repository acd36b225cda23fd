"""The command `doctor`: what is wrong and how to fix it, then what is fine."""

import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, DIM, GOOD, Part, say, say_json
from skillopt_sleep.kit.projects import named_project
from skillopt_sleep.kit.words import counted
from skillopt_sleep.settings import find_paths

if TYPE_CHECKING:
    from skillopt_sleep.doctor.findings import Finding

NARROW, WIDE = 60, 120
LABEL = 10
COMMAND = re.compile(r"\b(?:chmod|mkdir|ln) -?\w")


def doctor(
    *,
    project: Annotated[str, typer.Option(help="The project to check; the current folder by default.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Check programs, logins, limits and folders, and say what to fix. Changes nothing, calls no model.

    If an API is set up, it is asked with your key whether it has the model (GET /v1/models/NAME), and nothing else.
    """
    from skillopt_sleep.doctor.automatic import automatic_nights
    from skillopt_sleep.doctor.checks import look
    from skillopt_sleep.doctor.findings import exit_code, problems

    folder = Path(named_project(project or "."))
    paths = find_paths()
    findings = (*look(paths, folder=folder, home=Path.home(), environ=os.environ), automatic_nights(paths))
    if as_json:
        wrong = problems(findings)
        fine = [finding for finding in findings if finding not in wrong]
        say_json({"schema_version": 1, "problems": len(wrong), "findings": [*wrong, *fine]})
    else:
        width = min(WIDE, max(NARROW, shutil.get_terminal_size((100, 24)).columns))
        for line in shown(findings, width):
            say(*coloured(line))
    code = exit_code(findings)
    if code:
        raise typer.Exit(code)


def shown(findings: "tuple[Finding, ...]", width: int) -> Iterator[str]:
    """Yield the findings as lines: problems first, each with its remedy, then the rest by topic."""
    from skillopt_sleep.doctor.findings import State, Topic, problems

    wrong = problems(findings)
    if wrong:
        yield counted(len(wrong), "problem")
    else:
        yield "No problems."
    for finding in wrong:
        yield ""
        yield from _finding_lines(finding, width, mark="✗", label=finding.topic)
    for topic in Topic:
        label = topic.value
        for finding in findings:
            if finding.topic is not topic or finding in wrong:
                continue
            if label:
                yield ""
            mark = "?" if finding.state is State.UNKNOWN else " "
            yield from _finding_lines(finding, width, mark=mark, label=label)
            label = ""  # only the first of a topic has it


def coloured(line: str) -> list[Part]:
    """Return a line of the findings in parts: its mark in colour, what to do in bold."""
    if line.startswith("✗"):
        return [("✗", BAD), line[1:]]
    if line.startswith("?"):
        return [("?", CAREFUL), line[1:]]
    before, arrow, after = line.partition("→ ")
    if arrow and not before.strip():
        return [before, (arrow, DIM), (after, BOLD)]
    if line == "No problems.":
        return [("✓ ", GOOD), line]
    return [line]


def _finding_lines(finding: "Finding", width: int, *, mark: str, label: str) -> Iterator[str]:
    yield from _wrapped(finding.says, width, first=f"{mark} {label:{LABEL}}")
    if finding.remedy:
        yield from _wrapped(finding.remedy, width, first=f"{'':{LABEL}}  → ")


def _wrapped(text: str, width: int, *, first: str) -> list[str]:
    from skillopt_sleep.kit.markdown import one_line

    line = one_line(text, limit=4_000)
    if COMMAND.search(line):
        width = len(first) + len(line)  # a command broken over two lines can't be copied
    return textwrap.wrap(
        line,
        width,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
