"""Say in a plan how many attempts in sealed copies a night can afford, by whom, and what they cost at most."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from skillopt_sleep.kit.markdown import one_line
from skillopt_sleep.kit.words import counted
from skillopt_sleep.records import SealedReplay, Task, Usage
from skillopt_sleep.settings import BudgetSettings, Paths, Settings


class AheadSealed(NamedTuple):
    """A forecast of a night's sealed attempts: who makes them, or why nobody can.

    So many `tasks` of earlier nights need the repository and have it; an attempt makes up to `turns` calls. The
    `earlier` attempts took that many `tokens` and dollars in the middle; `usd` is None if no price is known.
    """

    made_with: SealedReplay
    tasks: int
    turns: int
    earlier: int = 0
    tokens: int = 0
    usd: float | None = None

    def affordable(self, budget: BudgetSettings) -> int:
        """Return how many attempts the night can afford, if each makes all the calls that it may."""
        return budget.calls // self.turns


def look_at_seals(
    settings: Settings,
    paths: Paths,
    *,
    known: Sequence[Task],
    usages: Sequence[tuple[str, Usage]],
) -> AheadSealed:
    """Look for an agent and for a seal that holds, by trying it; no model is asked."""
    from skillopt_sleep.errors import SleepError
    from skillopt_sleep.mining.acting import needs_repository
    from skillopt_sleep.wiring.models import choose
    from skillopt_sleep.wiring.sealed import TURNS, find_actor, find_sealing, price_of

    usd: float | None = None
    try:
        target = choose(settings, paths).target
        sealing = find_sealing(find_actor(settings, target, paths))
        made_with = sealing.told
        if usages:
            priced = price_of(sealing.agent.way, target.price)
            prices = [priced(model, usage) for model, usage in usages]
            usd = None if None in prices else median(filter(None, prices))
    except SleepError as error:
        made_with = SealedReplay(why_not=error.message, remedy=error.remedy)
    return AheadSealed(
        made_with,
        tasks=sum(task.setting.workspace is not None and needs_repository(task) for task in known),
        turns=TURNS,
        earlier=len(usages),
        tokens=int(median(usage.tokens for _, usage in usages)) if usages else 0,
        usd=usd,
    )


def sealed_lines(ahead: AheadSealed, budget: BudgetSettings) -> Iterator[str]:
    """Yield who acts in sealed copies and how often, or why nobody does and what helps."""
    made_with = ahead.made_with
    if made_with.why_not:
        yield f"nothing is tried in a sealed copy: {one_line(made_with.why_not, limit=600)}"
        if made_with.remedy:
            yield f"what helps: {one_line(made_with.remedy, limit=400)}"
        return
    version = f" ({made_with.version})" if made_with.version else ""
    yield f"{made_with.agent}{version} acts in copies of the repository, sealed by {made_with.seal}"
    usual = f", typically {ahead.tokens:,} tokens (median of {ahead.earlier:,})" if ahead.tokens else ""
    yield (
        f"an attempt makes at most {counted(ahead.turns, 'call')}{usual}, so the limit is enough for"
        f" {ahead.affordable(budget):,} attempts at least"
    )


def sealed_data(ahead: AheadSealed, budget: BudgetSettings) -> dict[str, object]:
    """Return the same as data."""
    return {
        "made_with": ahead.made_with,
        "tasks": ahead.tasks,
        "calls_per_attempt_at_most": ahead.turns,
        "earlier_attempts": ahead.earlier,
        "tokens_per_attempt": ahead.tokens or None,
        "usd_per_attempt": ahead.usd,
        "attempts_affordable": 0 if ahead.made_with.why_not else ahead.affordable(budget),
    }
