"""The pages of the set-up: its check-up, made when it is asked for, and every setting as it is now."""

import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.doctor.checks import look
from skillopt_sleep.doctor.findings import Finding, FindingState, Topic, problems
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.toml import to_toml
from skillopt_sleep.kit.words import ago, counted, home_path
from skillopt_sleep.pages.blocks import Block, Heading, Item, Items, Sentence, Table
from skillopt_sleep.settings import origins
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.site import Page, done, field, settings_of, show, site_of, store_of


class Checkup(NamedTuple):
    """The last check-up: when, of which project ("" for the folder the server was started in), and its findings."""

    at: datetime
    project: str
    findings: Sequence[Finding]


def in_blocks(findings: Sequence[Finding]) -> Iterator[Block]:
    """Yield what is to be fixed, then what is fine, or can't be checked, by topic."""
    wrong = problems(findings)
    if wrong:
        yield Heading("To fix")
    for one in wrong:
        yield Sentence(one.says, "bad", mark=one.topic)
        yield Sentence(one.remedy)
    others: dict[str, list[str]] = {}
    for one in sorted(findings, key=lambda one: list(Topic).index(one.topic)):
        if one not in wrong:
            says = " → ".join(filter(None, (one.says, one.remedy)))
            if one.state is FindingState.UNKNOWN:
                says = f"not known: {says}"
            others.setdefault(one.topic, []).append(says)
    if others:
        yield Heading("What is fine, or can't be checked")
        yield Items(tuple(Item(topic, tuple(lines)) for topic, lines in others.items()))


def _projects(store: SqliteStore) -> list[str]:
    """Return the projects that sessions were read of, and that are still there."""
    known = {line.project for line in store.index.lines(unread=False)}
    return sorted(path for path in known if path and Path(path).is_dir())


def _doctor(request: Request) -> Response:
    checkup: Checkup | None = getattr(request.app.state, "checkup", None)
    with store_of(request) as store:
        projects = _projects(store)
    findings = checkup.findings if checkup else ()
    wrong = problems(findings)
    return show(
        request,
        "doctor.html.j2",
        title="Doctor",
        checked=ago(checkup.at, utc_now()) if checkup else "",
        headline=counted(len(wrong), "problem") if wrong else "No problems",
        findings=tuple(in_blocks(findings)),
        projects=[(path, home_path(path)) for path in projects],
        project=checkup.project if checkup else "",
    )


def _check(request: Request) -> Response:
    """Make the check-up; of a project only if it is one that is listed."""
    paths = site_of(request).paths
    wanted = field(request, "project")
    with store_of(request) as store:
        project = wanted if wanted in _projects(store) else ""
    folder = Path(project) if project else Path.cwd()
    findings = look(paths, folder=folder, home=Path.home(), environ=os.environ)
    request.app.state.checkup = Checkup(utc_now(), project, findings)
    return done(request, "/doctor", "Checked.")


def _settings(request: Request) -> Response:
    """Show the commented file with every key as it is, and where each that isn't at its default is set."""
    paths = site_of(request).paths
    file = home_path(str(paths.config_file))
    try:
        found = origins(paths, environ=os.environ)
    except ConfigError:  # the page says above why the defaults are shown
        found = {}
    rows = [(key, file if origin == str(paths.config_file) else origin) for key, origin in found.items()]
    chosen = Table(("key", "set in"), tuple(rows))
    text = to_toml(settings_of(request)[0])
    return show(request, "settings.html.j2", title="Settings", file=file, chosen=chosen, text=text)


DOCTOR = Page("/doctor", "Doctor", (Route("/doctor", _doctor), Route("/doctor", _check, methods=["POST"])))
SETTINGS = Page("/settings", "Settings", (Route("/settings", _settings),))
