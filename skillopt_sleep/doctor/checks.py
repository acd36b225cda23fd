"""What `doctor` looks at: functions that return findings, and change nothing."""

import os
import shlex
import shutil
import stat
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.backends.metered import month_of
from skillopt_sleep.doctor.adopted import adopted
from skillopt_sleep.doctor.findings import Finding, State, Topic, fine, of_error, problem, unknown
from skillopt_sleep.doctor.reach import Reached, reach
from skillopt_sleep.doctor.sight import CLAUDE, CODEX, Sight, claude_sight, codex_sight, cut_descriptions
from skillopt_sleep.errors import ConfigError, ItemError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.night.harvest import unlisted_notes
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.protocols import Source
from skillopt_sleep.records import Limit
from skillopt_sleep.settings import BudgetSettings, Paths, Settings, load, load_project, read_preferences
from skillopt_sleep.stores.glance import Glance, glance, is_running
from skillopt_sleep.wiring import agent_sources, limits

COMMAND = "skillopt-sleep"
LEAST_FREE = 256 * 1024 * 1024
_OTHERS = 0o077
_MOST_NAMED = 12


def look(paths: Paths, *, folder: Path, home: Path, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Everything that can be told of this installation, and of the project that the folder is in."""
    root = Path(project_root(str(folder.absolute())))
    found: list[Finding] = []
    settings, fit, store, reached = Settings(), False, None, Reached((), {})

    def guarded(topic: Topic, check: Callable[[], Iterable[Finding]]) -> None:
        """What stops a check is a finding too, and the other checks go on."""
        try:
            found.extend(check())
        except (SleepError, OSError) as error:
            found.append(of_error(topic, error))

    try:
        settings, fit = load(paths, environ=environ), True
    except (ConfigError, OSError) as error:
        found.append(of_error(Topic.SETTINGS, error))
        found.append(fine(Topic.SETTINGS, "what follows holds for the defaults"))
    else:
        there = "" if paths.config_file.exists() else " is not there: the defaults are in force"
        found.append(fine(Topic.SETTINGS, f"{paths.config_file}{there}"))
    try:
        store = glance(paths.database, since=month_of(utc_now()))
    except (SleepError, OSError) as error:
        found.append(of_error(Topic.STORE, error))
    else:
        guarded(Topic.STORE, lambda: look_at_store(paths, store))
    with tempfile.TemporaryDirectory(prefix=f"{COMMAND}-", ignore_cleanup_errors=True) as made:
        # Where a night makes what it takes to ask a program, among the user's data, nothing may be written here.
        scratch = replace(paths, data=Path(made) / "data")
        until = utc_now() + timedelta(minutes=settings.budget.minutes)
        try:
            reached = reach(settings, scratch, environ=environ, until=until)
        except OSError as error:
            found.append(of_error(Topic.MODELS, error))
        # That the defaults name no backend is no news to who named one in a file that can't be read.
        found.extend(finding for finding in reached.findings if fit or finding.state is not State.PROBLEM)
        sights: list[Sight] = []
        guarded(
            Topic.SIGHT,
            lambda: look_at_sight(root, reached.programs, sights, home=home, environ=environ, place=Path(made)),
        )
        sources = store.sources if store else frozenset[tuple[str, str]]()
        journal = Journal(paths.adoptions)
        guarded(Topic.SIGHT, lambda: adopted(journal, sights, root=root, home=home, sources=sources))
    guarded(Topic.SETTINGS, lambda: look_at_settings(paths, root))
    guarded(Topic.LIMITS, lambda: look_at_limits(settings.budget, paths, root, store))
    guarded(Topic.PATHS, lambda: look_at_paths(paths))
    guarded(Topic.PATHS, lambda: look_at_sources(agent_sources(settings, environ)))
    guarded(Topic.INSTALLS, lambda: look_at_installs(environ.get("PATH", "")))
    return tuple(found)


def look_at_settings(paths: Paths, root: Path) -> Iterator[Finding]:
    """What else is in force; raises ConfigError where the project's settings or the house rules can't be read."""
    if read_preferences(paths.preferences):
        yield fine(Topic.SETTINGS, f"{paths.preferences} are your house rules")
    if not load_project(root).enabled:
        yield fine(Topic.SETTINGS, f"the project {root} opts out: its sessions are never read")


def look_at_store(paths: Paths, store: Glance | None) -> Iterator[Finding]:
    """How the nights stand."""
    if store is None:
        yield fine(Topic.STORE, "no night has run yet", "begin with: skillopt-sleep run --now --example")
        return
    yield fine(Topic.STORE, f"{paths.database} is whole; nights: {store.nights}")
    running = is_running(paths.data)
    for night in store.unfinished:
        if running:
            yield fine(Topic.STORE, f"night {night} runs now")
        else:
            yield fine(
                Topic.STORE, f"night {night} was cut off", "the next night under the same settings goes on with it"
            )


def look_at_sight(
    root: Path,
    programs: Mapping[str, str],
    sights: list[Sight],
    *,
    home: Path,
    environ: Mapping[str, str],
    place: Path,
) -> Iterator[Finding]:
    """What each agent sees in this project; what it is goes into `sights`."""
    homes = {agent.title: agent.home(environ, home) for agent in AGENTS.values()}
    if "claude" in programs or homes[CLAUDE].is_dir():
        sights.append(claude_sight(root, home=home, agent_home=homes[CLAUDE]))
        yield from _seen(sights[-1], root)
        if cut := cut_descriptions(sights[-1]):
            yield unknown(Topic.SIGHT, f"{CLAUDE} shows only the beginning of the description of {', '.join(cut)}")
    if "codex" in programs:
        try:
            sights.append(
                codex_sight(
                    programs["codex"],
                    root,
                    home=home,
                    agent_home=homes[CODEX],
                    environ=environ,
                    place=place / "codex",
                )
            )
        except ItemError as error:
            yield unknown(Topic.SIGHT, error.message)
            return
        yield from _seen(sights[-1], root)
        for file in sights[-1].cut:
            yield problem(
                Topic.SIGHT,
                f"{CODEX} reads only the beginning of {file}",
                "shorten it, or raise project_doc_max_bytes in its config.toml",
            )


def _seen(sight: Sight, root: Path) -> Iterator[Finding]:
    files = [
        f"{path.relative_to(root) if path.is_relative_to(root) else path}{' (in part)' if path in sight.cut else ''}"
        for path in (*sight.instructions, *sight.cut)
    ]
    skills = sorted({path.parent.name for path in sight.skills})
    more = f" and {len(skills) - _MOST_NAMED} more" if len(skills) > _MOST_NAMED else ""
    yield fine(Topic.SIGHT, f"{sight.agent} in {root} is given: {', '.join(files) or 'no instruction file'}")
    yield fine(Topic.SIGHT, f"{sight.agent} lists: {', '.join(skills[:_MOST_NAMED]) or 'no skill'}{more}")


def look_at_limits(budget: BudgetSettings, paths: Paths, root: Path, store: Glance | None) -> Iterator[Finding]:
    """What may be spent, and what was; `look_at_settings` says where the project's own can't be read."""
    allowed = limits(budget, paths)
    yield fine(Topic.LIMITS, f"a night: {_amount(allowed.night)}, {allowed.minutes} minutes")
    with suppress(ConfigError):
        yield fine(Topic.LIMITS, f"of that on {root.name or root}: {_amount(allowed.project(str(root)))}")
    yield fine(Topic.LIMITS, f"a month: {_amount(allowed.month)}")
    if store is None:
        return
    spent = store.spent
    price = "at an unknown price" if spent.usd is None else f"for ${spent.usd:.2f}"
    yield fine(Topic.LIMITS, f"spent this month: {spent.calls:,} calls, {spent.tokens:,} tokens, {price}")
    used = Limit(spent.calls, spent.tokens, spent.dollars)
    for key, most, had in zip(Limit._fields, allowed.month, used, strict=True):
        if most and had >= most:
            yield problem(
                Topic.LIMITS,
                f"this month's limit is used up: {most:,} {key}",
                f"raise budget.month_{key}, or wait for the next month (UTC)",
            )


def _amount(limit: Limit) -> str:
    named = [f"{limit.calls:,} calls" if limit.calls else "", f"{limit.tokens:,} tokens" if limit.tokens else ""]
    named.append(f"${limit.usd:.2f}" if limit.usd else "")
    return ", ".join(filter(None, named)) or "no limit"


def look_at_paths(paths: Paths) -> Iterator[Finding]:
    """Whether what is ours can be written, has room, and is nobody else's to read."""
    folders = dict.fromkeys((paths.config, paths.data, paths.nights, paths.adoptions))
    files = (paths.config_file, paths.preferences, paths.database)
    there = [path for path in (*folders, *files) if path.exists()]
    for path in there:
        if path.is_dir() != (path in folders):
            kind = "folder" if path in folders else "file"
            yield problem(Topic.PATHS, f"{path} is no {kind}", f"move it away: {COMMAND} makes its own")
        elif not os.access(path, os.R_OK | os.W_OK | (os.X_OK if path in folders else 0)):
            remedy = f"if it is yours: chmod u+rw{'x' if path in folders else ''} {shlex.quote(str(path))}"
            yield problem(Topic.PATHS, f"{path} can't be read and written", remedy)
    for folder in (paths.config, paths.data):
        above = next(path for path in (folder, *folder.parents) if path.exists())
        if above != folder and not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
            yield problem(
                Topic.PATHS, f"{folder} can't be made in {above}", "set SKILLOPT_SLEEP_HOME to a folder of yours"
            )
    loose = [path for path in there if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & _OTHERS]
    if loose:
        names = ", ".join(map(str, loose))
        command = f"chmod go-rwx {' '.join(shlex.quote(str(path)) for path in loose)}"
        yield problem(Topic.PATHS, f"others on this machine may get into {names}", command)
    free = shutil.disk_usage(next(path for path in (paths.data, *paths.data.parents) if path.exists())).free
    if free < LEAST_FREE:
        room = f"make room: a night needs {LEAST_FREE >> 20} MiB at least"
        yield problem(Topic.PATHS, f"{paths.data}: only {free >> 20} MiB are free", room)
    yield fine(Topic.PATHS, f"settings in {paths.config}, data in {paths.data} ({free / 2**30:.1f} GiB free)")


def look_at_sources(sources: Iterable[Source]) -> Iterator[Finding]:
    """Whether every folder that may hold sessions can be listed."""
    unlisted: dict[str, str] = {}
    for source in sources:
        for _ in source.stamps(unlisted.setdefault):
            pass
    for note in unlisted_notes(unlisted):
        yield problem(Topic.PATHS, note.summary, note.remedy)


def look_at_installs(path: str, *, scripts: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Which command of our name a shell would find; `scripts` are the folders in which ours may be."""
    own_folders = scripts or (sysconfig.get_path("scripts"), _user_scripts(), str(Path(sys.argv[0]).parent))
    ours = {found.resolve() for folder in own_folders if (found := _command(folder))}
    found = list(dict.fromkeys(there for folder in path.split(os.pathsep) if (there := _command(folder))))
    others = [there for there in found if there.resolve() not in ours]
    if not others:
        where = str(found[0]) if found else f"not in PATH; this is {sys.executable} -m skillopt_sleep"
        yield fine(Topic.INSTALLS, f"{COMMAND} is {where}")
        return
    own = next((there for there in found if there not in others), None) or next(iter(sorted(ours)), None)
    mine = str(own) if own else f"{sys.executable} -m skillopt_sleep"
    names = " and ".join(map(str, others))
    first = f"a shell runs {found[0]}" if found[0] in others else f"a shell runs ours, {found[0]}"
    yield problem(
        Topic.INSTALLS,
        f"this is not the only command {COMMAND}: there is {names}; {first}",
        f"uninstall the one you don't want, or run this one as {mine}",
    )


def _command(folder: str) -> Path | None:
    # An empty entry of PATH is the current folder: what lies there is nobody's install.
    found = shutil.which(COMMAND, path=folder) if folder else None
    return Path(found).absolute() if found else None


def _user_scripts() -> str:
    return sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))
