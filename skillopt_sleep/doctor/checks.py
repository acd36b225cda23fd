"""Run every check of `doctor`; each returns findings and changes nothing."""

import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS, half_read
from skillopt_sleep.backends.metered import month_of
from skillopt_sleep.daemon.zone import local_zone
from skillopt_sleep.doctor.adopted import look_at_adopted
from skillopt_sleep.doctor.findings import Finding, State, Topic, fine, of_error, problem, unknown
from skillopt_sleep.doctor.folders import look_at_paths, look_at_sources
from skillopt_sleep.doctor.installs import look_at_installs
from skillopt_sleep.doctor.kept import look_at_kept
from skillopt_sleep.doctor.reach import reach
from skillopt_sleep.doctor.seals import look_at_seals
from skillopt_sleep.doctor.sight import CLAUDE, CODEX, Sight, claude_sight, codex_sight, cut_descriptions
from skillopt_sleep.doctor.tonight import Tonight, tonight
from skillopt_sleep.errors import ConfigError, ItemError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.records import Limit
from skillopt_sleep.settings import BudgetSettings, Paths, Settings, load, load_project, read_preferences
from skillopt_sleep.stores.glance import Glance, glance, is_running
from skillopt_sleep.wiring import agent_sources, lost_sessions
from skillopt_sleep.wiring.night import limits

_MOST_SKILLS_NAMED = 12


def look(paths: Paths, *, folder: Path, home: Path, environ: Mapping[str, str]) -> tuple[Finding, ...]:
    """Check this installation, and the project that the folder belongs to."""
    checkup = _Checkup(paths, root=Path(project_root(str(folder.absolute()))), home=home, environ=environ)
    checkup.load_settings()
    checkup.open_store()
    with tempfile.TemporaryDirectory(prefix="skillopt-sleep-", ignore_cleanup_errors=True) as scratch:
        checkup.ask_programs(Path(scratch))
        checkup.try_seals(Path(scratch))
    checkup.check_rest()
    return tuple(checkup.findings)


class _Checkup:
    """Collects findings; what one check learns, the later ones use."""

    def __init__(self, paths: Paths, *, root: Path, home: Path, environ: Mapping[str, str]) -> None:
        self.findings: list[Finding] = []
        self._paths = paths
        self._root = root
        self._home = home
        self._environ = environ
        self._settings = Settings()
        self._has_settings = False
        self._store: Glance | None = None

    def load_settings(self) -> None:
        """Read the configuration; the defaults are in its place if it can't be read."""
        try:
            self._settings = load(self._paths, environ=self._environ)
        except (ConfigError, OSError) as error:
            self.findings.append(of_error(Topic.SETTINGS, error))
            self.findings.append(fine(Topic.SETTINGS, "everything below assumes the default settings"))
            return
        self._has_settings = True
        file = self._paths.config_file
        if file.exists():
            self.findings.append(fine(Topic.SETTINGS, f"{file}"))
        else:
            self.findings.append(fine(Topic.SETTINGS, f"{file} doesn't exist: the defaults apply"))

    def open_store(self) -> None:
        """Read the store's summary and check it."""
        try:
            store = glance(self._paths.database, since=month_of(utc_now()))
        except (SleepError, OSError) as error:
            self.findings.append(of_error(Topic.STORE, error))
            return
        self._store = store
        self._run(Topic.STORE, lambda: look_at_store(self._paths, store))
        self._run(Topic.KEPT, lambda: look_at_kept(self._paths, store, keep=self._settings.bank.keep))

    def ask_programs(self, scratch: Path) -> None:
        """Check the models a night would ask, and what each agent sees."""
        # A night prepares its calls in the user's data folder, which isn't touched here.
        scratch_paths = replace(self._paths, data=scratch / "data")
        now = utc_now()
        until = now + timedelta(minutes=self._settings.budget.minutes)
        scheduled: Tonight | None = None
        # What of an installation can't be read is told where the installation is.
        with suppress(SleepError, OSError):
            scheduled = tonight(self._settings, self._paths, now=now, zone=local_zone())
        programs: Mapping[str, str] = {}
        try:
            reached = reach(self._settings, scratch_paths, environ=self._environ, until=until, tonight=scheduled)
        except OSError as error:
            self.findings.append(of_error(Topic.MODELS, error))
        else:
            programs = reached.programs
            for finding in reached.findings:
                # If the settings can't be read, don't complain that the defaults name no backend.
                if self._has_settings or finding.state is not State.PROBLEM:
                    self.findings.append(finding)
        sights: list[Sight] = []
        self._run(
            Topic.SIGHT,
            lambda: look_at_sight(
                self._root, programs, sights, home=self._home, environ=self._environ, place=scratch
            ),
        )
        sources = self._store.sources if self._store else frozenset[tuple[str, str]]()
        journal = Journal(self._paths.adoptions)
        self._run(
            Topic.SIGHT, lambda: look_at_adopted(journal, sights, root=self._root, home=self._home, sources=sources)
        )

    def try_seals(self, scratch: Path) -> None:
        """Check what a replay can be sealed with."""
        self._run(Topic.SEALS, lambda: look_at_seals(scratch / "seals"))

    def check_rest(self) -> None:
        """Run the checks that need no program."""
        paths = self._paths
        self._run(Topic.SETTINGS, lambda: look_at_settings(paths, self._root))
        self._run(Topic.LIMITS, lambda: look_at_limits(self._settings.budget, paths, self._root, self._store))
        self._run(Topic.PATHS, lambda: look_at_paths(paths))
        sources = agent_sources(self._settings, self._environ)
        lost = lost_sessions(self._settings, self._environ)
        self._run(Topic.PATHS, lambda: look_at_sources(sources, lost))
        self._run(Topic.INSTALLS, lambda: look_at_installs(self._environ.get("PATH", "")))

    def _run(self, topic: Topic, check: Callable[[], Iterable[Finding]]) -> None:
        """Run one check; an error that stops it is a finding too, and the other checks go on."""
        try:
            self.findings.extend(check())
        except (SleepError, OSError) as error:
            self.findings.append(of_error(topic, error))


def look_at_settings(paths: Paths, root: Path) -> Iterator[Finding]:
    """Check the house rules and the project's own settings; raises ConfigError if they can't be read."""
    if read_preferences(paths.preferences):
        yield fine(Topic.SETTINGS, f"your house rules are in {paths.preferences}")
    if not load_project(root).enabled:
        yield fine(
            Topic.SETTINGS,
            f"the project {root} opts out: no night uses its sessions",
            f"delete what is kept of them: skillopt-sleep purge --project {shlex.quote(str(root))}",
        )


def look_at_store(paths: Paths, store: Glance | None) -> Iterator[Finding]:
    """Report how many nights have run, and which are unfinished."""
    if store is None:
        yield fine(Topic.STORE, "no night has run yet", "begin with: skillopt-sleep run --example")
        return
    yield fine(Topic.STORE, f"{paths.database} is intact; nights: {store.nights}")
    for line in half_read(store.half_read):
        yield unknown(Topic.STORE, line, "what is in them isn't used; see: skillopt-sleep harvest")
    running = is_running(paths.data)
    for night in store.unfinished:
        if running:
            yield fine(Topic.STORE, f"night {night} runs now")
        else:
            yield fine(
                Topic.STORE, f"night {night} was cut off", "the next night under the same settings continues it"
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
    """Report what each agent sees in this project, and append it to `sights`."""
    homes = {agent.title: agent.home(environ, home) for agent in AGENTS.values()}
    if "claude" in programs or homes[CLAUDE].is_dir():
        claude = claude_sight(root, home=home, agent_home=homes[CLAUDE])
        sights.append(claude)
        yield from _seen(claude, root)
        cut = cut_descriptions(claude)
        if cut:
            yield unknown(Topic.SIGHT, f"{CLAUDE} shows only the beginning of the description of {', '.join(cut)}")
    if "codex" not in programs:
        return
    try:
        codex = codex_sight(
            programs["codex"], root, home=home, agent_home=homes[CODEX], environ=environ, place=place / "codex"
        )
    except ItemError as error:
        yield unknown(Topic.SIGHT, error.message)
        return
    sights.append(codex)
    yield from _seen(codex, root)
    for file in codex.cut:
        yield problem(
            Topic.SIGHT,
            f"{CODEX} reads only the beginning of {file}",
            "shorten it, or raise project_doc_max_bytes in Codex's config.toml",
        )


def _seen(sight: Sight, root: Path) -> Iterator[Finding]:
    files: list[str] = []
    for path in (*sight.instructions, *sight.cut):
        name = str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
        if path in sight.cut:
            name += " (in part)"
        files.append(name)
    skills = sorted({path.parent.name for path in sight.skills})
    listed = ", ".join(skills[:_MOST_SKILLS_NAMED]) or "none"
    if len(skills) > _MOST_SKILLS_NAMED:
        listed += f" and {len(skills) - _MOST_SKILLS_NAMED} more"
    yield fine(Topic.SIGHT, f"{sight.agent} reads in {root}: {', '.join(files) or 'no instruction file'}")
    yield fine(Topic.SIGHT, f"{sight.agent} offers these skills there: {listed}")


def look_at_limits(budget: BudgetSettings, paths: Paths, root: Path, store: Glance | None) -> Iterator[Finding]:
    """Report what may be spent and what was; `look_at_settings` reports a project file that can't be read."""
    allowed = limits(budget, paths)
    yield fine(Topic.LIMITS, f"a night: {_amount(allowed.night)}, {allowed.minutes} minutes")
    with suppress(ConfigError):
        own = allowed.project(str(root))
        if any(own):
            yield fine(Topic.LIMITS, f"a night on {root.name or root}: {_amount(own)}")
    yield fine(Topic.LIMITS, f"a month: {_amount(allowed.month)}")
    if store is None:
        return
    spent = store.spent
    price = "at an unknown price" if spent.usd is None else f"for ${spent.usd:.2f}"
    yield fine(Topic.LIMITS, f"spent this month: {spent.calls:,} calls, {spent.tokens:,} tokens, {price}")
    used = Limit(spent.calls, spent.tokens, spent.dollars)
    for key, most, used_up in zip(Limit._fields, allowed.month, used, strict=True):
        if most and used_up >= most:
            yield problem(
                Topic.LIMITS,
                f"this month's limit is used up: {most:,} {key}",
                f"raise budget.month_{key}, or wait for the next month (UTC)",
            )


def _amount(limit: Limit) -> str:
    parts: list[str] = []
    if limit.calls:
        parts.append(f"{limit.calls:,} calls")
    if limit.tokens:
        parts.append(f"{limit.tokens:,} tokens")
    if limit.usd:
        parts.append(f"${limit.usd:.2f}")
    return ", ".join(parts) or "no limit"
