"""Run every check of `doctor`; each returns findings and changes nothing."""

import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from skillopt_sleep.agents import half_read
from skillopt_sleep.daemon.conditions import local_zone
from skillopt_sleep.doctor.adopted import look_at_adopted
from skillopt_sleep.doctor.automatic import look_at_daemon, look_at_plugins, tonight
from skillopt_sleep.doctor.findings import Finding, FindingState, Topic, fine, of_error, problem, unknown
from skillopt_sleep.doctor.folders import look_at_installs, look_at_paths, look_at_sources
from skillopt_sleep.doctor.instructions import SeenInstructions, look_at_sight
from skillopt_sleep.doctor.kept import look_at_kept
from skillopt_sleep.doctor.models import check_models
from skillopt_sleep.errors import ConfigError, SleepError
from skillopt_sleep.kit.clock import utc_now
from skillopt_sleep.kit.projects import project_root
from skillopt_sleep.proposals.journal import Journal
from skillopt_sleep.protocols.sealing import Denial, Probe, Seal
from skillopt_sleep.records import Limit
from skillopt_sleep.replay.seals import SEALS, chosen
from skillopt_sleep.settings import BudgetSettings, Paths, Settings, load, load_project, read_preferences
from skillopt_sleep.stores.running import is_running
from skillopt_sleep.stores.summary import StoreSummary, summarize
from skillopt_sleep.wiring import agent_sources, lost_sessions
from skillopt_sleep.wiring.night import limits


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
        self._store: StoreSummary | None = None

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
            store = summarize(self._paths.database, month=utc_now())
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
        scheduled = tonight(self._settings, self._paths, environ=self._environ, now=now, zone=local_zone())
        programs: Mapping[str, str] = {}
        try:
            reached = check_models(
                self._settings, scratch_paths, environ=self._environ, until=until, tonight=scheduled
            )
        except OSError as error:
            self.findings.append(of_error(Topic.MODELS, error))
        else:
            programs = reached.programs
            for finding in reached.findings:
                # If the settings can't be read, don't complain that the defaults name no backend.
                if self._has_settings or finding.state is not FindingState.PROBLEM:
                    self.findings.append(finding)
        sights: list[SeenInstructions] = []
        self._run(
            Topic.SIGHT,
            lambda: look_at_sight(self._root, programs, sights, home=self._home, environ=self._environ),
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
        """Run the other checks."""
        paths = self._paths
        self._run(Topic.SETTINGS, lambda: look_at_settings(paths, self._root))
        self._run(Topic.LIMITS, lambda: look_at_limits(self._settings.budget, paths, self._root, self._store))
        self._run(Topic.PATHS, lambda: look_at_paths(paths))
        sources = agent_sources(self._settings, self._environ)
        lost = lost_sessions(self._settings, self._environ)
        self._run(Topic.PATHS, lambda: look_at_sources(sources, lost))
        self._run(Topic.INSTALLS, lambda: look_at_installs(self._environ.get("PATH", "")))
        self._run(Topic.INSTALLS, lambda: look_at_plugins(paths, home=self._home, environ=self._environ))
        self._run(Topic.DAEMON, lambda: look_at_daemon(paths, self._environ))

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


def look_at_store(paths: Paths, store: StoreSummary | None) -> Iterator[Finding]:
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


def look_at_limits(budget: BudgetSettings, paths: Paths, root: Path, store: StoreSummary | None) -> Iterator[Finding]:
    """Report what may be spent and what was; `look_at_settings` reports a project file that can't be read."""
    allowed = limits(budget, paths)
    yield fine(Topic.LIMITS, f"a night: {_amount(allowed.night)}, {allowed.minutes} minutes")
    with suppress(ConfigError):
        own = allowed.project(str(root))
        if any(own):
            yield fine(Topic.LIMITS, f"a night on {root.name or root}: {_amount(own)}")
    yield fine(Topic.LIMITS, f"a month: {_amount(Limit(usd=budget.month_usd))}")
    if store is None:
        return
    spent = store.spent
    price = "at an unknown price" if spent.usd is None else f"for ${spent.usd:.2f}"
    yield fine(Topic.LIMITS, f"spent this month: {spent.calls:,} calls, {spent.tokens:,} tokens, {price}")
    if budget.month_usd and spent.dollars >= budget.month_usd:
        yield problem(
            Topic.LIMITS,
            f"this month's limit is used up: ${budget.month_usd:.2f}",
            "raise budget.month_usd, or wait for the next month (UTC)",
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


def look_at_seals(folder: Path, seals: Sequence[Seal] = SEALS) -> Iterator[Finding]:
    """Report each seal that was tried, up to the first that holds; having none is no problem, only less is tried."""
    folder.mkdir()
    choice = chosen(seals, folder)
    if choice.seal is None:
        yield unknown(Topic.SEALS, "no seal holds here: requests are asked in text only", choice.remedy)
    for probe in choice.probes:
        yield fine(Topic.SEALS, _says(probe))


def _says(probe: Probe) -> str:
    version = f" ({probe.version})" if probe.version and probe.version != probe.seal else ""
    denied = [denial.value.replace("_", " ") for denial in Denial if denial in probe.denied]
    if probe.holds:
        holds = f"{probe.seal}{version} can be used, if replay.sealed is on"
        return f"{holds}; it denies all it must: {', '.join(denied)}"
    if denied:
        return f"{probe.seal}{version} isn't used: {probe.problem}; it denies: {', '.join(denied)}"
    return f"{probe.seal}{version} isn't used: {probe.problem}"
