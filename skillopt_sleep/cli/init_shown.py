"""What init tells: what is on this machine, what would leave it, what was written, and what comes next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS
from skillopt_sleep.cli.account import Account
from skillopt_sleep.cli.plan import Ahead, destination, dollars, recipients
from skillopt_sleep.cli.tasks_shown import counted, home_path
from skillopt_sleep.kit.exclude import is_excluded
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.settings import BackendName, BudgetSettings, Paths, Settings

if TYPE_CHECKING:
    from skillopt_sleep.cli.init_written import Written
    from skillopt_sleep.doctor.offers import Offer

MOST_PROJECTS = 20
NOWHERE = {
    "": "nobody is named to answer",
    "simulated": "the simulated model answers here, and learns nothing of worth",
}
TITLES = {agent.source: agent.title for agent in AGENTS.values()}


class Project(NamedTuple):
    """A project's part in the history."""

    path: str
    sessions: int
    corrected: int


def projects(total: Account) -> tuple[Project, ...]:
    """The projects with sessions a night could use, the most corrected first."""
    found: dict[str, Project] = {}
    for row in total.rows:
        if row.sessions:
            had = found.get(row.project, Project(row.project, 0, 0))
            found[row.project] = Project(row.project, had.sessions + row.sessions, had.corrected + row.corrected)
    return tuple(sorted(found.values(), key=lambda one: (-one.corrected, -one.sessions, one.path)))


def look_back(settings: Settings, paths: Paths) -> Account:
    """All that is in the history, whatever a night has read."""
    from skillopt_sleep.cli.account import History, account
    from skillopt_sleep.night.harvest import harvest
    from skillopt_sleep.stores.user import open_store
    from skillopt_sleep.wiring import agent_sources, harvest_rules

    store = open_store(settings, paths)
    try:
        sources = agent_sources(settings)
        rules = harvest_rules(settings, paths, unread=False)
        found = harvest(sources, store.index, rules)
        names = [source.name for source in sources]
        return account(History.of(found, store.index, rules, sources=names, horizon=store.horizon()))
    finally:
        store.close()


def found_lines(offered: "Sequence[Offer]", total: Account, known: Sequence[Project]) -> Iterator[str]:
    """Agents, sessions, projects."""
    agents = [offer for offer in offered if offer.name in AGENTS]
    for number, offer in enumerate(agents):
        mark = "✓" if offer.ready else "–"
        yield f"{'' if number else 'Agents':10} {mark} {offer.name:7} {one_line(offer.says, limit=200)}"
    by_source = Counter({row.source: 0 for row in total.rows})
    for row in total.rows:
        by_source[row.source] += row.sessions
    sessions = ", ".join(f"{count} of {TITLES.get(name, name)}" for name, count in by_source.most_common() if count)
    corrected = f"; {counted(total.requests, 'request')}, {total.corrected} of them corrected" if sessions else ""
    yield f"{'Sessions':10} {sessions or 'none yet'}{corrected}"
    for number, project in enumerate(known[:MOST_PROJECTS]):
        row = (
            f"{counted(project.sessions, 'session'):>13}, {project.corrected:3} corrected  {home_path(project.path)}"
        )
        yield f"{'' if number else 'Projects':10} {number + 1:2} {row}"
    if len(known) > MOST_PROJECTS:
        yield f"{'':10}    and {len(known) - MOST_PROJECTS} more: skillopt-sleep harvest"


def leaving_lines(settings: Settings, ahead: Ahead, offer: "Offer | None", *, older: int) -> Iterator[str]:
    """What a night would send, to whom, and what it would cost at most."""
    if not recipients(settings):
        yield f"Nothing would leave this machine: {NOWHERE[settings.backend.name]}."
        return
    used, inside = counted(ahead.found.counts.used, "session"), counted(len(ahead.projects), "project")
    more = f" ({older} more ended before the last {settings.harvest.lookback})" if older else ""
    yield "What would leave this machine, each night:"
    yield f"  what     redacted excerpts of new sessions; now: {used} in {inside}{more}"
    yield f"  to       {destination(settings)}"
    now = f"{counted(ahead.most, 'call')} now, and never over " if 0 < ahead.most < settings.budget.calls else ""
    yield f"  at most  {now}{_limits(settings.budget)} a night"
    yield f"  dollars  {_price(settings, offer)}"


def written_lines(done: "Written") -> Iterator[str]:
    """What is in the file now, and where the earlier one is."""
    if not done.changed:
        yield f"{done.path} says all of this already; it is as it was."
        return
    yield f"Wrote {done.path}"
    if done.backup is None:
        yield from (f"  {line}" for line in done.text.splitlines() if line)
        return
    yield from (f"  {line}" for line in done.diff.splitlines()[2:])
    yield f"The one that was there is {done.backup}"


def unmatched_lines(choice: Mapping[str, Mapping[str, Any]], total: Account, settings: Settings) -> Iterator[str]:
    """What was said to leave out and isn't there; what was left out before is none of what was found."""
    found = [row.project for row in total.rows]
    for pattern in choice.get("projects", {}).get("exclude", ()):
        if pattern not in settings.projects.exclude and not any(is_excluded(path, (pattern,)) for path in found):
            yield f"! {one_line(pattern)} is none of the projects found; it is left out should it come"


def next_lines(
    settings: Settings, ahead: Ahead, *, installed: bool = False, others: Sequence[str] | None = None
) -> Iterator[str]:
    """The next step; `others` are who else could answer where the one named can't, None where it can."""
    name = settings.backend.name
    steps: list[tuple[str, str]] = []
    if not name:
        steps.append(("skillopt-sleep run --now --example", "see a whole night, without network or cost"))
        names = ", ".join(filter(None, get_args(BackendName)))
        steps.append(("skillopt-sleep init --yes --backend NAME", f"name who answers: {names}"))
    elif others is not None:
        steps.append(("skillopt-sleep doctor", "once that is mended: whether all is well"))
        other = next(iter(others), "NAME")
        steps.append((f"skillopt-sleep init --yes --backend {other}", "or let somebody else answer"))
    elif not (ahead.found.counts.used or ahead.reviewed):
        steps.append(("skillopt-sleep run --now --example", "there is nothing to read yet: see an example"))
    else:
        naming = "" if settings.backend.confirmed else f" --backend {name}"
        steps.append((f"skillopt-sleep run --now{naming}", "a first night and its report, now"))
    if not name or others is not None:
        pass
    elif settings.backend.confirmed and installed:
        steps.append(
            ("skillopt-sleep status", f"when the next one is; it is installed, every night at {settings.daemon.at}")
        )
    elif settings.backend.confirmed:
        steps.append(("skillopt-sleep install", f"then every night at {settings.daemon.at} by itself"))
    else:
        steps.append((f"skillopt-sleep init --yes --backend {name}", "allow every night to send, once you trust it"))
    width = max(len(command) for command, _ in steps)
    for number, (command, why) in enumerate(steps):
        yield f"{'' if number else 'Next':5} {command:{width}}  {why}"


def _limits(budget: BudgetSettings) -> str:
    return f"{budget.calls:,} calls, {budget.tokens:,} tokens, {budget.minutes} minutes"


def _price(settings: Settings, offer: "Offer | None") -> str:
    limit = settings.budget.usd
    asked = recipients(settings)
    if offer and offer.subscription and not any(one.base_url or one.name != offer.name for one in asked):
        return "none: your login is a subscription; it counts against its quota"
    known = dollars(replace(settings, budget=replace(settings.budget, usd=0.0)))
    if known is None:
        stops = "; with a limit in dollars a night stops at its first call" if limit else ""
        return f"unknown: no price is known for this model{stops}"
    if 0 < limit < known:
        return f"${limit:,.2f} a night at most, your limit"
    return f"${known:,.2f} a night at most, were all tokens of its limit answers"
