"""The command `init`: write a first configuration, keep an earlier one as a backup, and name the next step."""

import difflib
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from msgspec.structs import replace

from skillopt_sleep.cli.console import say_all
from skillopt_sleep.cli.harvest_shown import noted
from skillopt_sleep.cli.init_asked import NAMES, Given, Offer, asked, offers, taken
from skillopt_sleep.cli.init_shown import found_lines, leaving_lines, next_lines
from skillopt_sleep.cli.plan import Ahead, look_ahead
from skillopt_sleep.cli.price import recipients
from skillopt_sleep.daemon.service.service_file import installed
from skillopt_sleep.doctor.findings import Finding, problems
from skillopt_sleep.doctor.models import check_models
from skillopt_sleep.errors import ConfigError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.files import private_dir, write_atomic
from skillopt_sleep.kit.toml import to_sections
from skillopt_sleep.night.account import account
from skillopt_sleep.records import LeftOut
from skillopt_sleep.settings import Paths, Settings, find_paths, load, read_toml
from skillopt_sleep.stores.sqlite import open_store
from skillopt_sleep.wiring.history import read_history
from skillopt_sleep.wiring.models import destination

Chosen = Mapping[str, Mapping[str, Any]]
_HEAD = "# The settings of skillopt-sleep that you chose. To see every key: skillopt-sleep config show\n\n"


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


class WrittenConfig(NamedTuple):
    """The written file; `backup` is a copy of the earlier one, `diff` what changed in it."""

    path: Path
    text: str
    backup: Path | None = None
    diff: str = ""
    changed: bool = True


def merged(before: Chosen, chosen: Chosen) -> dict[str, dict[str, Any]]:
    """Return the sections with the chosen keys added; a new backend starts without the keys of the old one."""
    sections = {name: dict(keys) for name, keys in before.items()}
    name = chosen.get("backend", {}).get("name")
    if name is not None and name != sections.get("backend", {}).get("name", ""):
        sections["backend"] = {}
    for section, keys in chosen.items():
        if section == "backend" and name == "":
            continue
        sections[section] = {**sections.get(section, {}), **keys}
    return {section: keys for section, keys in sections.items() if keys}


def checked(sections: Chosen) -> tuple[str, Settings]:
    """Return the text of the file and the settings it makes; ConfigError if they are invalid."""
    text = _HEAD + to_sections(sections)
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-") as folder:
        trial = Paths(config=Path(folder), data=Path(folder))
        trial.config_file.write_text(text, encoding="utf-8")
        try:
            return text, load(trial, environ={})
        except ConfigError as error:
            message = re.sub(rf"{re.escape(str(trial.config_file))}(:\d+)?: ", "", error.message)
            raise ConfigError(message, remedy=error.remedy) from error


def write(paths: Paths, text: str) -> WrittenConfig:
    """Write config.toml privately; an earlier file is copied, byte for byte, to our state folder."""
    private_dir(paths.config)
    # A symlink is kept, because the file may be among someone's dotfiles.
    target = paths.config_file.resolve()
    if not target.exists():
        private_dir(target.parent)
        write_atomic(target, text.encode())
        return WrittenConfig(paths.config_file, text)
    before = target.read_bytes()
    if before == text.encode():
        return WrittenConfig(paths.config_file, text, changed=False)
    folder = private_dir(paths.state / "config")
    backup = folder / f"{paths.config_file.name}.before-{utc_now():%Y%m%dT%H%M%S.%f}"
    write_atomic(backup, before)
    write_atomic(target, text.encode())
    old = before.decode("utf-8", errors="replace").splitlines()
    diff = "\n".join(difflib.unified_diff(old, text.splitlines(), "before", "now", lineterm="", n=1))
    return WrittenConfig(paths.config_file, text, backup, diff)


def written_lines(written: WrittenConfig) -> Iterator[str]:
    """Yield what config.toml says now, and where the earlier one is kept."""
    if not written.changed:
        yield f"{written.path} already says all of this, so it was not changed."
        return
    yield f"Wrote {written.path}"
    if written.backup is None:
        for line in written.text.splitlines():
            if line:
                yield f"  {line}"
        return
    for line in written.diff.splitlines()[2:]:
        yield f"  {line}"
    yield f"Backup of the old file: {written.backup}"
