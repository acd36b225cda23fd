"""The page of the check-up: the same checks as `doctor`, made when they are asked for."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from skillopt_sleep.doctor.automatic import automatic_nights
from skillopt_sleep.doctor.checks import look
from skillopt_sleep.doctor.findings import Finding, State, Topic, problems
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.words import ago, counted, home_path
from skillopt_sleep.records import Record
from skillopt_sleep.stores.sqlite import SqliteStore
from skillopt_sleep.web.forms import done, sent
from skillopt_sleep.web.site import Page, show, site_of, store_of


class Checkup(NamedTuple):
    """The last check-up: when, of which project ("" for the folder the server was started in), and its findings."""

    at: datetime
    project: str
    findings: Sequence[Finding]


class TopicFindings(Record, frozen=True, kw_only=True):
    """What was found about one topic that is fine, or can't be checked."""

    topic: str
    findings: tuple[Finding, ...]


class Project(Record, frozen=True, kw_only=True):
    """A project that can be checked."""

    path: str
    name: str
    chosen: bool


class Doctor(Record, frozen=True, kw_only=True):
    """The last check-up, if there was one, and what can be checked."""

    checked: str
    headline: str
    problems: tuple[Finding, ...]
    others: tuple[TopicFindings, ...]
    projects: tuple[Project, ...]


def doctor(store: SqliteStore, checkup: Checkup | None, *, now: datetime) -> Doctor:
    """Return what the page shows of a check-up, None if there was none."""
    findings = checkup.findings if checkup else ()
    wrong = problems(findings)
    others: list[TopicFindings] = []
    for topic in Topic:
        of_topic = tuple(one for one in findings if one.topic is topic and one.state is not State.PROBLEM)
        if of_topic:
            others.append(TopicFindings(topic=topic.value, findings=of_topic))
    chosen = checkup.project if checkup else ""
    return Doctor(
        checked=ago(checkup.at, now) if checkup else "",
        headline=counted(len(wrong), "problem") if wrong else "No problems",
        problems=wrong,
        others=tuple(others),
        projects=tuple(Project(path=path, name=home_path(path), chosen=path == chosen) for path in _projects(store)),
    )


def _projects(store: SqliteStore) -> list[str]:
    """Return the projects that sessions were read of, and that are still there."""
    known = {line.project for line in store.index.lines(unread=False)}
    return sorted(path for path in known if path and Path(path).is_dir())


def _show(request: Request) -> Response:
    with store_of(request) as store:
        view = doctor(store, getattr(request.app.state, "checkup", None), now=utc_now())
    return show(request, "doctor.html.j2", view, title="Doctor")


def _check(request: Request) -> Response:
    """Make the check-up; of a project only if it is one that is listed."""
    paths = site_of(request).paths
    wanted = sent(request).one("project")
    with store_of(request) as store:
        project = wanted if wanted in _projects(store) else ""
    folder = Path(project) if project else Path.cwd()
    findings = (*look(paths, folder=folder, home=Path.home(), environ=os.environ), automatic_nights(paths))
    request.app.state.checkup = Checkup(utc_now(), project, findings)
    return done(request, "/doctor", "Checked.")


PAGE = Page("/doctor", "Doctor", (Route("/doctor", _show), Route("/doctor", _check, methods=["POST"])))
