"""The command `doctor`: what is wrong and how to fix it, then what is fine."""

import os
from pathlib import Path
from typing import Annotated

import typer

from skillopt_sleep.cli.console import BAD, BOLD, CAREFUL, GOOD, Part, say, say_json, say_row
from skillopt_sleep.doctor.checks import look
from skillopt_sleep.doctor.findings import Finding, FindingState, Topic, exit_code, problems
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.projects import named_project
from skillopt_sleep.kit.words import counted
from skillopt_sleep.settings import find_paths

LABEL = 12  # the width of a mark, a topic and the blanks behind them


def doctor(
    *,
    project: Annotated[str, typer.Option(help="The project's folder; by default the current one.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Check programs, logins, limits and folders, and say what to fix.

    It changes nothing and calls no model. An API is sent one request, with your key, only whether it has the model.
    """
    folder = Path(named_project(project or "."))
    paths = find_paths()
    findings = look(paths, folder=folder, home=Path.home(), environ=os.environ)
    if as_json:
        wrong = problems(findings)
        fine = [finding for finding in findings if finding not in wrong]
        say_json({"schema_version": 1, "problems": len(wrong), "findings": [*wrong, *fine]})
    else:
        show_findings(findings)
    code = exit_code(findings)
    if code:
        raise typer.Exit(code)


def show_findings(findings: tuple[Finding, ...]) -> None:
    """Print the problems first, each with its remedy, then the rest by topic."""
    wrong = problems(findings)
    say((counted(len(wrong), "problem"), BAD) if wrong else ("✓ No problems.", GOOD))
    for finding in wrong:
        say("")
        _show_finding(finding, (f"✗ {finding.topic}", BAD))
    for topic in Topic:
        label = str(topic)
        for finding in findings:
            if finding.topic is not topic or finding in wrong:
                continue
            if label:
                say("")
            is_unknown = finding.state is FindingState.UNKNOWN
            _show_finding(finding, (f"? {label}", CAREFUL) if is_unknown else f"  {label}")
            label = ""  # only the first of a topic has it


def _show_finding(finding: Finding, label: Part) -> None:
    say_row(label, one_line(finding.says, limit=4_000), width=LABEL)
    if finding.remedy:
        say_row("", "→ ", (one_line(finding.remedy, limit=4_000), BOLD), width=LABEL)
