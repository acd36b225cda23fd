"""Print what `init` finds on this machine, what would leave it, what it wrote, and what to do next."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from msgspec.structs import replace

from skillopt_sleep.agents import AGENTS, TITLES
from skillopt_sleep.cli.init_asked import Offer
from skillopt_sleep.cli.plan import WITH_EACH, Ahead
from skillopt_sleep.cli.price import dollars, recipients, unpriced
from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted, home_path
from skillopt_sleep.night.account import Account, ProjectCounts
from skillopt_sleep.settings import BackendName, Settings
from skillopt_sleep.wiring.models import HANDOFF, KEYS, destination, unconfirmed

MOST_PROJECTS = 20
NOWHERE = {
    "": "no backend is chosen",
    "simulated": "the simulated model runs here, for trying out; it learns nothing useful",
}


def found_lines(offered: Sequence[Offer], total: Account, known: Sequence[ProjectCounts]) -> Iterator[str]:
    """Yield the agents, sessions and projects found on this machine."""
    agents = [offer for offer in offered if offer.name in AGENTS]
    for number, offer in enumerate(agents):
        mark = "✓" if offer.ready else "–"
        yield f"{_heading('Agents', number)} {mark} {offer.name:7} {one_line(offer.says, limit=200)}"
    for number, offer in enumerate(offer for offer in offered if offer.base_url):
        yield f"{_heading('Servers', number)} ✓ {offer.label} {one_line(offer.says, limit=200)}"
        words = ["skillopt-sleep", "init", "--yes", "--backend", offer.name, "--base-url", offer.base_url]
        yield f"{'':10}   to use it: {shlex.join([*words, '--model', offer.models[0]])}"
    yield f"{'Sessions':10} {_sessions(total)}"
    for number, project in enumerate(known[:MOST_PROJECTS]):
        sessions = f"{counted(project.sessions, 'session'):>13}"
        row = f"{sessions}, {project.prompts:3} prompts  {home_path(project.project)}"
        yield f"{_heading('Projects', number)} {number + 1:2} {row}"
    if len(known) > MOST_PROJECTS:
        yield f"{'':10}    and {len(known) - MOST_PROJECTS} more: skillopt-sleep harvest"


def _heading(name: str, number: int) -> str:
    """Return the heading for the first row, and blanks for the others."""
    return f"{'' if number else name:10}"


def _sessions(total: Account) -> str:
    by_source: Counter[str] = Counter()
    for row in total.rows:
        if row.sessions:
            by_source[row.source] += row.sessions
    if not by_source:
        return "none yet"
    sessions = [f"{count} of {TITLES.get(name, name)}" for name, count in by_source.most_common()]
    return f"{', '.join(sessions)}; {counted(total.prompts, 'prompt')}"


def leaving_lines(settings: Settings, ahead: Ahead, offer: Offer | None, *, older: int) -> Iterator[str]:
    """Yield what a night would send, to whom, and what it would cost at most; `older` sessions are left out."""
    if not recipients(settings):
        why = NOWHERE.get(settings.backend.name) or f"what is read goes to {destination(settings)}"
        yield f"Nothing would leave this machine: {why}."
        return
    sessions, inside = counted(ahead.harvested.counts.used, "session"), counted(len(ahead.projects), "project")
    more = f" ({older} more are older than harvest.lookback, {settings.harvest.lookback})" if older else ""
    budget = settings.budget
    limits = f"{budget.calls:,} calls, {budget.tokens:,} tokens, {budget.minutes} minutes a night"
    if not ahead.is_empty and ahead.likely[1] < budget.calls:
        limits = f"about {counted(ahead.likely[1], 'call')} now, and never more than {limits}"
    yield "What each night would send:"
    yield f"  what     redacted excerpts of new sessions; now: {sessions} in {inside}{more}"
    yield f"           {WITH_EACH}"
    yield f"  to       {destination(settings)}"
    agents = [TITLES[source] for source in settings.harvest.sources if source in TITLES]
    if len(agents) > 1:
        yield f"  of       your sessions of {' and of '.join(agents)}: all go to the one that answers"
    yield f"  at most  {limits}"
    yield f"  dollars  {_price(settings, offer)}"
    yield "  change   skillopt-sleep config set budget.calls 100 (or budget.usd 1.50)"
    if offer and offer.subscription and not settings.backend.base_url:
        yield "  limits   each call uses up your subscription's own limits, as your work by day does"


def _price(settings: Settings, offer: Offer | None) -> str:
    if settings.backend.name == HANDOFF:
        return "none by itself: you answer, or an agent of yours, with its own costs"
    limit = settings.budget.usd
    is_one = all(backend.name == settings.backend.name and not backend.base_url for backend in recipients(settings))
    if offer and offer.subscription and is_one:
        return "none: your login is a subscription"
    most = dollars(replace(settings, budget=replace(settings.budget, usd=0.0)))
    if most is None:
        return unpriced(settings)
    if 0 < limit < most:
        return f"${limit:,.2f} a night at most, your limit"
    return f"${most:,.2f} a night at most, if every token of its limit were output"


def next_lines(
    settings: Settings, ahead: Ahead, *, installed: bool = False, others: Sequence[str] | None = None
) -> Iterator[str]:
    """Yield the next steps.

    `others` is None if the chosen backend works; if not, it names the other backends that would.
    """
    if not settings.backend.name:
        names = ", ".join(filter(None, get_args(BackendName)))
        steps = [
            ("skillopt-sleep run --example", "see a whole night, without network or cost"),
            ("skillopt-sleep init --yes --backend NAME", f"choose a backend: {names}"),
        ]
    elif others is not None:
        other = others[0] if others else "NAME"
        model = " --model NAME" if other in KEYS else ""
        steps = [
            ("skillopt-sleep doctor", "once that is fixed, check again"),
            (f"skillopt-sleep init --yes --backend {other}{model}", "or choose another backend"),
        ]
    elif settings.backend.name == HANDOFF:
        steps = [_first_night(settings, ahead)]  # nobody answers the prompts of a night that starts by itself
    else:
        steps = [_first_night(settings, ahead), _every_night(settings, installed=installed)]
    width = max(len(command) for command, _ in steps)
    for number, (command, why) in enumerate(steps):
        yield f"{'' if number else 'Next':5} {command:{width}}  {why}"


def _first_night(settings: Settings, ahead: Ahead) -> tuple[str, str]:
    if not (ahead.harvested.counts.used or ahead.reviewed):
        return "skillopt-sleep run --example", "there is nothing to read yet, so see an example"
    backend = f" --backend {settings.backend.name}" if unconfirmed(settings) else ""
    return f"skillopt-sleep run{backend}", "run a first night now and read its report"


def _every_night(settings: Settings, *, installed: bool) -> tuple[str, str]:
    if unconfirmed(settings):
        command = f"skillopt-sleep init --yes --backend {settings.backend.name}"
        return command, "allow every night to send, once you trust it"
    if installed:
        return "skillopt-sleep status", f"see the next night; nights are installed, every day at {settings.daemon.at}"
    return "skillopt-sleep install", f"then run every night at {settings.daemon.at} automatically"
