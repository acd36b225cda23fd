"""skillopt-sleep init: from nothing to a configuration and a next step."""

import math
import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.cli.init_asked import NAMES, Given, length_of_time, said_as, time_of_day
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.records import LeftOut
from skillopt_sleep.settings import Paths, Settings, find_paths

if TYPE_CHECKING:
    from skillopt_sleep.doctor.findings import Finding


def init(
    *,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: take what is found and what is named.")
    ] = False,
    backend: Annotated[
        str | None,
        typer.Option(help=f"Who answers: {', '.join(NAMES)}; with --yes it is consent to send every night."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Another address than the provider's own.")] = None,
    calls: Annotated[int | None, typer.Option(min=1, help="Calls a night at most.")] = None,
    usd: Annotated[float | None, typer.Option(min=0, help="Dollars a night at most; 0 is no limit.")] = None,
    at: Annotated[str | None, typer.Option(help="When nights begin, in local time: 04:17.")] = None,
    lookback: Annotated[str | None, typer.Option(help="How far the first night looks back: 7d.")] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A project to leave out: a folder or a pattern; may be said again.")
    ] = None,
) -> None:
    """Look at what is here, ask what you want, and write config.toml; no session is sent.

    An API is asked with your key whether it has the model (GET /v1/models/NAME); nothing else is asked.
    """
    if backend is not None and backend not in NAMES:
        raise ConfigError(f"there is no backend {backend!r}", remedy=f"one of: {', '.join(NAMES)}")
    if not (yes or sys.stdin.isatty()):
        raise ConfigError(
            "init asks questions, and there is no terminal to ask them on",
            remedy="skillopt-sleep init --yes --backend NAME (naming it is the consent to send every night)",
        )
    if usd is not None and not math.isfinite(usd):
        raise ConfigError(f"--usd {usd}: that isn't an amount such as 1.50, or 0")
    at, lookback = said_as("--at", at, time_of_day), said_as("--lookback", lookback, length_of_time)
    _init(find_paths(), Given(backend, model, base_url, calls, usd, at, lookback, exclude), yes=yes)


def _init(paths: Paths, given: Given, *, yes: bool) -> None:
    from skillopt_sleep.cli.init_asked import asked, taken
    from skillopt_sleep.cli.init_shown import (
        found_lines,
        leaving_lines,
        look_back,
        next_lines,
        projects,
        unmatched_lines,
        written_lines,
    )
    from skillopt_sleep.cli.init_written import checked, merged, present, write
    from skillopt_sleep.cli.plan import look_ahead, recipients
    from skillopt_sleep.doctor.offers import offers

    before, broken = present(paths)
    if broken:
        warn(f"{broken}\n  → a new config.toml is written, and this one is kept")
    _, settings = checked(before)
    offered, total = offers(paths, os.environ), look_back(settings, paths)
    known = projects(total)
    for line in found_lines(offered, total, known):
        say(line)
    choice = (
        taken(given, offered, settings) if yes else asked(given, offered, known, settings, older=total.older)
    ).sections()
    for line in unmatched_lines(choice, total, settings):
        warn(line)
    _, wanted = checked(merged(before, choice))
    ahead = look_ahead(wanted, paths)
    offer = next((one for one in offered if one.name == wanted.backend.name), None)
    say("")
    for line in leaving_lines(wanted, ahead, offer, older=ahead.found.counts.skipped.get(LeftOut.OLDER, 0)):
        say(line)
    if not yes and recipients(wanted):
        confirmed = _consent(wanted, before=settings)
        choice["backend"] = {**choice.get("backend", {}), "confirmed": confirmed}
    text, wanted = checked(merged(before, choice))
    done = write(paths, text)
    say("")
    for line in written_lines(done):
        say(line)
    troubles = _troubles(wanted, paths)
    for trouble in troubles:
        say("")
        say(f"✗ {trouble.says}")
        say(f"  → {trouble.remedy}")
    say("")
    others = tuple(one.name for one in offered if one.ready and one.name != wanted.backend.name)
    for line in next_lines(wanted, ahead, installed=_is_installed(paths), others=others if troubles else None):
        say(line)


def _consent(wanted: Settings, *, before: Settings) -> bool:
    from skillopt_sleep.cli.plan import recipients

    names = " and ".join(dict.fromkeys(one.name for one in recipients(wanted) if one.name != "simulated"))
    same = (wanted.backend.name, wanted.backend.base_url) == (before.backend.name, before.backend.base_url)
    return typer.confirm(f"May every night send that to {names}?", default=same and before.backend.confirmed)


def _is_installed(paths: Paths) -> bool:
    from skillopt_sleep.daemon.installed import installed

    try:
        return bool(installed(paths).service)
    except SleepError:
        return True  # by another version


def _troubles(settings: Settings, paths: Paths) -> "tuple[Finding, ...]":
    """What keeps the chosen backend from answering, as far as can be told without a call; to choose none is fine."""
    if not settings.backend.name:
        return ()
    import tempfile
    from datetime import timedelta
    from pathlib import Path

    from msgspec.structs import replace

    from skillopt_sleep.doctor.findings import problems
    from skillopt_sleep.doctor.reach import reach
    from skillopt_sleep.kit.clock import utc_now

    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as made:
        scratch = replace(paths, data=Path(made) / "data")
        until = utc_now() + timedelta(minutes=settings.budget.minutes)
        return problems(reach(settings, scratch, environ=os.environ, until=until).findings)
