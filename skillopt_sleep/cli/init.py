"""The command `init`: write a first configuration and name the next step."""

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.console import say_all
from skillopt_sleep.cli.harvest_shown import noted
from skillopt_sleep.cli.init_asked import NAMES, Given, asked, taken
from skillopt_sleep.cli.init_offers import Offer, offers
from skillopt_sleep.cli.init_shown import found_lines, leaving_lines, next_lines, written_lines
from skillopt_sleep.cli.init_written import checked, merged, write
from skillopt_sleep.cli.plan import Ahead, look_ahead
from skillopt_sleep.cli.price import recipients
from skillopt_sleep.daemon.service.service_file import installed
from skillopt_sleep.doctor.findings import Finding, problems
from skillopt_sleep.doctor.models import check_models
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.night.account import account
from skillopt_sleep.records import LeftOut
from skillopt_sleep.settings import Paths, Settings, find_paths, load, read_toml
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.wiring.history import read_history
from skillopt_sleep.wiring.models import destination


def init(
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: use the options and what is found.")] = False,
    backend: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(NAMES)}. With --yes, your consent to send to it every night."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="The API's address, if not the provider's own.")] = None,
) -> None:
    """Find your agents and sessions, ask what you want, and write config.toml.

    It sends no session. An API that you choose is sent one request, with your key, only whether it has the model.
    Other settings: skillopt-sleep config set.
    """
    if backend is not None and backend not in NAMES:
        raise ConfigError(f"there is no backend {backend!r}", remedy=f"one of: {', '.join(NAMES)}")
    if not (yes or sys.stdin.isatty()):
        raise ConfigError(
            "init asks questions, but there is no terminal to ask them on",
            remedy="skillopt-sleep init --yes --backend NAME (naming it is your consent to send to it every night)",
        )
    _init(find_paths(), Given(backend, model, base_url), yes=yes)


def _init(paths: Paths, given: Given, *, yes: bool) -> None:
    settings = load(paths, environ={})
    before = read_toml(paths.config_file) if paths.config_file.exists() else {}
    offered = offers(paths, os.environ, settings.backend)
    with closing(open_store(settings, paths)) as store:
        history, notes = read_history(store, settings, paths, look=True)
    total = account(history)
    say_all([*found_lines(offered, total, total.projects), *noted(notes)])
    sections = taken(given, offered, settings) if yes else asked(given, offered, total.projects, settings)
    _, wanted = checked(merged(before, sections))
    ahead = look_ahead(wanted, paths)
    offer = next((offer for offer in offered if offer.name == wanted.backend.name), None)
    older = ahead.harvested.counts.skipped.get(LeftOut.OLDER, 0)
    say_all(["", *leaving_lines(wanted, ahead, offer, older=older)])
    if not yes and recipients(wanted):
        confirmed = _ask_consent(wanted, before=settings)
        sections["backend"] = {**sections.get("backend", {}), "confirmed": confirmed}
    text, wanted = checked(merged(before, sections))
    _finish(paths, text, wanted, ahead, offered)


def _finish(paths: Paths, text: str, wanted: Settings, ahead: Ahead, offered: Sequence[Offer]) -> None:
    """Write config.toml and print what changed, what is wrong with the chosen backend, and the next steps."""
    say_all(["", *written_lines(write(paths, text))])
    problems = _problems(wanted, paths)
    for problem in problems:
        say_all(["", f"✗ {problem.says}", f"  → {problem.remedy}"])
    others: list[str] | None = None
    if problems:
        ready = [offer.name for offer in offered if offer.ready and not offer.base_url]
        others = [name for name in ready if name != wanted.backend.name]
    say_all(["", *next_lines(wanted, ahead, installed=installed(paths) is not None, others=others)])


def _ask_consent(wanted: Settings, *, before: Settings) -> bool:
    is_same = (wanted.backend.name, wanted.backend.base_url) == (before.backend.name, before.backend.base_url)
    question = f"Allow every night to send this to {destination(wanted)}?"
    return typer.confirm(question, default=is_same and before.backend.confirmed)


def _problems(settings: Settings, paths: Paths) -> tuple[Finding, ...]:
    """Return what keeps the chosen backend from answering, as far as that shows without a model call."""
    if not settings.backend.name:
        return ()
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as folder:
        scratch = replace(paths, data=Path(folder) / "data")
        until = utc_now() + timedelta(minutes=settings.budget.minutes)
        return problems(check_models(settings, scratch, environ=os.environ, until=until).findings)
