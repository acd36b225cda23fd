"""The command `init`: write a first configuration and name the next step."""

import math
import os
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from skillopt_sleep.cli.console import say, warn
from skillopt_sleep.cli.init_asked import NAMES, Given, length_of_time, parsed_option, time_of_day
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.records import LeftOut
from skillopt_sleep.settings import Paths, Settings, find_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillopt_sleep.cli.plan import Ahead
    from skillopt_sleep.doctor.findings import Finding
    from skillopt_sleep.doctor.offers import Offer


def init(
    *,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing: use what is found here and the options given.")
    ] = False,
    backend: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(NAMES)}. With --yes this is your consent to send to it every night."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="The API's address, if it isn't the provider's own.")] = None,
    calls: Annotated[int | None, typer.Option(min=1, help="Most calls per night.")] = None,
    usd: Annotated[float | None, typer.Option(min=0, help="Most dollars per night; 0 for no limit.")] = None,
    at: Annotated[str | None, typer.Option(help="When nights start, in local time, as in 04:17.")] = None,
    lookback: Annotated[str | None, typer.Option(help="How far the first night looks back, as in 7d.")] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A project to leave out: a folder or a pattern. Can be repeated.")
    ] = None,
) -> None:
    """Find your agents and sessions, ask what you want, and write config.toml. Sends no session.

    If you choose an API, it is asked with your key whether it has the model (GET /v1/models/NAME), and nothing else.
    """
    if backend is not None and backend not in NAMES:
        raise ConfigError(f"there is no backend {backend!r}", remedy=f"one of: {', '.join(NAMES)}")
    if not (yes or sys.stdin.isatty()):
        raise ConfigError(
            "init asks questions, but there is no terminal to ask them on",
            remedy="skillopt-sleep init --yes --backend NAME (naming it is your consent to send to it every night)",
        )
    if usd is not None and not math.isfinite(usd):
        raise ConfigError(f"--usd {usd} is not an amount such as 1.50, or 0")
    at = parsed_option("--at", at, time_of_day)
    lookback = parsed_option("--lookback", lookback, length_of_time)
    _init(find_paths(), Given(backend, model, base_url, calls, usd, at, lookback, exclude), yes=yes)


def _init(paths: Paths, given: Given, *, yes: bool) -> None:
    from skillopt_sleep.cli.harvest_shown import noted
    from skillopt_sleep.cli.init_asked import asked, taken
    from skillopt_sleep.cli.init_shown import found_lines, leaving_lines, projects, unmatched_lines
    from skillopt_sleep.cli.init_written import checked, merged, present
    from skillopt_sleep.cli.plan import look_ahead, recipients
    from skillopt_sleep.doctor.offers import offers
    from skillopt_sleep.night.account import account
    from skillopt_sleep.stores.user import open_store
    from skillopt_sleep.wiring.history import read_history

    before, broken = present(paths)
    if broken:
        warn(f"{broken}\n  → a new config.toml will be written, and this one kept as a backup")
    _, settings = checked(before)
    offered = offers(paths, os.environ, settings.backend)
    with closing(open_store(settings, paths)) as store:
        history, notes = read_history(store, settings, paths, look=True)
    total = account(history)
    known = projects(total)
    _say_all([*found_lines(offered, total, known), *noted(notes)])
    choice = taken(given, offered, settings) if yes else asked(given, offered, known, settings, older=total.older)
    sections = choice.sections()
    for line in unmatched_lines(sections, total, settings):
        warn(line)
    _, wanted = checked(merged(before, sections))
    ahead = look_ahead(wanted, paths)
    offer = next((offer for offer in offered if offer.name == wanted.backend.name), None)
    older = ahead.harvested.counts.skipped.get(LeftOut.OLDER, 0)
    _say_all(["", *leaving_lines(wanted, ahead, offer, older=older)])
    if not yes and recipients(wanted):
        confirmed = _ask_consent(wanted, before=settings)
        sections["backend"] = {**sections.get("backend", {}), "confirmed": confirmed}
    text, wanted = checked(merged(before, sections))
    _finish(paths, text, wanted, ahead, offered)


def _finish(paths: Paths, text: str, wanted: Settings, ahead: "Ahead", offered: "Sequence[Offer]") -> None:
    """Write config.toml and print what changed, what is wrong with the chosen backend, and the next steps."""
    from skillopt_sleep.cli.init_shown import next_lines, written_lines
    from skillopt_sleep.cli.init_written import write

    _say_all(["", *written_lines(write(paths, text))])
    problems = _problems(wanted, paths)
    for problem in problems:
        _say_all(["", f"✗ {problem.says}", f"  → {problem.remedy}"])
    others: list[str] | None = None
    if problems:
        ready = [offer.name for offer in offered if offer.ready and not offer.base_url]
        others = [name for name in ready if name != wanted.backend.name]
    _say_all(["", *next_lines(wanted, ahead, installed=_is_installed(paths), others=others)])


def _say_all(lines: "Iterable[str]") -> None:
    for line in lines:
        say(line)


def _ask_consent(wanted: Settings, *, before: Settings) -> bool:
    from skillopt_sleep.wiring.models import destination

    is_same = (wanted.backend.name, wanted.backend.base_url) == (before.backend.name, before.backend.base_url)
    question = f"Allow every night to send this to {destination(wanted)}?"
    return typer.confirm(question, default=is_same and before.backend.confirmed)


def _is_installed(paths: Paths) -> bool:
    from skillopt_sleep.daemon.installed import installed

    try:
        return bool(installed(paths).service)
    except SleepError:
        return True  # by another version


def _problems(settings: Settings, paths: Paths) -> "tuple[Finding, ...]":
    """Return what keeps the chosen backend from answering, as far as that shows without a model call."""
    if not settings.backend.name:
        return ()
    import tempfile
    from datetime import timedelta
    from pathlib import Path

    from msgspec.structs import replace

    from skillopt_sleep.doctor.findings import problems
    from skillopt_sleep.doctor.reach import reach
    from skillopt_sleep.kit.clock import utc_now

    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as folder:
        scratch = replace(paths, data=Path(folder) / "data")
        until = utc_now() + timedelta(minutes=settings.budget.minutes)
        return problems(reach(settings, scratch, environ=os.environ, until=until).findings)
